"""Dollop's solver: plain arrays in, frames out. Knows nothing of Blender and imports numba only when it computes."""

"""Tetrahedral meshes: making them from an artist's surface, and judging them."""

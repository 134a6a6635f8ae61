"""Blender's force fields, acting on goo: wind, vortex and their like."""

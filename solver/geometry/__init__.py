"""Geometry of triangles and boxes: bounding-volume tree, closest point, winding number, orientation."""

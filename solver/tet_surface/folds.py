"""Whether what is seen of a body has folded onto itself. Its tets may overlap where nothing of that is seen, as at a rim.

New tets of a fold are apart, side by side (remesh/unfused.py), and their surface would show a slit.
"""

import numpy as np

from ..geometry.edge_crossings import crossing_pairs
from ..geometry.measures import area_vectors
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..surface import Surface

GAP = 0.4  # element sizes within which something that faces a face is the other side of a fold
FACING = -0.5  # cosine between the normals of the two from which on it does


def is_seen_folded(seen: Surface, element_size: float) -> bool:
    """Return whether some of a closed surface faces another part of it less than GAP elements away, or passes through it."""
    tree = triangle_tree(seen.positions, seen.triangles)
    vectors = area_vectors(seen.positions, seen.triangles)
    size = np.sqrt((vectors**2).sum(axis=1))
    some = np.flatnonzero(size > 0.0)
    normals = vectors[some] / size[some, None]
    ahead = seen.positions[seen.triangles[some]].mean(axis=1) + GAP * element_size * normals
    near = closest_points(tree, ahead, 0.9 * GAP * element_size)
    hit = near.triangle >= 0
    other = vectors[near.triangle[hit]]
    cosine = (normals[hit] * other).sum(axis=1) / np.maximum(size[near.triangle[hit]], 1e-300)
    return bool((cosine < FACING).any()) or len(crossing_pairs(tree)) > 0

"""Whether what is seen of a body has folded onto itself. Its tets may overlap where nothing of that is seen, as at a rim.

New tets of a fold are apart, side by side (remesh/unfused.py), and their surface would show a slit. So new tets fill what is
seen, whatever gaps the old ones have in it, but for a body that does not merge and is seen to be folded. A crease no larger
than a few tets grows together as all does that is narrower than a tet.
"""

import numpy as np

from ..geometry.edge_crossings import crossing_pairs
from ..geometry.measures import area_vectors
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..surface import Surface

GAP = 0.4  # element sizes within which something that faces a face is the other side of a fold
FACING = -0.5  # cosine between the normals of the two from which on it does
LEAST = 8.0  # squares of element sizes of such faces, both sides together, that make a fold


def fills(seen: Surface, element_size: float, merging: bool) -> bool:
    """Return whether new tets of a size [m] fill what is seen, of a body that merges or does not; else what old ones do."""
    return len(seen.triangles) > 0 and (merging or not is_seen_folded(seen, element_size))


def is_seen_folded(seen: Surface, element_size: float) -> bool:
    """Return whether LEAST of a closed surface faces another part of it less than GAP elements away, or passes through it."""
    tree = triangle_tree(seen.positions, seen.triangles)
    vectors = area_vectors(seen.positions, seen.triangles)
    size = np.sqrt((vectors**2).sum(axis=1))
    some = np.flatnonzero(size > 0.0)
    normals = vectors[some] / size[some, None]
    ahead = seen.positions[seen.triangles[some]].mean(axis=1) + GAP * element_size * normals
    near = closest_points(tree, ahead, 0.9 * GAP * element_size)
    hit = near.triangle >= 0
    cosine = (normals[hit] * vectors[near.triangle[hit]]).sum(axis=1) / np.maximum(size[near.triangle[hit]], 1e-300)
    folded = np.zeros(len(size), dtype=bool)
    folded[some[hit][cosine < FACING]] = True
    folded[crossing_pairs(tree)] = True
    return bool(size[folded].sum() > LEAST * element_size**2)

"""When two pieces count as touching: when one has sunk into the other by a share of an element.

Nothing keeps apart what may merge, so what meets sinks in until then, and what is seen of both overlaps where they become
one. Less deep the place where they meet is narrower than a tet, and no new mesh would join them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..geometry.edges import connected
from ..geometry.tet_location import locate
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..tetmesh.boundary import face_table
from ..tetmesh.manifold import components

Array = NDArray[np.float64]

DEEP = 0.25  # elements that a node of one lies inside the other


@dataclass(frozen=True)
class Part:
    """A connected piece of tets: tets (m, 4), its boundary's triangles (b, 3) and nodes (k,)."""

    tets: NDArray[np.int32]
    boundary: NDArray[np.int32]
    nodes: NDArray[np.int32]


def parts_of(tets: NDArray[np.int32]) -> list[Part]:
    """Return the connected pieces of tets (m, 4), in the order in which `components` numbers them."""
    piece = components(tets)
    each = [tets[piece == k] for k in range(int(piece.max()) + 1)]
    boundaries = [face_table(own).boundary for own in each]
    return [Part(own, faces, np.unique(faces)) for own, faces in zip(each, boundaries, strict=True)]


def touching(positions: Array, parts: list[Part], pairs: Iterable[tuple[int, int, float]]) -> list[tuple[int, int]]:
    """Return those pairs (first, second, depth [m]) of parts of which one lies as deep in the other, nodes being at (n, 3)."""
    lower = [positions[part.nodes].min(axis=0) for part in parts]
    upper = [positions[part.nodes].max(axis=0) for part in parts]
    found = []
    for i, j, depth in pairs:
        if (lower[i] + depth > upper[j]).any() or (lower[j] + depth > upper[i]).any():
            continue
        if _reaches(positions, parts[i], parts[j], depth) or _reaches(positions, parts[j], parts[i], depth):
            found.append((i, j))
    return found


def clumps(
    positions: Array, tets: NDArray[np.int32], depth: float, also: ArrayLike = ()
) -> list[list[int]]:  # fmt: skip
    """Return the pieces of tets (m, 4), by number, in groups that hang together by touching this deep [m], or as pairs (k, 2)
    of them are one `also`."""
    parts = parts_of(tets)
    count = len(parts)
    pairs = touching(positions, parts, ((i, j, depth) for i in range(count) for j in range(i + 1, count)))
    pairs = np.concatenate([np.reshape(each, (-1, 2)) for each in (pairs, also)]).astype(np.int64)
    name = connected(pairs.T, count)
    return [np.flatnonzero(name == one).tolist() for one in np.unique(name)]


def _reaches(positions: Array, one: Part, other: Part, depth: float) -> bool:
    """Whether a boundary node of one lies this deep [m] inside the other."""
    corners = positions[other.tets]
    lower, upper = corners.min(axis=1), corners.max(axis=1)
    points = positions[one.nodes]
    points = points[((points >= lower.min(axis=0)) & (points <= upper.max(axis=0))).all(axis=1)]
    if not len(points):
        return False
    near = ((lower <= points.max(axis=0)) & (upper >= points.min(axis=0))).all(axis=1)
    points = points[locate(positions, other.tets[near], points)[0] >= 0] if near.any() else points[:0]
    if not len(points):
        return False
    return bool((closest_points(triangle_tree(positions, other.boundary), points).distance >= depth).any())

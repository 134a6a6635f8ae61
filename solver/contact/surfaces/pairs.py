"""Pairs of a vertex and a triangle, and of two edges, that may come close; and what they would push with."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .barrier import PARALLEL
from .distance import closest_points, closing

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
REST_SHARE = 0.5  # of the distance at rest: a pair of one body pushes only when closer than this


class Pairs(NamedTuple):
    """k pairs; the first `points` are of a vertex and a triangle, the others of two edges.

    nodes (k, 4)   : see distance.py
    reach (k,)     : distance at which a pair begins to push [m]
    stiffness (k,) : what the barrier is multiplied by [N/m]
    fade (k,)      : |ab x cd|^2 of two edges below which they fade [m^4]
    friction (k,)  : coefficient
    corners (k, 3) : of a triangle, one over the number of triangles that share each corner
    """

    nodes: IntArray
    points: int
    reach: Array
    stiffness: Array
    fade: Array
    friction: Array
    corners: Array


def no_pairs() -> Pairs:
    """None at all."""
    none = np.zeros(0)
    return Pairs(np.zeros((0, 4), np.int32), 0, none, none, none, none, np.zeros((0, 3)))


def pairs_of(
    nodes: IntArray, points: int, rest: Array, own: bool, reach: float, stiffness: Array, friction: float, corners: Array
) -> Pairs:
    """Pairs (k, 4) with their stiffness (k,) and corners (k, 3), lengths taken from nodes at rest (n, 3).

    Within one body (`own`) those that lie close already at rest begin to push only at REST_SHARE of that distance, so
    that a body at rest is free of contact however fine its mesh; those that cross at rest are left out.
    """
    reaches, fade = np.full(len(nodes), reach), np.zeros(len(nodes))
    kept = np.ones(len(nodes), dtype=bool)
    if own:
        reaches = np.minimum(reach, REST_SHARE * distances(rest, nodes, points))
        kept = reaches > 1e-6 * reach
    edges = rest[nodes[points:, 1::2]] - rest[nodes[points:, ::2]]
    fade[points:] = PARALLEL * (edges**2).sum(axis=2).prod(axis=1)
    return Pairs(
        nodes[kept], int(kept[:points].sum()), reaches[kept], stiffness[kept], fade[kept],
        np.full(int(kept.sum()), friction), corners[kept],
    )  # fmt: skip


def joined(parts: list[Pairs]) -> Pairs:
    """All of these, those of a vertex and a triangle first."""
    if not parts:
        return no_pairs()
    halves = [(part, slice(0, part.points)) for part in parts] + [(part, slice(part.points, None)) for part in parts]
    columns = [
        np.concatenate([getattr(part, name)[half] for part, half in halves])
        for name in ("nodes", "reach", "stiffness", "fade", "friction", "corners")
    ]
    return Pairs(columns[0], sum(part.points for part in parts), *columns[1:])


def distances(positions: Array, nodes: IntArray, points: int) -> Array:
    """Distances (k,) [m] of pairs (k, 4)."""
    found = np.empty(len(nodes))
    _distances(positions, nodes, points, found)
    return found


@kernel
def _distances(positions, nodes, points, found):  # type: ignore[no-untyped-def]
    for k in range(len(nodes)):
        _, _, _, _, x, y, z = closest_points(positions, nodes[k], k >= points)
        found[k] = np.sqrt(x * x + y * y + z * z)


@kernel
def may_meet(positions, way, spare, reach, nodes, points, kept):  # type: ignore[no-untyped-def]
    """Set kept (k,) for the pairs that can come within reach while all nodes are on a way (n, 3), each at most spare [m] off.

    All have gone the same share of it. What common motion a pair has does not bring it closer.
    """
    moves = np.empty((4, 3))
    for k in range(len(nodes)):
        edges = k >= points
        _, _, _, _, x, y, z = closest_points(positions, nodes[k], edges)
        limit = reach + closing(way, nodes[k], edges, moves) + 2.0 * spare
        kept[k] = x * x + y * y + z * z <= limit * limit

"""Pairs of a vertex and a triangle, and of two edges, that may come close; and what they would push with."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .barrier import PARALLEL
from .distance import closest_points

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
REST_SHARE = 0.5  # of the distance at rest: a pair of one body pushes only when closer than this,
LEAST = 0.01  # and not at all where that is less than such a share of the reach


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
    nodes: IntArray, points: int, rest: Array, own: bool, reach: float, stiffness: Array, friction: float, corners: Array,
    known: Array | None = None,
) -> Pairs:  # fmt: skip
    """Pairs (k, 4) with their stiffness (k,) and corners (k, 3), lengths taken from nodes at rest (n, 3).

    Within one body (`own`) those that lie close already at rest begin to push only at REST_SHARE of that distance, so
    that a body at rest is free of contact however fine its mesh. Those that cross at rest are left out, and those that all but
    do: slivers and seams of one skin, which tets keep from themselves.
    But what has reached further before a remesh, `known` (k,) [m], goes on to (known_reach.py).
    """
    reaches, fade = np.full(len(nodes), reach), np.zeros(len(nodes))
    kept = np.ones(len(nodes), dtype=bool)
    if own:
        free = REST_SHARE * distances(rest, nodes, points)
        reaches = np.minimum(reach, free if known is None else np.maximum(free, known))
        kept = reaches > LEAST * reach
    edges = rest[nodes[points:, 1::2]] - rest[nodes[points:, ::2]]
    fade[points:] = PARALLEL * (edges**2).sum(axis=2).prod(axis=1)
    return Pairs(
        nodes[kept], int(kept[:points].sum()), reaches[kept], stiffness[kept], fade[kept],
        np.full(int(kept.sum()), friction), corners[kept],
    )  # fmt: skip


def joined(parts: list[Pairs]) -> Pairs:
    """All of these, those of a vertex and a triangle first."""
    corners = [_part(part, slice(0, part.points)) for part in parts]
    return joined_halves(corners, [_part(part, slice(part.points, None)) for part in parts])


def joined_halves(corners: list[Pairs], edges: list[Pairs]) -> Pairs:
    """Pairs of a vertex and a triangle, and pairs of two edges, as one."""
    corners, edges = ([part for part in parts if len(part.nodes)] for parts in (corners, edges))
    if not corners + edges:
        return no_pairs()
    columns = zip(*corners, *edges, strict=True)
    nodes, _, *others = (np.concatenate([np.atleast_1d(part) for part in column]) for column in columns)
    return Pairs(nodes, sum(len(part.nodes) for part in corners), *others)


def taken(pairs: Pairs, which: NDArray[np.bool_]) -> Pairs:
    """Some (k,) of them."""
    return _part(pairs, which)._replace(points=int(which[: pairs.points].sum()))


def _part(pairs: Pairs, part: slice | NDArray[np.bool_]) -> Pairs:
    nodes, _, *others = pairs
    return Pairs(nodes[part], 0, *(column[part] for column in others))


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

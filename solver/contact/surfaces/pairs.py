"""Pairs of a vertex and a triangle, and of two edges, that may come close; and what they would push with."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .barrier import PARALLEL
from .distance import closest_points

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
EDGES = 0.1  # weight of two edges against a vertex and a triangle, which carry what lies flat; edges carry ridges
REST_SHARE = 0.5  # of the distance at rest: a pair of one body pushes only when closer than this,
NOTHING = 1e-6  # and not at all where that is less than such a share of the reach: one skin in itself
LEAST = 0.01  # share of the reach that pairs have at least with points that have come since


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


class Corners(NamedTuple):
    """Vertices near triangles: nodes (k, 4), numbers (k, 2), areas (v,) [m^2] of vertices and shares (t, 3) of corners."""

    nodes: IntArray
    items: IntArray
    areas: Array
    shares: Array


class Edges(NamedTuple):
    """Edges near edges: nodes (k, 4), numbers (k, 2); of both sides areas (e,) [m^2] and squared lengths at rest (e,) [m^2]."""

    nodes: IntArray
    items: IntArray
    areas: tuple[Array, Array]
    squares: tuple[Array, Array]


def pairs_of(corners: list[Corners], edges: Edges, reach: float, modulus: float, friction: float) -> Pairs:
    """What has been found near each other as pairs that push from a reach [m] on, by a modulus [Pa]."""
    points = sum(len(part.nodes) for part in corners)
    count, numbers = points + len(edges.nodes), np.empty
    pairs = Pairs(
        numbers((count, 4), np.int32), points, numbers(count), numbers(count), numbers(count), numbers(count),
        numbers((count, 3)),
    )  # fmt: skip
    first = 0
    for part in corners:
        _take_corners(*part, modulus, reach, friction, first, *pairs)
        first += len(part.nodes)
    _take_edges(edges.nodes, edges.items, *edges.areas, *edges.squares, modulus, reach, friction, *pairs)
    return pairs


def apart_at_rest(
    pairs: Pairs, rest: Array, reach: float, known: Array | None = None, since: NDArray[np.bool_] | None = None
) -> Pairs:
    """Pairs within one body, with how far they reach for nodes at rest (n, 3).

    Those that lie close already at rest begin to push only at REST_SHARE of that distance, so that a body at rest is free of
    contact however fine its mesh. Those that touch at rest are left out: seams of one skin, which tets keep from themselves.
    All others stay, however near: of a film only contact keeps one side from coming out through the other. But what has reached
    further before a remesh, `known` (k,) [m], goes on to (known_reach.py). And pairs with points that have come since the tets
    were made, `since` (k,), reach LEAST at least: where these would lie at rest says little of whether they are one skin.
    """
    free = REST_SHARE * distances(rest, pairs.nodes, pairs.points)
    reaches = np.minimum(reach, free if known is None else np.maximum(free, known))
    if since is not None:
        reaches = np.where(since, np.maximum(reaches, LEAST * reach), reaches)
        return taken(pairs._replace(reach=reaches), since | (reaches > NOTHING * reach))
    return taken(pairs._replace(reach=reaches), reaches > NOTHING * reach)


def joined(parts: list[Pairs]) -> Pairs:
    """All of these, those of a vertex and a triangle first."""
    parts = [part for part in parts if len(part.nodes)]
    if len(parts) < 2:
        return parts[0] if parts else no_pairs()
    halves = [_part(part, slice(0, part.points)) for part in parts], [_part(part, slice(part.points, None)) for part in parts]
    columns = zip(*halves[0], *halves[1], strict=True)
    nodes, _, *others = (np.concatenate([np.atleast_1d(part) for part in column]) for column in columns)
    return Pairs(nodes, sum(part.points for part in parts), *others)


def taken(pairs: Pairs, which: NDArray[np.bool_]) -> Pairs:
    """Some (k,) of them."""
    return _part(pairs, which)._replace(points=int(which[: pairs.points].sum()))


def numbers_among(known: IntArray, points: IntArray) -> NDArray[np.int64]:
    """Which of known pairs (k, 4) some pairs (c, 4) are, the first of those that are the same; -1 where none is."""
    if not len(known) or not len(points):
        return np.full(len(points), -1, np.int64)
    # A pair's four points in two numbers, in whose order the same pairs follow each other, what is known first
    keys = np.concatenate([known, points]).view(np.int64)
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    begins = np.append(True, (keys[order[1:]] != keys[order[:-1]]).any(axis=1))
    first = np.empty(len(order), np.int64)
    first[order] = order[begins][np.cumsum(begins) - 1]
    return np.where(first < len(known), first, -1)[len(known) :]


def _part(pairs: Pairs, part: slice | NDArray[np.bool_]) -> Pairs:
    nodes, _, *others = pairs
    return Pairs(nodes[part], 0, *(column[part] for column in others))


def distances(positions: Array, nodes: IntArray, points: int) -> Array:
    """Distances (k,) [m] of pairs (k, 4)."""
    found = np.empty(len(nodes))
    _distances(positions, nodes, points, found)
    return found


@kernel
def _take_corners(  # type: ignore[no-untyped-def]
    nodes, items, areas, shares, modulus, reach, rubs, first, own, points, reaches, stiffness, fade, friction, corners
):
    for k in range(len(nodes)):
        stiffness[first + k], fade[first + k] = modulus * areas[items[k, 0]] / reach, 0.0
        reaches[first + k], friction[first + k] = reach, rubs
        for m in range(4):
            own[first + k, m] = nodes[k, m]
        for m in range(3):
            corners[first + k, m] = shares[items[k, 1], m]


@kernel
def _take_edges(  # type: ignore[no-untyped-def]
    nodes,
    items,
    areas,
    others,
    squares,
    other_squares,
    modulus,
    reach,
    rubs,
    own,
    points,
    reaches,
    stiffness,
    fade,
    friction,
    corners,
):
    for k in range(len(nodes)):
        i, j = items[k, 0], items[k, 1]
        stiffness[points + k] = modulus * (0.5 * EDGES * (areas[i] + others[j])) / reach
        fade[points + k] = PARALLEL * (squares[i] * other_squares[j])
        reaches[points + k], friction[points + k] = reach, rubs
        for m in range(4):
            own[points + k, m] = nodes[k, m]
        for m in range(3):
            corners[points + k, m] = 0.0


@kernel
def _distances(positions, nodes, points, found):  # type: ignore[no-untyped-def]
    for k in range(len(nodes)):
        _, _, _, _, x, y, z = closest_points(positions, nodes[k], k >= points)
        found[k] = np.sqrt(x * x + y * y + z * z)

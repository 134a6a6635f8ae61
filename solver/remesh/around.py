"""Old tets around some new ones, gathered so that each new tet finds them close at hand. Scratch of overlap.py."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.tree import Tree
from ..jit import TILE, kernel
from .cones import NODE_SLOTS, PLACE, SLOTS, WEIGHT, weigh

Array = NDArray[np.float64]

TOGETHER = 16  # new tets that are looked up at once


class Filling(NamedTuple):
    """Old tets (m, 4) on positions (n, 3), the neighbours (m, 4) across their faces, their boxes (m, 3), a tree."""

    positions: Array
    tets: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    lower: Array
    upper: Array
    tree: Tree


class Around(NamedTuple):
    """Scratch: up to c old tets around some new ones, and what one of these makes of them.

    found (c,); corners, neighbours (c, 4), numbered among themselves, -1 being none of them
    nodes          : tiles of the nodes' places and weights in the new tet; a corner is the number of its first slot there
    sides          : which weights are negative, one bit each, at the same places
    faces          : (4 c,) some of their faces
    near, pair     : (c,) the tets that are not apart from the new tet; of which pair a tet is, or -1
    whose, which, share : (TOGETHER c,) new tet, old tet and share of each pair
    volume         : (TOGETHER,) [m^3] of the new tets
    tile, pluses, minuses : cones on their way, and the pairs that they are added to and taken from
    """

    found: NDArray[np.int32]
    corners: NDArray[np.uint32]
    neighbours: NDArray[np.int32]
    nodes: Array
    sides: NDArray[np.uint8]
    faces: NDArray[np.uint32]
    near: NDArray[np.uint32]
    pair: NDArray[np.int64]
    whose: NDArray[np.int64]
    which: NDArray[np.int32]
    share: Array
    volume: Array
    tile: Array
    pluses: NDArray[np.int64]
    minuses: NDArray[np.int64]


@kernel
def room(count):  # type: ignore[no-untyped-def]
    """Around `count` old tets."""
    return Around(
        np.empty(count, dtype=np.int32), np.empty((count, 4), dtype=np.uint32), np.empty((count, 4), dtype=np.int32),
        np.zeros((4 * count // TILE + 1) * NODE_SLOTS * TILE),
        np.zeros((4 * count // TILE + 1) * NODE_SLOTS * TILE, dtype=np.uint8),
        np.empty(4 * count + 1, dtype=np.uint32), np.empty(count, dtype=np.uint32), np.empty(count, dtype=np.int64),
        np.empty(TOGETHER * count, dtype=np.int64), np.empty(TOGETHER * count, dtype=np.int32), np.empty(TOGETHER * count),
        np.empty(TOGETHER), np.zeros(SLOTS * TILE), np.zeros(TILE, dtype=np.int64), np.zeros(TILE, dtype=np.int64),
    )  # fmt: skip


@kernel
def numbered(old, count, stamps, around):  # type: ignore[no-untyped-def]
    """Number the nodes and the neighbours of the old tets found; return how many tiles their nodes fill. stamps are -1."""
    nodes = 0
    for k in range(count):
        for n in range(4):
            node = old.tets[around.found[k], n]
            if stamps[node] < 0:
                slot = nodes // TILE * (NODE_SLOTS * TILE) + nodes % TILE
                stamps[node] = slot
                for a in range(3):
                    around.nodes[slot + (PLACE + a) * TILE] = old.positions[node, a]
                nodes += 1
            around.corners[k, n] = stamps[node]
    for k in range(count):
        for n in range(4):
            stamps[old.tets[around.found[k], n]] = -1
    for k in range(count):
        stamps[around.found[k]] = k
    for k in range(count):
        for n in range(4):
            neighbour = old.neighbours[around.found[k], n]
            around.neighbours[k, n] = stamps[neighbour] if neighbour >= 0 else -1
    for k in range(count):
        stamps[around.found[k]] = -1
    return (nodes + TILE - 1) // TILE


@kernel
def weighed(new, t, tiles, around):  # type: ignore[no-untyped-def]
    """Set the weights of nodes in new tet t, and which of them are negative; return its volume."""
    x, y, z = new[t, 0, 0], new[t, 0, 1], new[t, 0, 2]
    u0, u1, u2 = new[t, 1, 0] - x, new[t, 1, 1] - y, new[t, 1, 2] - z
    v0, v1, v2 = new[t, 2, 0] - x, new[t, 2, 1] - y, new[t, 2, 2] - z
    w0, w1, w2 = new[t, 3, 0] - x, new[t, 3, 1] - y, new[t, 3, 2] - z
    a0, a1, a2 = v1 * w2 - v2 * w1, v2 * w0 - v0 * w2, v0 * w1 - v1 * w0
    b0, b1, b2 = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0
    c0, c1, c2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    determinant = u0 * a0 + u1 * a1 + u2 * a2
    s = 1.0 / determinant if determinant != 0.0 else 0.0  # a flat tet holds nothing
    for tile in range(tiles):
        first = tile * NODE_SLOTS * TILE
        weigh(
            around.nodes[first : first + NODE_SLOTS * TILE],
            x, y, z, a0 * s, a1 * s, a2 * s, b0 * s, b1 * s, b2 * s, c0 * s, c1 * s, c2 * s,
        )  # fmt: skip
        a = first + WEIGHT * TILE
        b, c, d = a + TILE, a + 2 * TILE, a + 3 * TILE
        _mark(
            around.nodes[a : a + TILE], around.nodes[b : b + TILE], around.nodes[c : c + TILE], around.nodes[d : d + TILE],
            around.sides[first : first + TILE],
        )  # fmt: skip
    return abs(determinant) / 6.0


@kernel
def _mark(a, b, c, d, sides):  # type: ignore[no-untyped-def]
    """Which of four weights are negative; lane by lane, without branches, as SIMD code wants it."""
    for n in range(TILE):
        first, second = (1 if a[n] < 0.0 else 0) + (2 if b[n] < 0.0 else 0), (4 if c[n] < 0.0 else 0) + (8 if d[n] < 0.0 else 0)
        sides[n] = first + second

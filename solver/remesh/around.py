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
    """Old tets (m, 4) on positions (n, 3), their boxes (m, 3), a tree."""

    positions: Array
    tets: NDArray[np.int32]
    lower: Array
    upper: Array
    tree: Tree


class Around(NamedTuple):
    """Scratch: up to c old tets around some new ones, and what one of these makes of them.

    found (c,); corners (c, 4), each the number of its first slot among the nodes
    nodes : tiles of the nodes' places about the middle of the new tets, and of their weights in one of these
    sides : which weights are negative, one bit each, at the same places
    tile, which, whose : (TILE,) pairs on their way, and the old and the new tet of each
    """

    found: NDArray[np.int32]
    corners: NDArray[np.uint32]
    nodes: NDArray[np.float32]
    sides: NDArray[np.uint8]
    near: NDArray[np.uint32]
    tile: NDArray[np.float32]
    which: NDArray[np.int32]
    whose: NDArray[np.int64]


@kernel
def room(count):  # type: ignore[no-untyped-def]
    """Around `count` old tets."""
    slots = (4 * count // TILE + 1) * NODE_SLOTS * TILE
    return Around(
        np.empty(count, dtype=np.int32), np.empty((count, 4), dtype=np.uint32),
        np.zeros(slots, dtype=np.float32), np.zeros(slots, dtype=np.uint8), np.empty(count, dtype=np.uint32),
        np.zeros(SLOTS * TILE, dtype=np.float32), np.zeros(TILE, dtype=np.int32), np.zeros(TILE, dtype=np.int64),
    )  # fmt: skip


@kernel
def numbered(positions, tets, found, count, middle, stamps, corners, nodes):  # type: ignore[no-untyped-def]
    """Number the nodes of the old tets found, and put them in their places; return how many tiles they fill. stamps are -1."""
    used = 0
    for k in range(count):
        for n in range(np.uint64(4)):
            node = tets[found[k], n]
            if stamps[node] < 0:
                slot = used // TILE * (NODE_SLOTS * TILE) + used % TILE
                stamps[node] = slot
                for a in range(3):
                    nodes[slot + (PLACE + a) * TILE] = positions[node, a] - middle[a]
                used += 1
            corners[k, n] = stamps[node]
    for k in range(count):
        for n in range(np.uint64(4)):
            stamps[tets[found[k], n]] = -1
    return (used + TILE - 1) // TILE


@kernel
def weighed(new, t, tiles, middle, nodes, sides):  # type: ignore[no-untyped-def]
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
            nodes[first : first + NODE_SLOTS * TILE], x - middle[0], y - middle[1], z - middle[2],
            a0 * s, a1 * s, a2 * s, b0 * s, b1 * s, b2 * s, c0 * s, c1 * s, c2 * s,
        )  # fmt: skip
        a = first + WEIGHT * TILE
        b, c, d = a + TILE, a + 2 * TILE, a + 3 * TILE
        # Lane by lane, without branches, as SIMD code wants it
        for n in range(TILE):
            bits = (1 if nodes[a + n] < 0.0 else 0) + (2 if nodes[b + n] < 0.0 else 0)
            sides[first + n] = bits + (4 if nodes[c + n] < 0.0 else 0) + (8 if nodes[d + n] < 0.0 else 0)
    return abs(determinant) / 6.0

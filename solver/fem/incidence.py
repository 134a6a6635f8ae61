"""Tables of who touches whom, made by counting: which corners and edges a node has, where blocks go in the matrix."""

import numpy as np

from ..jit import kernel
from .lanes import PAIRS


@kernel
def edges_of_nodes(first, last, tets, offsets, corners):  # type: ignore[no-untyped-def]
    """Both ends (e, 2) of the edges from nodes first .. last - 1 to nodes with higher numbers, in rising order."""
    seen = np.full(len(offsets), -1, dtype=np.int32)
    edges, count = np.empty((8 * (last - first) + 64, 2), dtype=np.int32), 0
    for i in range(first, last):
        begin = count
        for k in range(offsets[i], offsets[i + 1]):
            for n in range(4):
                other = tets[corners[k] >> 2, n]
                if other <= i or seen[other] == i:
                    continue
                seen[other] = i
                if count == len(edges):
                    edges = np.concatenate((edges, np.empty((count, 2), dtype=np.int32)))
                at = count
                while at > begin and edges[at - 1, 1] > other:
                    edges[at, 1] = edges[at - 1, 1]
                    at -= 1
                edges[at, 1], edges[count, 0] = other, i
                count += 1
    return edges[:count].copy()


@kernel
def edge_numbers(first, last, nodes, starts, edges, numbers):  # type: ignore[no-untyped-def]
    """numbers (6m,) := the edge of each node pair of tets first .. last - 1; starts (n + 1,): a lower end's first edge."""
    for t in range(first, last):
        for pair in range(6):
            a, b = nodes[4 * t + PAIRS[pair, 0]], nodes[4 * t + PAIRS[pair, 1]]
            low, high = min(a, b), max(a, b)
            e = starts[low]
            while edges[e, 1] != high:
                e += 1
            numbers[6 * t + pair] = e


@kernel
def place_blocks(nodes, rank, numbers, place, offsets, middles, items):  # type: ignore[no-untyped-def]
    """The element blocks of each edge, which lie as `place` (e,) says: upright ones first, then transposed.

    A block is turned where the first of its pair of nodes has the higher rank (n,). offsets (e + 1,) come as zeros.
    """
    edges, placed, straight = len(place), np.empty(len(numbers), dtype=np.int32), np.zeros(len(place), dtype=np.int32)
    ranks = np.empty(4, dtype=rank.dtype)
    for t in range(len(nodes) // 4):
        for corner in range(4):
            ranks[corner] = rank[nodes[4 * t + corner]]
        for pair in range(6):
            e = place[numbers[6 * t + pair]]
            offsets[e + 1] += 1
            upright = ranks[PAIRS[pair, 0]] < ranks[PAIRS[pair, 1]]
            straight[e] += upright
            placed[6 * t + pair] = e if upright else -e - 1
    for e in range(edges):
        middles[e] = offsets[e] + straight[e]
        offsets[e + 1] += offsets[e]
    upright, turned = offsets[:-1].copy(), middles.copy()
    for k in range(len(placed)):
        e = placed[k]
        if e >= 0:
            items[upright[e]] = k
            upright[e] += 1
        else:
            items[turned[-e - 1]] = k
            turned[-e - 1] += 1


@kernel
def place_columns(edges, order, rank, place, offsets, columns, owners):  # type: ignore[no-untyped-def]
    """The other rows that each row has edges with, rising, and twice the edge, as `place` (e,) says, that each column belongs
    to, and 1 more where its row is the later one; offsets (n + 1,) come as zeros."""
    for e in range(len(edges)):
        offsets[rank[edges[e, 0]] + 1] += 1
        offsets[rank[edges[e, 1]] + 1] += 1
    for row in range(len(order)):
        offsets[row + 1] += offsets[row]
    around, fill = np.empty(len(columns), dtype=np.int32), offsets[:-1].copy()  # the edges of each row
    for e in range(len(edges)):
        for end in range(2):
            row = rank[edges[e, end]]
            around[fill[row]] = e
            fill[row] += 1
    fill[:] = offsets[:-1]
    for row in range(len(order)):  # in this order, so that the others get their columns in it
        for k in range(offsets[row], offsets[row + 1]):
            e = around[k]
            other = rank[edges[e, 0] if edges[e, 1] == order[row] else edges[e, 1]]
            columns[fill[other]], owners[fill[other]] = row, 2 * place[e] + (1 if row < other else 0)
            fill[other] += 1

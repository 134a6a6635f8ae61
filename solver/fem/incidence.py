"""Tables of who touches whom, made by counting: which corners and edges a node has, where blocks go in the matrix."""

import numpy as np

from ..jit import inner_kernel, kernel
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
    edges = len(place)
    straight = np.zeros(edges, dtype=np.int32)
    for k in range(len(numbers)):
        e, t, pair = place[numbers[k]], k // 6, k % 6
        offsets[e + 1] += 1
        straight[e] += 1 if rank[nodes[4 * t + PAIRS[pair, 0]]] < rank[nodes[4 * t + PAIRS[pair, 1]]] else 0
    for e in range(edges):
        middles[e] = offsets[e] + straight[e]
        offsets[e + 1] += offsets[e]
    upright, turned = offsets[:-1].copy(), middles.copy()
    for k in range(len(numbers)):
        e, t, pair = place[numbers[k]], k // 6, k % 6
        if rank[nodes[4 * t + PAIRS[pair, 0]]] < rank[nodes[4 * t + PAIRS[pair, 1]]]:
            items[upright[e]] = k
            upright[e] += 1
        else:
            items[turned[e]] = k
            turned[e] += 1


@kernel
def place_columns(edges, rank, place, offsets, columns, owners):  # type: ignore[no-untyped-def]
    """The other rows that each row has edges with, and twice the edge, as `place` (e,) says, that each column belongs to, and
    1 more where its row is the later one; offsets (n + 1,) come as zeros."""
    for e in range(len(edges)):
        offsets[rank[edges[e, 0]] + 1] += 1
        offsets[rank[edges[e, 1]] + 1] += 1
    for i in range(1, len(offsets)):
        offsets[i] += offsets[i - 1]
    fill = offsets[:-1].copy()
    for e in range(len(edges)):
        a, b = rank[edges[e, 0]], rank[edges[e, 1]]
        low, high, own = min(a, b), max(a, b), 2 * place[e]
        _insert(columns, owners, offsets[low], fill[low], high, own)
        _insert(columns, owners, offsets[high], fill[high], low, own + 1)
        fill[low] += 1
        fill[high] += 1


@inner_kernel
def _insert(columns, owner, start, end, column, own):  # type: ignore[no-untyped-def]
    """Put a column and whose it is into a row's, which are sorted."""
    at = end
    while at > start and columns[at - 1] > column:
        columns[at], owner[at] = columns[at - 1], owner[at - 1]
        at -= 1
    columns[at], owner[at] = column, own

"""Tables of who touches whom, made by counting: which corners and edges a node has, where blocks go in the matrix."""

import numpy as np

from ..jit import TILE, kernel
from .lanes import PAIRS

BLOCKS_OF_TILE = 6 * TILE


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
def reaches(numbers, starts, count):  # type: ignore[no-untyped-def]
    """first, last (e,): each edge's first and last element block; reach (tiles,): how many edges within one run of tiles, which
    begin at starts, have so many tiles between theirs.

    numbers (6m,): the edge of each element block, `count` edges in all.
    """
    first, last = np.full(count, -1, dtype=np.int32), np.empty(count, dtype=np.int32)
    for k in range(len(numbers)):
        if first[numbers[k]] < 0:
            first[numbers[k]] = k
        last[numbers[k]] = k
    begin, reach = np.repeat(starts[:-1], np.diff(starts)), np.zeros(starts[-1], dtype=np.int64)
    for e in range(count):
        early, late = first[e] // BLOCKS_OF_TILE, last[e] // BLOCKS_OF_TILE
        if early >= begin[late]:
            reach[late - early] += 1
    return first, last, reach


@kernel
def place_edges(numbers, first, last, starts, kept, place, ready):  # type: ignore[no-untyped-def]
    """Where each edge lies (e,), after the last of its tets, and ready (tiles + 1,), where those begin whose last block a tile
    makes; ready comes as zeros. At the end come those whose first block is no longer kept then, or is another run's."""
    begin = np.repeat(starts[:-1], np.diff(starts))
    for passage in range(2):
        count = ready[-1] if passage else 0
        for k in range(len(numbers)):  # so that the blocks it reads have just been read by other edges
            e, tile = numbers[k], k // BLOCKS_OF_TILE
            early = first[e] // BLOCKS_OF_TILE
            if last[e] == k and (early >= begin[tile] and tile - early < kept) == (passage == 0):
                place[e] = count
                count += 1
                if passage == 0:
                    ready[tile + 1] = count
        if passage == 0:
            for tile in range(len(begin)):
                ready[tile + 1] = max(ready[tile], ready[tile + 1])


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
def keep_blocks(offsets, items, early, kept, late_offsets):  # type: ignore[no-untyped-def]
    """Turn items (6m,), element blocks, into where they are found: of the first `early` edges in a ring of `kept` tiles, of
    the others among those that are set aside, in the order in which they are made.

    Return these by where they are in the ring, tile by tile: late_offsets (tiles + 1,), which come as zeros.
    """
    ring, whole = kept * BLOCKS_OF_TILE, offsets[early]
    waiting = np.zeros((len(late_offsets) - 1) * BLOCKS_OF_TILE + 1, dtype=np.int32)
    for k in range(whole, len(items)):
        waiting[items[k] + 1] = 1
        late_offsets[items[k] // BLOCKS_OF_TILE + 1] += 1
    for k in range(1, len(waiting)):
        waiting[k] += waiting[k - 1]
    for tile in range(1, len(late_offsets)):
        late_offsets[tile] += late_offsets[tile - 1]
    late = np.empty(len(items) - whole, dtype=np.int32)
    for k in range(whole):
        items[k] %= ring
    for k in range(whole, len(items)):
        block = items[k]
        items[k] = waiting[block]
        late[items[k]] = block % ring
    return late


@kernel
def place_columns(edges, rank, place, offsets, columns, slots):  # type: ignore[no-untyped-def]
    """The matrix's off-diagonal blocks by row, and each edge's two of them (e, 2); offsets (n + 1,) come as zeros."""
    for e in range(len(edges)):
        offsets[rank[edges[e, 0]] + 1] += 1
        offsets[rank[edges[e, 1]] + 1] += 1
    for i in range(1, len(offsets)):
        offsets[i] += offsets[i - 1]
    fill, owner = offsets[:-1].copy(), np.empty(len(columns), dtype=np.int32)
    for e in range(len(edges)):
        a, b = rank[edges[e, 0]], rank[edges[e, 1]]
        low, high, own = min(a, b), max(a, b), 2 * place[e]
        _insert(columns, owner, offsets[low], fill[low], high, own)
        _insert(columns, owner, offsets[high], fill[high], low, own + 1)
        fill[low] += 1
        fill[high] += 1
    for k in range(len(columns)):
        slots[owner[k] >> 1, owner[k] & 1] = k


@kernel
def _insert(columns, owner, start, end, column, own):  # type: ignore[no-untyped-def]
    """Put a column and whose it is into a row's, which are sorted."""
    at = end
    while at > start and columns[at - 1] > column:
        columns[at], owner[at] = columns[at - 1], owner[at - 1]
        at -= 1
    columns[at], owner[at] = column, own

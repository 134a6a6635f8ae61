"""Tables for sums over tets that are taken while what tiles have made is still in cache.

A tile makes some items for each tet (forces on its four corners, stiffness blocks of its six edges) and each belongs to a
receiver (a node, an edge). A run goes through its tiles one by one, keeps the items of the last of them in a ring, and sums
what a receiver gets as soon as the last of its items is there. Where others have left the ring by then, or belong to another
run, they are set aside when they are made, and summed at the end. Each receiver's sum goes by its own order, so the bytes
depend neither on runs nor on rings.
"""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from ..jit import TILE, kernel

IntArray = NDArray[np.int32]

FEWEST = 16  # tiles in a run
MOST_KEPT = 96  # tiles in a ring: 2.7 MB of blocks
NEARLY_ALL = 0.98  # of the receivers that so long a ring serves, from which on a shorter one will do
SPARE = 8  # numbers that are read with the last ones of a flat array, and mean nothing


@dataclass(frozen=True)
class Items:
    """Of each tet `count` of them, each of `size` numbers, in `width` numbers a tet."""

    count: int
    width: int
    size: int


FORCES = Items(4, 12, 3)
BLOCKS = Items(6, 56, 9)  # with two numbers to spare, as eight are written at once
BLOCKS_ALONE = Items(6, 54, 9)


@dataclass(frozen=True)
class Runs:
    """Which items are summed when, and where they are found.

    starts (r + 1,)          : the first tile of each run, and the end
    kept                     : tiles in a ring
    place (e,)               : where each receiver comes: in the order of their last items, and those that wait for the end last
    ready (tiles + 1,)       : the places of the receivers that are summed after each tile
    late_offsets (tiles + 1,): of `late`, those of each tile
    late (f,)                : where in the ring the items lie that are set aside, in this order
    """

    items: Items
    starts: IntArray
    kept: int
    place: IntArray
    ready: IntArray
    late_offsets: IntArray
    late: IntArray

    @classmethod
    def of(cls, receivers: IntArray, count: int, items: Items, starts: IntArray | None) -> "tuple[Runs, IntArray]":
        """Of the items' receivers (m * items.count,), `count` in all; and where each item is found (m * items.count,), in the
        ring or among those set aside. Without `starts` all items of all tiles are kept."""
        tiles = -(-len(receivers) // (items.count * TILE))
        bounds = np.array([0, tiles], np.int32) if starts is None else starts
        begin = np.repeat(bounds[:-1], np.diff(bounds))  # by numpy: numba would compile for seconds
        first, last = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
        reach = np.zeros(tiles + 1, np.int64)
        _reaches(receivers, items.count, begin, first, last, reach)
        kept = tiles if starts is None else _tiles_to_keep(reach)
        place, ready = _placed(receivers, items.count, first, last, begin, kept)
        found = _in_rings(len(receivers), items.count, items.width, items.size, kept)
        late_offsets, late = _set_aside(receivers, items.count, items.size, place, ready, found)
        return cls(items, bounds, kept, place, ready, late_offsets, late), found

    def rings(self) -> NDArray[np.float32]:
        """Room for each run's ring."""
        return np.zeros((len(self.starts) - 1, self.kept * self.items.width * TILE + SPARE), np.float32)

    def aside(self) -> NDArray[np.float32]:
        """Room for what is set aside."""
        return np.zeros(self.items.size * len(self.late) + SPARE, np.float32)


def runs_of(tiles: int) -> IntArray:
    """The first tile of each run, and the end: as many runs as there may be threads, since what they share is set aside."""
    count = max(1, min(numba.config.NUMBA_NUM_THREADS, tiles // FEWEST))
    return np.array([tiles * k // count for k in range(count + 1)], np.int32)


def _tiles_to_keep(reach: NDArray[np.int64]) -> int:
    """How many tiles a ring holds; reach (tiles,): how many receivers have so many tiles between their first item and last."""
    within = np.cumsum(reach[:MOST_KEPT])
    return 1 + int(np.searchsorted(within, NEARLY_ALL * within[-1]))


@kernel
def _reaches(receivers, count, begin, first, last, reach):  # type: ignore[no-untyped-def]
    """first (e,): the tile of each receiver's first item, -1 where it has none; last (e,): its last item; and what
    `_tiles_to_keep` asks for, within runs; begin (tiles,): the first tile of each one's run."""
    end = np.empty(len(first), dtype=np.int32)
    for tile in range(len(begin)):
        for k in range(tile * count * TILE, min(len(receivers), (tile + 1) * count * TILE)):
            e = receivers[k]
            first[e] = tile if first[e] < 0 else first[e]
            last[e], end[e] = k, tile
    for e in range(len(first)):
        if first[e] >= 0 and first[e] >= begin[end[e]]:
            reach[end[e] - first[e]] += 1


@kernel
def _placed(receivers, count, first, last, begin, kept):  # type: ignore[no-untyped-def]
    """place (e,) and ready (tiles + 1,); receivers without any item come last."""
    place, ready = np.empty(len(first), dtype=np.int32), np.zeros(len(begin) + 1, dtype=np.int32)
    placed = 0
    for waits in (False, True):
        for tile in range(len(begin)):
            earliest = max(begin[tile], tile - kept + 1)
            for k in range(tile * count * TILE, min(len(receivers), (tile + 1) * count * TILE)):
                e = receivers[k]  # in this order, so that the items it reads have just been read by others
                if last[e] == k and (first[e] < earliest) == waits:
                    place[e] = placed
                    placed += 1
            if not waits:
                ready[tile + 1] = placed
    for e in range(len(first)):
        if first[e] < 0:
            place[e] = placed
            placed += 1
    return place, ready


@kernel
def _in_rings(length, count, width, size, kept):  # type: ignore[no-untyped-def]
    """Where so many items lie in a ring of `kept` tiles."""
    found, k = np.empty(length, dtype=np.int32), 0
    while k < length:
        for lane in range(kept * TILE):
            for part in range(count):
                if k < length:
                    found[k] = lane * width + part * size
                    k += 1
    return found


@kernel
def _set_aside(receivers, count, size, place, ready, found):  # type: ignore[no-untyped-def]
    """late_offsets and late: where the items of receivers that wait for the end lie in the ring; they are found elsewhere."""
    offsets, late, waiting = np.zeros(len(ready), dtype=np.int32), np.empty(len(receivers), dtype=np.int32), 0
    for tile in range(len(ready) - 1):
        for k in range(tile * count * TILE, min(len(receivers), (tile + 1) * count * TILE)):
            if place[receivers[k]] >= ready[-1]:
                late[waiting], found[k] = found[k], waiting * size
                waiting += 1
        offsets[tile + 1] = waiting
    return offsets, late[:waiting].copy()

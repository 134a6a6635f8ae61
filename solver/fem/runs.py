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
    def of(cls, receivers: IntArray, count: int, items: Items, starts: IntArray | None) -> "Runs":
        """Of the items' receivers (m * items.count,), `count` in all. Without `starts` all items of all tiles are kept."""
        own = items.count * TILE
        tiles = -(-len(receivers) // own)
        bounds = np.array([0, tiles], np.int32) if starts is None else starts
        first, last, reach = _reaches(receivers, own, bounds, count)
        kept = tiles if starts is None else _tiles_to_keep(reach)
        place, ready = np.empty(count, np.int32), np.zeros(tiles + 1, np.int32)
        _place(receivers, own, first, last, bounds, kept, place, ready)
        return cls(
            items, bounds, kept, place, ready, *_late(receivers, place, items.count, items.width, items.size, ready, kept)
        )

    def found(self, offsets: IntArray, items: IntArray) -> IntArray:
        """Where items are found, given by their numbers and sorted by their receivers' places, whose first ones
        are at offsets (e + 1,)."""
        places: IntArray = _found(
            items, int(offsets[self.ready[-1]]), self.items.count, self.items.width, self.items.size, self.kept, len(self.late)
        )
        return places

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
def _reaches(receivers, own, starts, count):  # type: ignore[no-untyped-def]
    """first, last (count,): each receiver's first and last item, -1 where it has none; and what `_tiles_to_keep` asks for,
    within runs."""
    first, last = np.full(count, -1, dtype=np.int32), np.full(count, -1, dtype=np.int32)
    for k in range(len(receivers)):
        if first[receivers[k]] < 0:
            first[receivers[k]] = k
        last[receivers[k]] = k
    begin, reach = np.repeat(starts[:-1], np.diff(starts)), np.zeros(starts[-1], dtype=np.int64)
    for e in range(count):
        if first[e] >= 0:
            early, late = first[e] // own, last[e] // own
            if early >= begin[late]:
                reach[late - early] += 1
    return first, last, reach


@kernel
def _place(receivers, own, first, last, starts, kept, place, ready):  # type: ignore[no-untyped-def]
    """Fill in place (e,) and ready (tiles + 1,), which comes as zeros; those without any item come last."""
    begin, count = np.repeat(starts[:-1], np.diff(starts)), 0
    for waits in (False, True):
        for k in range(len(receivers)):  # so that the items it reads have just been read by others
            e, tile = receivers[k], k // own
            early = first[e] // own
            if last[e] == k and (early < begin[tile] or tile - early >= kept) == waits:
                place[e] = count
                count += 1
                if not waits:
                    ready[tile + 1] = count
        if not waits:
            for tile in range(len(begin)):
                ready[tile + 1] = max(ready[tile], ready[tile + 1])
    for e in range(len(place)):
        if first[e] < 0:
            place[e] = count
            count += 1


@kernel
def _late(receivers, place, count, width, size, ready, kept):  # type: ignore[no-untyped-def]
    """late_offsets and late: the items, in their own order, of receivers that wait for the end."""
    offsets, own, waiting = np.zeros(len(ready), dtype=np.int32), count * TILE, 0
    for k in range(len(receivers)):
        if place[receivers[k]] >= ready[-1]:
            waiting += 1
            offsets[k // own + 1] = waiting
    for tile in range(1, len(ready)):
        offsets[tile] = max(offsets[tile - 1], offsets[tile])
    late, waiting = np.empty(waiting, dtype=np.int32), 0
    for k in range(len(receivers)):
        if place[receivers[k]] >= ready[-1]:
            late[waiting] = k % (kept * own) // count * width + k % count * size
            waiting += 1
    return offsets, late


@kernel
def _found(items, early, count, width, size, kept, waiting):  # type: ignore[no-untyped-def]
    """Of the first `early` items their places in the ring, of the others those where they are set aside."""
    found, ring, turn = np.empty(len(items), dtype=np.int32), kept * count * TILE, np.empty(0, dtype=np.int32)
    for k in range(early):
        found[k] = items[k] % ring // count * width + items[k] % count * size
    if waiting > 0:
        turn = np.argsort(items[early:]).astype(np.int32)
    for k in range(len(turn)):
        found[early + turn[k]] = k * size
    return found

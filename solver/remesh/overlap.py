"""How much of each new tet lies in which old one: tets clipped by tets.

In barycentric weights of a new tet an old one's faces are triangles, and the volume that both share is the signed sum of four
cones over them (cones.py). What is old is looked up for some new tets together, which lie next to each other. Single precision
does, with places about the middle of these: shares are weights of means, right to some 1e-5 of a tet. What has to be kept is
kept by what takes means (transfer.py).
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_parts
from ..geometry.tree import STACK, items_near
from ..jit import TILE, inline, kernel
from ..tetmesh.mesh import TetMesh
from .around import TOGETHER, Filling, numbered, room, weighed
from .cones import CORNERS, SHARE, WEIGHT, shares

Array = NDArray[np.float64]

PART = 2048  # new tets that a thread takes at a time: whatever the threads, the same ones are looked up together, and rounded
LEAST = 1e-5  # share of a tet that is rounding
SPREAD = 2.0  # new tets are looked up together as long as they are at most this much longer than the first one


def overlaps(old: TetMesh, new: TetMesh) -> tuple[NDArray[np.int64], NDArray[np.int32], Array]:
    """Return start (m + 1,), old tets (p,) and the volume (p,) [m^3] that each shares with a new tet.

    New tet t shares volume with those of start[t]:start[t + 1]. Old tets that share a face are turned alike, as those of a mesh
    are; they may have turned inside out since.
    """
    filling = Filling(np.ascontiguousarray(old.positions), old.tets, *old.boxes, old.tree)
    count = len(new.tets)
    pieces = [(first, min(first + PART, count)) for first in range(0, count, PART)]
    parts = in_parts(_overlaps, pieces, filling, np.ascontiguousarray(new.positions), new.tets)
    start = np.concatenate([[0], np.cumsum(np.concatenate([counts for counts, _, _ in parts]))]).astype(np.int64)
    return start, np.concatenate([found for _, found, _ in parts]), np.concatenate([volume for _, _, volume in parts])


@kernel
def _overlaps(first, last, old, new_positions, new_tets):  # type: ignore[no-untyped-def]
    """Counts (last - first,) of new tets, and the old tets and volumes that they share, one after the other."""
    positions, tets, lowers, uppers, tree = old
    new = _corners(first, last, new_positions, new_tets)
    found, corners, nodes, sides, near, tile, which, whose = room(256)
    stack, lower, upper = np.empty(STACK, dtype=np.int32), np.empty(3), np.empty(3)
    stamps = np.full(len(positions), -1, dtype=np.int32)
    counts, total = np.zeros(len(new), dtype=np.int64), 0
    sources, volumes = np.empty(20 * len(new) + TILE, dtype=np.int32), np.empty(20 * len(new) + TILE)
    own, end, waiting = np.empty(len(new)), 0, 0
    while end < len(new):
        begin = end
        end = _end_of_group(new, begin, len(new), lower, upper)
        count = items_near(tree, lower, upper, stack, found)
        if count > len(found):
            found, corners, nodes, sides, near, _, _, _ = room(2 * count)
            items_near(tree, lower, upper, stack, found)
        count = _near_ones(lowers, uppers, lower, upper, count, found)
        middle = 0.5 * (lower + upper)
        tiles = numbered(positions, tets, found, count, middle, stamps, corners, nodes)
        for t in range(begin, end):
            own[t] = weighed(new, t, tiles, middle, nodes, sides)
            some, done = _beside(corners, sides, count, near), 0
            while done < some:
                done, waiting = _put(corners, nodes, found, near, done, some, t, tile, which, whose, waiting)
                if waiting == TILE:
                    shares(tile)
                    if total + TILE > len(sources):
                        sources = np.concatenate((sources, np.empty(total, dtype=np.int32)))
                        volumes = np.concatenate((volumes, np.empty(total)))
                    total = _take(tile, TILE, which, whose, own, counts, sources, volumes, total)
                    waiting = 0
    shares(tile)
    if total + TILE > len(sources):
        sources = np.concatenate((sources, np.empty(TILE, dtype=np.int32)))
        volumes = np.concatenate((volumes, np.empty(TILE)))
    total = _take(tile, waiting, which, whose, own, counts, sources, volumes, total)
    return counts, sources[:total], volumes[:total]


@kernel
def _corners(first, last, positions, tets):  # type: ignore[no-untyped-def]
    """Where the corners of some of the tets (m, 4) are, (last - first, 4, 3) [m]."""
    corners = np.empty((last - first, 4, 3))
    for t in range(first, last):
        for n in range(4):
            for a in range(3):
                corners[t - first, n, a] = positions[tets[t, n], a]
    return corners


@kernel
def _end_of_group(new, begin, last, lower, upper):  # type: ignore[no-untyped-def]
    """Where a group of new tets that lie together ends; sets its box."""
    end, longest = begin, 0.0
    low, high = np.empty(3), np.empty(3)
    while end < last and end - begin < TOGETHER:
        length = 0.0
        for a in range(3):
            low[a], high[a] = (np.inf, -np.inf) if end == begin else (lower[a], upper[a])
            for n in range(4):
                low[a], high[a] = min(low[a], new[end, n, a]), max(high[a], new[end, n, a])
            length = max(length, high[a] - low[a])
        if end == begin:
            longest = SPREAD * length
        elif length > longest:
            break
        lower[:], upper[:] = low, high
        end += 1
    return end


@kernel
def _beside(corners, sides, count, near):  # type: ignore[no-untyped-def]
    """List the tets, by number, that no face of the new tet has on its other side; return how many. No branches, which nothing
    could foretell."""
    some = np.uint64(0)
    for k in range(np.uint64(count)):
        outside = sides[corners[k, 0]] & sides[corners[k, 1]] & sides[corners[k, 2]] & sides[corners[k, 3]]
        near[some] = k
        some += np.uint64(outside == 0)
    return np.int64(some)


@kernel
def _put(corners, nodes, found, near, done, some, t, tile, which, whose, waiting):  # type: ignore[no-untyped-def]
    """Put pairs of new tet t into the tile, from the done-th on as far as there is room: the corners by their weights; return
    how many are done, and wait."""
    room = min(some - done, TILE - waiting)
    for s in range(np.uint64(room)):
        k, lane = np.uint64(near[np.uint64(done) + s]), np.uint64(waiting) + s
        for n in range(np.uint64(4)):
            node = np.uint64(corners[k, n]) + np.uint64(WEIGHT * TILE)
            place = (np.uint64(CORNERS) + np.uint64(3) * n) * np.uint64(TILE) + lane
            for axis in range(np.uint64(3)):
                tile[place + axis * np.uint64(TILE)] = nodes[node + axis * np.uint64(TILE)]
        which[lane], whose[lane] = found[k], t
    return done + room, waiting + room


@kernel
def _take(tile, count, which, whose, own, counts, sources, volumes, total):  # type: ignore[no-untyped-def]
    """Add the first so many pairs of the tile to those before them, but for what share rounding; return how many there are."""
    for n in range(np.uint64(count)):
        share = abs(tile[np.uint64(SHARE * TILE) + n])
        sources[total], volumes[total] = which[n], share * own[whose[n]]
        kept = 1 if share > LEAST else 0
        counts[whose[n]] += kept
        total += kept
    return total


@kernel
def _near_ones(lowers, uppers, lower, upper, count, found):  # type: ignore[no-untyped-def]
    """Leave of those found such whose boxes have an inside in common with a box; return how many."""
    kept = 0
    for k in range(count):
        found[kept] = found[k]
        kept += 0 if _apart(lowers, uppers, found[k], lower, upper) else 1
    return kept


@inline
def _apart(lowers, uppers, k, lower, upper):  # type: ignore[no-untyped-def]
    """Whether the k-th of some boxes has no inside in common with another; without branches, which nothing could foretell."""
    apart = (uppers[k, 0] <= lower[0]) | (lowers[k, 0] >= upper[0]) | (uppers[k, 1] <= lower[1])
    apart |= (lowers[k, 1] >= upper[1]) | (uppers[k, 2] <= lower[2])
    return apart | (lowers[k, 2] >= upper[2])

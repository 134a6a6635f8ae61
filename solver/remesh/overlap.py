"""How much of each new tet lies in which old one, exactly: tets clipped by tets.

In barycentric weights of a new tet an old one's faces are triangles, and the volume that both share is the signed sum of four
cones over them (cones.py). A face between two old tets serves both, with opposite signs. What is old is looked up for some new
tets together, which lie next to each other.
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tree import STACK, items_near
from ..jit import TILE, inline, kernel
from ..tetmesh.boundary import FACES
from ..tetmesh.mesh import TetMesh
from .around import TOGETHER, Filling, numbered, room, weighed
from .cones import CONE, CORNERS, WEIGHT, cones

Array = NDArray[np.float64]

LEAST = 1e-12  # share of a tet that is rounding
SPREAD = 2.0  # new tets are looked up together as long as they are at most this much longer than the first one


def overlaps(old: TetMesh, new: TetMesh) -> tuple[NDArray[np.int64], NDArray[np.int32], Array]:
    """Return start (m + 1,), old tets (p,) and the volume (p,) [m^3] that each shares with a new tet.

    New tet t shares volume with those of start[t]:start[t + 1]. Old tets that share a face are turned alike, as those of a mesh
    are; they may have turned inside out since.
    """
    filling = Filling(np.ascontiguousarray(old.positions), old.tets, old.faces.neighbours, *old.boxes, old.tree)
    parts = in_chunks(_overlaps, len(new.tets), filling, np.ascontiguousarray(new.positions[new.tets]))
    start = np.concatenate([[0], np.cumsum(np.concatenate([counts for counts, _, _ in parts]))]).astype(np.int64)
    return start, np.concatenate([found for _, found, _ in parts]), np.concatenate([volume for _, _, volume in parts])


@kernel
def _overlaps(first, last, old, new):  # type: ignore[no-untyped-def]
    """Counts (last - first,) of new tets, and the old tets and volumes that they share, one after the other."""
    around, stack, lower, upper = room(256), np.empty(STACK, dtype=np.int32), np.empty(3), np.empty(3)
    stamps = np.full(max(len(old.positions), len(old.tets)), -1, dtype=np.int32)
    counts, total = np.zeros(last - first, dtype=np.int64), 0
    found, volumes = np.empty(20 * (last - first) + 64, dtype=np.int32), np.empty(20 * (last - first) + 64)
    end = first
    while end < last:
        begin = end
        end = _end_of_group(new, begin, last, lower, upper)
        count = items_near(old.tree, lower, upper, stack, around.found)
        if count > len(around.found):
            around = room(2 * count)
            items_near(old.tree, lower, upper, stack, around.found)
        count = _near_ones(old.lower, old.upper, lower, upper, count, around.found)
        pairs = _pairs(old, new, begin, end, count, numbered(old, count, stamps, around), around)
        if total + pairs > len(found):
            found = np.concatenate((found, np.empty(total + pairs, dtype=np.int32)))
            volumes = np.concatenate((volumes, np.empty(total + pairs)))
        for k in range(pairs):
            share = abs(around.share[k])
            if share > LEAST:
                found[total], volumes[total] = around.which[k], share * around.volume[around.whose[k] - begin]
                counts[around.whose[k] - first] += 1
                total += 1
    return counts, found[:total].copy(), volumes[:total].copy()


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
def _pairs(old, new, begin, end, count, tiles, around):  # type: ignore[no-untyped-def]
    """List the new tets of a group and the old tets that they may share volume with, and the shares; return how many."""
    pairs, waiting = 0, 0
    corners, lower, upper = around.corners, np.empty(3), np.empty(3)
    for t in range(begin, end):
        for a in range(3):
            lower[a] = min(min(new[t, 0, a], new[t, 1, a]), min(new[t, 2, a], new[t, 3, a]))
            upper[a] = max(max(new[t, 0, a], new[t, 1, a]), max(new[t, 2, a], new[t, 3, a]))
        around.volume[t - begin] = weighed(new, t, tiles, around)
        some = 0
        for k in range(count):
            sides = around.sides[corners[k, 0]] & around.sides[corners[k, 1]]
            sides &= around.sides[corners[k, 2]] & around.sides[corners[k, 3]]
            around.pair[k] = -1
            around.near[some] = k
            some += sides == 0
        before = pairs
        # Which pairs there are must not hang on who else is in the group: it says which of two tets a face is taken from
        for s in range(some):
            k = around.near[s]
            apart = _apart(old.lower, old.upper, around.found[k], lower, upper)
            if not apart and not _outside(around.nodes, corners[k, 0], corners[k, 1], corners[k, 2], corners[k, 3]):
                around.near[pairs - before] = k
                around.pair[k] = pairs
                around.whose[pairs], around.which[pairs], around.share[pairs] = t, around.found[k], 0.0
                pairs += 1
        waiting = _put(around, _listed(around, pairs - before), waiting)
    _flush(around, waiting)
    return pairs


@inline
def _outside(nodes, i, j, m, n):  # type: ignore[no-untyped-def]
    """Whether a face of a tet has the new tet on its other side."""
    outside = _behind(nodes, j, m, n, i) or _behind(nodes, i, m, n, j)
    return outside or _behind(nodes, i, j, n, m) or _behind(nodes, i, j, m, n)


@inline
def _point(nodes, node):  # type: ignore[no-untyped-def]
    """A node by its weights."""
    return nodes[node + WEIGHT * TILE], nodes[node + (WEIGHT + 1) * TILE], nodes[node + (WEIGHT + 2) * TILE]


@inline
def _behind(nodes, a, b, c, inner):  # type: ignore[no-untyped-def]
    """Whether all corners of the new tet lie on the other side of a plane through three nodes than the `inner` node."""
    (x, y, z), (bx, by, bz), (cx, cy, cz) = _point(nodes, a), _point(nodes, b), _point(nodes, c)
    ux, uy, uz, vx, vy, vz = bx - x, by - y, bz - z, cx - x, cy - y, cz - z
    p, q, r = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    offset = p * x + q * y + r * z
    x, y, z = _point(nodes, inner)
    if p * x + q * y + r * z > offset:
        return max(max(p, q), max(r, 0.0)) <= offset
    return min(min(p, q), min(r, 0.0)) >= offset


@kernel
def _listed(around, count):  # type: ignore[no-untyped-def]
    """List the faces, 4 k + face, of the first so many tets that are near, each once; return how many.

    But those on the far side of a face of the new tet through its first corner. No branches, which nothing could foretell.
    """
    faces = 0
    for s in range(count):
        k = around.near[s]
        c = around.corners[k]
        i, j, m, n = around.sides[c[0]], around.sides[c[1]], around.sides[c[2]], around.sides[c[3]]
        faces = _list(around, k, 0, j & m & n, faces)
        faces = _list(around, k, 1, i & n & m, faces)
        faces = _list(around, k, 2, i & j & n, faces)
        faces = _list(around, k, 3, i & m & j, faces)
    return faces


@inline
def _list(around, k, face, sides, faces):  # type: ignore[no-untyped-def]
    neighbour = around.neighbours[k, face]
    twice = (neighbour >= 0) & (neighbour < k) & (around.pair[neighbour] >= 0)
    around.faces[faces] = 4 * k + face
    return faces + (1 if (sides & 7 == 0) & (not twice) else 0)


@kernel
def _put(around, count, waiting):  # type: ignore[no-untyped-def]
    """Put the cones over the faces listed in the tile, where so many wait; return how many wait then."""
    tile, nodes = around.tile, around.nodes
    for f in range(count):
        k, face = around.faces[f] >> 2, around.faces[f] & 3
        neighbour = around.neighbours[k, face]
        around.pluses[waiting] = around.pair[k]
        around.minuses[waiting] = around.pair[neighbour] if neighbour >= 0 else -1
        for n in range(3):
            node = np.uint64(around.corners[k, FACES[face, n]] + WEIGHT * TILE)
            place = np.uint64((CORNERS + 3 * n) * TILE + waiting)
            for axis in range(np.uint64(3)):
                tile[place + axis * np.uint64(TILE)] = nodes[node + axis * np.uint64(TILE)]
        waiting += 1
        if waiting == TILE:
            _flush(around, TILE)
            waiting = 0
    return waiting


@kernel
def _flush(around, waiting):  # type: ignore[no-untyped-def]
    """Add what the cones that wait give to the shares of their pairs."""
    cones(around.tile)
    for n in range(waiting):
        cone = around.tile[CONE * TILE + n]
        around.share[around.pluses[n]] += cone
        if around.minuses[n] >= 0:
            around.share[around.minuses[n]] -= cone


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

"""How much of each new tet lies in which old one, exactly: tets clipped by tets.

In barycentric weights of an old tet its inside is where all four are positive, so a new tet's corners are given by their four
weights and cut where one after the other changes sign. A cut tet falls into tets whose shares of the whole follow from where
its edges are cut, in closed form; no share is negative, and together they miss nothing.
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tet_location import tet_tree
from ..geometry.tree import STACK
from ..jit import inline, kernel

Array = NDArray[np.float64]

MOST_PIECES = 27  # of a tet cut by three planes: three from each
LEAST = 1e-12  # share of a tet that is rounding


def overlaps(
    old_positions: Array, old_tets: NDArray[np.int32], positions: Array, tets: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], Array]:
    """Return start (m + 1,), old tets (p,) and the volume (p,) [m^3] that each shares with a new tet.

    New tet t shares volume with those of start[t]:start[t + 1].
    """
    frames, new_frames = _frames(old_positions, old_tets), _frames(positions, tets)
    tree = tet_tree(old_positions, old_tets)
    parts = in_chunks(
        _overlaps, len(tets), tree, frames, new_frames, old_positions, old_tets, positions, tets
    )
    start = np.concatenate([[0], np.cumsum(np.concatenate([counts for counts, _, _ in parts]))]).astype(np.int64)
    return start, np.concatenate([found for _, found, _ in parts]), np.concatenate([volume for _, _, volume in parts])


def _frames(positions: Array, tets: NDArray[np.int32]) -> Array:
    """Return (m, 13): the first corner, the rows that give the other three weights of a point from it, and the volume."""
    origin = positions[tets[:, 0]]
    u, v, w = (positions[tets[:, i]] - origin for i in (1, 2, 3))
    vw = np.cross(v, w)
    determinant = np.einsum("mi,mi->m", u, vw)
    inverse = 1.0 / np.where(determinant != 0.0, determinant, np.inf)  # a flat tet holds nothing: no weight is positive
    rows = [normal * inverse[:, None] for normal in (vw, np.cross(w, u), np.cross(u, v))]
    return np.concatenate([origin, *rows, np.abs(determinant)[:, None] / 6.0], axis=1)


@inline
def _weights(frame, x, y, z):  # type: ignore[no-untyped-def]
    """Barycentric weights of a point."""
    dx, dy, dz = x - frame[0], y - frame[1], z - frame[2]
    b = frame[3] * dx + frame[4] * dy + frame[5] * dz
    c = frame[6] * dx + frame[7] * dy + frame[8] * dz
    d = frame[9] * dx + frame[10] * dy + frame[11] * dz
    return 1.0 - b - c - d, b, c, d


@kernel
def _weigh(frame, positions, tets, t, out):  # type: ignore[no-untyped-def]
    """out (4, 4) := the weights of a tet's corners; False where one weight is positive at none of them."""
    for n in range(4):
        p = positions[tets[t, n]]
        out[n, 0], out[n, 1], out[n, 2], out[n, 3] = _weights(frame, p[0], p[1], p[2])
    meets = True
    for i in range(4):
        meets = meets and max(max(out[0, i], out[1, i]), max(out[2, i], out[3, i])) > 0.0
    return meets


@inline
def _cut_at(inner, outer):  # type: ignore[no-untyped-def]
    """Where an edge from a weight that is not negative to a negative one is cut, from the inner end."""
    return inner / (inner - outer)


@kernel
def _sort_corners(piece, plane, order):  # type: ignore[no-untyped-def]
    """Order (4) the corners of a piece, those inside first; return how many are."""
    inside, front, back = 0, 0, 3
    for n in range(4):
        if piece[n, plane] >= 0.0:
            order[front] = n
            front += 1
            inside += 1
        else:
            order[back] = n
            back -= 1
    return inside


@kernel
def _share_inside(piece, plane, order):  # type: ignore[no-untyped-def]
    """The share of a piece (4, 4) on the inner side of one plane."""
    inside = _sort_corners(piece, plane, order)
    if inside == 0 or inside == 4:
        return 1.0 if inside else 0.0
    a, b, c, d = piece[order[0], plane], piece[order[1], plane], piece[order[2], plane], piece[order[3], plane]
    if inside == 1:
        return _cut_at(a, b) * _cut_at(a, c) * _cut_at(a, d)
    if inside == 3:
        return 1.0 - (1.0 - _cut_at(a, d)) * (1.0 - _cut_at(b, d)) * (1.0 - _cut_at(c, d))
    ac, ad, bc, bd = _cut_at(a, c), _cut_at(a, d), _cut_at(b, c), _cut_at(b, d)
    return ac * ad + ac * bd * (1.0 - ad) + bc * bd * (1.0 - ac)


@kernel
def _put(corners, a, b, c, d, share, pieces, shares, count):  # type: ignore[no-untyped-def]
    """Add the tet of four of the corners (8, 4) to the pieces; return their number."""
    if share <= 0.0:
        return count
    for i in range(4):
        pieces[count, 0, i], pieces[count, 1, i] = corners[a, i], corners[b, i]
        pieces[count, 2, i], pieces[count, 3, i] = corners[c, i], corners[d, i]
    shares[count] = share
    return count + 1


@kernel
def _between(corners, plane, a, b, k):  # type: ignore[no-untyped-def]
    """Make corner k the point where the edge from a to b is cut; return where that is, from a."""
    s = _cut_at(corners[a, plane], corners[b, plane])
    for i in range(4):
        corners[k, i] = corners[a, i] + s * (corners[b, i] - corners[a, i])
    return s


@kernel
def _cut_piece(piece, share, plane, order, corners, pieces, shares, count):  # type: ignore[no-untyped-def]
    """Add what of a piece lies on the inner side of a plane to the pieces; return their number."""
    inside = _sort_corners(piece, plane, order)
    for n in range(4):
        for i in range(4):
            corners[n, i] = piece[order[n], i]
    if inside == 4:
        return _put(corners, 0, 1, 2, 3, share, pieces, shares, count)
    if inside == 1:
        b, c, d = (_between(corners, plane, 0, 1, 4), _between(corners, plane, 0, 2, 5), _between(corners, plane, 0, 3, 6))
        return _put(corners, 0, 4, 5, 6, share * b * c * d, pieces, shares, count)
    if inside == 3:
        a, b, c = (_between(corners, plane, 0, 3, 4), _between(corners, plane, 1, 3, 5), _between(corners, plane, 2, 3, 6))
        count = _put(corners, 0, 1, 2, 4, share * a, pieces, shares, count)
        count = _put(corners, 1, 2, 4, 5, share * b * (1.0 - a), pieces, shares, count)
        return _put(corners, 2, 4, 5, 6, share * c * (1.0 - a) * (1.0 - b), pieces, shares, count)
    if inside == 2:
        ac, ad = _between(corners, plane, 0, 2, 4), _between(corners, plane, 0, 3, 5)
        bc, bd = _between(corners, plane, 1, 2, 6), _between(corners, plane, 1, 3, 7)
        count = _put(corners, 0, 1, 4, 5, share * ac * ad, pieces, shares, count)
        count = _put(corners, 1, 4, 5, 7, share * ac * bd * (1.0 - ad), pieces, shares, count)
        return _put(corners, 1, 4, 6, 7, share * bc * bd * (1.0 - ac), pieces, shares, count)
    return count


@kernel
def _shared(weights, order, corners, pieces, shares):  # type: ignore[no-untyped-def]
    """The share of a tet, given by its corners' weights (4, 4) in another, that lies in the other."""
    planes, first, now, count = 0, 0, 0, 1
    for n in range(4):
        for i in range(4):
            pieces[0, 0, n, i] = weights[n, i]
    shares[0, 0] = 1.0
    for plane in range(4):
        if min(min(weights[0, plane], weights[1, plane]), min(weights[2, plane], weights[3, plane])) >= 0.0:
            continue
        if planes:  # the last plane that cuts asks for no pieces
            some = 0
            for k in range(count):
                some = _cut_piece(pieces[now, k], shares[now, k], first, order, corners, pieces[1 - now], shares[1 - now], some)
            now, count = 1 - now, some
        first, planes = plane, planes + 1
    if planes == 0:
        return 1.0
    total = 0.0
    for k in range(count):
        total += shares[now, k] * _share_inside(pieces[now, k], first, order)
    return total


@kernel
def _candidates(tree, lower, upper, stack, found):  # type: ignore[no-untyped-def]
    """List the items of a tree whose leaves meet a box, as far as there is room; return how many there are."""
    stack[0], size, count = 0, 1, 0
    while size:
        size -= 1
        node = stack[size]
        apart = False
        for a in range(3):
            apart = apart or upper[a] <= tree.lower[node, a] or lower[a] >= tree.upper[node, a]
        if apart:
            continue
        if node < tree.leaf:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node + 2
            size += 2
            continue
        for k in range(tree.start[node], tree.stop[node]):
            if count < len(found):
                found[count] = tree.order[k]
            count += 1
    return count


@kernel
def _overlaps(  # type: ignore[no-untyped-def]
    first, last, tree, frames, new_frames, old_positions, old_tets, positions, tets
):
    """Counts (last - first,) of new tets, and the old tets and volumes that they share, one after the other."""
    stack, lower, upper = np.empty(STACK, dtype=np.int32), np.empty(3), np.empty(3)
    weights, order, corners = np.empty((4, 4)), np.empty(4, dtype=np.int64), np.empty((8, 4))
    pieces, shares = np.empty((2, MOST_PIECES, 4, 4)), np.empty((2, MOST_PIECES))
    counts, near = np.zeros(last - first, dtype=np.int64), np.empty(256, dtype=np.int32)
    found, volumes, total = np.empty(16 * (last - first) + 64, dtype=np.int32), np.empty(16 * (last - first) + 64), 0
    for t in range(first, last):
        for a in range(3):
            x0, x1 = positions[tets[t, 0], a], positions[tets[t, 1], a]
            x2, x3 = positions[tets[t, 2], a], positions[tets[t, 3], a]
            lower[a], upper[a] = min(min(x0, x1), min(x2, x3)), max(max(x0, x1), max(x2, x3))
        count = _candidates(tree, lower, upper, stack, near)
        if count > len(near):
            near = np.empty(2 * count, dtype=np.int32)
            count = _candidates(tree, lower, upper, stack, near)
        for k in range(count):
            old = near[k]
            if not _weigh(new_frames[t], old_positions, old_tets, old, weights):
                continue
            if not _weigh(frames[old], positions, tets, t, weights):
                continue
            share = _shared(weights, order, corners, pieces, shares)
            if share <= LEAST:
                continue
            if total == len(found):
                found = np.concatenate((found, np.empty(total, dtype=np.int32)))
                volumes = np.concatenate((volumes, np.empty(total)))
            found[total], volumes[total] = old, share * new_frames[t, 12]
            total += 1
            counts[t - first] += 1
    return counts, found[:total].copy(), volumes[:total].copy()

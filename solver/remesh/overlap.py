"""How much of each new tet lies in which old one, exactly: tets clipped by tets.

In barycentric weights of an old tet its inside is where all four are positive, so a new tet's corners are given by their four
weights and cut where one after the other changes sign. A cut tet falls into tets whose shares of the whole follow from where
its edges are cut, in closed form; no share is negative, and together they miss nothing.
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tree import STACK, build_tree
from ..jit import inline, kernel

Array = NDArray[np.float64]

LEAST = 1e-12  # share of a tet that is rounding


def overlaps(
    old_positions: Array, old_tets: NDArray[np.int32], positions: Array, tets: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], Array]:
    """Return start (m + 1,), old tets (p,) and the volume (p,) [m^3] that each shares with a new tet.

    New tet t shares volume with those of start[t]:start[t + 1].
    """
    old, new = _frames(old_positions[old_tets]), _frames(positions[tets])
    lower, upper = old[:, :4].min(axis=1), old[:, :4].max(axis=1)
    parts = in_chunks(_overlaps, len(tets), build_tree(lower, upper), lower, upper, old, new)
    start = np.concatenate([[0], np.cumsum(np.concatenate([counts for counts, _, _ in parts]))]).astype(np.int64)
    return start, np.concatenate([found for _, found, _ in parts]), np.concatenate([volume for _, _, volume in parts])


def _frames(corners: Array) -> Array:
    """Return (m, 8, 3): the corners (m, 4, 3), the rows that give a point's weights of the last three of them by its way from
    the first, and the volume in the last row."""
    u, v, w = (corners[:, i] - corners[:, 0] for i in (1, 2, 3))
    vw = np.cross(v, w)
    determinant = np.einsum("mi,mi->m", u, vw)
    inverse = 1.0 / np.where(determinant != 0.0, determinant, np.inf)  # a flat tet holds nothing: no weight is positive
    frames = np.empty((len(corners), 8, 3))
    frames[:, :4] = corners
    for k, normal in enumerate((vw, np.cross(w, u), np.cross(u, v))):
        frames[:, 4 + k] = normal * inverse[:, None]
    frames[:, 7] = np.abs(determinant)[:, None] / 6.0
    return frames


@kernel
def _weigh(frames, t, others, other, weights):  # type: ignore[no-untyped-def]
    """weights (4, 4): row i the i-th weight in tet t of the corners of another; False where one is positive at none."""
    for n in range(4):
        weights[0, n] = 1.0
    for i in range(1, 4):
        a, b, c = frames[t, 3 + i, 0], frames[t, 3 + i, 1], frames[t, 3 + i, 2]
        most = 0.0
        for n in range(4):
            x, y = others[other, n, 0] - frames[t, 0, 0], others[other, n, 1] - frames[t, 0, 1]
            weight = a * x + b * y + c * (others[other, n, 2] - frames[t, 0, 2])
            weights[i, n], most = weight, max(most, weight)
            weights[0, n] -= weight
        if not most > 0.0:
            return False
    return max(max(weights[0, 0], weights[0, 1]), max(weights[0, 2], weights[0, 3])) > 0.0


@inline
def _cut_at(inner, outer):  # type: ignore[no-untyped-def]
    """Where an edge from a weight that is not negative to a negative one is cut, from the inner end."""
    return inner / (inner - outer)


@inline
def _cut_point(a, b, s):  # type: ignore[no-untyped-def]
    """The corner at s on the edge from a to b, without the weight that it was cut by."""
    return a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2]), a[3] + s * (b[3] - a[3]), 0.0


@inline
def _rest(a):  # type: ignore[no-untyped-def]
    """A corner without its first weight."""
    return a[1], a[2], a[3], 0.0


@kernel
def _share(a, b, c, d, planes):  # type: ignore[no-untyped-def]
    """The share of a tet in which the first so many of its corners' weights, of four each, are all positive."""
    if a[0] < b[0]:
        a, b = b, a
    if c[0] < d[0]:
        c, d = d, c
    if a[0] < c[0]:
        a, c = c, a
    if b[0] < d[0]:
        b, d = d, b
    if b[0] < c[0]:
        b, c = c, b
    if a[0] < 0.0:
        return 0.0
    if d[0] >= 0.0:
        return 1.0 if planes == 1 else _share(_rest(a), _rest(b), _rest(c), _rest(d), planes - 1)
    ad = _cut_at(a[0], d[0])
    if c[0] >= 0.0:
        bd, cd = _cut_at(b[0], d[0]), _cut_at(c[0], d[0])
        if planes == 1:
            return 1.0 - (1.0 - ad) * (1.0 - bd) * (1.0 - cd)
        on_ad, on_bd, on_cd = _cut_point(a, d, ad), _cut_point(b, d, bd), _cut_point(c, d, cd)
        share = ad * _share(_rest(a), _rest(b), _rest(c), on_ad, planes - 1)
        share += bd * (1.0 - ad) * _share(_rest(b), _rest(c), on_ad, on_bd, planes - 1)
        return share + cd * (1.0 - ad) * (1.0 - bd) * _share(_rest(c), on_ad, on_bd, on_cd, planes - 1)
    ac = _cut_at(a[0], c[0])
    if b[0] >= 0.0:
        bc, bd = _cut_at(b[0], c[0]), _cut_at(b[0], d[0])
        if planes == 1:
            return ac * ad + ac * bd * (1.0 - ad) + bc * bd * (1.0 - ac)
        on_ac, on_ad, on_bc, on_bd = _cut_point(a, c, ac), _cut_point(a, d, ad), _cut_point(b, c, bc), _cut_point(b, d, bd)
        share = ac * ad * _share(_rest(a), _rest(b), on_ac, on_ad, planes - 1)
        share += ac * bd * (1.0 - ad) * _share(_rest(b), on_ac, on_ad, on_bd, planes - 1)
        return share + bc * bd * (1.0 - ac) * _share(_rest(b), on_ac, on_bc, on_bd, planes - 1)
    ab = _cut_at(a[0], b[0])
    if planes == 1:
        return ab * ac * ad
    on_ab, on_ac, on_ad = _cut_point(a, b, ab), _cut_point(a, c, ac), _cut_point(a, d, ad)
    return ab * ac * ad * _share(_rest(a), on_ab, on_ac, on_ad, planes - 1)


@inline
def _corner(weights, cutting, n):  # type: ignore[no-untyped-def]
    """The weights of a corner, those that are cut by first."""
    return weights[cutting[0], n], weights[cutting[1], n], weights[cutting[2], n], weights[cutting[3], n]


@kernel
def _shared(weights, cutting):  # type: ignore[no-untyped-def]
    """The share of a tet, given by its corners' weights (4, 4) in another, that lies in the other; cutting (4) is scratch."""
    planes = 0
    for i in range(4):
        if min(min(weights[i, 0], weights[i, 1]), min(weights[i, 2], weights[i, 3])) < 0.0:
            cutting[planes] = i
            planes += 1
    if planes == 0:
        return 1.0
    for k in range(planes, 4):
        cutting[k] = cutting[0]
    return _share(_corner(weights, cutting, 0), _corner(weights, cutting, 1), _corner(weights, cutting, 2),
                  _corner(weights, cutting, 3), planes)  # fmt: skip


@kernel
def _candidates(tree, item_lower, item_upper, lower, upper, stack, found):  # type: ignore[no-untyped-def]
    """List the items of a tree whose boxes meet a box, as far as there is room; return how many there are."""
    stack[0], size, count = 0, 1, 0
    while size:
        size -= 1
        node = stack[size]
        if _apart(tree.lower, tree.upper, node, lower, upper):
            continue
        if node < tree.leaf:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node + 2
            size += 2
            continue
        for k in range(tree.start[node], tree.stop[node]):
            item = tree.order[k]
            if not _apart(item_lower, item_upper, item, lower, upper):
                if count < len(found):
                    found[count] = item
                count += 1
    return count


@inline
def _apart(lowers, uppers, k, lower, upper):  # type: ignore[no-untyped-def]
    """Whether the k-th of some boxes has no inside in common with another."""
    apart = uppers[k, 0] <= lower[0] or lowers[k, 0] >= upper[0] or uppers[k, 1] <= lower[1]
    apart = apart or lowers[k, 1] >= upper[1] or uppers[k, 2] <= lower[2]
    return apart or lowers[k, 2] >= upper[2]


@kernel
def _overlaps(first, last, tree, item_lower, item_upper, frames, new_frames):  # type: ignore[no-untyped-def]
    """Counts (last - first,) of new tets, and the old tets and volumes that they share, one after the other."""
    stack, lower, upper = np.empty(STACK, dtype=np.int32), np.empty(3), np.empty(3)
    weights, cutting = np.empty((4, 4)), np.empty(4, dtype=np.int64)
    counts, near = np.zeros(last - first, dtype=np.int64), np.empty(256, dtype=np.int32)
    found, volumes, total = np.empty(16 * (last - first) + 64, dtype=np.int32), np.empty(16 * (last - first) + 64), 0
    for t in range(first, last):
        for a in range(3):
            x0, x1, x2, x3 = new_frames[t, 0, a], new_frames[t, 1, a], new_frames[t, 2, a], new_frames[t, 3, a]
            lower[a], upper[a] = min(min(x0, x1), min(x2, x3)), max(max(x0, x1), max(x2, x3))
        count = _candidates(tree, item_lower, item_upper, lower, upper, stack, near)
        if count > len(near):
            near = np.empty(2 * count, dtype=np.int32)
            count = _candidates(tree, item_lower, item_upper, lower, upper, stack, near)
        for k in range(count):
            old = near[k]
            # Its own planes first: what remains are the weights to clip by
            if not _weigh(new_frames, t, frames, old, weights) or not _weigh(frames, old, new_frames, t, weights):
                continue
            share = _shared(weights, cutting)
            if share <= LEAST:
                continue
            if total == len(found):
                found = np.concatenate((found, np.empty(total, dtype=np.int32)))
                volumes = np.concatenate((volumes, np.empty(total)))
            found[total], volumes[total] = old, share * new_frames[t, 7, 0]
            total += 1
            counts[t - first] += 1
    return counts, found[:total].copy(), volumes[:total].copy()

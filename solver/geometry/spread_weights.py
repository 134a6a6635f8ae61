"""Weights of points outside a tet mesh: the closest boundary point plus an offset carried by the tets around it."""

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, inner_kernel, kernel
from .chunks import in_chunks
from .tree import STACK, Tree, items_near

NARROWEST, WIDEST = 1.25, 2.5  # radius of the blend, in mean edges
REACHED = 1.25  # times how far the middle of the tet under the foot is: at thin rims tets are long, and no other may be nearer
VOLUME, AREAS, SHAPE = 3, 4, 13  # of what is kept of a tet, after its centroid (3): one number, nine, and how many there are


def spread_rows(
    tree: Tree,
    positions: NDArray[np.float64],
    tets: NDArray[np.int32],
    piece: NDArray[np.int32],
    under: NDArray[np.int32],
    foot: NDArray[np.float64],
    offset: NDArray[np.float64],
    corners: NDArray[np.int32],
    corner_weights: NDArray[np.float64],
    edge: float,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the sparse rows (start, nodes, weights) of x = x(foot) + F o.

    x(foot) is interpolated from the boundary triangle's corners (r, 3); F is the mean deformation gradient of the tets
    near the foot, of the piece of the one `under` it (r,), weighted by volume and (1 - (d / radius)^2)^2 of their
    centroids' distance d. F o is linear in the nodes: a tet adds o . grad N_j at its corner j. Affine motions are reproduced
    exactly. The radius grows with the offset, as a longer lever needs a smoother turn, and reaches the tet under the foot.
    tree: over the boxes of the tets.
    """
    length = np.sqrt((offset * offset).sum(axis=1))
    away = positions[tets[under]].mean(axis=1) - foot
    radius = np.clip(NARROWEST * edge + length, NARROWEST * edge, WIDEST * edge)
    radius, wanted = np.maximum(radius, REACHED * np.sqrt((away * away).sum(axis=1))), piece[under]
    parts = in_chunks(
        _rows, len(foot), tree, positions, tets, piece, wanted, foot, offset, radius, corners, corner_weights
    )
    start = np.concatenate([[0], np.cumsum(np.concatenate([counts for counts, _, _ in parts]))])
    return start, np.concatenate([nodes for _, nodes, _ in parts]), np.concatenate([weights for _, _, weights in parts])


@kernel
def _rows(first, last, tree, positions, tets, piece, wanted, foot, offset, radius, corners, corner_weights):  # type: ignore[no-untyped-def]
    """The entries (last - first,) of each row, and nodes and weights of all of them."""
    stack, scratch, listed = np.empty(STACK, dtype=np.int32), np.zeros(len(positions)), np.zeros(len(positions), dtype=np.bool_)
    touched, near, share = np.empty(len(positions), dtype=np.int32), np.empty(len(tets), dtype=np.int32), np.empty(len(tets))
    counts, total, box = np.empty(last - first, dtype=np.int64), 0, (np.empty(3), np.empty(3))
    nodes, weights = np.empty(32 * (last - first) + 64, dtype=np.int32), np.empty(32 * (last - first) + 64)
    known, shapes = np.zeros(len(tets), dtype=np.bool_), np.empty((len(tets), SHAPE))  # most tets are near several feet
    for r in range(first, last):
        found = _tets_near(tree, positions, tets, piece, wanted[r], foot[r], radius[r], box, stack, near, share, known, shapes)
        x, y, z, count = offset[r, 0], offset[r, 1], offset[r, 2], 0
        for i in range(3):
            count = _add(scratch, listed, touched, count, corners[r, i], corner_weights[r, i])
        for n in range(found):
            tet, rows = tets[near[n]], shapes[near[n]]
            p = share[n] * (x * rows[AREAS] + y * rows[AREAS + 1] + z * rows[AREAS + 2])
            q = share[n] * (x * rows[AREAS + 3] + y * rows[AREAS + 4] + z * rows[AREAS + 5])
            s = share[n] * (x * rows[AREAS + 6] + y * rows[AREAS + 7] + z * rows[AREAS + 8])
            count = _add(scratch, listed, touched, count, tet[0], -(p + q + s))
            count = _add(scratch, listed, touched, count, tet[1], p)
            count = _add(scratch, listed, touched, count, tet[2], q)
            count = _add(scratch, listed, touched, count, tet[3], s)
        if total + count > len(nodes):
            nodes = np.concatenate((nodes, np.empty(total + count, dtype=np.int32)))
            weights = np.concatenate((weights, np.empty(total + count)))
        for n in range(count):
            nodes[total + n], weights[total + n] = touched[n], scratch[touched[n]]
            scratch[touched[n]] = 0.0
            listed[touched[n]] = False
        counts[r - first] = count
        total += count
    return counts, nodes[:total].copy(), weights[:total].copy()


@inner_kernel
def _tets_near(tree, positions, tets, piece, wanted, foot, radius, box, stack, near, share, known, shapes):  # type: ignore[no-untyped-def]
    """List the wanted piece's tets within the radius and their shares, which sum to 1, over six times their volumes; return how
    many."""
    lower, upper = box
    for axis in range(3):
        lower[axis], upper[axis] = foot[axis] - radius, foot[axis] + radius
    found, total = 0, 0.0
    for k in range(items_near(tree, lower, upper, stack, near)):
        t = near[k]
        if not known[t]:
            known[t] = True
            _shape(positions[tets[t, 0]], positions[tets[t, 1]], positions[tets[t, 2]], positions[tets[t, 3]], shapes[t])
        d2 = 0.0
        for axis in range(3):
            d2 += (shapes[t, axis] - foot[axis]) ** 2
        fade = 1.0 - d2 / (radius * radius)
        if fade > 0.0 and piece[t] == wanted:
            near[found], share[found] = t, fade * fade
            total += shapes[t, VOLUME] * share[found]
            found += 1
    for n in range(found):
        share[n] /= total
    return found


@inline
def _add(scratch, listed, touched, count, node, weight):  # type: ignore[no-untyped-def]
    """Add to one node's weight, listing it the first time; return how many are listed."""
    if not listed[node]:
        listed[node] = True
        touched[count] = node
        count += 1
    scratch[node] += weight
    return count


@inline
def _shape(o, a, b, c, shape):  # type: ignore[no-untyped-def]
    """Set a tet's centroid, 6 V of its volume V, and AREAS := 6 V grad N of its corners a, b, c; of o it is less their sum."""
    ux, uy, uz = a[0] - o[0], a[1] - o[1], a[2] - o[2]
    vx, vy, vz = b[0] - o[0], b[1] - o[1], b[2] - o[2]
    wx, wy, wz = c[0] - o[0], c[1] - o[1], c[2] - o[2]
    for axis in range(3):
        shape[axis] = 0.25 * (o[axis] + a[axis] + b[axis] + c[axis])
    x, y, z = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
    shape[VOLUME] = ux * x + uy * y + uz * z
    shape[AREAS], shape[AREAS + 1], shape[AREAS + 2] = x, y, z
    shape[AREAS + 3], shape[AREAS + 4], shape[AREAS + 5] = wy * uz - wz * uy, wz * ux - wx * uz, wx * uy - wy * ux
    shape[AREAS + 6], shape[AREAS + 7], shape[AREAS + 8] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx

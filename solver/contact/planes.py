"""The planes that a collider's surface is taken for where contact points are seen to touch it."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .response import normal_response

Array = NDArray[np.float64]
Columns = tuple[NDArray[np.int64], NDArray[np.int64], Array, Array, Array, Array, Array, Array]
NONE, NUMBERS, VECTORS = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3))
NOBODY: Columns = (NONE, NONE, VECTORS, NUMBERS, NUMBERS, VECTORS, NUMBERS, NUMBERS)


def joined(found: list[Columns]) -> Columns:
    """What was found of one collider after the other, in one."""
    if len(found) < 2:
        return found[0] if found else NOBODY
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))  # type: ignore[return-value]


@kernel
def lay_planes(  # type: ignore[no-untyped-def]
    near, points, here, distance, normal, velocity, start, stretch, slack, fade, step, planes, level, gap, anchor
):
    """Fill normals, levels, gaps and anchors of contacts `near` (c,) among points (k,), seen here (k, 3).

    distance (k,), normal and velocity (k, 3) are a collider's there; start, stretch and slack are all points'. A plane lies
    where its point touches it: normal . x = level, from which that is a gap away; an anchor is where friction holds the point.
    """
    for c in range(len(near)):
        k = near[c]
        p = points[k]
        n, s, v = normal[k], stretch[p], velocity[k]
        x, y, z = here[k, 0], here[k, 1], here[k, 2]
        gap[c] = distance[k] + fade * slack[p]
        level[c] = n[0] * x + n[1] * y + n[2] * z - gap[c]
        along = s[0] * n[0] + s[1] * n[1] + s[2] * n[2]
        planes[c, 0], planes[c, 1], planes[c, 2] = n[0], n[1], n[2]
        anchor[c, 0] = start[p, 0] - (s[0] - along * n[0]) + step * v[0]
        anchor[c, 1] = start[p, 1] - (s[1] - along * n[1]) + step * v[1]
        anchor[c, 2] = start[p, 2] - (s[2] - along * n[2]) + step * v[2]


@kernel
def take_points(  # type: ignore[no-untyped-def]
    chosen, gap, all_nodes, all_weights, size, extent, all_stiffness, shares, nodes, weights, reach, stiffness, push, slip,
    length,
):  # fmt: skip
    """Fill what contacts have of their points `chosen` (c,), in the names of `Entries`, and their push (c,) [N] at gaps (c,).

    all_nodes to all_stiffness are all points'; nodes and weights (f, 4) are those of the first of them alone; shares: reach in
    element sizes, slip and length in body extents, and the most that length may be in element sizes.
    """
    reaches, slips, lengths, most = shares
    for c in range(len(chosen)):
        p = np.uint64(chosen[c])
        reach[c], stiffness[c] = reaches * size[p], all_stiffness[p]
        push[c] = normal_response(gap[c], reach[c], stiffness[c])[1]
        slip[c], length[c] = slips * extent[p], min(lengths * extent[p], most * size[p])
    for c in range(len(nodes)):
        p = np.uint64(chosen[c])
        for a in range(4):
            nodes[c, a], weights[c, a] = all_nodes[p, a], all_weights[p, a]


def by_carriers(columns: Columns, row: NDArray[np.int64]) -> tuple[Columns, int]:
    """What was found with those points first that are not blended, of all of which row (k,) says so; how many these are."""
    blended = row[columns[0]] >= 0
    few = len(blended) - int(blended.sum())
    if few == len(blended):
        return columns, few
    order = np.argsort(blended, kind="stable")
    return tuple(column.take(order, axis=0) for column in columns), few  # type: ignore[return-value]

"""The planes that a collider's surface is taken for where contact points are seen to touch it."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .response import normal_response, point_of

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
    near, points, here, distance, normal, velocity, positions, nodes, weights, start, stretch, slack, fade, step,
    planes, level, gap, anchor,
):  # fmt: skip
    """Fill normals, levels, gaps and anchors of contacts `near` (c,) among points (k,), seen here (k, 3).

    distance (k,), normal and velocity (k, 3) are a collider's there; nodes, weights, start, stretch and slack are all points'.
    A plane lies where its point is seen to touch it, moved to where its four nodes carry the point: normal . x = level, from
    which that is a gap away; an anchor is where friction holds the point, as it is carried.
    """
    for c in range(len(near)):
        k = near[c]
        p = points[k]
        n, s, v = normal[k], stretch[p], velocity[k]
        x, y, z = point_of(positions, nodes[p], weights[p])
        gap[c] = distance[k] + fade * slack[p]
        level[c] = n[0] * x + n[1] * y + n[2] * z - gap[c]
        along = s[0] * n[0] + s[1] * n[1] + s[2] * n[2]
        planes[c, 0], planes[c, 1], planes[c, 2] = n[0], n[1], n[2]
        anchor[c, 0] = start[p, 0] - (s[0] - along * n[0]) + step * v[0] + x - here[k, 0]
        anchor[c, 1] = start[p, 1] - (s[1] - along * n[1]) + step * v[1] + y - here[k, 1]
        anchor[c, 2] = start[p, 2] - (s[2] - along * n[2]) + step * v[2] + z - here[k, 2]


@kernel
def take_points(  # type: ignore[no-untyped-def]
    chosen, gap, all_tets, all_nodes, all_weights, size, extent, all_stiffness, shares, tets, nodes, weights, reach, stiffness,
    push, slip, length,
):  # fmt: skip
    """Fill what contacts have of their points `chosen` (c,), in the names of `Entries`, and their push (c,) [N] at gaps (c,).

    all_tets to all_stiffness are all points'; shares: reach in element sizes, slip and length in body extents, and the most
    that length may be in element sizes.
    """
    reaches, slips, lengths, most = shares
    for c in range(len(chosen)):
        p = np.uint64(chosen[c])
        tets[c], reach[c], stiffness[c] = all_tets[p], reaches * size[p], all_stiffness[p]
        for a in range(4):
            nodes[c, a], weights[c, a] = all_nodes[p, a], all_weights[p, a]
        push[c] = normal_response(gap[c], reach[c], stiffness[c])[1]
        slip[c], length[c] = slips * extent[p], min(lengths * extent[p], most * size[p])

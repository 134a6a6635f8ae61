"""What is off its way by more than a look has left room for (unfolded.py): looked at again by itself, where it is now.

A blow moves a few nodes far, and all others hardly. Of their clusters and patches the same is asked as at first, seen from
where they were seen then, for the way that nodes now go and with nothing to spare.
"""

import numpy as np

from ...jit import kernel
from .fold_patches import GROUP
from .seen_patch import heights_of, rim_stays_away


@kernel
def mark_doubtful(patch, patches, ranges, spread, rooms, widths, clusters, wide):  # type: ignore[no-untyped-def]
    """Mark clusters (c,) whose nodes, and patches (p,) whose clusters, are off by more than there is room; whether any is."""
    touched, doubtful = patches.touched, False
    for c in range(len(rooms)):
        for axis in range(3):
            if not ranges[c, 1, axis] - ranges[c, 0, axis] <= rooms[c]:
                clusters[c] = doubtful = True
    for p in range(len(patches.clusters)):
        if patch[patches.clusters[p, 0]] != p or spread <= widths[p]:
            continue
        x0, y0, z0, x1, y1, z1 = np.inf, np.inf, np.inf, -np.inf, -np.inf, -np.inf
        for i in range(touched.first[p], touched.first[p + 1]):
            low, high = ranges[np.uint64(touched.values[i])]
            x0, y0, z0 = min(x0, low[0]), min(y0, low[1]), min(z0, low[2])
            x1, y1, z1 = max(x1, high[0]), max(y1, high[1]), max(z1, high[2])
        if not max(x1 - x0, y1 - y0, z1 - z0) <= widths[p]:
            wide[p] = doubtful = True
    return doubtful


@kernel
def seen_unfolded(  # type: ignore[no-untyped-def]
    patch, patches, views, corners, triangles, before, after, reach, rounding, heights, clusters, wide
):
    """Whether between two places (n, 3) triangles of marked clusters (c,) are high enough for all patches that answer for
    something, and the rims of marked patches (p,) stay away. heights (t, 3, 3): of what is asked for they are filled."""
    groups, (listed, first) = np.zeros(len(clusters) // GROUP + 1, np.bool_), triangles
    for c in range(len(clusters)):
        if not clusters[c]:
            continue
        groups[c // GROUP] = True
        for k in range(first[c], first[c + 1]):
            t = np.uint64(listed[k])
            h = heights[t]
            (
                (h[0, 0], h[0, 1], h[0, 2]), (h[1, 0], h[1, 1], h[1, 2]), (h[2, 0], h[2, 1], h[2, 2])
            ) = heights_of(before, after, corners[t])  # fmt: skip
    hem, rim = patches.hem, patches.rim
    for p in range(len(patches.clusters)):
        if patch[patches.clusters[p, 0]] != p:
            continue
        if not _high_enough(patches, p, views[p], heights, reach, rounding, clusters, groups):
            return False
        if wide[p]:
            around, outside = hem.values[hem.first[p] : hem.first[p + 1]], rim.values[rim.first[p] : rim.first[p + 1]]
            if not rim_stays_away(around, outside, before, after, views[p]) > rounding:
                return False
    return True


@kernel
def _high_enough(patches, p, view, heights, reach, rounding, clusters, groups):  # type: ignore[no-untyped-def]
    """Whether the triangles of marked clusters that patch p has are, seen along its view."""
    x, y, z = view
    _, at_core, _, _, (triangles, first), (parts, first_part), _, _, cluster, group = patches
    for i in range(first_part[p], first_part[p + 1]):
        if not groups[np.uint64(group[i])]:
            continue
        least = rounding + (reach if parts[i] < first[p] + at_core[p] else 0.0)
        for k in range(parts[i], parts[i + 1]):
            if not clusters[np.uint64(cluster[np.uint64(triangles[k])])]:
                continue
            h = heights[np.uint64(triangles[k])]
            for m in range(3):
                if not h[m, 0] * x + h[m, 1] * y + h[m, 2] * z > least:
                    return False
    return True

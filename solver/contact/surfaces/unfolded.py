"""Parts of a surface that do not come near themselves, because seen from one side nothing of them lies over anything else.

For a patch (fold_patches.py) and its mean normal as the direction of view, on all of a straight way of its vertices:

- every triangle is seen from the front: so as many of them cover a point as the rim winds around it;
- seen through a linear map that makes the core about round, the core lies in a disk and the rim outside of it, and the rim
  winds around the disk's centre once: so exactly one triangle covers each point of the disk. Triangles around an inner vertex
  are seen all around it, so that the core is seen nowhere beyond its hem: that alone is looked at;
- triangles at the core's vertices are so high that neither of two items of the core that have no vertex in common comes
  closer to a vertex of the other than a distance: what lies between them is a triangle at that vertex.

Then no pair of the core's items without a common vertex is closer than that distance, seen so and in space, and none crosses
another. This is the test of normals and contour (Volino & Magnenat-Thalmann 1994; Schvartzman et al. 2010, who let the contour
be star-shaped) with a contour that may be of any shape but stays away, and with bounds for a way and for a distance.

Nodes may go beside that way. Heights are those of triangles, each of which has its nodes in one cluster, and change by as much
as these are off against each other at most (the width of what is seen of it does): for each cluster there is a room. That the
rim stays away is about nodes far from each other, for which there is far more room, one for the whole patch.
"""

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .clusters import Clusters
from .doubted import mark_doubtful, seen_unfolded
from .fold_patches import GROUP, Rows, patches_of, ranked
from .seen_patch import heights_of, rim_stays_away

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
Doubts = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # which clusters (c,) and which patches (p,)


ALL_AXES = float(np.sqrt(3.0))  # what is off by so much along each axis is off by so many times more
LITTLE = 0.5  # share of clusters below which what is known is not worth a look, and the next
UNASKED = 8  # looks are left out


class Unfolded:
    """Which clusters of one body's surface need no search for pairs among themselves."""

    def __init__(self, clusters: Clusters, rest: Array) -> None:
        """rest (n, 3): the nodes' places at rest."""
        self.corners = clusters.surface.triangles
        self.patches = patches_of(ranked(clusters, rest), clusters.edge_length).named(clusters.vertices.nodes[:, 0])
        order = np.argsort(self.patches.cluster, kind="stable").astype(np.int32)
        first = np.searchsorted(self.patches.cluster[order], np.arange(clusters.leaf + 2))
        self.triangles = Rows(order, first.astype(np.int32))  # of each cluster
        self.patch = np.full(len(clusters.vertices.first) - 1, -1, dtype=np.int32)  # that answers for a cluster, or -1
        # How far nodes of each cluster, and of each patch, may be off their way against each other along an axis [m]
        self.rooms, self.wide = np.zeros(len(self.patch)), np.zeros(len(self.patches.clusters))
        self.heights = np.empty((len(self.corners), 3, 3))
        self.boxes = np.empty((int(self.patches.cluster.max(initial=-GROUP)) // GROUP + 1, 3, 3))
        self.views, self.rounding = np.zeros((len(self.wide), 3)), 0.0  # from where each patch was looked at; [m]
        self.left_out = 0

    def look(self, before: Array, after: Array, reach: float, tight: float, most: float, rounding: float) -> bool:
        """Find them for nodes anywhere between two places (n, 3).

        False, and none, where there are few.

        reach       : distance that pairs of them keep [m]
        tight, most : how far nodes may be off that way against each other along an axis, at least, and of a cluster by how much
                      it is worth to know [m]
        rounding    : [m]
        """
        self.patch[:], self.rooms[:] = -1, np.inf
        self.left_out, self.rounding = self.left_out - 1, rounding
        if self.left_out >= 0:
            return False
        _heights(self.corners, before, after, self.patches.cluster, self.heights, self.boxes)
        _look(
            self.patches, self.heights, self.boxes, before, after, reach, tight, most, rounding, self.patch, self.rooms,
            self.wide, self.views,
        )  # fmt: skip
        if (self.patch >= 0).mean() >= LITTLE:
            return True
        self.patch[:], self.rooms[:], self.left_out = -1, np.inf, UNASKED
        return False

    @property
    def known(self) -> IntArray:
        """Of the nodes of the clusters' tree the patch that answers for all clusters of each, or -1."""
        found = np.empty(2 * len(self.patch) - 1, dtype=np.int32)
        found[len(self.patch) - 1 :] = self.patch
        _one_patch(found)
        return found

    def rest_of(self, near: IntArray) -> IntArray:
        """Of pairs (k, 2) of near clusters those that nothing is known of."""
        left = np.empty(len(near), dtype=np.bool_)
        _unknown(near, self.patch, self.patches.core, left)
        return near[left]

    def doubts(self, ranges: Array, spread: float) -> Doubts | None:
        """Which clusters' nodes are off their way against each other by more than there is room, by the clusters' ranges, and
        which patches'; None where none are. No two of all nodes are by more than a spread [m]."""
        clusters, wide = np.zeros(len(self.patch), np.bool_), np.zeros(len(self.wide), np.bool_)
        here = self.patch, self.patches, ranges, spread, self.rooms, self.wide
        return (clusters, wide) if mark_doubtful(*here, clusters, wide) else None

    def still(self, doubts: list[Doubts], before: Array, after: Array, reach: float) -> bool:
        """Whether what is doubted is seen to be unfolded between two places (n, 3)."""
        clusters, wide = doubts[0] if len(doubts) == 1 else (np.logical_or(*marks) for marks in zip(*doubts, strict=True))
        here = self.patch, self.patches, self.views, self.corners, self.triangles, before, after
        return bool(seen_unfolded(*here, reach, self.rounding, self.heights, clusters, wide))


@kernel
def _heights(corners, before, after, cluster, heights, boxes):  # type: ignore[no-untyped-def]
    """Fill heights (t, 3, 3) of all triangles.

    boxes (g, 3, 3) are of groups of them: lower and upper corner of these points' box, and their sum.
    """
    boxes[:, 0], boxes[:, 1], boxes[:, 2] = np.inf, -np.inf, 0.0
    for t in range(len(corners)):
        h, box = heights[t], boxes[cluster[t] // GROUP]
        (
            (h[0, 0], h[0, 1], h[0, 2]), (h[1, 0], h[1, 1], h[1, 2]), (h[2, 0], h[2, 1], h[2, 2])
        ) = heights_of(before, after, corners[t])  # fmt: skip
        for axis in range(3):
            box[0, axis] = min(box[0, axis], h[0, axis], h[1, axis], h[2, axis])
            box[1, axis] = max(box[1, axis], h[0, axis], h[1, axis], h[2, axis])
            box[2, axis] += h[1, axis]


@kernel
def _look(  # type: ignore[no-untyped-def]
    patches, heights, boxes, before, after, reach, tight, most, rounding, patch, rooms, widths, views
):
    clusters, _, _, hem, _, _, rim, touched, _, _ = patches
    low = ALL_AXES * tight + rounding
    for p in range(len(clusters)):
        if patch[clusters[p, 0]] >= 0:
            continue
        view = _mean_normal(patches, p, boxes)
        if not _seen_from_the_front(patches, p, heights, boxes, view, reach + low, low):
            continue
        around, outside = hem.values[hem.first[p] : hem.first[p + 1]], rim.values[rim.first[p] : rim.first[p + 1]]
        width = (rim_stays_away(around, outside, before, after, view) - rounding) / ALL_AXES
        if width > tight:
            patch[clusters[p, 0] : clusters[p, 1]], widths[p], views[p] = p, width, view
            for i in range(touched.first[p], touched.first[p + 1]):
                c = np.uint64(touched.values[i])
                rooms[c] = min(rooms[c], most)
            _take_rooms(patches, p, heights, boxes, view, reach, 0.5 * most, rounding, rooms)


@kernel
def _take_rooms(patches, p, heights, boxes, view, reach, enough, rounding, rooms):  # type: ignore[no-untyped-def]
    """Lessen rooms (c,) to what triangles of a patch leave to their clusters, or the boxes of groups, where that is enough."""
    x, y, z = view
    _, at_core, _, _, (triangles, first), (parts, first_part), _, _, cluster, group = patches
    for i in range(first_part[p], first_part[p + 1]):
        least, c = rounding + (reach if parts[i] < first[p] + at_core[p] else 0.0), group[i]
        (ax, ay, az), (bx, by, bz), _ = boxes[c]
        room = (min(ax * x, bx * x) + min(ay * y, by * y) + min(az * z, bz * z) - least) / ALL_AXES
        if room >= enough:
            for k in range(GROUP * c, min(GROUP * (c + 1), len(rooms))):
                rooms[k] = min(rooms[k], room)
            continue
        for k in range(parts[i], parts[i + 1]):
            h, c = heights[np.uint64(triangles[k])], np.uint64(cluster[np.uint64(triangles[k])])
            for m in range(3):
                high = h[m, 0] * x + h[m, 1] * y + h[m, 2] * z
                rooms[c] = min(rooms[c], (high - least) / ALL_AXES)


@kernel
def _mean_normal(patches, p, boxes):  # type: ignore[no-untyped-def]
    """About that of a patch: of all groups that it has triangles of."""
    _, _, _, _, (triangles, _), (parts, first), _, _, _, group = patches
    view = np.zeros(3)
    for i in range(first[p], first[p + 1]):
        box = boxes[group[i]]
        view[0], view[1], view[2] = view[0] + box[2, 0], view[1] + box[2, 1], view[2] + box[2, 2]
    size = np.sqrt(view[0] * view[0] + view[1] * view[1] + view[2] * view[2])
    return view / max(size, 1e-300)


@kernel
def _seen_from_the_front(patches, p, heights, boxes, view, high, low):  # type: ignore[no-untyped-def]
    """Whether all triangles of a patch are, on all of their way: those at the core at least `high`, the others `low`.

    By the boxes of groups where these say so, by each triangle where they do not.
    """
    x, y, z = view
    _, at_core, _, _, (triangles, first), (parts, first_part), _, _, cluster, group = patches
    for i in range(first_part[p], first_part[p + 1]):
        least = high if parts[i] < first[p] + at_core[p] else low
        (ax, ay, az), (bx, by, bz), _ = boxes[group[i]]
        if min(ax * x, bx * x) + min(ay * y, by * y) + min(az * z, bz * z) > least:
            continue
        for k in range(parts[i], parts[i + 1]):
            h = heights[np.uint64(triangles[k])]
            for m in range(3):
                if not h[m, 0] * x + h[m, 1] * y + h[m, 2] * z > least:
                    return False
    return True


@kernel
def _one_patch(found):  # type: ignore[no-untyped-def]
    """From the patches of a tree's leaves fill in those of its other nodes, -1 where they differ."""
    for node in range(len(found) // 2 - 1, -1, -1):
        left, right = found[2 * node + 1], found[2 * node + 2]
        found[node] = left if left == right else -1


@kernel
def _unknown(near, patch, core, left):  # type: ignore[no-untyped-def]
    """Fill left (k,) with whether no patch answers for each pair of clusters (k, 2)."""
    marks, marked = np.full((2, len(patch)), -1, np.int32), np.full(2, -1)
    for k in range(len(near)):
        left[k] = True
        for side in range(2):
            p = patch[near[k, side]]
            if p < 0 or not left[k]:
                continue
            mark = marks[side]
            if p != marked[side]:
                marked[side] = p
                for i in range(core.first[p], core.first[p + 1]):
                    mark[core.values[i]] = p
            left[k] = mark[near[k, 1 - side]] != p

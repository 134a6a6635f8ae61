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

from ...jit import inline, kernel
from .clusters import Clusters
from .fold_patches import GROUP, patches_of, ranked

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


ALL_AXES = float(np.sqrt(3.0))  # what is off by so much along each axis is off by so many times more
LITTLE = 0.5  # share of clusters below which what is known is not worth a look, and the next
UNASKED = 8  # looks are left out


class Unfolded:
    """Which clusters of one body's surface need no search for pairs among themselves."""

    def __init__(self, clusters: Clusters, rest: Array) -> None:
        """rest (n, 3): the nodes' places at rest."""
        surface = ranked(clusters, rest)
        self.corners = surface.corners
        self.patches = patches_of(surface, clusters.edge_length)
        self.patch = np.full(len(clusters.vertices.first) - 1, -1, dtype=np.int32)  # that answers for a cluster, or -1
        # How far nodes of each cluster, and of each patch, may be off their way against each other along an axis [m]
        self.rooms, self.wide = np.zeros(len(self.patch)), np.zeros(len(self.patches.clusters))
        self.heights = np.empty((len(surface.corners), 3, 3))
        self.boxes = np.empty((int(self.patches.cluster.max(initial=-GROUP)) // GROUP + 1, 3, 3))
        self.left_out = 0

    def look(self, start: Array, way: Array, reach: float, tight: float, most: float, rounding: float) -> bool:
        """Find them for vertices, by the clusters' order, that go from a start (v, 3) along a way (v, 3).

        False, and none, where there are few.

        reach       : distance that pairs of them keep [m]
        tight, most : how far nodes may be off that way against each other along an axis, at least, and of a cluster by how much
                      it is worth to know [m]
        rounding    : [m]
        """
        self.patch[:], self.rooms[:] = -1, np.inf
        self.left_out -= 1
        if self.left_out >= 0:
            return False
        _heights(self.corners, start, way, self.patches.cluster, self.heights, self.boxes)
        _look(
            self.patches, self.heights, self.boxes, start, way, reach, tight, most, rounding, self.patch, self.rooms, self.wide
        )
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

    def stay(self, ranges: Array) -> bool:
        """Whether no two nodes are off their way against each other by more than there is room, by the clusters' ranges."""
        return bool(_stay_together(self.patch, self.patches, ranges, self.rooms, self.wide))


@inline
def _cross(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def _heights(corners, start, way, cluster, heights, boxes):  # type: ignore[no-untyped-def]
    """Fill heights (t, 3, 3): the normals as Bezier points over the way, each as long as the least of a triangle's heights.

    boxes (g, 3, 3) are of groups of them: lower and upper corner of these points' box, and their sum.
    """
    boxes[:, 0], boxes[:, 1], boxes[:, 2] = np.inf, -np.inf, 0.0
    for t in range(len(corners)):
        a, b, c = corners[t]
        px, py, pz = start[b, 0] - start[a, 0], start[b, 1] - start[a, 1], start[b, 2] - start[a, 2]
        qx, qy, qz = start[c, 0] - start[a, 0], start[c, 1] - start[a, 1], start[c, 2] - start[a, 2]
        rx, ry, rz = px + way[b, 0] - way[a, 0], py + way[b, 1] - way[a, 1], pz + way[b, 2] - way[a, 2]
        sx, sy, sz = qx + way[c, 0] - way[a, 0], qy + way[c, 1] - way[a, 1], qz + way[c, 2] - way[a, 2]
        before = max(px * px + py * py + pz * pz, qx * qx + qy * qy + qz * qz)
        after = max(rx * rx + ry * ry + rz * rz, sx * sx + sy * sy + sz * sz)
        ex, ey, ez, fx, fy, fz = px - qx, py - qy, pz - qz, rx - sx, ry - sy, rz - sz
        square = max(before, after, ex * ex + ey * ey + ez * ez, fx * fx + fy * fy + fz * fz)
        # Twice the area over the longest edge is the least of the three heights
        h, box, scale = heights[t], boxes[cluster[t] // GROUP], 1.0 / np.sqrt(max(square, 1e-300))
        ux, uy, uz = _cross(px, py, pz, qx, qy, qz)
        vx, vy, vz = _cross(px, py, pz, sx, sy, sz)
        wx, wy, wz = _cross(rx, ry, rz, qx, qy, qz)
        yx, yy, yz = _cross(rx, ry, rz, sx, sy, sz)
        h[0, 0], h[0, 1], h[0, 2] = scale * ux, scale * uy, scale * uz
        h[1, 0], h[1, 1], h[1, 2] = 0.5 * scale * (vx + wx), 0.5 * scale * (vy + wy), 0.5 * scale * (vz + wz)
        h[2, 0], h[2, 1], h[2, 2] = scale * yx, scale * yy, scale * yz
        for axis in range(3):
            box[0, axis] = min(box[0, axis], h[0, axis], h[1, axis], h[2, axis])
            box[1, axis] = max(box[1, axis], h[0, axis], h[1, axis], h[2, axis])
            box[2, axis] += h[1, axis]


@kernel
def _look(  # type: ignore[no-untyped-def]
    patches, heights, boxes, start, way, reach, tight, most, rounding, patch, rooms, widths
):
    clusters, _, _, hem, _, _, rim, touched, _ = patches
    low = ALL_AXES * tight + rounding
    for p in range(len(clusters)):
        if patch[clusters[p, 0]] >= 0:
            continue
        view = _mean_normal(patches, p, boxes)
        if not _seen_from_the_front(patches, p, heights, boxes, view, reach + low, low):
            continue
        around, outside = hem.values[hem.first[p] : hem.first[p + 1]], rim.values[rim.first[p] : rim.first[p + 1]]
        width = (_rim_stays_away(around, outside, start, way, view) - rounding) / ALL_AXES
        if width > tight:
            patch[clusters[p, 0] : clusters[p, 1]], widths[p] = p, width
            for i in range(touched.first[p], touched.first[p + 1]):
                rooms[touched.values[i]] = min(rooms[touched.values[i]], most)
            _take_rooms(patches, p, heights, boxes, view, reach, 0.5 * most, rounding, rooms)


@kernel
def _take_rooms(patches, p, heights, boxes, view, reach, enough, rounding, rooms):  # type: ignore[no-untyped-def]
    """Lessen rooms (c,) to what triangles of a patch leave to their clusters, or the boxes of groups, where that is enough."""
    x, y, z = view
    _, at_core, _, _, (triangles, first), (parts, first_part), _, _, cluster = patches
    for i in range(first_part[p], first_part[p + 1]):
        least, c = rounding + (reach if parts[i] < first[p] + at_core[p] else 0.0), cluster[triangles[parts[i]]] // GROUP
        (ax, ay, az), (bx, by, bz), _ = boxes[c]
        room = (min(ax * x, bx * x) + min(ay * y, by * y) + min(az * z, bz * z) - least) / ALL_AXES
        if room >= enough:
            for k in range(GROUP * c, min(GROUP * (c + 1), len(rooms))):
                rooms[k] = min(rooms[k], room)
            continue
        for k in range(parts[i], parts[i + 1]):
            h, c = heights[triangles[k]], cluster[triangles[k]]
            for m in range(3):
                high = h[m, 0] * x + h[m, 1] * y + h[m, 2] * z
                rooms[c] = min(rooms[c], (high - least) / ALL_AXES)


@kernel
def _mean_normal(patches, p, boxes):  # type: ignore[no-untyped-def]
    """About that of a patch: of all groups that it has triangles of."""
    _, _, _, _, (triangles, _), (parts, first), _, _, cluster = patches
    view = np.zeros(3)
    for i in range(first[p], first[p + 1]):
        box = boxes[cluster[triangles[parts[i]]] // GROUP]
        view[0], view[1], view[2] = view[0] + box[2, 0], view[1] + box[2, 1], view[2] + box[2, 2]
    size = np.sqrt(view[0] * view[0] + view[1] * view[1] + view[2] * view[2])
    return view / max(size, 1e-300)


@kernel
def _seen_from_the_front(patches, p, heights, boxes, view, high, low):  # type: ignore[no-untyped-def]
    """Whether all triangles of a patch are, on all of their way: those at the core at least `high`, the others `low`.

    By the boxes of groups where these say so, by each triangle where they do not.
    """
    x, y, z = view
    _, at_core, _, _, (triangles, first), (parts, first_part), _, _, cluster = patches
    for i in range(first_part[p], first_part[p + 1]):
        least = high if parts[i] < first[p] + at_core[p] else low
        (ax, ay, az), (bx, by, bz), _ = boxes[cluster[triangles[parts[i]]] // GROUP]
        if min(ax * x, bx * x) + min(ay * y, by * y) + min(az * z, bz * z) > least:
            continue
        for k in range(parts[i], parts[i + 1]):
            h = heights[triangles[k]]
            for m in range(3):
                if not h[m, 0] * x + h[m, 1] * y + h[m, 2] * z > least:
                    return False
    return True


@kernel
def _rim_stays_away(hem, rim, start, way, view):  # type: ignore[no-untyped-def]
    """How far nodes may be off their way against each other [m] for the rim to stay outside of a circle around the hem.

    Less than nothing where it does not, or does not wind around its centre once.
    """
    center, drift = np.zeros(3), np.zeros(3)
    for v in hem:
        for axis in range(3):
            center[axis] += start[v, axis] / len(hem)
            drift[axis] += way[v, axis] / len(hem)
    right, up = _plane_of(view)
    right, up, stretch = _rounded(hem, start, way, center, drift, right, up)
    square = 0.0
    for v in hem:
        x, y, ends_x, ends_y = _seen(start, way, v, center, drift, right, up)
        square = max(square, x * x + y * y, ends_x * ends_x + ends_y * ends_y)
    radius, turns, least = np.sqrt(square), 0, np.inf
    for k in range(0, len(rim), 2):
        ax, ay, ends_ax, ends_ay = _seen(start, way, rim[k], center, drift, right, up)
        bx, by, ends_bx, ends_by = _seen(start, way, rim[k + 1], center, drift, right, up)
        long = max((ax - bx) ** 2 + (ay - by) ** 2, (ends_ax - ends_bx) ** 2 + (ends_ay - ends_by) ** 2)
        closest = min(_closest(ax, ay, ends_ax, ends_ay), _closest(bx, by, ends_bx, ends_by))
        least = min(least, np.sqrt(closest) - 0.5 * np.sqrt(long) - radius)
        if least < 0.0:
            return -1.0
        if (ay < 0.0) != (by < 0.0):
            crosses = ax + (bx - ax) * ay / (ay - by) > 0.0
            turns += (1 if by >= 0.0 else -1) if crosses else 0
    return least / (2.5 * stretch) if turns == 1 else -1.0


@inline
def _seen(start, way, v, center, drift, right, up):  # type: ignore[no-untyped-def]
    """Where a vertex is seen from the moving centre at its start and at the end of its way."""
    x, y, z = start[v, 0] - center[0], start[v, 1] - center[1], start[v, 2] - center[2]
    u, w, s = x + way[v, 0] - drift[0], y + way[v, 1] - drift[1], z + way[v, 2] - drift[2]
    return (
        x * right[0] + y * right[1] + z * right[2], x * up[0] + y * up[1] + z * up[2],
        u * right[0] + w * right[1] + s * right[2], u * up[0] + w * up[1] + s * up[2],
    )  # fmt: skip


@inline
def _closest(x, y, ends_x, ends_y):  # type: ignore[no-untyped-def]
    """The square of the least distance from the origin of what goes straight from one place to another."""
    u, v = ends_x - x, ends_y - y
    square = u * u + v * v
    share = min(max(-(x * u + y * v) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return (x + share * u) ** 2 + (y + share * v) ** 2


@kernel
def _plane_of(view):  # type: ignore[no-untyped-def]
    """Two unit vectors right and up with right x up = view."""
    least = 0
    for axis in range(1, 3):
        if abs(view[axis]) < abs(view[least]):
            least = axis
    right = -view[least] * view
    right[least] += 1.0
    right /= np.sqrt(right[0] * right[0] + right[1] * right[1] + right[2] * right[2])
    x, y, z = _cross(view[0], view[1], view[2], right[0], right[1], right[2])
    return right, np.array([x, y, z])


@kernel
def _rounded(hem, start, way, center, drift, right, up):  # type: ignore[no-untyped-def]
    """The same plane through the map that makes the hem as wide one way as another; by how much it lengthens."""
    a, b, d = 0.0, 0.0, 0.0
    for v in hem:
        x, y, ends_x, ends_y = _seen(start, way, v, center, drift, right, up)
        a, b, d = a + x * x + ends_x * ends_x, b + x * y + ends_x * ends_y, d + y * y + ends_y * ends_y
    a, b, d = a / (2 * len(hem)), b / (2 * len(hem)), d / (2 * len(hem))
    determinant = max(a * d - b * b, 1e-12 * (a + d) ** 2)
    root = np.sqrt(determinant)
    # The inverse of the symmetric square root of the moments, by its adjugate
    scale = 1.0 / (root * np.sqrt(max(a + d + 2.0 * root, 1e-300)))
    least = 0.5 * (a + d) - np.sqrt(max(0.25 * (a + d) ** 2 - determinant, 0.0))
    stretch = 1.0 / np.sqrt(max(least, determinant / max(a + d, 1e-300)))
    return scale * ((d + root) * right - b * up), scale * ((a + root) * up - b * right), stretch


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


@kernel
def _stay_together(patch, patches, ranges, rooms, widths):  # type: ignore[no-untyped-def]
    touched = patches.touched
    for c in range(len(rooms)):
        for axis in range(3):
            if not ranges[c, 1, axis] - ranges[c, 0, axis] <= rooms[c]:
                return False
    for p in range(len(patches.clusters)):
        if patch[patches.clusters[p, 0]] != p:
            continue
        for axis in range(3):
            low, high = np.inf, -np.inf
            for i in range(touched.first[p], touched.first[p + 1]):
                c = touched.values[i]
                low, high = min(low, ranges[c, 0, axis]), max(high, ranges[c, 1, axis])
            if not high - low <= widths[p]:
                return False
    return True

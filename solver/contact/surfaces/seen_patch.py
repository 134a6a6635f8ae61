"""What is seen of a patch's triangles and of its rim along a direction of view, on all of a straight way: see unfolded.py."""

import numpy as np

from ...geometry.triangle import cross
from ...jit import inline, kernel


@inline
def heights_of(before, after, corners):  # type: ignore[no-untyped-def]
    """A triangle's normal as three Bezier points over the way of its vertices, as long as the least of its heights."""
    a, b, c = np.uint64(corners[0]), np.uint64(corners[1]), np.uint64(corners[2])
    px, py, pz = before[b, 0] - before[a, 0], before[b, 1] - before[a, 1], before[b, 2] - before[a, 2]
    qx, qy, qz = before[c, 0] - before[a, 0], before[c, 1] - before[a, 1], before[c, 2] - before[a, 2]
    rx, ry, rz = after[b, 0] - after[a, 0], after[b, 1] - after[a, 1], after[b, 2] - after[a, 2]
    sx, sy, sz = after[c, 0] - after[a, 0], after[c, 1] - after[a, 1], after[c, 2] - after[a, 2]
    begun = max(px * px + py * py + pz * pz, qx * qx + qy * qy + qz * qz)
    ended = max(rx * rx + ry * ry + rz * rz, sx * sx + sy * sy + sz * sz)
    ex, ey, ez, fx, fy, fz = px - qx, py - qy, pz - qz, rx - sx, ry - sy, rz - sz
    square = max(begun, ended, ex * ex + ey * ey + ez * ez, fx * fx + fy * fy + fz * fz)
    # Twice the area over the longest edge is the least of the three heights
    scale = 1.0 / np.sqrt(max(square, 1e-300))
    ux, uy, uz = cross(px, py, pz, qx, qy, qz)
    vx, vy, vz = cross(px, py, pz, sx, sy, sz)
    wx, wy, wz = cross(rx, ry, rz, qx, qy, qz)
    yx, yy, yz = cross(rx, ry, rz, sx, sy, sz)
    half = 0.5 * scale
    between = half * (vx + wx), half * (vy + wy), half * (vz + wz)
    return (scale * ux, scale * uy, scale * uz), between, (scale * yx, scale * yy, scale * yz)


@kernel
def rim_stays_away(hem, rim, before, after, view):  # type: ignore[no-untyped-def]
    """How far nodes may be off their way against each other [m] for the rim to stay outside of a circle around the hem.

    Less than nothing where it does not, or does not wind around its centre once.
    """
    center, later = np.zeros(3), np.zeros(3)
    for v in hem:
        for axis in range(3):
            center[axis] += before[v, axis] / len(hem)
            later[axis] += after[v, axis] / len(hem)
    right, up = _plane_of(view)
    right, up, stretch = _rounded(hem, before, after, center, later, right, up)
    square = 0.0
    for v in hem:
        x, y, ends_x, ends_y = _seen(before, after, v, center, later, right, up)
        square = max(square, x * x + y * y, ends_x * ends_x + ends_y * ends_y)
    radius, turns, least = np.sqrt(square), 0, np.inf
    for k in range(0, len(rim), 2):
        ax, ay, ends_ax, ends_ay = _seen(before, after, rim[k], center, later, right, up)
        bx, by, ends_bx, ends_by = _seen(before, after, rim[k + 1], center, later, right, up)
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
def _seen(before, after, v, center, later, right, up):  # type: ignore[no-untyped-def]
    """Where a vertex is seen from the moving centre at its start and at the end of its way."""
    i = np.uint64(v)
    x, y, z = before[i, 0] - center[0], before[i, 1] - center[1], before[i, 2] - center[2]
    u, w, s = after[i, 0] - later[0], after[i, 1] - later[1], after[i, 2] - later[2]
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
    x, y, z = cross(view[0], view[1], view[2], right[0], right[1], right[2])
    return right, np.array([x, y, z])


@kernel
def _rounded(hem, before, after, center, later, right, up):  # type: ignore[no-untyped-def]
    """The same plane through the map that makes the hem as wide one way as another; by how much it lengthens."""
    a, b, d = 0.0, 0.0, 0.0
    for v in hem:
        x, y, ends_x, ends_y = _seen(before, after, v, center, later, right, up)
        a, b, d = a + x * x + ends_x * ends_x, b + x * y + ends_x * ends_y, d + y * y + ends_y * ends_y
    a, b, d = a / (2 * len(hem)), b / (2 * len(hem)), d / (2 * len(hem))
    determinant = max(a * d - b * b, 1e-12 * (a + d) ** 2)
    root = np.sqrt(determinant)
    # The inverse of the symmetric square root of the moments, by its adjugate
    scale = 1.0 / (root * np.sqrt(max(a + d + 2.0 * root, 1e-300)))
    least = 0.5 * (a + d) - np.sqrt(max(0.25 * (a + d) ** 2 - determinant, 0.0))
    stretch = 1.0 / np.sqrt(max(least, determinant / max(a + d, 1e-300)))
    return scale * ((d + root) * right - b * up), scale * ((a + root) * up - b * right), stretch

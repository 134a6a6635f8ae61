"""One triangle: closest point, solid angle, crossing with a segment. Scalars in, scalars out, for use in kernels."""

import math

from ..jit import inline

# Which part of the triangle is closest: its inside, a corner or an edge.
FACE, CORNER_A, CORNER_B, CORNER_C, EDGE_AB, EDGE_BC, EDGE_CA = 0, 1, 2, 3, 4, 5, 6


@inline
def cross(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """Return a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@inline
def closest_on_triangle(px, py, pz, a, b, c):  # type: ignore[no-untyped-def]
    """Return (squared distance, weight of b, weight of c, feature) of the point of triangle abc closest to p.

    Source: Ericson 2005, section 5.1.5. A degenerate triangle falls through to one of its edges or corners.
    """
    abx, aby, abz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    acx, acy, acz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    apx, apy, apz = px - a[0], py - a[1], pz - a[2]
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    bpx, bpy, bpz = px - b[0], py - b[1], pz - b[2]
    d3 = abx * bpx + aby * bpy + abz * bpz
    d4 = acx * bpx + acy * bpy + acz * bpz
    cpx, cpy, cpz = px - c[0], py - c[1], pz - c[2]
    d5 = abx * cpx + aby * cpy + abz * cpz
    d6 = acx * cpx + acy * cpy + acz * cpz
    va = d3 * d6 - d5 * d4
    vb = d5 * d2 - d1 * d6
    vc = d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        v, w, feature = 0.0, 0.0, CORNER_A
    elif d3 >= 0.0 and d4 <= d3:
        v, w, feature = 1.0, 0.0, CORNER_B
    elif d6 >= 0.0 and d5 <= d6:
        v, w, feature = 0.0, 1.0, CORNER_C
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v, w, feature = d1 / (d1 - d3), 0.0, EDGE_AB
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        v, w, feature = 0.0, d2 / (d2 - d6), EDGE_CA
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v, feature = 1.0 - w, EDGE_BC
    else:
        scale = 1.0 / (va + vb + vc)
        v, w, feature = vb * scale, vc * scale, FACE
    dx, dy, dz = apx - v * abx - w * acx, apy - v * aby - w * acy, apz - v * abz - w * acz
    return dx * dx + dy * dy + dz * dz, v, w, feature


@inline
def solid_angle(px, py, pz, a, b, c):  # type: ignore[no-untyped-def]
    """Signed solid angle of triangle abc seen from p [sr]; 4 pi in sum inside a closed outward surface.

    Source: van Oosterom & Strackee 1983, eq 8.
    """
    ax, ay, az = a[0] - px, a[1] - py, a[2] - pz
    bx, by, bz = b[0] - px, b[1] - py, b[2] - pz
    cx, cy, cz = c[0] - px, c[1] - py, c[2] - pz
    la = math.sqrt(ax * ax + ay * ay + az * az)
    lb = math.sqrt(bx * bx + by * by + bz * bz)
    lc = math.sqrt(cx * cx + cy * cy + cz * cz)
    determinant = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    ab, bc, ca = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
    return 2.0 * math.atan2(determinant, la * lb * lc + ab * lc + bc * la + ca * lb)


@inline
def segment_crossing(px, py, pz, dx, dy, dz, a, b, c):  # type: ignore[no-untyped-def]
    """Return t where p + t d crosses triangle abc, or -1 outside [0, 1]; edges count, parallel segments do not.

    Source: Moeller & Trumbore 1997.
    """
    e1x, e1y, e1z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    e2x, e2y, e2z = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    qx, qy, qz = dy * e2z - dz * e2y, dz * e2x - dx * e2z, dx * e2y - dy * e2x
    determinant = e1x * qx + e1y * qy + e1z * qz
    if determinant == 0.0:
        return -1.0
    inverse = 1.0 / determinant
    sx, sy, sz = px - a[0], py - a[1], pz - a[2]
    u = (sx * qx + sy * qy + sz * qz) * inverse
    rx, ry, rz = sy * e1z - sz * e1y, sz * e1x - sx * e1z, sx * e1y - sy * e1x
    v = (dx * rx + dy * ry + dz * rz) * inverse
    t = (e2x * rx + e2y * ry + e2z * rz) * inverse
    # The tolerance closes the seam between neighbouring triangles.
    if u < -1e-9 or v < -1e-9 or u + v > 1.0 + 1e-9 or t < 0.0 or t > 1.0:
        return -1.0
    return t

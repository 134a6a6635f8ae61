"""Where edges and corners of colliders touch a body: which pairs do, along what normal, and how far apart they are.

A collider's edge touches the body's edges that it crosses, a corner the triangle that it lies over; both as seen along the
way out of the collider there, half-way between its faces, so that what has sunk in is found on the same face as before. The
rim of a sheet, rounded by its thickness, is met from both sides of the sheet too: the way out there is that to the body. The
normal, along which the body is pushed, is square to both edges, or to the triangle. Between such places an edge of a collider
and a surface of triangles are straight, so that no other place lies deeper. It is a touch only if the surfaces on both sides
do not stand up against the plane that is square to the normal; a body's may where it is folded over the collider's edge.
"""

import numpy as np

from ...jit import inline, kernel

PARALLEL = 0.05  # sine of the angle between two edges from which on they have a normal
FALL = 0.9  # sine of the angle by which a body's surface may stand up against the plane of a touch, unless it drapes over it,
FOLD = 0.3  # sine of the angle of such a fold,
STAND = 0.5  # and of that by which a collider's may stand up
LEAN = 0.5  # tangent of the angle by which the plane of an edge leans away from a corner beyond which it crosses
OVER = 0.2  # sine of the angle by which the way to a body may lead back over the sheet of a rim, and is square to it then
ALONG = 0.8  # cosine of the angle from that way to the plane's normal, which is any where a sharp edge lies along a rim
BENT = 0.25  # of a way along a surface, by which it may leave its plane


@inline
def _rise(n0, n1, n2, e, a, wing):  # type: ignore[no-untyped-def]
    """Sine of the angle by which what lies between an edge, from a along e (3,), and a wing rises along a normal."""
    x, y, z = wing[0] - a[0], wing[1] - a[1], wing[2] - a[2]
    share = (x * e[0] + y * e[1] + z * e[2]) / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    x, y, z = x - share * e[0], y - share * e[1], z - share * e[2]
    length = np.sqrt(x * x + y * y + z * z)
    return (n0 * x + n1 * y + n2 * z) / length if length > 0.0 else 0.0


@inline
def _outward(e, a, wing):  # type: ignore[no-untyped-def]
    """The unit normal, 3 scalars, of the triangle that walks an edge from a along e (3,) and then goes to a wing."""
    x, y, z = wing[0] - a[0], wing[1] - a[1], wing[2] - a[2]
    nx, ny, nz = e[1] * z - e[2] * y, e[2] * x - e[0] * z, e[0] * y - e[1] * x
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    scale = 1.0 / length if length > 0.0 else 0.0
    return scale * nx, scale * ny, scale * nz


@inline
def _outwards(e, a, places, wings):  # type: ignore[no-untyped-def]
    """The way, 3 scalars, out of a body at its edge from a along e (3,), with the triangles to its wings (2,)."""
    ox, oy, oz = _outward(e, a, places[wings[0]])
    if wings[1] >= 0:
        x, y, z = _outward(e, a, places[wings[1]])
        ox, oy, oz = ox - x, oy - y, oz - z
    return ox, oy, oz


@inline
def _is_hollow(e, a, places, wings):  # type: ignore[no-untyped-def]
    """Whether a body's surface is folded inwards at its edge, from a along e (3,), between the triangles to its wings (2,)."""
    if wings[1] < 0:
        return False
    x, y, z = _outward(e, a, places[wings[0]])
    return _rise(x, y, z, e, a, places[wings[1]]) > FOLD


@inline
def _inward(nx, ny, nz, e, a, places, wings):  # type: ignore[no-untyped-def]
    """A normal, 3 scalars, turned into the body at its edge, as `_outwards` has it."""
    ox, oy, oz = _outwards(e, a, places, wings)
    if nx * ox + ny * oy + nz * oz > 0.0:
        return -nx, -ny, -nz
    return nx, ny, nz


@inline
def _to_body(ox, oy, oz, ax, ay, az, out):  # type: ignore[no-untyped-def]
    """The way out, 3 scalars, of a rim along a unit vector (ax, ay, az), zero at a corner, to a body whose outward normal is
    (ox, oy, oz); out (3,) is the way out in the plane of the sheet."""
    share = ox * ax + oy * ay + oz * az
    x, y, z = share * ax - ox, share * ay - oy, share * az - oz
    length = np.sqrt(x * x + y * y + z * z)
    ahead = x * out[0] + y * out[1] + z * out[2]
    if not (length > 0.0 and ahead > -OVER * length):
        return out[0], out[1], out[2]
    if ahead < 0.0:
        x, y, z = x - ahead * out[0], y - ahead * out[1], z - ahead * out[2]
        length = np.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@inline
def _sunk(nx, ny, nz, offset, apart, turned, now):  # type: ignore[no-untyped-def]
    """How deep [m] two places were in each other that were apart (3,), along a normal by so much less an offset [m], twice.

    Those that were one beside the other may seem so on a bent surface: for that BENT of the way between them is allowed. The
    second time of no more than they have gone since then, they are apart by `now` (3,), and along the side of the normal that
    is left: `turned` below 0 says that the other one is the way in now. However short a step is, both may say that the places
    were apart where they lie deep in each other all the time.
    """
    along = nx * apart[0] + ny * apart[1] + nz * apart[2]
    square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]
    aside = np.sqrt(max(square - along * along, 0.0))
    gone = np.sqrt((now[0] - apart[0]) ** 2 + (now[1] - apart[1]) ** 2 + (now[2] - apart[2]) ** 2)
    same = -along if turned < 0.0 else along
    return max(offset - along - BENT * aside, 0.0), max(offset - same - BENT * min(aside, gone), 0.0)


@inline
def _crossing(a, u, c, v, out, beside):  # type: ignore[no-untyped-def]
    """Shares (s, t) of edges from a along u and from c along v, the unit normal of both, and how far beside it they cross [m].

    They cross where the first meets the plane of the second and the way out (3,) of its collider, which is square to it. Where
    that is beyond an end of the first, by less than `beside` [m] away from that plane, the end stands for it; s < 0: nowhere.
    """
    nx, ny, nz = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
    nn = nx * nx + ny * ny + nz * nz
    uu, vv = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    if nn <= PARALLEL * PARALLEL * uu * vv:
        return -1.0, -1.0, 0.0, 0.0, 0.0, 0.0
    qx, qy, qz = v[1] * out[2] - v[2] * out[1], v[2] * out[0] - v[0] * out[2], v[0] * out[1] - v[1] * out[0]
    rx, ry, rz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    sideways = u[0] * qx + u[1] * qy + u[2] * qz
    s = (rx * qx + ry * qy + rz * qz) / sideways
    end = min(max(s, 0.0), 1.0)
    over = abs((s - end) * sideways) / np.sqrt(max(qx * qx + qy * qy + qz * qz, 1e-300))
    t = ((end * u[0] - rx) * v[0] + (end * u[1] - ry) * v[1] + (end * u[2] - rz) * v[2]) / vv
    if not (over <= beside and t >= 0.0 and t <= 1.0):
        return -1.0, -1.0, 0.0, 0.0, 0.0, 0.0
    scale = 1.0 / np.sqrt(nn)
    return end, t, scale * nx, scale * ny, scale * nz, over


@inline
def _leaning(nx, ny, nz, distance, v, out, over, s, u, a, c):  # type: ignore[no-untyped-def]
    """The normal of a plane at an edge from c along v that leans away from the place s on the other; how far that is off it."""
    wx, wy, wz = v[1] * out[2] - v[2] * out[1], v[2] * out[0] - v[0] * out[2], v[0] * out[1] - v[1] * out[0]
    side = (a[0] + s * u[0] - c[0]) * wx + (a[1] + s * u[1] - c[1]) * wy + (a[2] + s * u[2] - c[2]) * wz
    lean = (LEAN if side > 0.0 else -LEAN) / np.sqrt(wx * wx + wy * wy + wz * wz)
    nx, ny, nz = nx + lean * wx, ny + lean * wy, nz + lean * wz
    scale = 1.0 / np.sqrt(nx * nx + ny * ny + nz * nz)
    return scale * nx, scale * ny, scale * nz, scale * (distance + LEAN * over)


@kernel
def touching_edges(  # type: ignore[no-untyped-def]
    here, begun, ends, wings, now, offset, then, offset_then, others, other_wings, outs, far, beside, which, shares, normal,
    gap, depth, ways,
):
    """Fill what is said of the pairs that touch or are about to; return how many there are.

    Pairs k are of a body's edge ends[k] of points at here (p, 3), which were at begun (p, 3) when the step began, with the
    triangles between it and wings[k] (2,), and of a collider's edge others[k] of corners now and then (q, 3), outside of
    which its surface lies by offset, and lay by offset_then (q,) [m], with other_wings[k] and the way outs[k] (3,). Touching
    are those that are closer than `far` [m] and were no deeper than that when the step began. Of a body that lies over an edge
    like a tent a corner may slide from one side to the other: so the edges on both sides of a corner up to `beside` [m] away
    count, as long as they hold nothing; their planes lean away from it, so that on a flat surface they push only where it is
    all but over the edge.

    which (k,) their numbers; shares (k, 2) of the ways along both; normal (k, 3); gap (k,) [m], less the offset [m]; depth
    (k, 2) [m] when the step began, less by how far the two places were then apart along the plane of the touch, and as `_sunk`
    has it the second time; ways (k, 3) out.
    """
    count, u, v, u0, v0, apart, out = 0, np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    apart_now = np.empty(3)
    for k in range(len(ends)):
        a, b, c, d = here[ends[k, 0]], here[ends[k, 1]], now[others[k, 0]], now[others[k, 1]]
        for axis in range(3):
            u[axis], v[axis], out[axis] = b[axis] - a[axis], d[axis] - c[axis], outs[k, axis]
        rim = other_wings[k, 0] >= 0 and other_wings[k, 1] < 0
        if rim:
            e, f = begun[ends[k, 0]], begun[ends[k, 1]]
            for axis in range(3):
                u0[axis] = f[axis] - e[axis]
            ox, oy, oz = _outwards(u0, e, begun, wings[k])
            scale = 1.0 / np.sqrt(max(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1e-300))
            out[0], out[1], out[2] = _to_body(ox, oy, oz, scale * v[0], scale * v[1], scale * v[2], outs[k])
        s, t, nx, ny, nz, over = _crossing(a, u, c, v, out, beside)
        if s < 0.0:
            continue
        one, two = others[k, 0], others[k, 1]
        thick = offset[one] + t * (offset[two] - offset[one])
        thick_then = offset_then[one] + t * (offset_then[two] - offset_then[one])
        nx, ny, nz = _inward(nx, ny, nz, u, a, here, wings[k])
        distance = nx * (a[0] + s * u[0] - c[0] - t * v[0]) + ny * (a[1] + s * u[1] - c[1] - t * v[1]) - thick
        distance += nz * (a[2] + s * u[2] - c[2] - t * v[2])
        if distance > far or (over > 0.0 and distance < 0.0):
            continue
        e, f, g, h = begun[ends[k, 0]], begun[ends[k, 1]], then[others[k, 0]], then[others[k, 1]]
        for axis in range(3):
            u0[axis], v0[axis] = f[axis] - e[axis], h[axis] - g[axis]
            apart[axis] = e[axis] + s * u0[axis] - g[axis] - t * v0[axis]
            apart_now[axis] = a[axis] + s * u[axis] - c[axis] - t * v[axis]
        x, y, z = u0[1] * v0[2] - u0[2] * v0[1], u0[2] * v0[0] - u0[0] * v0[2], u0[0] * v0[1] - u0[1] * v0[0]
        length = np.sqrt(x * x + y * y + z * z)
        if length > 0.0:
            x, y, z = _inward(x / length, y / length, z / length, u0, e, begun, wings[k])
        sunk, stayed = _sunk(x, y, z, thick_then, apart, x * nx + y * ny + z * nz, apart_now)
        if sunk > far:
            continue
        rises, stands = nx * out[0] + ny * out[1] + nz * out[2] < (ALONG if rim else 0.0), False
        for m in range(2):
            if wings[k, m] >= 0:
                stands |= _rise(-nx, -ny, -nz, u, a, here[wings[k, m]]) > FALL
            if other_wings[k, m] >= 0:
                rises |= _rise(nx, ny, nz, v, c, now[other_wings[k, m]]) > STAND
        if rises or (stands and (rim or not _is_hollow(u, a, here, wings[k]))):
            continue
        if over > 0.0:
            nx, ny, nz, distance = _leaning(nx, ny, nz, distance + thick, v, out, over, s, u, a, c)
            distance -= thick
        which[count], shares[count, 0], shares[count, 1], gap[count] = k, s, t, distance
        depth[count, 0], depth[count, 1] = sunk, stayed
        normal[count, 0], normal[count, 1], normal[count, 2] = nx, ny, nz
        ways[count, 0], ways[count, 1], ways[count, 2] = out[0], out[1], out[2]
        count += 1
    return count


@kernel
def touching_corners(  # type: ignore[no-untyped-def]
    here, begun, corners, now, offset, then, offset_then, others, first, ends, out, rims, far, which, shares, normal, gap,
    depth, ways,
):
    """The same of pairs k of a body's triangle corners[k] (3,) and a collider's corner others[k].

    From corner c sharp edges lead to the corners ends[first[c]:first[c + 1]], out[c] (3,) is the way out there, and rims[c]
    whether it lies on a rim; shares (k, 2) are of the second and third corner.
    """
    count, u, u0, apart, apart_now = 0, np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(len(corners)):
        a, b, c, p = here[corners[k, 0]], here[corners[k, 1]], here[corners[k, 2]], now[others[k]]
        for axis in range(3):
            u[axis] = b[axis] - a[axis]
        ox, oy, oz = _outward(u, a, c)
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        mx, my, mz = out[others[k], 0], out[others[k], 1], out[others[k], 2]
        e, f, g = begun[corners[k, 0]], begun[corners[k, 1]], begun[corners[k, 2]]
        for axis in range(3):
            u0[axis] = f[axis] - e[axis]
        x, y, z = _outward(u0, e, g)
        if rims[others[k]]:
            mx, my, mz = _to_body(x, y, z, 0.0, 0.0, 0.0, out[others[k]])
        px, py, pz = my * vz - mz * vy, mz * vx - mx * vz, mx * vy - my * vx
        volume = u[0] * px + u[1] * py + u[2] * pz
        if volume == 0.0:
            continue
        # The line through p along the way out meets the triangle there (Moller and Trumbore 1997)
        rx, ry, rz = p[0] - a[0], p[1] - a[1], p[2] - a[2]
        s = (rx * px + ry * py + rz * pz) / volume
        t = (mx * (ry * u[2] - rz * u[1]) + my * (rz * u[0] - rx * u[2]) + mz * (rx * u[1] - ry * u[0])) / volume
        if s < 0.0 or t < 0.0 or s + t > 1.0:
            continue
        distance = ox * rx + oy * ry + oz * rz - offset[others[k]]
        if distance > far:
            continue
        for axis in range(3):
            apart[axis] = then[others[k], axis] - e[axis] - s * u0[axis] - t * (g[axis] - e[axis])
            apart_now[axis] = p[axis] - a[axis] - s * u[axis] - t * (c[axis] - a[axis])
        sunk, stayed = _sunk(x, y, z, offset_then[others[k]], apart, x * ox + y * oy + z * oz, apart_now)
        if sunk > far:
            continue
        rises = ox * mx + oy * my + oz * mz > 0.0
        for m in range(first[others[k]], first[others[k] + 1]):
            x, y, z = now[ends[m], 0] - p[0], now[ends[m], 1] - p[1], now[ends[m], 2] - p[2]
            rises |= ox * x + oy * y + oz * z < -STAND * np.sqrt(x * x + y * y + z * z)
        if rises:
            continue
        which[count], shares[count, 0], shares[count, 1], gap[count] = k, s, t, distance
        depth[count, 0], depth[count, 1] = sunk, stayed
        normal[count, 0], normal[count, 1], normal[count, 2] = -ox, -oy, -oz
        ways[count, 0], ways[count, 1], ways[count, 2] = mx, my, mz
        count += 1
    return count

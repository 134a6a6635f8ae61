"""How far pairs are apart, TILE of them at once: loops without branches, which the compiler makes vectors of.

Of all pairs that a search has found few push, and most are told to be too far by a bound. What is left is worked out for all
pairs of a tile, whatever comes of it: that is cheaper than to ask one pair after the other what it needs.
"""

import numpy as np

from ...jit import inline, inner_kernel, kernel
from .distance import DIGITS, FLAT, SKEW, closing_at_most

TILE = 128
CLEAR = 1.0 + 1e-6  # reaches: what is told to be further apart does not push, however far from the origin sums are rounded


@kernel
def measure_pairs(positions, nodes, points, reach, known, moves, distance, exact, which):  # type: ignore[no-untyped-def]
    """Fill how far pairs (k, 4) are apart at least, distance (k,) [m], and whether that is exact (k,).

    which (k,): numbers of those that push, whose distance is exact; return how many these are. Two edges whose closest points
    are not both inside push with nothing (terms.py). known (k,) [m]: the same for other positions, from which points have gone
    `moves` (n,) [m] at most, beside a common motion; or (0,).
    """
    corners, squared, apart = np.empty((12, TILE)), np.empty(TILE), np.empty((3, TILE))
    least, certain = np.zeros(TILE), np.ones(TILE, np.bool_)
    count, learns, pushes = 0, len(known) == len(nodes), np.empty(TILE, np.bool_)
    for edges in (False, True):
        begin, end = (points, len(nodes)) if edges else (0, points)
        for first in range(begin, end, TILE):
            last = min(first + TILE, end)
            own, sure, reaches = distance[first:last], exact[first:last], reach[first:last]
            own[:], sure[:] = 0.0, False
            if learns and _clear_by_moves(known[first:last], moves, nodes[first:last], edges, reaches, own):
                continue
            _gather(positions, nodes, np.arange(first, last), corners)
            if edges:
                _apart_edges(corners, squared, least, certain)
            else:
                _apart_points(corners, squared, apart)
            _take(squared, least, certain, reaches, own, sure, pushes)
            for k in range(first, last):
                which[count] = k
                count += pushes[k - first]
    return count


@inner_kernel
def _take(squared, least, certain, reach, distance, exact, pushes):  # type: ignore[no-untyped-def]
    """Where pairs of a tile are not clear by distance already, fill in what was found, and which of them push."""
    for n in range(len(distance)):
        known = distance[n]
        clear = known >= CLEAR * reach[n]
        sure = certain[n] & (not clear)
        bound = known if clear else max(known, least[n])
        distance[n] = np.sqrt(squared[n]) if sure else bound
        exact[n], pushes[n] = sure, sure & (squared[n] < reach[n] * reach[n])


@inner_kernel
def _clear_by_moves(known, moves, nodes, edges, reach, distance):  # type: ignore[no-untyped-def]
    """Fill distance (k,) by what was known of pairs; whether none of them can push."""
    near = 0
    for k in range(len(known)):
        least = known[k] - closing_at_most(moves, nodes[k], edges)
        distance[k] = least
        near += not least >= CLEAR * reach[k]
    return near == 0


@kernel
def make_exact(positions, nodes, points, which, distance, exact):  # type: ignore[no-untyped-def]
    """Make the distances (k,) [m] of pairs `which` (c,), in ascending order, exact (k,) where they are not."""
    corners, squared, apart = np.empty((12, TILE)), np.empty(TILE), np.empty((3, TILE))
    wanted, count = np.empty(len(which), np.int64), 0
    for k in which:
        wanted[count] = k
        count += not exact[k]
    begin = 0
    while begin < count:
        edges, end = wanted[begin] >= points, min(begin + TILE, count)
        while wanted[end - 1] >= points and not edges:
            end -= 1
        _gather(positions, nodes, wanted[begin:end], corners)
        if edges:
            _apart_segments(corners, squared, apart)
        else:
            _apart_points(corners, squared, apart)
        for n in range(end - begin):
            k = wanted[begin + n]
            distance[k], exact[k] = np.sqrt(squared[n]), True
        begin = end


@kernel
def may_come_close(positions, direction, nodes, edges, reach, rooms, close):  # type: ignore[no-untyped-def]
    """Fill close (c,) with whether pairs (c, 4) of one kind may come closer than a reach [m] on a direction (n, 3).

    Points may be off it, against each other, by what a box holds whose half edges are rooms (3, 3) [m].
    """
    corners, moves, squared, apart = np.empty((12, TILE)), np.empty((12, TILE)), np.empty(TILE), np.empty((3, TILE))
    meets = np.empty(TILE, np.bool_)
    for first in range(0, len(close), TILE):
        some = np.arange(first, min(first + TILE, len(close)))
        _gather(positions, nodes, some, corners)
        _gather(direction, nodes, some, moves)
        if edges:
            _apart_segments(corners, squared, apart)
        else:
            _apart_points(corners, squared, apart)
        _may_meet(corners, moves, squared, apart, edges, reach, rooms, meets)
        for n in range(len(some)):
            close[first + n] = meets[n]


@inner_kernel
def _may_meet(corners, moves, squared, apart, edges, reach, rooms, meets):  # type: ignore[no-untyped-def]
    """Whether pairs (TILE,) may come within reach, seen along the lines between their closest points, `apart` (3, TILE).

    Along any line two sides are seen no further apart than they are, and of a straight way they are seen least far apart at one
    of the ends.
    """
    ax, ay, az, bx, by, bz = corners[0], corners[1], corners[2], corners[3], corners[4], corners[5]
    cx, cy, cz, dx, dy, dz = corners[6], corners[7], corners[8], corners[9], corners[10], corners[11]
    for n in range(TILE):
        x, y, z = apart[0, n], apart[1, n], apart[2, n]
        b = x * (bx[n] - ax[n]) + y * (by[n] - ay[n]) + z * (bz[n] - az[n])
        c = x * (cx[n] - ax[n]) + y * (cy[n] - ay[n]) + z * (cz[n] - az[n])
        d = x * (dx[n] - ax[n]) + y * (dy[n] - ay[n]) + z * (dz[n] - az[n])
        a_end = x * moves[0, n] + y * moves[1, n] + z * moves[2, n]
        b_end = b + x * moves[3, n] + y * moves[4, n] + z * moves[5, n]
        c_end = c + x * moves[6, n] + y * moves[7, n] + z * moves[8, n]
        d_end = d + x * moves[9, n] + y * moves[10, n] + z * moves[11, n]
        high, high_end = max(c, d), max(c_end, d_end)
        low, low_end = (min(0.0, b), min(a_end, b_end)) if edges else (0.0, a_end)
        high, high_end = (high, high_end) if edges else (max(high, b), max(high_end, b_end))
        room = reach * np.sqrt(squared[n]) + abs(x * rooms[0, 0] + y * rooms[0, 1] + z * rooms[0, 2])
        room += abs(x * rooms[1, 0] + y * rooms[1, 1] + z * rooms[1, 2])
        room += abs(x * rooms[2, 0] + y * rooms[2, 1] + z * rooms[2, 2])
        meets[n] = min(low - high, low_end - high_end) <= (1.0 + DIGITS) * room


@kernel
def closings(direction, nodes, points, which, speed):  # type: ignore[no-untyped-def]
    """Fill by how much pairs `which` (c,) can come closer at most along a direction (n, 3): speed (c,) [m], as `closing`."""
    moves, fastest = np.empty((12, TILE)), np.empty((2, TILE))
    for begin in range(0, len(which), TILE):
        some = which[begin : begin + TILE]
        _gather(direction, nodes, some, moves)
        _closing(moves, fastest[0], fastest[1])
        for n in range(len(some)):
            speed[begin + n] = fastest[1, n] if some[n] >= points else fastest[0, n]


@inner_kernel
def _closing(moves, point, edges):  # type: ignore[no-untyped-def]
    """Fill `closing` (TILE,) [m] for pairs of a point and a triangle, and of two edges."""
    ax, ay, az, bx, by, bz = moves[0], moves[1], moves[2], moves[3], moves[4], moves[5]
    cx, cy, cz, dx, dy, dz = moves[6], moves[7], moves[8], moves[9], moves[10], moves[11]
    for n in range(TILE):
        x = 0.25 * ax[n] + 0.25 * bx[n] + 0.25 * cx[n] + 0.25 * dx[n]
        y = 0.25 * ay[n] + 0.25 * by[n] + 0.25 * cy[n] + 0.25 * dy[n]
        z = 0.25 * az[n] + 0.25 * bz[n] + 0.25 * cz[n] + 0.25 * dz[n]
        a = np.sqrt((ax[n] - x) ** 2 + (ay[n] - y) ** 2 + (az[n] - z) ** 2)
        b = np.sqrt((bx[n] - x) ** 2 + (by[n] - y) ** 2 + (bz[n] - z) ** 2)
        c = np.sqrt((cx[n] - x) ** 2 + (cy[n] - y) ** 2 + (cz[n] - z) ** 2)
        d = np.sqrt((dx[n] - x) ** 2 + (dy[n] - y) ** 2 + (dz[n] - z) ** 2)
        point[n], edges[n] = a + max(max(b, c), d), max(a, b) + max(c, d)


@inner_kernel
def _gather(positions, nodes, which, corners):  # type: ignore[no-untyped-def]
    """Fill corners (12, TILE) with the coordinates of the four points of pairs `which` (c,); then the last one's again."""
    for n in range(TILE):
        k = np.uint64(which[min(n, len(which) - 1)])
        for m in range(4):
            i = np.uint64(nodes[k, m])
            for axis in range(3):
                corners[3 * m + axis, n] = positions[i, axis]


@inner_kernel
def _apart_edges(corners, squared, least, certain):  # type: ignore[no-untyped-def]
    """Fill squared distances (TILE,) [m^2] of the closest points of two edges' lines, and whether these are inside both edges,
    as `lines_closest`; and of the edges the least distances (TILE,) [m] there may be: that of the lines, 0 where these are all
    but parallel."""
    ax, ay, az, bx, by, bz = corners[0], corners[1], corners[2], corners[3], corners[4], corners[5]
    cx, cy, cz, dx, dy, dz = corners[6], corners[7], corners[8], corners[9], corners[10], corners[11]
    for n in range(TILE):
        ux, uy, uz = bx[n] - ax[n], by[n] - ay[n], bz[n] - az[n]
        vx, vy, vz = dx[n] - cx[n], dy[n] - cy[n], dz[n] - cz[n]
        rx, ry, rz = ax[n] - cx[n], ay[n] - cy[n], az[n] - cz[n]
        uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        nn, rr = nx * nx + ny * ny + nz * nz, rx * rx + ry * ry + rz * rz
        s = (rx * (ny * vz - nz * vy) + ry * (nz * vx - nx * vz) + rz * (nx * vy - ny * vx)) / nn
        x, y, z = rx + s * ux, ry + s * uy, rz + s * uz
        t = (x * vx + y * vy + z * vz) / vv
        x, y, z = x - t * vx, y - t * vy, z - t * vz
        squared[n] = x * x + y * y + z * z
        certain[n] = (nn > FLAT * uu * vv) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
        apart = max(abs(rx * nx + ry * ny + rz * nz) / np.sqrt(nn) - DIGITS * np.sqrt(rr), 0.0)
        least[n] = apart if nn > SKEW * uu * vv else 0.0


@inline
def _from_side(x, y, z, u, v, w):  # type: ignore[no-untyped-def]
    """What leads to a point from the closest place of a segment that goes (u, v, w), seen from its begin; squared, too."""
    square = u * u + v * v + w * w
    share = min(max((x * u + y * v + z * w) / square, 0.0), 1.0) if square > 0.0 else 0.0
    x, y, z = x - share * u, y - share * v, z - share * w
    return x, y, z, x * x + y * y + z * z


@inline
def _shorter(x, y, z, square, u, v, w, other):  # type: ignore[no-untyped-def]
    """The shorter of two ways, whose squared lengths are told, too. No branch, for vectors."""
    first = square <= other
    return x if first else u, y if first else v, z if first else w, min(square, other)


@inner_kernel
def _apart_segments(corners, squared, apart):  # type: ignore[no-untyped-def]
    """Fill what leads from the second of two edges to the first, apart (3, TILE) [m], as `closest_on_edges`, and its square."""
    ax, ay, az, bx, by, bz = corners[0], corners[1], corners[2], corners[3], corners[4], corners[5]
    cx, cy, cz, dx, dy, dz = corners[6], corners[7], corners[8], corners[9], corners[10], corners[11]
    for n in range(TILE):
        ux, uy, uz = bx[n] - ax[n], by[n] - ay[n], bz[n] - az[n]
        vx, vy, vz = dx[n] - cx[n], dy[n] - cy[n], dz[n] - cz[n]
        rx, ry, rz = ax[n] - cx[n], ay[n] - cy[n], az[n] - cz[n]
        uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        nn = nx * nx + ny * ny + nz * nz
        s = (rx * (ny * vz - nz * vy) + ry * (nz * vx - nx * vz) + rz * (nx * vy - ny * vx)) / nn
        x, y, z = rx + s * ux, ry + s * uy, rz + s * uz
        t = (x * vx + y * vy + z * vz) / vv
        x, y, z = x - t * vx, y - t * vy, z - t * vz
        inside = (nn > FLAT * uu * vv) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
        own = _shorter(*_from_side(rx, ry, rz, vx, vy, vz), *_from_side(rx + ux, ry + uy, rz + uz, vx, vy, vz))
        other = _shorter(*_from_side(-rx, -ry, -rz, ux, uy, uz), *_from_side(vx - rx, vy - ry, vz - rz, ux, uy, uz))
        ex, ey, ez, ends = _shorter(*own, -other[0], -other[1], -other[2], other[3])
        apart[0, n], apart[1, n], apart[2, n] = x if inside else ex, y if inside else ey, z if inside else ez
        squared[n] = x * x + y * y + z * z if inside else ends


@inner_kernel
def _apart_points(corners, squared, apart):  # type: ignore[no-untyped-def]
    """Fill what leads from triangles to their points, apart (3, TILE) [m], as `closest_on_face`, and its square."""
    px, py, pz, ax, ay, az = corners[0], corners[1], corners[2], corners[3], corners[4], corners[5]
    bx, by, bz, cx, cy, cz = corners[6], corners[7], corners[8], corners[9], corners[10], corners[11]
    for n in range(TILE):
        ux, uy, uz = bx[n] - ax[n], by[n] - ay[n], bz[n] - az[n]
        vx, vy, vz = cx[n] - ax[n], cy[n] - ay[n], cz[n] - az[n]
        rx, ry, rz = px[n] - ax[n], py[n] - ay[n], pz[n] - az[n]
        uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        nn = nx * nx + ny * ny + nz * nz
        v = ((ry * vz - rz * vy) * nx + (rz * vx - rx * vz) * ny + (rx * vy - ry * vx) * nz) / nn
        w = ((uy * rz - uz * ry) * nx + (uz * rx - ux * rz) * ny + (ux * ry - uy * rx) * nz) / nn
        x, y, z = rx - v * ux - w * vx, ry - v * uy - w * vy, rz - v * uz - w * vz
        inside = (nn > FLAT * uu * vv) & (v >= 0.0) & (w >= 0.0) & (v + w <= 1.0)
        side = _shorter(*_from_side(rx, ry, rz, ux, uy, uz), *_from_side(rx, ry, rz, vx, vy, vz))
        last = _from_side(rx - ux, ry - uy, rz - uz, vx - ux, vy - uy, vz - uz)
        ex, ey, ez, ends = _shorter(*side, *last)
        apart[0, n], apart[1, n], apart[2, n] = x if inside else ex, y if inside else ey, z if inside else ez
        squared[n] = x * x + y * y + z * z if inside else ends

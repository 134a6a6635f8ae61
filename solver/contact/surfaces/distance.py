"""Closest points of a vertex and a triangle, and of two edges: the pairs whose distance decides whether surfaces cross.

A pair is four nodes: (point, a, b, c), or the two edges' ends (a, b, c, d). Its closest points are apart by
r = sum_i w_i x_i, with weights that sum to zero: (1, -u, -v, -w), or (1 - s, s, t - 1, -t). As the weights are those of the
least distance, the distance d = |r| has the gradient w_i r/d by node i, whichever face, edge or corner is closest.

A barrier acts at distances of a millionth of an edge, so digits count more here than in geometry/triangle.py: what lies inside
a triangle or along both edges is found by cross products, whose digits hold down to slivers, and else all ends are tried.
"""

import numpy as np

from ...jit import inline, kernel

DIGITS = 1e-9  # by which a bound is raised, so that it is one however sums are rounded
FLAT = 1e-20  # squared sine of the angle below which two edges have no normal
SKEW = 1e-10  # and below which that has fewer digits than DIGITS


@inline
def corners_of(numbers, pair):  # type: ignore[no-untyped-def]
    """What (n, 3) or (n,) says of a pair's four. Unsigned numbers spare numba the question whether they count from the end."""
    return numbers[np.uint64(pair[0])], numbers[np.uint64(pair[1])], numbers[np.uint64(pair[2])], numbers[np.uint64(pair[3])]


@inline
def to_segment(px, py, pz, a, b):  # type: ignore[no-untyped-def]
    """Share of the way from a to b where segment ab is closest to p; its squared distance."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    rx, ry, rz = px - a[0], py - a[1], pz - a[2]
    length2 = x * x + y * y + z * z
    t = min(max((rx * x + ry * y + rz * z) / length2, 0.0), 1.0) if length2 > 0.0 else 0.0
    rx, ry, rz = rx - t * x, ry - t * y, rz - t * z
    return t, rx * rx + ry * ry + rz * rz


@inline
def closest_ends(a, b, c, d):  # type: ignore[no-untyped-def]
    """(s, t) of the closest points of segments ab and cd, one of them an end."""
    t, least = to_segment(a[0], a[1], a[2], c, d)
    s = 0.0
    at, d2 = to_segment(b[0], b[1], b[2], c, d)
    if d2 < least:
        s, t, least = 1.0, at, d2
    at, d2 = to_segment(c[0], c[1], c[2], a, b)
    if d2 < least:
        s, t, least = at, 0.0, d2
    at, d2 = to_segment(d[0], d[1], d[2], a, b)
    if d2 < least:
        s, t = at, 1.0
    return s, t


@inline
def lines_closest(a, b, c, d):  # type: ignore[no-untyped-def]
    """(s, t) of the closest points a + s (b - a) and c + t (d - c) of two lines, and whether both lie inside the segments.

    Where they do not, nothing is said of (s, t).
    """
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = d[0] - c[0], d[1] - c[1], d[2] - c[2]
    rx, ry, rz = a[0] - c[0], a[1] - c[1], a[2] - c[2]
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    if nn > FLAT * uu * vv:
        # r + s u - t v is along n: multiplied by v x n, which is square to v and n, it leaves s.
        s = (rx * (ny * vz - nz * vy) + ry * (nz * vx - nx * vz) + rz * (nx * vy - ny * vx)) / nn
        t = ((rx + s * ux) * vx + (ry + s * uy) * vy + (rz + s * uz) * vz) / vv
        return s, t, s >= 0.0 and s <= 1.0 and t >= 0.0 and t <= 1.0
    return 0.0, 0.0, False


@inline
def closest_on_edges(a, b, c, d):  # type: ignore[no-untyped-def]
    """(s, t) of the closest points a + s (b - a) and c + t (d - c) of two segments.

    Where the lines' closest points both lie inside, these; else one of the closest points is an end.
    """
    s, t, inside = lines_closest(a, b, c, d)
    if inside:
        return s, t
    return closest_ends(a, b, c, d)


@inline
def closest_on_face(p, a, b, c):  # type: ignore[no-untyped-def]
    """Weights of b and c in the point of triangle abc closest to p."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    rx, ry, rz = p[0] - a[0], p[1] - a[1], p[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    if nn > FLAT * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz):
        v = ((ry * vz - rz * vy) * nx + (rz * vx - rx * vz) * ny + (rx * vy - ry * vx) * nz) / nn
        w = ((uy * rz - uz * ry) * nx + (uz * rx - ux * rz) * ny + (ux * ry - uy * rx) * nz) / nn
        if v >= 0.0 and w >= 0.0 and v + w <= 1.0:
            return v, w
    v, least = to_segment(p[0], p[1], p[2], a, b)
    w = 0.0
    at, d2 = to_segment(p[0], p[1], p[2], a, c)
    if d2 < least:
        v, w, least = 0.0, at, d2
    at, d2 = to_segment(p[0], p[1], p[2], b, c)
    if d2 < least:
        v, w = 1.0 - at, at
    return v, w


@inline
def closest_points(positions, pair, edges):  # type: ignore[no-untyped-def]
    """Weights (4 scalars) and separation r (3 scalars) of a pair's closest points; `edges`: of two edges."""
    a, b, c, d = corners_of(positions, pair)
    if edges:
        s, t = closest_on_edges(a, b, c, d)
        w0, w1, w2, w3 = 1.0 - s, s, t - 1.0, -t
        # Differences first, so that the distance from the world's origin costs no digits.
        x = a[0] - c[0] + s * (b[0] - a[0]) - t * (d[0] - c[0])
        y = a[1] - c[1] + s * (b[1] - a[1]) - t * (d[1] - c[1])
        z = a[2] - c[2] + s * (b[2] - a[2]) - t * (d[2] - c[2])
    else:
        v, w = closest_on_face(a, b, c, d)
        w0, w1, w2, w3 = 1.0, v + w - 1.0, -v, -w
        x = a[0] - b[0] - v * (c[0] - b[0]) - w * (d[0] - b[0])
        y = a[1] - b[1] - v * (c[1] - b[1]) - w * (d[1] - b[1])
        z = a[2] - b[2] - v * (c[2] - b[2]) - w * (d[2] - b[2])
    return w0, w1, w2, w3, x, y, z


@inline
def distance_of(positions, pair, edges):  # type: ignore[no-untyped-def]
    """That of a pair [m]."""
    _, _, _, _, x, y, z = closest_points(positions, pair, edges)
    return np.sqrt(x * x + y * y + z * z)


@inline
def _length(moves, m):  # type: ignore[no-untyped-def]
    return np.sqrt(moves[m, 0] ** 2 + moves[m, 1] ** 2 + moves[m, 2] ** 2)


@inline
def closing(direction, pair, edges, moves):  # type: ignore[no-untyped-def]
    """Fill moves (4, 3) of a pair's nodes less their mean; return by how much they can come closer at most."""
    for axis in range(3):
        mean = 0.0
        for m in range(4):
            mean += 0.25 * direction[np.uint64(pair[m]), axis]
        for m in range(4):
            moves[m, axis] = direction[np.uint64(pair[m]), axis] - mean
    a, b, c, d = _length(moves, 0), _length(moves, 1), _length(moves, 2), _length(moves, 3)
    return max(a, b) + max(c, d) if edges else a + max(max(b, c), d)


@kernel
def speeds_of(direction, points):  # type: ignore[no-untyped-def]
    """How far some points (w,) go [m] along direction (n, 3) beside the one in their middle, by their numbers (n,)."""
    speeds = np.empty(len(direction))
    x, y, z = 0.0, 0.0, 0.0
    if len(points):
        x, y, z = direction[points[len(points) // 2]]
    for k in range(len(points)):
        i = np.uint64(points[k])
        u, v, w = direction[i, 0] - x, direction[i, 1] - y, direction[i, 2] - z
        speeds[i] = np.sqrt(u * u + v * v + w * w)
    return speeds


@kernel
def moves_of(before, after, points, moves):  # type: ignore[no-untyped-def]
    """Fill how far some points (w,) have gone [m] from one set of places (n, 3) to another, beside the one in their middle."""
    x, y, z = 0.0, 0.0, 0.0
    if len(points):
        i = points[len(points) // 2]
        x, y, z = after[i, 0] - before[i, 0], after[i, 1] - before[i, 1], after[i, 2] - before[i, 2]
    for k in range(len(points)):
        i = np.uint64(points[k])
        u, v, w = after[i, 0] - before[i, 0] - x, after[i, 1] - before[i, 1] - y, after[i, 2] - before[i, 2] - z
        moves[i] = np.sqrt(u * u + v * v + w * w)


@inline
def closing_at_most(speeds, pair, edges):  # type: ignore[no-untyped-def]
    """What `closing` is no more than: a node goes |v_i - sum v_m / 4| <= |v_i|/2 + sum |v_m| / 4, whatever they go beside."""
    a, b, c, d = corners_of(speeds, pair)
    every = 0.5 * (a + b + c + d)
    return (1.0 + DIGITS) * (every + (0.5 * (max(a, b) + max(c, d)) if edges else 0.5 * (max(max(b, c), d) + a)))


@kernel
def measure(positions, pairs, points, weights, separation):  # type: ignore[no-untyped-def]
    """Fill weights (k, 4) and separation (k, 3) [m] of pairs (k, 4), the first `points` of which are vertex and triangle."""
    for k in range(len(pairs)):
        w0, w1, w2, w3, x, y, z = closest_points(positions, pairs[k], k >= points)
        weights[k, 0], weights[k, 1], weights[k, 2], weights[k, 3] = w0, w1, w2, w3
        separation[k, 0], separation[k, 1], separation[k, 2] = x, y, z

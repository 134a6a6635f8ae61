"""How far points lie from boxes and triangles, a packet of points at a time in SIMD lanes. Scratch of triangle_tree.py.

Points that follow each other mostly lie together, so they go down a tree together, and what is far from all of them is left out
for all at once. Distances found here are rounded otherwise than those of single points (triangle.py), so that they only say
what may be closest: `room` is what may still round to the same.
"""

import numpy as np

from ..jit import inline, kernel
from ..jit.tile_code import some_lane, tile_loop, tile_question

PACKET = 16  # points that go down a tree together
MOST = 256  # triangles that are looked at for them; where they lie too far apart for that, each goes by itself
DIVISIONS = 32  # of the box about all points, along each axis
PLACE, BEST, FOUND = 0, 3, 4  # slots: where a point is (3), the room up to the closest as yet, how far the last one is, squared
SLOTS = 5
P = PACKET
# Shares of a squared distance, and of the square of how far all lies from the origin, that may be rounding
ROUNDING, LOST = 1e-9, 1e-17


@kernel
def gathered(points):  # type: ignore[no-untyped-def]
    """The numbers of points (k, 3) in an order in which those that follow each other lie together: along Morton's curve."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for k in range(len(points)):
        for a in range(3):
            low[a], high[a] = min(low[a], points[k, a]), max(high[a], points[k, a])
    longest = max(max(high[0] - low[0], high[1] - low[1]), high[2] - low[2])
    scale = (DIVISIONS - 0.5) / longest if 0.0 < longest < np.inf else 0.0
    cells, order = np.empty(len(points), dtype=np.int32), np.empty(len(points), dtype=np.int32)
    begin = np.zeros(DIVISIONS**3 + 1, dtype=np.int32)
    for k in range(len(points)):
        cell = 0
        for a in range(3):
            cell |= _spread_out(min(max(int((points[k, a] - low[a]) * scale), 0), DIVISIONS - 1)) << a
        cells[k] = cell
        begin[cell + 1] += 1
    for n in range(DIVISIONS**3):
        begin[n + 1] += begin[n]
    for k in range(len(points)):
        order[begin[cells[k]]] = k
        begin[cells[k]] += 1
    return order


@inline
def _spread_out(x):  # type: ignore[no-untyped-def]
    """The bits of a number below DIVISIONS, two places between each and the next."""
    x = (x | (x << 8)) & 0x100F
    x = (x | (x << 4)) & 0x10C3
    return (x | (x << 2)) & 0x1249


@inline
def room(d2, size2):  # type: ignore[no-untyped-def]
    """The squared distance up to which another triangle may be as close as one at a squared distance."""
    return d2 * (1.0 + ROUNDING) + LOST * size2


def _dot(a, b):  # type: ignore[no-untyped-def]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@tile_question
def some_near(w, first, last, x0, y0, z0, x1, y1, z1):  # type: ignore[no-untyped-def]
    """Whether a box is as close to some lane's point as what has been found."""
    for i in range(first, last):
        places = [w[(PLACE + n) * P + i] for n in range(3)]
        ways = [max(low - x, x - high, 0.0) for x, low, high in zip(places, (x0, y0, z0), (x1, y1, z1), strict=True)]
        some_lane(_dot(ways, ways) <= w[BEST * P + i])


@tile_loop
def look_at(w, first, last, ax, ay, az, bx, by, bz, cx, cy, cz, size2):  # type: ignore[no-untyped-def]
    """FOUND := the squared distance to a triangle, as of closest_on_triangle; BEST := the room up to it, if that is less."""
    for i in range(first, last):
        p = [w[(PLACE + n) * P + i] for n in range(3)]
        ab, ac = (bx - ax, by - ay, bz - az), (cx - ax, cy - ay, cz - az)
        ap, bp = (p[0] - ax, p[1] - ay, p[2] - az), (p[0] - bx, p[1] - by, p[2] - bz)
        cp = (p[0] - cx, p[1] - cy, p[2] - cz)
        d1, d2, d3, d4, d5, d6 = _dot(ab, ap), _dot(ac, ap), _dot(ab, bp), _dot(ac, bp), _dot(ab, cp), _dot(ac, cp)
        va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
        at_a, at_b, at_c = (d1 <= 0.0) & (d2 <= 0.0), (d3 >= 0.0) & (d4 <= d3), (d6 >= 0.0) & (d5 <= d6)
        on_ab, on_ca = (vc <= 0.0) & (d1 >= 0.0) & (d3 <= 0.0), (vb <= 0.0) & (d2 >= 0.0) & (d6 <= 0.0)
        on_bc = (va <= 0.0) & (d4 - d3 >= 0.0) & (d5 - d6 >= 0.0)
        top = d1 if on_ab else (d2 if on_ca else (d4 - d3 if on_bc else vb))
        bottom = d1 - d3 if on_ab else (d2 - d6 if on_ca else ((d4 - d3) + (d5 - d6) if on_bc else va + vb + vc))
        scale = 1.0 / bottom
        share = top * scale
        v = share if on_ab else (0.0 if on_ca else (1.0 - share if on_bc else share))
        u = 0.0 if on_ab else (share if on_ca else (share if on_bc else vc * scale))
        corner = at_a | at_b | at_c
        v, u = (1.0 if at_b & ~at_a else 0.0) if corner else v, (1.0 if at_c & ~at_a & ~at_b else 0.0) if corner else u
        way = [q - v * f - u * g for q, f, g in zip(ap, ab, ac, strict=True)]
        found = _dot(way, way)
        w[FOUND * P + i] = found
        most = room(found, size2)
        w[BEST * P + i] = min(w[BEST * P + i], most)


@kernel
def walk(surface, w, size2, stack, which, squares):  # type: ignore[no-untyped-def]
    """List the triangles that may be closest to some of a packet's points, which (MOST,), and how far each point is from them,
    squares (MOST * PACKET,); return how many, or -1 where they are too many."""
    tree, positions, triangles = surface.tree, surface.positions, surface.triangles
    low, high = tree.lower, tree.upper
    x, y, z = w[PLACE * P], w[(PLACE + 1) * P], w[(PLACE + 2) * P]
    stack[0], size, count = 0, 1, 0
    while size:
        size -= 1
        node = stack[size]
        if not some_near(w, 0, P, low[node, 0], low[node, 1], low[node, 2], high[node, 0], high[node, 1], high[node, 2]):
            continue
        if node < tree.leaf:
            near, far = 2 * node + 1, 2 * node + 2
            if _away(low, high, far, x, y, z) < _away(low, high, near, x, y, z):
                near, far = far, near
            stack[size], stack[size + 1] = far, near
            size += 2
            continue
        for k in range(tree.start[node], tree.stop[node]):
            if count == MOST:
                return -1
            t = tree.order[k]
            a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
            look_at(w, 0, P, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], size2)
            which[count] = t
            for n in range(np.uint64(P)):
                squares[np.uint64(count * P) + n] = w[np.uint64(FOUND * P) + n]
            count += 1
    return count


@inline
def _away(low, high, node, x, y, z):  # type: ignore[no-untyped-def]
    """Four times how far the middle of a node's box is from a point, squared."""
    dx, dy = low[node, 0] + high[node, 0] - 2.0 * x, low[node, 1] + high[node, 1] - 2.0 * y
    dz = low[node, 2] + high[node, 2] - 2.0 * z
    return dx * dx + dy * dy + dz * dz

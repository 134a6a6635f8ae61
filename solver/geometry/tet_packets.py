"""Which tets may hold points, a packet of points at a time in SIMD lanes (packets.py). Scratch of tet_location.py.

Weights found here are rounded otherwise than those of single points, so that they only say what to look at.
"""

import numpy as np

from ..jit import inline, kernel
from ..jit.tile_code import some_lane, tile_question
from .packets import PACKET

MOST_HELD = 32 * PACKET  # tets that may hold a point of a packet, counted with each; of more, each point goes by itself
PLACE, LEAST, SLOTS = 0, 3, 4  # slots: where a point is (3), its least weight in the last tet
P = PACKET
LEVEL = 1e-9  # of a weight that is rounding
AROUND = 8.0  # times the weight by which a point may lie outside: of a box' sides no point that a tet holds is further away


@tile_question
def some_within(w, first, last, x0, y0, z0, x1, y1, z1):  # type: ignore[no-untyped-def]
    """Whether some lane's point is in a box."""
    for i in range(first, last):
        x, y, z = (w[(PLACE + n) * P + i] for n in range(3))
        some_lane((x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1) & (z0 <= z) & (z <= z1))


@tile_question
def some_held(w, first, last, ox, oy, oz, ax, ay, az, bx, by, bz, cx, cy, cz, outside):  # type: ignore[no-untyped-def]
    """LEAST := the least weight in a tet; whether it is above the negative of `outside` in some lane."""
    for i in range(first, last):
        x, y, z = (w[(PLACE + n) * P + i] for n in range(3))
        u, v, s = (ax - ox, ay - oy, az - oz), (bx - ox, by - oy, bz - oz), (cx - ox, cy - oy, cz - oz)
        p = (x - ox, y - oy, z - oz)
        rows = _cross(v, s), _cross(s, u), _cross(u, v)
        scale = 1.0 / _dot(u, rows[0])
        one, two, three = (_dot(p, row) * scale for row in rows)
        least = min(1.0 - one - two - three, one, two, three)
        w[LEAST * P + i] = least
        some_lane(least >= -outside)


def _dot(a, b):  # type: ignore[no-untyped-def]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a, b):  # type: ignore[no-untyped-def]
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def held(tree, lower, upper, positions, tets, w, on_face, stack, which, lanes):  # type: ignore[no-untyped-def]
    """List tets, which (MOST_HELD,), that may hold a packet's point, lanes (MOST_HELD,); return how many, or -1 if too many.

    lower, upper (m, 3) are the boxes of the tets; what is outside by a weight of on_face at most counts as held.
    """
    stack[0], size, count = 0, 1, 0
    outside = on_face * (1.0 + LEVEL) + LEVEL
    while size:
        size -= 1
        node = stack[size]
        if not _some_in(w, tree.lower, tree.upper, node, on_face, 0.0):
            continue
        if node < tree.leaf:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node + 2
            size += 2
            continue
        for n in range(tree.start[node], tree.stop[node]):
            t = tree.order[n]
            if not _some_in(w, lower, upper, t, AROUND * on_face, AROUND * on_face):
                continue
            o, a, b, c = positions[tets[t, 0]], positions[tets[t, 1]], positions[tets[t, 2]], positions[tets[t, 3]]
            if not some_held(w, 0, P, o[0], o[1], o[2], a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], outside):
                continue
            if count + P > MOST_HELD:
                return -1
            for lane in range(np.uint64(P)):
                which[count], lanes[count] = t, lane
                count += 1 if w[np.uint64(LEAST * P) + lane] >= -outside else 0
    return count


@inline
def _some_in(w, lower, upper, k, share, upright):  # type: ignore[no-untyped-def]
    """Whether some lane's point is in the k-th of some boxes, or outside by such shares of its sides at most."""
    x, y, z = upper[k, 0] - lower[k, 0], upper[k, 1] - lower[k, 1], upper[k, 2] - lower[k, 2]
    slack = share * (x + y) + upright * z
    return some_within(
        w, 0, P, lower[k, 0] - slack, lower[k, 1] - slack, lower[k, 2] - slack, upper[k, 0] + slack, upper[k, 1] + slack,
        upper[k, 2] + slack,
    )  # fmt: skip

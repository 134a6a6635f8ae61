"""How far all nodes may go along a direction before two surfaces touch: additive continuous collision detection."""

import numpy as np

from ...jit import inline, inner_kernel, kernel
from .distance import DIGITS, closest_points, closing, closing_at_most, speeds_of
from .measuring import closings, make_exact

KEPT = 0.3  # of its distance: so much of it a pair never loses in one go, and so meets the barrier where it is a spring;
NEAR = 0.4  # and it is stopped once it has only this much left
EARLY = 0.5  # share of the way: what stops a direction before it, the linear system ought to have known of
UNKNOWN = -1.0  # of a pair's share of the way: nobody has asked
MOST_ADVANCES = 1000  # of one pair, after which it is stopped where it is
SLOW = 32  # advances after which a pair is asked how far its plane stays clear,
HALVINGS = 12  # of what is left of its way so often halved


@kernel
def free_fraction(positions, direction, nodes, points, paired, reach, distance, exact, ways, most):  # type: ignore[no-untyped-def]
    """The share of direction (n, 3), at most `most`, that nodes may go from positions (n, 3); pairs keep KEPT of theirs.

    distance (k,) [m]: of the pairs at these positions, at least; where it is not exact (k,), it is made so if that matters.
    ways (k,): the share that each may go by itself, or UNKNOWN. paired (w,): all points of the pairs.

    Of a distance beyond reach (k,) only the reach counts: such a pair stops nothing that a search with less room would miss.

    A pair whose distance is d cannot lose more than it by moving until its fastest points have closed it, so it advances by
    that much, again and again; what common motion it has does not count (Li et al. 2021, "Codimensional incremental
    potential contact", algorithm 1). Conservative: the surfaces that these pairs (k, 4) cover do not touch on the way. What all
    but touches and turns as one would come no further so: see `_clear`.
    """
    moved, moves, own = np.empty((4, 3)), np.empty((4, 3)), np.arange(4)
    speeds, asked, count = speeds_of(direction, paired), np.empty(len(nodes), np.int64), 0
    for k in range(len(nodes)):
        most = min(most, ways[k] if ways[k] != UNKNOWN else most)
    for k in range(len(nodes)):
        if ways[k] != UNKNOWN:
            continue
        fastest = closing_at_most(speeds, nodes[k], k >= points)
        asked[count] = k
        count += not distance[k] - most * fastest >= KEPT * min(distance[k], reach[k])
    speeds = np.empty(count)
    closings(direction, nodes, points, asked[:count], speeds)
    make_exact(positions, nodes, points, asked[:count], distance, exact)
    for n in range(count):
        k = asked[n]
        if distance[k] - most * speeds[n] >= KEPT * min(distance[k], reach[k]):
            continue
        edges = k >= points
        speed = closing(direction, nodes[k], edges, moves)
        way = _way(positions, nodes[k], edges, reach[k], distance[k], speed, most, moves, moved, own)
        most = min(most, way)
    return most


@inline
def _passes_by(positions, pair, edges, room, most, moves):  # type: ignore[no-untyped-def]
    """Whether a pair stays further apart than a room [m] on a share of its nodes' moves (4, 3), seen along the line between its
    closest points: how far apart its sides are seen to be is least at one of the ends."""
    _, _, _, _, x, y, z = closest_points(positions, pair, edges)
    length = np.sqrt(x * x + y * y + z * z)
    p, first = positions[np.uint64(pair[0])], 2 if edges else 1
    low, low_end, high, high_end = np.inf, np.inf, -np.inf, -np.inf
    for m in range(4):
        q = positions[np.uint64(pair[m])]
        along = x * (q[0] - p[0]) + y * (q[1] - p[1]) + z * (q[2] - p[2])
        end = along + most * (x * moves[m, 0] + y * moves[m, 1] + z * moves[m, 2])
        if m < first:
            low, low_end = min(low, along), min(low_end, end)
        else:
            high, high_end = max(high, along), max(high_end, end)
    return min(low - high, low_end - high_end) > (1.0 + DIGITS) * room * length


@inline
def _way(positions, pair, edges, reach, start, speed, most, moves, moved, own):  # type: ignore[no-untyped-def]
    """The share of a direction that one pair may go, at most `most`; moved (4, 3) is where it then is, if it is less.

    start: its distance [m]; speed [m] by which it comes closer at most, and moves (4, 3) of its nodes, are those of `closing`.
    """
    counted = min(start, reach)
    if start - most * speed >= KEPT * counted or _passes_by(positions, pair, edges, NEAR * counted, most, moves):
        return most
    way, distance = 0.0, start
    for n in range(MOST_ADVANCES):
        step = (distance - KEPT * counted) / speed
        if n >= SLOW:
            step = max(step, _clear(moved, moves, edges, KEPT * counted, most - way))
        way += step
        if way >= most:
            return most
        for m in range(4):
            for axis in range(3):
                moved[m, axis] = positions[np.uint64(pair[m]), axis] + way * moves[m, axis]
        _, _, _, _, x, y, z = closest_points(moved, own, edges)
        distance = np.sqrt(x * x + y * y + z * z)
        if distance <= NEAR * counted:
            break
    return way


@inner_kernel
def _clear(places, moves, edges, least, span):  # type: ignore[no-untyped-def]
    """How far, at most a span, a pair at places (4, 3) may go on by its moves (4, 3) before its edges' lines, or the plane
    of its triangle and its point, are as close as `least` [m]; 0 where that is not known.

    They are V / |N| apart, with N = e x f of two edges and V = N . r, and nothing else of the pair is closer. On a straight way
    V is a cubic and N a quadratic, which stay within their Bezier points.
    """
    base, far, other = (0, 1, 3) if edges else (1, 2, 3)
    last, tip = (2, 2) if edges else (1, 0)
    for _ in range(HALVINGS):
        e0, e1, e2, u0, u1, u2 = _moving(places, moves, base, far, span)
        f0, f1, f2, v0, v1, v2 = _moving(places, moves, last, other, span)
        r0, r1, r2, w0, w1, w2 = _moving(places, moves, base, tip, span)
        ax, ay, az = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
        cx, cy, cz = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
        bx = 0.5 * (e1 * v2 - e2 * v1 + u1 * f2 - u2 * f1)
        by = 0.5 * (e2 * v0 - e0 * v2 + u2 * f0 - u0 * f2)
        bz = 0.5 * (e0 * v1 - e1 * v0 + u0 * f1 - u1 * f0)
        first, third = ax * r0 + ay * r1 + az * r2, cx * w0 + cy * w1 + cz * w2
        one = (ax * w0 + ay * w1 + az * w2 + 2.0 * (bx * r0 + by * r1 + bz * r2)) / 3.0
        two = (cx * r0 + cy * r1 + cz * r2 + 2.0 * (bx * w0 + by * w1 + bz * w2)) / 3.0
        side = 1.0 if first > 0.0 else -1.0
        square = max(ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz)
        if min(side * first, side * one, side * two, side * third) > least * np.sqrt(square):
            return span
        span *= 0.5
    return 0.0


@inline
def _moving(places, moves, i, j, span):  # type: ignore[no-untyped-def]
    """What leads from point i to j at places (4, 3), and after a share `span` of their moves (4, 3): 6 scalars."""
    x, y, z = places[j, 0] - places[i, 0], places[j, 1] - places[i, 1], places[j, 2] - places[i, 2]
    return (
        x, y, z, x + span * (moves[j, 0] - moves[i, 0]), y + span * (moves[j, 1] - moves[i, 1]),
        z + span * (moves[j, 2] - moves[i, 2]),
    )  # fmt: skip


@kernel
def free_shares(positions, direction, nodes, points, reach, distance, which, found):  # type: ignore[no-untyped-def]
    """Set for pairs `which` (c,), whose distance is exact, the share of direction (n, 3) that each by itself may go (c,)."""
    moved, moves, own = np.empty((4, 3)), np.empty((4, 3)), np.arange(4)
    for n in range(len(which)):
        k = which[n]
        speed = closing(direction, nodes[k], k >= points, moves)
        found[n] = _way(positions, nodes[k], k >= points, reach[k], distance[k], speed, 1.0, moves, moved, own)


@kernel
def meetings(  # type: ignore[no-untyped-def]
    positions, direction, nodes, points, paired, reach, distance, exact, ways, which, weights, normal, gap, struck
):
    """Fill what is said of the pairs beyond reach that meet on the way along direction (n, 3); return how many there are.

    which (k,) their numbers; weights (k, 4) and normal (k, 3) of where they meet; gap (k,) [m] at positions (n, 3), as seen
    from there: on a way d it grows by normal . sum_i weights_i d_i. struck (k,): which pairs within reach come closer so fast
    that before EARLY they may have only NEAR left. distance (k,) as in `free_fraction`, for which ways (k,) are filled.
    """
    moved, moves, own, count = np.empty((4, 3)), np.empty((4, 3)), np.arange(4), 0
    speeds, asked, some = speeds_of(direction, paired), np.empty(len(nodes), np.int64), 0
    struck[:] = False
    for k in range(len(nodes)):
        fastest = closing_at_most(speeds, nodes[k], k >= points)
        far = (distance[k] - fastest >= KEPT * reach[k]) & (EARLY * fastest <= (1.0 - NEAR) * distance[k])
        ways[k] = 1.0 if far else UNKNOWN
        asked[some] = k
        some += not far
    speeds = np.empty(some)
    closings(direction, nodes, points, asked[:some], speeds)
    make_exact(positions, nodes, points, asked[:some], distance, exact)
    for n in range(some):
        k = asked[n]
        start, near = distance[k], distance[k] < reach[k]
        if near:
            struck[k] = EARLY * speeds[n] > (1.0 - NEAR) * start
            continue
        if start - speeds[n] >= KEPT * reach[k]:
            ways[k] = 1.0
            continue
        edges = k >= points
        speed = closing(direction, nodes[k], edges, moves)
        way = _way(positions, nodes[k], edges, reach[k], start, speed, 1.0, moves, moved, own)
        ways[k] = way
        if way >= 1.0:
            continue
        w0, w1, w2, w3, x, y, z = closest_points(moved, own, edges)
        length = np.sqrt(x * x + y * y + z * z)
        weights[count, 0], weights[count, 1], weights[count, 2], weights[count, 3] = w0, w1, w2, w3
        normal[count, 0], normal[count, 1], normal[count, 2] = x / length, y / length, z / length
        gap[count] = length
        for axis in range(3):
            gained = w0 * moves[0, axis] + w1 * moves[1, axis] + w2 * moves[2, axis] + w3 * moves[3, axis]
            gap[count] -= way * normal[count, axis] * gained
        which[count] = k
        count += 1
    return count

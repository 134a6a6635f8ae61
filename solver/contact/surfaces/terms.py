"""Energy, gradient and stiffness of pairs: the barrier along the line of their closest points (friction: friction_terms.py).

It is a function of one vector, r = sum_i w_i x_i (distance.py), so that a pair's stiffness is (w w^T) times one 3x3 block.
Of the barrier's stiffness b'' n n^T + b' (derivative of n), the second part is left out: b' < 0, so where corners or an edge
and a corner meet it is negative and any projection drops it, and elsewhere it is smaller by distance over edge length. What is
kept is positive as it stands; no eigenvalues have to be found.

A vertex above a flat surface is close to several of its triangles, to all but one of them by an edge or a corner. That each
part of the surface counts once, edges count against two triangles and corners for them: a triangle's share is
b(triangle) - 1/2 sum b(edges) + sum b(corners)/(triangles there), never negative, and a vertex slides over a flat surface as
if it had no edges (Li et al. 2023, "Convergent incremental potential contact", section 3.3). Of two edges an end is a vertex,
which has its say already: their share is b(edges) - b(the closest that an end of one is to the other), not negative either.
So edges whose closest points are not both inside have no share: of surfaces that lie on each other these are nearly all.

Pairs are few and in a fixed order, so these loops are serial: the same order, the same bytes.
"""

import numpy as np

from ...jit import inline, inner_kernel, kernel
from .barrier import barrier, parallel_fade
from .distance import closest_ends, closest_points, corners_of, distance_of, to_segment
from .measuring import CLEAR

INSIDE = 1e-12  # weight of a triangle's corner from which on a closest point is not on the edge across from it


@inline
def _add_turning(positions, pair, scale, gradient):  # type: ignore[no-untyped-def]
    """Add scale times the gradient of |ab x cd|^2 to gradient (n, 3)."""
    a, b, c, d = corners_of(positions, pair)
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = d[0] - c[0], d[1] - c[1], d[2] - c[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    s = 2.0 * scale
    ax, ay, az = s * (vy * nz - vz * ny), s * (vz * nx - vx * nz), s * (vx * ny - vy * nx)
    cx, cy, cz = s * (ny * uz - nz * uy), s * (nz * ux - nx * uz), s * (nx * uy - ny * ux)
    for node, sign in ((0, -1.0), (1, 1.0)):
        gradient[pair[node], 0] += sign * ax
        gradient[pair[node], 1] += sign * ay
        gradient[pair[node], 2] += sign * az
        gradient[pair[node + 2], 0] += sign * cx
        gradient[pair[node + 2], 1] += sign * cy
        gradient[pair[node + 2], 2] += sign * cz


@inline
def add_weighted(pair, w0, w1, w2, w3, x, y, z, gradient):  # type: ignore[no-untyped-def]
    """Add the vector (x, y, z) by a pair's weights to gradient (n, 3)."""
    for node, w in ((0, w0), (1, w1), (2, w2), (3, w3)):
        i = np.uint64(pair[node])
        gradient[i, 0] += w * x
        gradient[i, 1] += w * y
        gradient[i, 2] += w * z


@inline
def _edge_of(positions, pair, m, reach):  # type: ignore[no-untyped-def]
    """Of edge m of a pair's triangle: its ends in the pair, the share of the way, energy, force and distance."""
    i, j = 1 + m, 1 + (m + 1) % 3
    p = positions[np.uint64(pair[0])]
    t, d2 = to_segment(p[0], p[1], p[2], positions[np.uint64(pair[i])], positions[np.uint64(pair[j])])
    if d2 >= reach * reach:
        return i, j, t, 0.0, 0.0, 1.0
    distance = np.sqrt(d2)
    energy, force, _ = barrier(distance, reach)
    return i, j, t, energy, force, distance


@inline
def _corner_of(positions, pair, m, reach):  # type: ignore[no-untyped-def]
    """Of corner m of a pair's triangle: energy, force and distance."""
    p, c = positions[np.uint64(pair[0])], positions[np.uint64(pair[1 + m])]
    d2 = (p[0] - c[0]) ** 2 + (p[1] - c[1]) ** 2 + (p[2] - c[2]) ** 2
    if d2 >= reach * reach:
        return 0.0, 0.0, 1.0
    distance = np.sqrt(d2)
    energy, force, _ = barrier(distance, reach)
    return energy, force, distance


@inline
def _ends_of(positions, pair, s_line, t_line, reach):  # type: ignore[no-untyped-def]
    """Where an end of one edge is closest to the other: shares of the ways, separation, energy, force, distance.

    Of lines that are closest after shares `s_line` and `t_line` of the ways.
    """
    if _crosses_far_inside(positions, pair, s_line, t_line, reach):
        return s_line, t_line, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
    a, b, c, d = corners_of(positions, pair)
    s, t = closest_ends(a, b, c, d)
    x = a[0] - c[0] + s * (b[0] - a[0]) - t * (d[0] - c[0])
    y = a[1] - c[1] + s * (b[1] - a[1]) - t * (d[1] - c[1])
    z = a[2] - c[2] + s * (b[2] - a[2]) - t * (d[2] - c[2])
    d2 = x * x + y * y + z * z
    if d2 >= reach * reach:
        return s, t, x, y, z, 0.0, 0.0, 1.0
    distance = np.sqrt(d2)
    energy, force, _ = barrier(distance, reach)
    return s, t, x, y, z, energy, force, distance


@inline
def _far_inside(positions, pair, w1, w2, w3, reach):  # type: ignore[no-untyped-def]
    """Whether a pair's point lies over its triangle, no less than the reach from all sides: as the most do.

    Along the triangle it is |w| |n| / |side| from the side across from the corner of weight w, n the product of two sides.
    """
    _, a, b, c = corners_of(positions, pair)
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    nn, square = nx * nx + ny * ny + nz * nz, CLEAR * reach * reach
    return w1 * w1 * nn >= square * (uu + vv - 2.0 * uv) and w2 * w2 * nn >= square * vv and w3 * w3 * nn >= square * uu


@inline
def _crosses_far_inside(positions, pair, s, t, reach):  # type: ignore[no-untyped-def]
    """Whether all ends of two edges are no closer than the reach to the line of the other, seen along their common normal."""
    a, b, c, d = corners_of(positions, pair)
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = d[0] - c[0], d[1] - c[1], d[2] - c[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn, square, own, other = nx * nx + ny * ny + nz * nz, CLEAR * reach * reach, min(s, 1.0 - s), min(t, 1.0 - t)
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    return own * own * nn >= square * vv and other * other * nn >= square * uu


@inline
def _add_overcounted(positions, pair, w1, w2, w3, reach, stiffness, corners, gradient):  # type: ignore[no-untyped-def]
    """Add what edges and corners of a pair's triangle, whose weights are w1, w2, w3, count to gradient (n, 3).

    Return their energy, and by how much less the pair pushes for them, for a stiffness of 1 N/m.
    """
    energy, less_push = 0.0, 0.0
    if _far_inside(positions, pair, w1, w2, w3, reach):
        return energy, less_push
    for m in range(3):
        i, j, t, value, force, distance = _edge_of(positions, pair, m, reach)
        if value > 0.0:
            energy -= 0.5 * stiffness * value
            less_push += 0.5 * force
            f = 0.5 * stiffness * force / distance
            p, a, b = np.uint64(pair[0]), np.uint64(pair[i]), np.uint64(pair[j])
            for axis in range(3):
                x, y = positions[a, axis], positions[b, axis]
                push = f * (positions[p, axis] - x - t * (y - x))
                gradient[p, axis] += push
                gradient[a, axis] -= (1.0 - t) * push
                gradient[b, axis] -= t * push
        value, force, distance = _corner_of(positions, pair, m, reach)
        if value > 0.0:
            energy += corners[m] * stiffness * value
            less_push -= corners[m] * force
            f = corners[m] * stiffness * force / distance
            p, a = np.uint64(pair[0]), np.uint64(pair[1 + m])
            for axis in range(3):
                push = f * (positions[p, axis] - positions[a, axis])
                gradient[p, axis] -= push
                gradient[a, axis] += push
    return energy, less_push


@inline
def _add_edges(positions, pair, w0, w1, w2, w3, x, y, z, reach, stiffness, threshold, gradient):  # type: ignore[no-untyped-def]
    """Add the gradient [N] of a barrier of two edges to gradient (n, 3), their closest points being apart by (x, y, z).

    Return force [N] and slope [N/m], and the energy [J]: force and energy less what their ends count.
    """
    distance = np.sqrt(x * x + y * y + z * z)
    value, force, slope = barrier(distance, reach)
    fade, turning = parallel_fade(*corners_of(positions, pair), threshold)
    s, t, ex, ey, ez, end_value, end_force, end_distance = _ends_of(positions, pair, w1, -w3, reach)
    f = stiffness * fade * end_force / end_distance
    add_weighted(pair, 1.0 - s, s, t - 1.0, -t, f * ex, f * ey, f * ez, gradient)
    value -= end_value
    f = -stiffness * fade * force / distance
    add_weighted(pair, w0, w1, w2, w3, f * x, f * y, f * z, gradient)
    if turning > 0.0:
        _add_turning(positions, pair, stiffness * turning * value, gradient)
    firm = stiffness * fade
    return firm * max(force - end_force, 0.0), firm * slope, firm * value


@kernel
def add_barriers(positions, pairs, which, gradient, weights, normal, force, slope, stored):  # type: ignore[no-untyped-def]
    """Add the gradient [N] of the barriers `which` (c,), that push at positions (n, 3), to gradient (n, 3); pairs: Pairs.

    Filled is what is said of each: weights (c, 4), normal (c, 3) from the second to the first, force (c,) [N] and energy stored
    (c,) [J] less what others count, and slope (c,) [N/m] by `_share_slopes`. Returns the sum of the energies.
    """
    energy = 0.0
    for c in range(len(which)):
        k = which[c]
        pair, edges, reach = pairs.nodes[k], k >= pairs.points, pairs.reach[k]
        w0, w1, w2, w3, x, y, z = closest_points(positions, pair, edges)
        distance = np.sqrt(x * x + y * y + z * z)
        value, push, rise = barrier(distance, reach)
        weights[c, 0], weights[c, 1], weights[c, 2], weights[c, 3] = w0, w1, w2, w3
        normal[c, 0], normal[c, 1], normal[c, 2] = x / distance, y / distance, z / distance
        if edges:
            push, rise, stored[c] = _add_edges(
                positions, pair, w0, w1, w2, w3, x, y, z, reach, pairs.stiffness[k], pairs.fade[k], gradient
            )
            force[c], slope[c] = push, rise
        else:
            stiffness = pairs.stiffness[k]
            f = -stiffness * push / distance
            add_weighted(pair, w0, w1, w2, w3, f * x, f * y, f * z, gradient)
            more, less_push = _add_overcounted(
                positions, pair, w1, w2, w3, reach, stiffness, pairs.corners[k], gradient
            )
            stored[c] = stiffness * value + more
            force[c] = stiffness * max(push - less_push, 0.0)
            slope[c] = stiffness * rise
        energy += stored[c]
    _share_slopes(pairs, which, weights, slope)
    return energy


@inner_kernel
def _share_slopes(pairs, which, weights, slope):  # type: ignore[no-untyped-def]
    """Lessen the slopes (c,) of vertices near triangles to what each is of their sum.

    Of the triangles near a vertex all but the one that it lies over are closest by an edge or a corner, most of them by one of
    that triangle. Their curvatures cancel there as their energies do, but a stiffness has to be positive pair by pair, and
    their lines of closest points may be far from its normal. So what is closest by a part of another's closest side, edge or
    corner firms nothing; else two faces share an edge that is closest, and all around a corner that.
    """
    count, most = 0, 0
    for k in which:
        most = max(most, pairs.nodes[k, 0] + 1)
    last, before = np.full(most, -1), np.empty(len(which), np.int64)  # pairs of each vertex, the last of them first
    while count < len(which) and which[count] < pairs.points:
        p = pairs.nodes[which[count], 0]
        before[count], last[p], count = last[p], count, count + 1
    for c in range(count):
        within = (weights[c, 1] < -INSIDE) + (weights[c, 2] < -INSIDE) + (weights[c, 3] < -INSIDE)
        if within == 3:
            continue
        share = 0.5
        for m in range(3):
            if within == 1 and weights[c, 1 + m] < -INSIDE:
                share = pairs.corners[which[c], m]
        other = last[pairs.nodes[which[c], 0]]
        while other >= 0 and share > 0.0:
            share, other = 0.0 if _part_of(pairs, which, weights, c, other, within) else share, before[other]
        slope[c] *= share


@inline
def _part_of(pairs, which, weights, c, other, within):  # type: ignore[no-untyped-def]
    """Whether the corners that pair c is closest by, so many, are some but not all of those of another."""
    own, common, more = pairs.nodes[which[c]], 0, 0
    others = pairs.nodes[which[other]]
    for m in range(1, 4):
        if weights[other, m] < -INSIDE:
            more += 1
            for i in range(1, 4):
                common += weights[c, i] < -INSIDE and own[i] == others[m]
    return common == within and more > within


@kernel
def barrier_springs(nodes, which, own_weights, normal, slope, points, weights, blocks):  # type: ignore[no-untyped-def]
    """Fill points (c, 4), weights (c, 4) and blocks (c, 9) [N/m] of springs for the barriers `which` (c,) of nodes (k, 4)."""
    for c in range(len(which)):
        for m in range(4):
            points[c, m], weights[c, m] = nodes[which[c], m], own_weights[c, m]
        for i in range(3):
            for j in range(3):
                blocks[c, 3 * i + j] = slope[c] * (normal[c, i] * normal[c, j])


@kernel
def force_error(before, pushed, pushes, slopes, positions, pairs, after, exact, pushing, forces):  # type: ignore[no-untyped-def]
    """Sums [N] over pairs that pushed before, when distances (k,) were others, or push at positions (n, 3).

    By how much forces taken for linear before miss those that there are, and of these. pushed, pushing: their numbers in
    ascending order, with pushes [N] and slopes [N/m] before and forces [N] now; after, exact (k,): as `measure_pairs` has left
    them, here made exact where that is needed.
    """
    missed, total, i, j, most = 0.0, 0.0, 0, 0, len(after)
    while i < len(pushed) or j < len(pushing):
        first, second = pushed[i] if i < len(pushed) else most, pushing[j] if j < len(pushing) else most
        k, force, told = min(first, second), 0.0, 0.0
        if second == k:
            force, j = forces[j], j + 1
        elif not exact[k]:
            after[k], exact[k] = distance_of(positions, pairs.nodes[k], k >= pairs.points), True
        if first == k:
            told, i = pushes[i] + slopes[i] * (before[k] - after[k]), i + 1
        missed += abs(force - told)
        total += force
    return missed, total

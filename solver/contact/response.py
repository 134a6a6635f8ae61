"""Energy, force and stiffness of contacts: a stiff smooth barrier along the normal and smoothed Coulomb friction.

A contact is a point of the artist's surface, x = sum_i w_i x_i over nodes that carry it (carriers.py), against a plane
n . x = level (the collider's surface linearised there). With the gap d = n . x - level and u = 1 - d/reach, the pressure
starts smoothly, K reach u^2, and is linear from u = 1/2 on: what lies is met by a spring as stiff as its body. A blow presses
harder than that by the square of its speed over that of sound, and on a point that stands out all of it rests: so from
u = GIVING on, which what merely lies seldom reaches, the slope rises to FIRMNESS K at u = FIRM and stays, lest what is seen
sink in. From u = CRUSHED on, which jaws reach that leave no room but hardly any blow, it is CRUSHING K: what they store there
throws goo about once they open. Friction has the lagged bound `grip` = mu times the normal force, and the displacement t along
the surface since the step's start: force grip (2y - y^2) t/|t| with y = |t|/slip, grip t/|t| beyond y = 1 (Li et al. 2020,
"Incremental potential contact", section 5).

Entries are few and sorted, so these loops are serial: the same order, the same bytes.
"""

import numpy as np

from ..jit import inline, kernel

GIVING, FIRM, CRUSHED = 1.5, 2.5, 4.0  # by u: half a reach deep, one and a half, and three
FIRMNESS, CRUSHING = 60.0, 2.0
RISE = (FIRMNESS - 1.0) / (FIRM - GIVING)  # of the slope, in between
FORCE_GIVING, ENERGY_GIVING = GIVING - 0.25, 1.0 / 24.0 + 0.25 * (GIVING - 0.5) + 0.5 * (GIVING - 0.5) ** 2
FORCE_FIRM = FORCE_GIVING + (FIRM - GIVING) + 0.5 * RISE * (FIRM - GIVING) ** 2
ENERGY_FIRM = ENERGY_GIVING + FORCE_GIVING * (FIRM - GIVING) + 0.5 * (FIRM - GIVING) ** 2 + RISE * (FIRM - GIVING) ** 3 / 6.0
FORCE_CRUSHED = FORCE_FIRM + FIRMNESS * (CRUSHED - FIRM)
ENERGY_CRUSHED = ENERGY_FIRM + FORCE_FIRM * (CRUSHED - FIRM) + 0.5 * FIRMNESS * (CRUSHED - FIRM) ** 2


@inline
def normal_response(gap, reach, stiffness):  # type: ignore[no-untyped-def]
    """Energy [J], pushing force [N] and its slope [N/m] of one contact."""
    u = 1.0 - gap / reach
    if u <= 0.0:
        return 0.0, 0.0, 0.0
    scale = stiffness * reach
    if u <= 0.5:
        return scale * reach * u * u * u / 3.0, scale * u * u, 2.0 * stiffness * u
    if u <= GIVING:
        over = u - 0.5
        return scale * reach * (1.0 / 24.0 + 0.25 * over + 0.5 * over * over), scale * (u - 0.25), stiffness
    if u <= FIRM:
        over = u - GIVING
        energy = ENERGY_GIVING + over * (FORCE_GIVING + over * (0.5 + RISE / 6.0 * over))
        return scale * reach * energy, scale * (FORCE_GIVING + over + 0.5 * RISE * over * over), stiffness * (1.0 + RISE * over)
    if u <= CRUSHED:
        over = u - FIRM
        energy = ENERGY_FIRM + over * (FORCE_FIRM + 0.5 * FIRMNESS * over)
        return scale * reach * energy, scale * (FORCE_FIRM + FIRMNESS * over), FIRMNESS * stiffness
    over = u - CRUSHED
    energy = ENERGY_CRUSHED + over * (FORCE_CRUSHED + 0.5 * CRUSHING * over)
    return scale * reach * energy, scale * (FORCE_CRUSHED + CRUSHING * over), CRUSHING * stiffness


@kernel
def normal_forces(gap, reach, stiffness, force):  # type: ignore[no-untyped-def]
    """Pushing forces (c,) [N] at the given gaps."""
    for k in range(len(gap)):
        _, force[k], _ = normal_response(gap[k], reach[k], stiffness[k])


@kernel
def normal_energies(gap, reach, stiffness, energy):  # type: ignore[no-untyped-def]
    """Energies (c,) [J] at the given gaps."""
    for k in range(len(gap)):
        energy[k], _, _ = normal_response(gap[k], reach[k], stiffness[k])


@kernel
def gaps_of_energies(energy, least, reach, stiffness):  # type: ignore[no-untyped-def]
    """The gaps (c,) [m] at which contacts hold energies (c,) [J], less than at the least gaps (c,) [m]; by halving."""
    gap = np.empty(len(energy))
    for k in range(len(energy)):
        low, high = least[k], reach[k]
        for _ in range(60):
            gap[k] = 0.5 * (low + high)
            found, _, _ = normal_response(gap[k], reach[k], stiffness[k])
            if found > energy[k]:
                low = gap[k]
            else:
                high = gap[k]
    return gap


@inline
def point_of(positions, nodes, w):  # type: ignore[no-untyped-def]
    """The contact point, (3) scalars."""
    a, b, c, d = np.uint64(nodes[0]), np.uint64(nodes[1]), np.uint64(nodes[2]), np.uint64(nodes[3])
    return (
        w[0] * positions[a, 0] + w[1] * positions[b, 0] + w[2] * positions[c, 0] + w[3] * positions[d, 0],
        w[0] * positions[a, 1] + w[1] * positions[b, 1] + w[2] * positions[c, 1] + w[3] * positions[d, 1],
        w[0] * positions[a, 2] + w[1] * positions[b, 2] + w[2] * positions[c, 2] + w[3] * positions[d, 2],
    )


@kernel
def carry(positions, nodes, weights, points):  # type: ignore[no-untyped-def]
    """Fill points (c, 3) with the positions that nodes (c, 4) by weights (c, 4) carry them to."""
    for k in range(len(nodes)):
        points[k, 0], points[k, 1], points[k, 2] = point_of(positions, nodes[k], weights[k])


@kernel
def carry_some(positions, some, nodes, weights, points):  # type: ignore[no-untyped-def]
    """The same of points `some` (c,) among those of nodes (k, 4) and weights (k, 4)."""
    for c in range(len(some)):
        k = some[c]
        points[c, 0], points[c, 1], points[c, 2] = point_of(positions, nodes[k], weights[k])


@kernel
def longest_way(before, after):  # type: ignore[no-untyped-def]
    """The length of the longest way between points (k, 3)."""
    longest = 0.0
    for k in range(len(before)):
        x, y, z = after[k, 0] - before[k, 0], after[k, 1] - before[k, 1], after[k, 2] - before[k, 2]
        longest = max(longest, x * x + y * y + z * z)
    return np.sqrt(longest)


@kernel
def box_around(before, after, box):  # type: ignore[no-untyped-def]
    """Fill a box (2, 3) with the lower and upper corner of that of points (k, 3), before and after."""
    for axis in range(3):
        low, high = np.inf, -np.inf
        for k in range(len(before)):
            low = min(low, before[k, axis], after[k, axis])
            high = max(high, before[k, axis], after[k, axis])
        box[0, axis], box[1, axis] = low, high


@inline
def row_point(positions, start, nodes, weights, r):  # type: ignore[no-untyped-def]
    """The point, (3) scalars, that row r, nodes by weights from start[r] to start[r + 1], carries."""
    x0, x1, x2 = 0.0, 0.0, 0.0
    for k in range(np.uint64(start[r]), np.uint64(start[r + 1])):
        i, weight = np.uint64(nodes[k]), weights[k]
        x0, x1, x2 = x0 + weight * positions[i, 0], x1 + weight * positions[i, 1], x2 + weight * positions[i, 2]
    return x0, x1, x2


@kernel
def carry_spread(positions, places, rows, start, nodes, weights, points):  # type: ignore[no-untyped-def]
    """Set points[places[c]] to where row r = rows[c], nodes by weights from start[r] to start[r + 1], carries it."""
    for c in range(len(rows)):
        x0, x1, x2 = row_point(positions, start, nodes, weights, np.uint64(rows[c]))
        place = np.uint64(places[c])
        points[place, 0], points[place, 1], points[place, 2] = x0, x1, x2


@kernel
def add_forces(nodes, weights, force, gradient):  # type: ignore[no-untyped-def]
    """Subtract from gradient (n, 3) the forces (c, 3) [N] on points of nodes (c, 4) by weights (c, 4)."""
    for k in range(len(nodes)):
        for a in range(4):
            i, w = nodes[k, a], weights[k, a]
            for c in range(3):
                gradient[i, c] -= w * force[k, c]


@inline
def _idle(x0, x1, x2, n, level, reach, grip):  # type: ignore[no-untyped-def]
    """Whether a contact neither pushes nor rubs at x, as most do not."""
    return n[0] * x0 + n[1] * x1 + n[2] * x2 - level >= reach and not grip > 0.0


@kernel
def touched(nodes, weights, reach):  # type: ignore[no-untyped-def]
    """The nodes (t,) that carry points of nodes (c, 4) by weights (c, 4), rising, and of each the least reach (t,) of them."""
    most = -1
    for k in range(len(nodes)):
        most = max(most, nodes[k, 0], nodes[k, 1], nodes[k, 2], nodes[k, 3])
    least, count = np.full(most + 1, np.inf), 0
    for k in range(len(nodes)):
        for a in range(4):
            if weights[k, a] != 0.0:
                i = nodes[k, a]
                count += least[i] == np.inf
                least[i] = min(least[i], reach[k])
    found, own, count = np.empty(count, np.int64), np.empty(count), 0
    for i in range(len(least)):
        if least[i] < np.inf:
            found[count], own[count] = i, least[i]
            count += 1
    return found, own


@kernel
def busy(positions, nodes, weights, normal, level, reach, grip, numbers):  # type: ignore[no-untyped-def]
    """Number (c,) the contacts that are not idle at positions (n, 3) one after the other; return which these are."""
    count, found = 0, np.empty(len(level), np.int64)
    for k in range(len(level)):
        x0, x1, x2 = point_of(positions, nodes[k], weights[k])
        numbers[k] = count
        if not _idle(x0, x1, x2, normal[k], level[k], reach[k], grip[k]):
            found[count] = k
            count += 1
    return found[:count]


@inline
def friction_response(length, grip, slip):  # type: ignore[no-untyped-def]
    """Energy [J], force over length and slope [N/m] of friction with the bound `grip` [N] at a displacement `length` [m]."""
    y = length / slip
    if y < 1.0:
        return grip * slip * (y * y - y * y * y / 3.0), grip * (2.0 - y) / slip, grip * (2.0 - 2.0 * y) / slip
    return grip * (length - slip / 3.0), grip / length, 0.0


@inline
def _law(x0, x1, x2, n, level, reach, stiffness, anchor, grip, slip):  # type: ignore[no-untyped-def]
    """Energy [J] and gradient (3 scalars) [N] of one contact at x."""
    n0, n1, n2 = n[0], n[1], n[2]
    energy, push, _ = normal_response(n0 * x0 + n1 * x1 + n2 * x2 - level, reach, stiffness)
    g0, g1, g2 = -push * n0, -push * n1, -push * n2
    if grip > 0.0:
        t0, t1, t2 = x0 - anchor[0], x1 - anchor[1], x2 - anchor[2]
        along = n0 * t0 + n1 * t1 + n2 * t2
        t0, t1, t2 = t0 - along * n0, t1 - along * n1, t2 - along * n2
        work, factor, _ = friction_response(np.sqrt(t0 * t0 + t1 * t1 + t2 * t2), grip, slip)
        energy += work
        g0, g1, g2 = g0 + factor * t0, g1 + factor * t1, g2 + factor * t2
    return energy, (g0, g1, g2)


@kernel
def contact_gradient(  # type: ignore[no-untyped-def]
    positions, nodes, weights, normal, level, reach, stiffness, anchor, grip, slip, gradient
):
    """Add the contacts' gradient to gradient (n, 3); return their energy.

    nodes (c, 4), weights (c, 4), normal (c, 3), level, reach, stiffness, grip, slip (c,), anchor (c, 3).
    """
    energy = 0.0
    for k in range(len(level)):
        x0, x1, x2 = point_of(positions, nodes[k], weights[k])
        if _idle(x0, x1, x2, normal[k], level[k], reach[k], grip[k]):
            continue
        e, (g0, g1, g2) = _law(x0, x1, x2, normal[k], level[k], reach[k], stiffness[k], anchor[k], grip[k], slip[k])
        energy += e
        for a in range(4):
            i = nodes[k, a]
            gradient[i, 0] += weights[k, a] * g0
            gradient[i, 1] += weights[k, a] * g1
            gradient[i, 2] += weights[k, a] * g2
    return energy


@kernel
def contact_rise(  # type: ignore[no-untyped-def]
    positions, way, nodes, weights, normal, level, reach, stiffness, anchor, grip, slip
):
    """The contacts' energy [J] at positions (n, 3), and how it rises along a way (n, 3) [J]; the rest as above."""
    energy, rise = 0.0, 0.0
    for k in range(len(level)):
        x0, x1, x2 = point_of(positions, nodes[k], weights[k])
        if _idle(x0, x1, x2, normal[k], level[k], reach[k], grip[k]):
            continue
        e, (g0, g1, g2) = _law(x0, x1, x2, normal[k], level[k], reach[k], stiffness[k], anchor[k], grip[k], slip[k])
        d0, d1, d2 = point_of(way, nodes[k], weights[k])
        energy += e
        rise += g0 * d0 + g1 * d1 + g2 * d2
    return energy, rise


@kernel
def _tangent(x, n, level, reach, stiffness, anchor, grip, slip, exact, h):  # type: ignore[no-untyped-def]
    """Stiffness of one contact at x into h (3, 3)."""
    _, _, slope = normal_response(n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - level, reach, stiffness)
    isotropic, radial = 0.0, 0.0
    t = (0.0, 0.0, 0.0)
    if grip > 0.0:
        d0, d1, d2 = x[0] - anchor[0], x[1] - anchor[1], x[2] - anchor[2]
        along = n[0] * d0 + n[1] * d1 + n[2] * d2
        d0, d1, d2 = d0 - along * n[0], d1 - along * n[1], d2 - along * n[2]
        length = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        _, isotropic, slope_along = friction_response(length, grip, slip)
        radial = exact * slope_along - exact * isotropic
        scale = 1.0 / length if length > 0.0 else 0.0
        t = (d0 * scale, d1 * scale, d2 * scale)
    for i in range(3):
        for j in range(3):
            flat = (1.0 if i == j else 0.0) - n[i] * n[j]
            h[i, j] = slope * n[i] * n[j] + isotropic * flat + radial * t[i] * t[j]


@kernel
def linear_forces(  # type: ignore[no-untyped-def]
    start, positions, nodes, weights, normal, level, reach, stiffness, anchor, grip, slip, exact, force
):
    """Fill force (c, 3) [N] of the contacts at `positions`, their laws taken for linear from `start` on."""
    h = np.empty((3, 3))
    for k in range(len(level)):
        x = point_of(start, nodes[k], weights[k])
        if _idle(x[0], x[1], x[2], normal[k], level[k], reach[k], grip[k]):
            force[k, 0] = force[k, 1] = force[k, 2] = 0.0
            continue
        to = point_of(positions, nodes[k], weights[k])
        d = (to[0] - x[0], to[1] - x[1], to[2] - x[2])
        _, g = _law(x[0], x[1], x[2], normal[k], level[k], reach[k], stiffness[k], anchor[k], grip[k], slip[k])
        _tangent(x, normal[k], level[k], reach[k], stiffness[k], anchor[k], grip[k], slip[k], exact, h)
        for c in range(3):
            force[k, c] = -g[c] - h[c, 0] * d[0] - h[c, 1] * d[1] - h[c, 2] * d[2]


@kernel
def contact_stiffness(  # type: ignore[no-untyped-def]
    positions, numbers, nodes, weights, normal, level, reach, stiffness, anchor, grip, slip, exact, blocks, diagonal
):
    """Add the contacts' stiffness to blocks (b, 6, 9) between their nodes, by numbers (c,), and to diagonal (n, 9).

    The weights of a point sum to one, so a row of its stiffness sums to w_i times the point's own 3x3. `exact` 1.0 is all
    friction's true stiffness; 0.0 its secant, which never overshoots while normal forces are still settling.
    """
    h = np.empty((3, 3))
    for k in range(len(level)):
        x = point_of(positions, nodes[k], weights[k])
        if _idle(x[0], x[1], x[2], normal[k], level[k], reach[k], grip[k]):
            continue
        _tangent(x, normal[k], level[k], reach[k], stiffness[k], anchor[k], grip[k], slip[k], exact, h)
        pair = 0
        for a in range(4):
            for c in range(9):
                diagonal[nodes[k, a], c] += weights[k, a] * h[c // 3, c % 3]
            for b in range(a + 1, 4):
                product = weights[k, a] * weights[k, b]
                for c in range(9):
                    blocks[numbers[k], pair, c] += product * h[c // 3, c % 3]
                pair += 1

"""Contacts settled against their own nodes: each obeys its law exactly while the rest of the body holds still.

A Newton step takes a contact's law for linear, so points jump on, off and along colliders, and each wrong guess would
cost another global solve. Here the nodes that hold contact points move alone, each on a spring `hold` (inertia and its
own elastic stiffness), and the contacts are balanced one after another (Gauss-Seidel on their forces): the law of one
contact against springs has a closed form.
"""

import numpy as np

from ..jit import inline, inner_kernel, kernel
from .response import (
    CRUSHED,
    CRUSHING,
    FIRM,
    FIRMNESS,
    FORCE_CRUSHED,
    FORCE_FIRM,
    FORCE_GIVING,
    GIVING,
    RISE,
    point_of,
    row_point,
)

SWEEPS = 8


@inline
def _push(gap, reach, stiffness, give):  # type: ignore[no-untyped-def]
    """Normal force [N] of a contact that would have `gap` [m] without it and yields by `give` [m/N] under it.

    Solves force = response(gap + give force), branch by branch of the response (response.py).
    """
    u = 1.0 - gap / reach  # without the force
    if u <= 0.0:
        return 0.0
    a = give * stiffness  # du = -a/(reach stiffness) force
    # linear branch: f = K reach (v - 1/4), v = u - a (v - 1/4)
    v = (u + 0.25 * a) / (1.0 + a)
    if v < 0.5:
        # quadratic branch: v = u - a v^2
        v = 2.0 * u / (1.0 + np.sqrt(1.0 + 4.0 * a * u))
        return stiffness * reach * v * v
    if v <= GIVING:
        return stiffness * reach * (v - 0.25)
    # last branch: f = K reach (FORCE_CRUSHED + CRUSHING over), over = v - CRUSHED
    over = (u - CRUSHED - a * FORCE_CRUSHED) / (1.0 + a * CRUSHING)
    if over >= 0.0:
        return stiffness * reach * (FORCE_CRUSHED + CRUSHING * over)
    # the one before: f = K reach (FORCE_FIRM + FIRMNESS over), over = v - FIRM
    over = (u - FIRM - a * FORCE_FIRM) / (1.0 + a * FIRMNESS)
    if over >= 0.0:
        return stiffness * reach * (FORCE_FIRM + FIRMNESS * over)
    # and before that: f = K reach (FORCE_GIVING + over + RISE/2 over^2), over = v - GIVING
    over = u - GIVING - a * FORCE_GIVING
    over = 2.0 * over / (1.0 + a + np.sqrt((1.0 + a) ** 2 + 2.0 * a * RISE * over))
    return stiffness * reach * (FORCE_GIVING + over * (1.0 + 0.5 * RISE * over))


@inline
def _drag(length, grip, slip, give):  # type: ignore[no-untyped-def]
    """Friction [N] of a contact that would have slipped by `length` [m] without it and yields by `give` [m/N]."""
    beyond = length - give * grip
    if beyond >= slip:
        return grip
    # y slip + give grip (2 y - y^2) = length
    b = slip + 2.0 * give * grip
    y = 2.0 * length / (b + np.sqrt(max(b * b - 4.0 * give * grip * length, 0.0)))
    y = min(y, 1.0)
    return grip * y * (2.0 - y)


@inner_kernel
def _settled_force(x, free, n, level, reach, stiffness, anchor, friction, bond, grip, slip, give, force):  # type: ignore[no-untyped-def]
    """The force (3) of one contact whose point would be at x without it; returns its friction bound [N].

    `free` takes the bound from the normal force found, beside which `bond` [N] stays, otherwise it is `grip`.
    """
    n0, n1, n2 = n[0], n[1], n[2]
    push = _push(n0 * x[0] + n1 * x[1] + n2 * x[2] - level, reach, stiffness, give)
    force[0], force[1], force[2] = push * n0, push * n1, push * n2
    bound = friction * push + bond if free else grip
    if bound > 0.0:
        t0, t1, t2 = x[0] - anchor[0], x[1] - anchor[1], x[2] - anchor[2]
        along = n0 * t0 + n1 * t1 + n2 * t2
        t0, t1, t2 = t0 - along * n0, t1 - along * n1, t2 - along * n2
        length = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
        if length > 0.0:
            share = _drag(length, bound, slip, give) / length
            force[0], force[1], force[2] = force[0] - share * t0, force[1] - share * t1, force[2] - share * t2
    return bound


@inline
def _latest(moved, nodes):  # type: ignore[no-untyped-def]
    """The largest of four numbers."""
    return max(moved[nodes[0]], moved[nodes[1]], moved[nodes[2]], moved[nodes[3]])


@kernel
def settle(  # type: ignore[no-untyped-def]
    positions, nodes, weights, start, row_nodes, row_weights, normal, level, reach, stiffness, anchor, friction, bond, grip,
    slip, hold, force, free,
):  # fmt: skip
    """Let contact forces become what their laws say, from `force` (c, 3) [N] with which all is balanced at `positions`.

    Both change in place. The first points hang on nodes (f, 4) by weights (f, 4), the others on row_nodes by row_weights, from
    start[r] to start[r + 1]. hold (n,) [N/m], friction (c,) coefficients, bond (c,) [N]; the rest as in contact_gradient. With
    `free` the friction bounds follow the normal forces, into grip (c,); otherwise grip holds.
    """
    count, few, fresh, change = len(level), len(nodes), np.empty(3), np.empty(3)
    give, looks = np.zeros(count), 0
    # Numbers of the looks at contacts: the last one that moved a node, and the last one at a contact
    moved, looked = np.zeros(len(positions), np.int32), np.zeros(count, np.int32)
    for k in range(few):
        for a in range(4):
            give[k] += weights[k, a] ** 2 / hold[nodes[k, a]]
    for r in range(count - few):
        for e in range(start[r], start[r + 1]):
            give[few + r] += row_weights[e] ** 2 / hold[row_nodes[e]]
    for _ in range(SWEEPS):
        for k in range(count):
            r = k - few
            if r < 0:
                latest = _latest(moved, nodes[k])
            else:
                latest = np.int32(0)
                for e in range(start[r], start[r + 1]):
                    latest = max(latest, moved[row_nodes[e]])
            if looked[k] > latest:
                continue  # nothing there has changed since
            looks += 1
            looked[k] = looks
            if r < 0:
                x0, x1, x2 = point_of(positions, nodes[k], weights[k])
            else:
                x0, x1, x2 = row_point(positions, start, row_nodes, row_weights, r)
            g, old, n = give[k], force[k], normal[k]
            if old[0] == 0.0 and old[1] == 0.0 and old[2] == 0.0 and n[0] * x0 + n[1] * x1 + n[2] * x2 - level[k] >= reach[k]:
                bound = bond[k] if free else grip[k]
                if not bound > 0.0:
                    grip[k] = bound
                    continue  # out of reach, as most are
            grip[k] = _settled_force(
                (x0 - g * old[0], x1 - g * old[1], x2 - g * old[2]), free, normal[k], level[k], reach[k], stiffness[k],
                anchor[k], friction[k], bond[k], grip[k], slip[k], g, fresh,
            )  # fmt: skip
            if fresh[0] == old[0] and fresh[1] == old[1] and fresh[2] == old[2]:
                continue
            for c in range(3):
                change[c] = fresh[c] - old[c]
                old[c] = fresh[c]
            if r < 0:
                for c in range(3):
                    for a in range(4):
                        positions[nodes[k, a], c] += weights[k, a] / hold[nodes[k, a]] * change[c]
                        moved[nodes[k, a]] = looks
            else:
                for e in range(start[r], start[r + 1]):
                    i = row_nodes[e]
                    share = row_weights[e] / hold[i]
                    moved[i] = looks
                    for c in range(3):
                        positions[i, c] += share * change[c]

"""Viscoplastic flow inside the implicit step: Bargteil 2007 eqs 7-12 as a backward Euler return in log stretches.

With e = log of the trial stretches, m their mean, a n the deviator (|n| = 1), flow shrinks a to b = (1 - gamma) a,
which is Bargteil's F_p = (F*)^gamma and keeps the volume. b is where the stress along n meets the flow law,

    g(b) = n . tau(m + b n),     (g(b) - Y') k / 2mu = a - b,     k = rate dt,     Y' = sqrt(2/3) (Y + H plastic strain)

that is g = Y' + (g_trial - Y')/(1 + k) for small strains. It is the minimum over b of
psi(m + b n) + Y' (a - b) + mu/k (a - b)^2, an energy of the trial strain, so Newton has a potential to go down on:

    tau* = mean(tau) + (tau . n) n + (1 - gamma) (rest of tau)          (the rest vanishes when tau is along n)

A rate that falls with stress, rate / (1 + (s/s0)^n), can leave up to three roots: the lowest is taken by a tet that has
not stiffened yet and the highest by one that has, so a blow that overruns the flow meets a solid (Bargteil fig. 8).
"""

import numpy as np

from ..jit import inline, kernel
from .elasticity import log_stiffness, principal_stress

SMALLEST_STRETCH = 0.05  # claim B26: no flow in elements flatter than this
MAXIMUM_ITERATIONS = 60
SCAN = 24
ROOT_3_2 = float(np.sqrt(1.5))
ROOT_2_3 = float(np.sqrt(2.0 / 3.0))


@inline
def directed_stress(mean, b, n0, n1, n2, mu, lam, linear):  # type: ignore[no-untyped-def]
    """g(b) and g'(b): the Kirchhoff stress along n and its slope."""
    s0, s1, s2 = np.exp(mean + b * n0), np.exp(mean + b * n1), np.exp(mean + b * n2)
    t0, t1, t2, h00, h11, h22, h01, h02, h12 = log_stiffness(s0, s1, s2, mu, lam, linear)
    slope = n0 * n0 * h00 + n1 * n1 * h11 + n2 * n2 * h22 + 2.0 * (n0 * n1 * h01 + n0 * n2 * h02 + n1 * n2 * h12)
    return n0 * t0 + n1 * t1 + n2 * t2, slope


@inline
def flow_capacity(stress, k, rate_stress, exponent):  # type: ignore[no-untyped-def]
    """k at a directed stress, and its derivative by it; k = rate dt falls with the von Mises stress."""
    if rate_stress <= 0.0:
        return k, 0.0
    s = max(ROOT_3_2 * stress, 0.0) / rate_stress
    power = s**exponent
    below = 1.0 + power
    slope = -k * exponent * (power / s if s > 0.0 else 0.0) / (below * below) * ROOT_3_2 / rate_stress
    return k / below, slope


@inline
def flow_residual(b, a, mean, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent):  # type: ignore[no-untyped-def]
    """(g - Y') k/2mu - (a - b) and its derivative by b."""
    g, slope = directed_stress(mean, b, n0, n1, n2, mu, lam, linear)
    capacity, fall = flow_capacity(g, k, rate_stress, exponent)
    yield_now = y + hard * (a - b)
    rise = -hard
    if yield_now < least:
        yield_now, rise = least, 0.0
    over = g - yield_now
    return over * capacity / (2.0 * mu) - (a - b), ((slope - rise) * capacity + over * fall * slope) / (2.0 * mu) + 1.0


@kernel
def flow_root(a, mean, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent, stiffened):  # type: ignore[no-untyped-def]
    """The b in [0, a] where the residual changes sign, by a scan (only if several roots are possible) and safe Newton."""
    low, high = 0.0, a
    if rate_stress > 0.0 and exponent > 1.0:
        for i in range(1, SCAN):
            j = SCAN - i if stiffened else i
            b = a * j / SCAN
            value, _ = flow_residual(b, a, mean, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent)
            if stiffened and value <= 0.0:
                low = b
                break
            if not stiffened and value > 0.0:
                high = b
                break
            if stiffened:
                high = b
            else:
                low = b
    g, slope = directed_stress(mean, high, n0, n1, n2, mu, lam, linear)
    b = high - max(g - y, 0.0) * k / (1.0 + k) / max(slope, mu)
    b = b if low < b < high else 0.5 * (low + high)
    for _ in range(MAXIMUM_ITERATIONS):
        value, slope = flow_residual(b, a, mean, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent)
        if value > 0.0:
            high = b
        else:
            low = b
        step = value / slope if slope > 0.0 else 2.0 * a
        trial = b - step
        trial = trial if low < trial < high else 0.5 * (low + high)
        if abs(trial - b) <= 1e-13 * a or high - low <= 1e-14 * a:
            return trial
        b = trial
    return b


@inline
def relaxed_stress(mean, a, ratio, n0, n1, n2, mu, lam, linear):  # type: ignore[no-untyped-def]
    """tau* (3) at b = ratio a, the directed stress, and the elastic energy density."""
    b = ratio * a
    s0, s1, s2 = np.exp(mean + b * n0), np.exp(mean + b * n1), np.exp(mean + b * n2)
    energy, p0, p1, p2 = principal_stress(s0, s1, s2, mu, lam, linear)
    t0, t1, t2 = s0 * p0, s1 * p1, s2 * p2
    average = (t0 + t1 + t2) / 3.0
    along = n0 * t0 + n1 * t1 + n2 * t2
    lost = 1.0 - ratio
    return (
        t0 - lost * (t0 - average - along * n0),
        t1 - lost * (t1 - average - along * n1),
        t2 - lost * (t2 - average - along * n2),
        along,
        energy,
    )


@inline
def deviator(s0, s1, s2):  # type: ignore[no-untyped-def]
    """Mean log stretch, size and direction of the deviator: m, a, n0, n1, n2 (n = 0 when there is none)."""
    e0, e1, e2 = np.log(s0), np.log(s1), np.log(s2)
    mean = (e0 + e1 + e2) / 3.0
    e0, e1, e2 = e0 - mean, e1 - mean, e2 - mean
    a = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    scale = 1.0 / a if a > 1e-12 else 0.0
    return mean, a, e0 * scale, e1 * scale, e2 * scale


@kernel
def flow(s0, s1, s2, mu, lam, linear, y, hardening, least, rate, rate_stress, exponent, full_norm, last, dt):  # type: ignore[no-untyped-def]
    """Flow of one yielding element over dt.

    Returns kept fraction 1 - gamma, slope of the flow stress [Pa], principal stresses P (3), energy density, and the
    yield measure after flow. A kept fraction of 1 means that the element did not flow.
    """
    energy, p0, p1, p2 = principal_stress(s0, s1, s2, mu, lam, linear)
    mean, a, n0, n1, n2 = deviator(s0, s1, s2)
    along = n0 * s0 * p0 + n1 * s1 * p1 + n2 * s2 * p2
    norm = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
    measure = norm if full_norm > 0.5 else ROOT_3_2 * along
    if a <= 1e-12 or measure <= y or mu <= 0.0 or along <= 0.0:
        return 1.0, 0.0, p0, p1, p2, energy, max(measure, 0.0)
    k = rate * dt
    if full_norm > 0.5:
        capacity, _ = flow_capacity(norm / ROOT_3_2, k, rate_stress, exponent)
        ratio = 1.0 - capacity / (1.0 + capacity) * (norm - y) / norm
        _, stiffness = directed_stress(mean, ratio * a, n0, n1, n2, mu, lam, linear)
        slope = max(stiffness, mu) * ratio / (1.0 - ratio) if ratio < 1.0 else 1e30
    else:
        hard, y_dir, least_dir = hardening * 2.0 / 3.0, ROOT_2_3 * y, ROOT_2_3 * least
        stiffened = rate_stress > 0.0 and last > rate_stress
        b = flow_root(
            a, mean, n0, n1, n2, mu, lam, linear, y_dir, hard, least_dir, k, rate_stress, exponent, stiffened
        )  # fmt: skip
        ratio = b / a
        stress, _ = directed_stress(mean, b, n0, n1, n2, mu, lam, linear)
        capacity, fall = flow_capacity(stress, k, rate_stress, exponent)
        now = max(y_dir + hard * (a - b), least_dir)
        hard = hard if y_dir + hard * (a - b) > least_dir else 0.0
        give = (capacity + (stress - now) * fall) / (2.0 * mu)
        slope = (1.0 + hard * capacity / (2.0 * mu)) / give if give > 1e-30 else 1e30
    t0, t1, t2, stress, elastic = relaxed_stress(mean, a, ratio, n0, n1, n2, mu, lam, linear)
    spent = (1.0 - ratio) * a * 0.5 * (stress + ROOT_2_3 * y)
    after = ROOT_3_2 * stress
    if full_norm > 0.5:
        after = np.sqrt((t0 / s0) ** 2 + (t1 / s1) ** 2 + (t2 / s2) ** 2)
    return ratio, slope, t0 / s0, t1 / s1, t2 / s2, elastic + spent, after


@kernel
def flow_hessian(s0, s1, s2, ratio, slope, mu, lam, linear):  # type: ignore[no-untyped-def]
    """Second derivatives by the trial stretches of the flowing element's energy: 00, 11, 22, 01, 02, 12.

    With A = I - gamma (D - n n^T) (D the deviatoric projector), T the stiffness in log stretches at b:
    W_ee = A T A + gamma/a (tau_r n^T + n tau_r^T + (tau . n)(D - n n^T)) - q q^T / (n.T n + slope),
    q = tau_r / a + A T n, tau_r the part of tau off n; then from log to plain stretches.
    """
    mean, a, n0, n1, n2 = deviator(s0, s1, s2)
    n = (n0, n1, n2)
    b = ratio * a
    t0, t1, t2, h00, h11, h22, h01, h02, h12 = log_stiffness(
        np.exp(mean + b * n0), np.exp(mean + b * n1), np.exp(mean + b * n2), mu, lam, linear
    )
    tau = (t0, t1, t2)
    stiff = ((h00, h01, h02), (h01, h11, h12), (h02, h12, h22))
    average = (t0 + t1 + t2) / 3.0
    along = n0 * t0 + n1 * t1 + n2 * t2
    gamma = 1.0 - ratio
    off = np.empty((3, 3))
    push = np.empty((3, 3))
    rest = np.empty(3)
    for i in range(3):
        rest[i] = tau[i] - average - along * n[i]
        for j in range(3):
            off[i, j] = (1.0 if i == j else 0.0) - 1.0 / 3.0 - n[i] * n[j]
            push[i, j] = (1.0 if i == j else 0.0) - gamma * off[i, j]
    through = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                through[i, j] += push[i, k] * stiff[k][j]
    q = np.empty(3)
    directed = 0.0
    for i in range(3):
        q[i] = rest[i] / a + through[i, 0] * n0 + through[i, 1] * n1 + through[i, 2] * n2
        directed += n[i] * (stiff[i][0] * n0 + stiff[i][1] * n1 + stiff[i][2] * n2)
    below = max(directed + slope, 1e-3 * mu)
    out = np.empty((3, 3))
    s = (s0, s1, s2)
    for i in range(3):
        for j in range(3):
            value = gamma / a * (rest[i] * n[j] + n[i] * rest[j] + along * off[i, j]) - q[i] * q[j] / below
            for k in range(3):
                value += through[i, k] * push[k, j]
            out[i, j] = value / (s[i] * s[j])
        out[i, i] -= (tau[i] - gamma * rest[i]) / (s[i] * s[i])
    return out[0, 0], out[1, 1], out[2, 2], out[0, 1], out[0, 2], out[1, 2]

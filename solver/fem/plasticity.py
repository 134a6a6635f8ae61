"""Viscoplastic flow inside the implicit step: Bargteil 2007 eqs 7-12 as a backward Euler return in log stretches.

With e = log of the trial stretches, m their mean, a n the deviator (|n| = 1), flow shrinks a to b = (1 - gamma) a,
which is Bargteil's F_p = (F*)^gamma and keeps the volume. b is where the stress along n meets the flow law,

    g(b) = n . tau(m + b n),     (g(b) - Y') k / 2mu = a - b,     k = rate dt,     Y' = sqrt(2/3) (Y + H plastic strain)

that is g = Y' + (g_trial - Y')/(1 + k) for small strains. It is the minimum over b of
psi(m + b n) + Y' p + mu/k p^2 over the plastic log strain p = a - b, an energy of the trial strain, so Newton has a
potential to go down on:

    tau* = mean(tau) + (tau . n) n + (1 - gamma) (rest of tau)          (the rest vanishes when tau is along n)

A rate that falls with stress, rate / (1 + (s/s0)^n), can leave up to three roots: the lowest is taken by a tet that has
not stiffened yet and the highest by one that has, so a blow that overruns the flow meets a solid (Bargteil fig. 8).
"""

import numpy as np

from ..jit import inline, kernel
from .elasticity import log_stiffness, principal_stress

SMALLEST_STRETCH = 0.05  # claim B26: no flow in elements flatter than this
MAXIMUM_ITERATIONS = 60
SCAN = 12
ROOT_3_2 = float(np.sqrt(1.5))
ROOT_2_3 = float(np.sqrt(2.0 / 3.0))


@inline
def exponential(x):  # type: ignore[no-untyped-def]
    """exp(x) from products and one quotient, so that it can be vectorised: 1e-13 to |x| = 1, 1e-9 to |x| = 3."""
    y = min(max(x, -16.0), 16.0) * 0.0625
    y2 = y * y
    r = (120.0 + 12.0 * y2 + y * (60.0 + y2)) / (120.0 + 12.0 * y2 - y * (60.0 + y2))
    r = r * r
    r = r * r
    r = r * r
    return r * r


@inline
def directed_stress(p, s0, s1, s2, n0, n1, n2, mu, lam, linear):  # type: ignore[no-untyped-def]
    """g and dg/db after a plastic log strain p: the Kirchhoff stress along n and its slope; s the trial stretches."""
    s0, s1, s2 = s0 * exponential(-p * n0), s1 * exponential(-p * n1), s2 * exponential(-p * n2)
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
def flow_residual(p, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent):  # type: ignore[no-untyped-def]
    """(g - Y') k/2mu - p and its derivative by p, falling from the trial state (p = 0) on."""
    g, slope = directed_stress(p, s0, s1, s2, n0, n1, n2, mu, lam, linear)
    capacity, fall = flow_capacity(g, k, rate_stress, exponent)
    yield_now = y + hard * p
    clamped = yield_now < least
    over = g - (least if clamped else yield_now)
    rise = 0.0 if clamped else hard
    return over * capacity / (2.0 * mu) - p, (-(slope + rise) * capacity - over * fall * slope) / (2.0 * mu) - 1.0


@inline
def flow_iteration(p, low, high, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k):  # type: ignore[no-untyped-def]
    """One safe Newton iteration for a constant rate: p and its bracket."""
    value, slope = flow_residual(p, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k, 0.0, 0.0)
    low = p if value > 0.0 else low
    high = high if value > 0.0 else p
    trial = p - value / (slope if slope < 0.0 else -1.0)
    inside = (trial >= low) & (trial <= high)
    return (trial if inside else 0.5 * (low + high)), low, high


@kernel
def flow_root(a, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent, stiffened):  # type: ignore[no-untyped-def]
    """The p in [0, a] where the residual changes sign, by a scan and safe Newton.

    Several roots are possible, and worth the scan, only where x/(1 + x^n) falls more steeply than 1/k: by (n - 1)^2/4n.
    """
    low, high = 0.0, a
    if rate_stress > 0.0 and exponent > 1.0 and k * (exponent - 1.0) ** 2 > 4.0 * exponent:
        for i in range(1, SCAN):
            p = a * (i if stiffened else SCAN - i) / SCAN
            value, _ = flow_residual(p, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent)
            if stiffened and value <= 0.0:
                high = p
                break
            if not stiffened and value > 0.0:
                low = p
                break
            if stiffened:
                low = p
            else:
                high = p
    p = low
    for _ in range(MAXIMUM_ITERATIONS):
        value, slope = flow_residual(p, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent)
        low = p if value > 0.0 else low
        high = high if value > 0.0 else p
        trial = p - value / slope if slope < 0.0 else -1.0
        trial = trial if low <= trial <= high else 0.5 * (low + high)
        if abs(trial - p) <= 1e-11 * a:
            return trial
        p = trial
    return p


@inline
def deviator(s0, s1, s2):  # type: ignore[no-untyped-def]
    """Size and direction of the deviator of the log stretches: a, n0, n1, n2 (all zero when there is none)."""
    e0, e1, e2 = np.log(s0), np.log(s1), np.log(s2)
    mean = (e0 + e1 + e2) / 3.0
    e0, e1, e2 = e0 - mean, e1 - mean, e2 - mean
    a = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if a <= 1e-12:
        return 0.0, 0.0, 0.0, 0.0
    return a, e0 / a, e1 / a, e2 / a


@inline
def flow_outcome(p, a, s0, s1, s2, n0, n1, n2, mu, lam, linear, y_directed):  # type: ignore[no-untyped-def]
    """Principal stresses P (3), energy density and directed stress after flowing p."""
    e0, e1, e2 = s0 * exponential(-p * n0), s1 * exponential(-p * n1), s2 * exponential(-p * n2)
    energy, p0, p1, p2 = principal_stress(e0, e1, e2, mu, lam, linear)
    t0, t1, t2 = e0 * p0, e1 * p1, e2 * p2
    average = (t0 + t1 + t2) / 3.0
    along = n0 * t0 + n1 * t1 + n2 * t2
    gamma = p / (a if a > 0.0 else 1.0)
    return (
        (t0 - gamma * (t0 - average - along * n0)) / s0,
        (t1 - gamma * (t1 - average - along * n1)) / s1,
        (t2 - gamma * (t2 - average - along * n2)) / s2,
        energy + 0.5 * p * (along + y_directed),
        along,
    )


@kernel
def special_flow(a, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent, full_norm, last):  # type: ignore[no-untyped-def]
    """Flow p and its stress slope where the rate falls with stress, or the paper's norm is the measure (eq 10)."""
    if full_norm > 0.5:
        _, p0, p1, p2 = principal_stress(s0, s1, s2, mu, lam, linear)
        norm = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
        capacity, _ = flow_capacity(norm / ROOT_3_2, k, rate_stress, exponent)
        p = a * capacity / (1.0 + capacity) * max(norm - y / ROOT_2_3, 0.0) / norm
        _, stiffness = directed_stress(p, s0, s1, s2, n0, n1, n2, mu, lam, linear)
        return p, (max(stiffness, mu) * (a - p) / p if p > 0.0 else 1e30)
    stiffened = rate_stress > 0.0 and last > rate_stress
    p = flow_root(a, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k, rate_stress, exponent, stiffened)
    stress, _ = directed_stress(p, s0, s1, s2, n0, n1, n2, mu, lam, linear)
    capacity, fall = flow_capacity(stress, k, rate_stress, exponent)
    clamped = y + hard * p < least
    give = (capacity + (stress - (least if clamped else y + hard * p)) * fall) / (2.0 * mu)
    rise = 0.0 if clamped else hard
    return p, ((1.0 + rise * capacity / (2.0 * mu)) / give if give > 1e-30 else 1e30)


@inline
def flow_hessian(p, slope, a, s0, s1, s2, n0, n1, n2, p0, p1, p2, mu, lam, linear):  # type: ignore[no-untyped-def]
    """Second derivatives by the trial stretches of the flowing element's energy: 00, 11, 22, 01, 02, 12.

    With A = I - gamma (D - n n^T) (D the deviatoric projector), T the stiffness in log stretches after flow:
    W_ee = A T A + gamma/a (tau_r n^T + n tau_r^T + (tau . n)(D - n n^T)) - q q^T / (n.T n + slope),
    q = tau_r / a + A T n, tau_r the part of tau off n; then from log to plain stretches.
    """
    size = a if a > 0.0 else 1.0
    gamma = p / size
    t0, t1, t2, h00, h11, h22, h01, h02, h12 = log_stiffness(
        s0 * exponential(-p * n0), s1 * exponential(-p * n1), s2 * exponential(-p * n2), mu, lam, linear
    )
    average = (t0 + t1 + t2) / 3.0
    along = n0 * t0 + n1 * t1 + n2 * t2
    r0, r1, r2 = t0 - average - along * n0, t1 - average - along * n1, t2 - average - along * n2
    third = gamma / 3.0
    kept = 1.0 - gamma + third
    a00, a11, a22 = kept + gamma * n0 * n0, kept + gamma * n1 * n1, kept + gamma * n2 * n2
    a01, a02, a12 = third + gamma * n0 * n1, third + gamma * n0 * n2, third + gamma * n1 * n2
    x00, x01, x02 = a00 * h00 + a01 * h01 + a02 * h02, a00 * h01 + a01 * h11 + a02 * h12, a00 * h02 + a01 * h12 + a02 * h22
    x10, x11, x12 = a01 * h00 + a11 * h01 + a12 * h02, a01 * h01 + a11 * h11 + a12 * h12, a01 * h02 + a11 * h12 + a12 * h22
    x20, x21, x22 = a02 * h00 + a12 * h01 + a22 * h02, a02 * h01 + a12 * h11 + a22 * h12, a02 * h02 + a12 * h12 + a22 * h22
    q0 = r0 / size + x00 * n0 + x01 * n1 + x02 * n2
    q1 = r1 / size + x10 * n0 + x11 * n1 + x12 * n2
    q2 = r2 / size + x20 * n0 + x21 * n1 + x22 * n2
    directed = n0 * n0 * h00 + n1 * n1 * h11 + n2 * n2 * h22 + 2.0 * (n0 * n1 * h01 + n0 * n2 * h02 + n1 * n2 * h12)
    below = 1.0 / max(directed + slope, 1e-3 * mu + 1e-300)
    bend = gamma / size
    w00 = x00 * a00 + x01 * a01 + x02 * a02 + bend * (2.0 * r0 * n0 + along * (2.0 / 3.0 - n0 * n0)) - q0 * q0 * below
    w11 = x10 * a01 + x11 * a11 + x12 * a12 + bend * (2.0 * r1 * n1 + along * (2.0 / 3.0 - n1 * n1)) - q1 * q1 * below
    w22 = x20 * a02 + x21 * a12 + x22 * a22 + bend * (2.0 * r2 * n2 + along * (2.0 / 3.0 - n2 * n2)) - q2 * q2 * below
    w01 = x00 * a01 + x01 * a11 + x02 * a12 + bend * (r0 * n1 + n0 * r1 - along * (1.0 / 3.0 + n0 * n1)) - q0 * q1 * below
    w02 = x00 * a02 + x01 * a12 + x02 * a22 + bend * (r0 * n2 + n0 * r2 - along * (1.0 / 3.0 + n0 * n2)) - q0 * q2 * below
    w12 = x10 * a02 + x11 * a12 + x12 * a22 + bend * (r1 * n2 + n1 * r2 - along * (1.0 / 3.0 + n1 * n2)) - q1 * q2 * below
    return (
        w00 / (s0 * s0) - p0 / s0, w11 / (s1 * s1) - p1 / s1, w22 / (s2 * s2) - p2 / s2,
        w01 / (s0 * s1), w02 / (s0 * s2), w12 / (s1 * s2),
    )  # fmt: skip

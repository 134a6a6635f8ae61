"""Viscoplastic flow inside the implicit step: Bargteil 2007 eqs 7-12 as a backward Euler return in log stretches.

With e = log of the trial stretches, m their mean, a n the deviator (|n| = 1), flow shrinks a to b = (1 - gamma) a,
which is Bargteil's F_p = (F*)^gamma and keeps the volume. b is where the stress along n meets the flow law,

    g(b) = n . tau(m + b n),     (g(b) - Y') k / 2mu = a - b,     k = rate dt,     Y' = sqrt(2/3) (Y + H plastic strain)

that is g = Y' + (g_trial - Y')/(1 + k) for small strains. It is the minimum over b of
psi(m + b n) + Y' p + mu/k p^2 over the plastic log strain p = a - b, an energy of the trial strain, so Newton has a
potential to go down on:

    tau* = mean(tau) + (tau . n) n + (1 - gamma) (rest of tau)          (the rest vanishes when tau is along n)

A rate that falls with stress, rate / (1 + (s/s0)^n), can leave up to three roots: the lowest stress is taken by a tet that
has not stiffened yet and the highest by one that has, so a blow that overruns the flow meets a solid (Bargteil fig. 8).

All functions here take scalars; `flow.py` traces them over tiles (tile_code.py), between calls of the elastic law.
"""

import numpy as np

from ..constants import ONE, THREE, TINY, TWO, ZERO
from ..jit.scalar_math import exponential, logarithm

SMALLEST_STRETCH = np.float32(0.05)  # claim B26: no flow in elements flatter than this
RIGID = 1e15  # times mu: the slope of what does not flow
SMALLEST_DEVIATOR = np.float32(1e-7)  # log strain that counts as none


def directed(stress):  # type: ignore[no-untyped-def]
    """Along the deviator's direction, a von Mises stress is sqrt(2/3) of itself."""
    return stress * 0.816496580927726


def mises(stress):  # type: ignore[no-untyped-def]
    """The von Mises stress of a stress along the deviator's direction."""
    return stress * 1.224744871391589


def deviator(s0, s1, s2):  # type: ignore[no-untyped-def]
    """Size and direction of the deviator of the log stretches: a, n0, n1, n2 (all zero when there is none)."""
    e0, e1, e2 = logarithm(s0), logarithm(s1), logarithm(s2)
    mean = (e0 + e1 + e2) / THREE
    e0, e1, e2 = e0 - mean, e1 - mean, e2 - mean
    a = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    some = a > SMALLEST_DEVIATOR
    scale = (ONE if some else ZERO) / (a if some else a + ONE)
    return (a if some else ZERO * a), e0 * scale, e1 * scale, e2 * scale


def log_stiffness(s0, s1, s2, p0, p1, p2, h00, h11, h22, h01, h02, h12):  # type: ignore[no-untyped-def]
    """Kirchhoff stresses tau_i = s_i P_i and their derivatives by log stretches: 3 + 6 (00, 11, 22, 01, 02, 12)."""
    return (
        s0 * p0, s1 * p1, s2 * p2,
        s0 * s0 * h00 + s0 * p0, s1 * s1 * h11 + s1 * p1, s2 * s2 * h22 + s2 * p2,
        s0 * s1 * h01, s0 * s2 * h02, s1 * s2 * h12,
    )  # fmt: skip


def directed_stress(n0, n1, n2, t0, t1, t2, h00, h11, h22, h01, h02, h12):  # type: ignore[no-untyped-def]
    """g and dg/db: the Kirchhoff stress along n and its slope, from what `log_stiffness` returns."""
    slope = n0 * n0 * h00 + n1 * n1 * h11 + n2 * n2 * h22 + TWO * (n0 * n1 * h01 + n0 * n2 * h02 + n1 * n2 * h12)
    return n0 * t0 + n1 * t1 + n2 * t2, slope


def flow_capacity(stress, k, rate_stress, exponent):  # type: ignore[no-untyped-def]
    """k at a directed stress, and its derivative by it; k = rate dt falls with the von Mises stress."""
    falls = rate_stress > ZERO
    reference = rate_stress if falls else rate_stress + ONE
    s = mises(max(stress, ZERO)) / reference
    s = min(max(s, 0.01), 100.0)
    power = exponential(exponent * logarithm(s)) if falls else ZERO * s
    below = ONE + power
    slope = -k * exponent * power / (s * below * below) * 1.224744871391589 / reference
    return k / below, slope


def flow_residual(p, g, slope, mu, y, hard, least, k, fall):  # type: ignore[no-untyped-def]
    """(g - Y') k/2mu - p and its derivative by p, falling from the trial state (p = 0) on; `fall` is dk/dg."""
    yield_now = y + hard * p
    clamped = yield_now < least
    over = g - (least if clamped else yield_now)
    rise = hard * (ZERO if clamped else ONE)
    return over * k / (TWO * mu) - p, (-(slope + rise) * k - over * fall * slope) / (TWO * mu) - ONE


def flow_slope(p, g, mu, y, hard, least, k, fall):  # type: ignore[no-untyped-def]
    """Rise of the flow stress per plastic log strain at the root, hardening and viscosity together."""
    yield_now = y + hard * p
    clamped = yield_now < least
    give = (k + (g - (least if clamped else yield_now)) * fall) / (TWO * mu)
    rise = hard * (ZERO if clamped else ONE)
    most = RIGID * mu
    slope = (ONE + rise * k / (TWO * mu)) / (give if give > TINY else ONE)
    return min(slope, most) if give > TINY else most


def relaxed_stress(p, a, s0, s1, s2, n0, n1, n2, t0, t1, t2):  # type: ignore[no-untyped-def]
    """Principal stresses P (3) by the trial stretches s after flowing p, and the directed stress; t the elastic tau."""
    average = (t0 + t1 + t2) / THREE
    along = n0 * t0 + n1 * t1 + n2 * t2
    gamma = p / (a if a > ZERO else ONE)
    return (
        (t0 - gamma * (t0 - average - along * n0)) / s0,
        (t1 - gamma * (t1 - average - along * n1)) / s1,
        (t2 - gamma * (t2 - average - along * n2)) / s2,
        along,
    )


def flow_hessian(p, slope, a, s0, s1, s2, n0, n1, n2, p0, p1, p2, mu, t0, t1, t2, h00, h11, h22, h01, h02, h12):  # type: ignore[no-untyped-def]
    """Second derivatives by the trial stretches of the flowing element's energy: 00, 11, 22, 01, 02, 12.

    With A = I - gamma (D - n n^T) (D the deviatoric projector), T the stiffness in log stretches after flow:
    W_ee = A T A + gamma/a (tau_r n^T + n tau_r^T + (tau . n)(D - n n^T)) - q q^T / (n.T n + slope),
    q = tau_r / a + A T n, tau_r the part of tau off n; then from log to plain stretches.
    """
    size = a if a > ZERO else ONE
    gamma = p / size
    average = (t0 + t1 + t2) / THREE
    along = n0 * t0 + n1 * t1 + n2 * t2
    r0, r1, r2 = t0 - average - along * n0, t1 - average - along * n1, t2 - average - along * n2
    third = gamma / THREE
    kept = ONE - gamma + third
    a00, a11, a22 = kept + gamma * n0 * n0, kept + gamma * n1 * n1, kept + gamma * n2 * n2
    a01, a02, a12 = third + gamma * n0 * n1, third + gamma * n0 * n2, third + gamma * n1 * n2
    x00, x01, x02 = a00 * h00 + a01 * h01 + a02 * h02, a00 * h01 + a01 * h11 + a02 * h12, a00 * h02 + a01 * h12 + a02 * h22
    x10, x11, x12 = a01 * h00 + a11 * h01 + a12 * h02, a01 * h01 + a11 * h11 + a12 * h12, a01 * h02 + a11 * h12 + a12 * h22
    x20, x21, x22 = a02 * h00 + a12 * h01 + a22 * h02, a02 * h01 + a12 * h11 + a22 * h12, a02 * h02 + a12 * h12 + a22 * h22
    q0 = r0 / size + x00 * n0 + x01 * n1 + x02 * n2
    q1 = r1 / size + x10 * n0 + x11 * n1 + x12 * n2
    q2 = r2 / size + x20 * n0 + x21 * n1 + x22 * n2
    steep = n0 * n0 * h00 + n1 * n1 * h11 + n2 * n2 * h22 + TWO * (n0 * n1 * h01 + n0 * n2 * h02 + n1 * n2 * h12)
    below = ONE / max(steep + slope, 1e-3 * mu + TINY)
    bend = gamma / size
    two_thirds, one_third = 2.0 / 3.0, 1.0 / 3.0
    w00 = x00 * a00 + x01 * a01 + x02 * a02 + bend * (TWO * r0 * n0 + along * (two_thirds - n0 * n0)) - q0 * q0 * below
    w11 = x10 * a01 + x11 * a11 + x12 * a12 + bend * (TWO * r1 * n1 + along * (two_thirds - n1 * n1)) - q1 * q1 * below
    w22 = x20 * a02 + x21 * a12 + x22 * a22 + bend * (TWO * r2 * n2 + along * (two_thirds - n2 * n2)) - q2 * q2 * below
    w01 = x00 * a01 + x01 * a11 + x02 * a12 + bend * (r0 * n1 + n0 * r1 - along * (one_third + n0 * n1)) - q0 * q1 * below
    w02 = x00 * a02 + x01 * a12 + x02 * a22 + bend * (r0 * n2 + n0 * r2 - along * (one_third + n0 * n2)) - q0 * q2 * below
    w12 = x10 * a02 + x11 * a12 + x12 * a22 + bend * (r1 * n2 + n1 * r2 - along * (one_third + n1 * n2)) - q1 * q2 * below
    return (
        w00 / (s0 * s0) - p0 / s0, w11 / (s1 * s1) - p1 / s1, w22 / (s2 * s2) - p2 / s2,
        w01 / (s0 * s1), w02 / (s0 * s2), w12 / (s1 * s2),
    )  # fmt: skip

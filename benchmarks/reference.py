"""The converged run: an explicit integrator so plain that it can be read, sharing no code with the solver.

Nodes with lumped masses, linear tets, one energy density of F, a spring-like ground: m x'' = f(x), solved by velocity
Verlet (Stoermer; second order, symplectic). The ball is soft, so explicit steps of some 10^-5 s are affordable, and the only
error left is that of the step: it is measured by a second run with half the step. Nothing here is iterative but the polar
decomposition, which is Newton's iteration to 1e-14 (Higham 1986).

Energies per rest volume, mu and lambda Lame's parameters:
  stable_neo_hookean : m/2 (I - 3) - m/2 log((I + 1)/4) - 3m/4 (J - 1) + k/2 (J - 1)^2, I = |F|^2, m = 4/3 mu,
                       k = lambda + 5/6 mu                    (Smith et al. 2018 eq 14, what Dollop has)
  without_logarithm  : mu/2 (I - 3) + l/2 (J - a)^2, l = lambda + mu, a = 1 + mu/l    (its eq 13, what newton has)
  corotated          : mu |S - 1|^2 + lambda/2 (J - 1)^2, F = R S                     (Dollop's first default)
Ground laws, with gap z and reach r, force upwards on every node:
  spring  : k (r - z) below z = r                                                        (newton)
  barrier : with u = 1 - z/r, k r u^2 up to u = 1/2, then k r (u - 1/4)                  (Dollop, contact/response.py)
"""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray
from scene import FRAME_RATE, FRAMES, GRAVITY, LAMBDA, MU, SPEED, Ball

Array = NDArray[np.float64]

ENERGIES = {"without_logarithm": 0, "corotated": 1, "stable_neo_hookean": 2}
GROUNDS = {"spring": 0, "barrier": 1}


@dataclass(frozen=True)
class Ground:
    """law: a key of GROUNDS; stiffness (n,) of each node [N/m], reach [m]."""

    law: str
    stiffness: Array
    reach: float


_inline = numba.njit(cache=True, inline="always", error_model="numpy")


@_inline
def _cofactor(f):  # type: ignore[no-untyped-def]
    """The cofactor matrix of f, both as 9 numbers, row by row."""
    return (
        f[4] * f[8] - f[5] * f[7], f[5] * f[6] - f[3] * f[8], f[3] * f[7] - f[4] * f[6],
        f[2] * f[7] - f[1] * f[8], f[0] * f[8] - f[2] * f[6], f[1] * f[6] - f[0] * f[7],
        f[1] * f[5] - f[2] * f[4], f[2] * f[3] - f[0] * f[5], f[0] * f[4] - f[1] * f[3],
    )  # fmt: skip


@_inline
def _determinant(f, c):  # type: ignore[no-untyped-def]
    return f[0] * c[0] + f[1] * c[1] + f[2] * c[2]


@_inline
def _combined(a, f, b, g):  # type: ignore[no-untyped-def]
    """a f + b g."""
    return (
        a * f[0] + b * g[0], a * f[1] + b * g[1], a * f[2] + b * g[2], a * f[3] + b * g[3], a * f[4] + b * g[4],
        a * f[5] + b * g[5], a * f[6] + b * g[6], a * f[7] + b * g[7], a * f[8] + b * g[8],
    )  # fmt: skip


@_inline
def _squares(f):  # type: ignore[no-untyped-def]
    """|F|^2."""
    total = 0.0
    for k in range(9):
        total += f[k] * f[k]
    return total


@numba.njit(cache=True, error_model="numpy")
def rotation(f):  # type: ignore[no-untyped-def]
    """R of F = R S for det F > 0: Newton's iteration R := (R + R^-T)/2, whose error is squared by every turn."""
    for _ in range(60):
        c = _cofactor(f)
        after = _combined(0.5, f, 0.5 / _determinant(f, c), c)
        change = 0.0
        for k in range(9):
            change = max(change, abs(after[k] - f[k]))
        f = after
        if change < 1e-8:
            break
    return f


@numba.njit(cache=True, error_model="numpy")
def stress(f, energy):  # type: ignore[no-untyped-def]
    """First Piola-Kirchhoff stress, 9 numbers [Pa]."""
    c = _cofactor(f)
    j = _determinant(f, c)
    if energy == 0:
        return _combined(MU, f, (LAMBDA + MU) * (j - 1.0 - MU / (LAMBDA + MU)), c)
    if energy == 2:
        m, k = 4.0 / 3.0 * MU, LAMBDA + 5.0 / 6.0 * MU
        return _combined(m * (1.0 - 1.0 / (_squares(f) + 1.0)), f, k * (j - 1.0) - 0.75 * m, c)
    # Turned inside out is out of this reference's scope: nan, which `run` reports.
    turned = _combined(2.0 * MU, f, -2.0 * MU if j > 0.0 else np.nan, rotation(f))
    return _combined(1.0, turned, LAMBDA * (j - 1.0), c)


@numba.njit(cache=True, error_model="numpy")
def _acceleration(x, tets, inverse, volumes, masses, energy, ground, stiffness, reach, a):  # type: ignore[no-untyped-def]
    a[:] = 0.0
    for t in range(len(tets)):
        n0, n1, n2, n3 = tets[t, 0], tets[t, 1], tets[t, 2], tets[t, 3]
        b = inverse[t]
        x0, y0, z0 = x[n0, 0], x[n0, 1], x[n0, 2]
        dx1, dx2, dx3 = x[n1, 0] - x0, x[n2, 0] - x0, x[n3, 0] - x0
        dy1, dy2, dy3 = x[n1, 1] - y0, x[n2, 1] - y0, x[n3, 1] - y0
        dz1, dz2, dz3 = x[n1, 2] - z0, x[n2, 2] - z0, x[n3, 2] - z0
        f = (
            dx1 * b[0] + dx2 * b[3] + dx3 * b[6], dx1 * b[1] + dx2 * b[4] + dx3 * b[7], dx1 * b[2] + dx2 * b[5] + dx3 * b[8],
            dy1 * b[0] + dy2 * b[3] + dy3 * b[6], dy1 * b[1] + dy2 * b[4] + dy3 * b[7], dy1 * b[2] + dy2 * b[5] + dy3 * b[8],
            dz1 * b[0] + dz2 * b[3] + dz3 * b[6], dz1 * b[1] + dz2 * b[4] + dz3 * b[7], dz1 * b[2] + dz2 * b[5] + dz3 * b[8],
        )  # fmt: skip
        p = stress(f, energy)
        for i in range(3):
            p0, p1, p2 = volumes[t] * p[3 * i], volumes[t] * p[3 * i + 1], volumes[t] * p[3 * i + 2]
            f1 = p0 * b[0] + p1 * b[1] + p2 * b[2]
            f2 = p0 * b[3] + p1 * b[4] + p2 * b[5]
            f3 = p0 * b[6] + p1 * b[7] + p2 * b[8]
            a[n0, i] += f1 + f2 + f3
            a[n1, i] -= f1
            a[n2, i] -= f2
            a[n3, i] -= f3
    for i in range(len(x)):
        push = _push(1.0 - x[i, 2] / reach, ground) * stiffness[i] * reach
        a[i, 0] /= masses[i]
        a[i, 1] /= masses[i]
        a[i, 2] = (a[i, 2] + push) / masses[i] - GRAVITY


@_inline
def _push(u, ground):  # type: ignore[no-untyped-def]
    """The ground's force over stiffness and reach."""
    u = max(u, 0.0)
    if ground == 0:
        return u
    return u * u if u <= 0.5 else u - 0.25


@numba.njit(cache=True, error_model="numpy")
def _run(x, v, tets, inverse, volumes, masses, energy, ground, stiffness, reach, dt, steps, frames):  # type: ignore[no-untyped-def]
    out = np.empty((frames + 1, len(x), 3))
    out[0] = x
    a = np.empty_like(x)
    _acceleration(x, tets, inverse, volumes, masses, energy, ground, stiffness, reach, a)
    for frame in range(frames):
        for _ in range(steps):
            v += 0.5 * dt * a
            x += dt * v
            _acceleration(x, tets, inverse, volumes, masses, energy, ground, stiffness, reach, a)
            v += 0.5 * dt * a
        out[frame + 1] = x
    return out


def run(ball: Ball, energy: str, ground: Ground, steps: int, frames: int = FRAMES) -> Array:
    """Positions (frames + 1, n, 3) [m] with `steps` Verlet steps a frame."""
    edges = ball.positions[ball.tets[:, 1:]] - ball.positions[ball.tets[:, :1]]
    velocities = np.zeros_like(ball.positions)
    velocities[:, 2] = -SPEED
    inverse = np.linalg.inv(np.swapaxes(edges, 1, 2)).reshape(-1, 9)
    out: Array = _run(
        ball.positions.copy(), velocities, ball.tets, inverse, ball.volumes, ball.masses,
        ENERGIES[energy], GROUNDS[ground.law], ground.stiffness, ground.reach, 1.0 / (FRAME_RATE * steps), steps, frames,
    )  # fmt: skip
    if not np.isfinite(out).all():
        raise FloatingPointError("The reference run is not finite: its steps are too long, or a tet turned inside out.")
    return out

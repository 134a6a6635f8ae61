"""Flow over the lanes of a tile (formulas: plasticity.py): loops between calls of the elastic law at trial flows."""

import numpy as np

from ..constants import HALF, ONE, THREE, THREE_HALVES, TINY, TWO, ZERO
from ..jit import TILE, kernel
from ..jit.scalar_math import exponential
from ..jit.tile_code import some_lane, tile_loop, tile_question
from ..slots import (
    ENERGY,
    FLOW,
    FLOW_RATE,
    FULL_NORM,
    HIGH,
    LOW,
    MATERIAL,
    MEASURE,
    MISES,
    MU,
    NORM,
    RATE_STRESS,
    ROOM,
    SIZE,
    SLOPE,
    YIELD,
    E,
    H,
    N,
    P,
    Q,
    S,
)
from .calls import run_law
from .flow_lanes import capacity_at, flow_law, read_directed_stress, read_log_stiffness, shear
from .flow_scan import SCAN, begin_scan, leave_scan, narrow, next_in_scan
from .limit_surface import find_room, has_limit
from .phase_table import PROGRAM
from .plasticity import (
    RIGID,
    SMALLEST_STRETCH,
    deviator,
    directed,
    directed_stress,
    flow_hessian,
    flow_residual,
    flow_slope,
    mises,
    relaxed_stress,
)

MOST_ITERATIONS = 60
T = TILE
M = MATERIAL


@kernel
def respond(w, programs, first, last):  # type: ignore[no-untyped-def]
    """Run the tile's elastic laws: energy, stress and second derivatives at the elastic stretches."""
    for k in range(first, last):
        run_law(programs[PROGRAM * k], w, programs[PROGRAM * k + 1], programs[PROGRAM * k + 2])


def flow(w, dt, programs, first, last):  # type: ignore[no-untyped-def]
    """Relax the elements whose yield measure exceeds the yield stress (Bargteil eqs 7-10), of a tile that is `yielding`.

    On entry E = S and the laws have answered; on exit E are the elastic stretches after flow, Q the answer there, and
    H the second derivatives of the energy by the trial stretches.
    """
    _find_directions(w)
    if has_limit(w):
        find_room(w)
    falling = _begin(w, dt)
    if falling:
        begin_scan(w)
        next_in_scan(w, 1 / SCAN)
        for step in range(1, SCAN):
            _flowed_stretches(w)
            respond(w, programs, first, last)
            narrow(w, dt)
            next_in_scan(w, (step + 1) / SCAN)
        leave_scan(w)
    for _ in range(MOST_ITERATIONS):
        _flowed_stretches(w)
        respond(w, programs, first, last)
        if not (_improve_falling(w, dt) if falling else _improve(w, dt)):
            break
    _relax(w, dt)
    _flowing_hessian(w)


@tile_question
def yielding(w):  # type: ignore[no-untyped-def]
    """Mark the lanes that may yield; whether there are any."""
    for i in range(T):
        over = (w[MEASURE * T + i] > w[YIELD * T + i]) & (w[(M + FLOW_RATE) * T + i] > ZERO)
        over &= w[(S + 2) * T + i] > SMALLEST_STRETCH
        w[SIZE * T + i] = ONE if over else ZERO
        some_lane(over)


@tile_loop
def _find_directions(w):  # type: ignore[no-untyped-def]
    """Size and direction of the log deviators of lanes that yield."""
    for i in range(T):
        over = w[SIZE * T + i] > ZERO
        s0, s1, s2 = w[S * T + i], w[(S + 1) * T + i], w[(S + 2) * T + i]
        a, n0, n1, n2 = deviator(s0 if over else ONE, s1 if over else ONE, s2 if over else ONE)
        along = n0 * s0 * w[Q * T + i] + n1 * s1 * w[(Q + 1) * T + i] + n2 * s2 * w[(Q + 2) * T + i]
        enough = (w[(M + FULL_NORM) * T + i] > HALF) | (mises(along) > w[YIELD * T + i])
        w[SIZE * T + i] = a if over & (along > ZERO) & enough else ZERO
        w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i] = n0, n1, n2


@tile_question
def _begin(w, dt):  # type: ignore[no-untyped-def]
    """First guess and bracket of every lane's flow; True if a rate falls with stress somewhere.

    The paper's norm (eq 10) sets the flow by the trial stress alone, so there the bracket has no width.
    """
    for i in range(T):
        a = w[SIZE * T + i]
        y, hard, least, k = flow_law(w, i, dt)
        mu = shear(w, i)
        g, slope = read_directed_stress(w, i)
        p = max(g - y, ZERO) * k / (TWO * mu + k * max(slope + hard, mu))
        room = w[ROOM * T + i]
        p = room if room < a else min(p, HALF * a)
        q0, q1, q2 = w[Q * T + i], w[(Q + 1) * T + i], w[(Q + 2) * T + i]
        norm = np.sqrt(q0 * q0 + q1 * q1 + q2 * q2)
        full = w[(M + FULL_NORM) * T + i] > HALF
        capacity, _ = capacity_at(w, i, directed(norm), k)
        printed = a * capacity / (ONE + capacity) * max(norm - w[YIELD * T + i], ZERO) / max(norm, TINY)
        p = min(printed, room) if full else p
        w[FLOW * T + i], w[LOW * T + i], w[HIGH * T + i] = p, (p if full else ZERO), (p if full else room)
        some_lane((w[(M + RATE_STRESS) * T + i] > ZERO) & (a > ZERO) & ~full)


@tile_loop
def _flowed_stretches(w):  # type: ignore[no-untyped-def]
    """E = S exp(-p n)."""
    for i in range(T):
        p = -w[FLOW * T + i]
        w[E * T + i] = w[S * T + i] * exponential(p * w[N * T + i])
        w[(E + 1) * T + i] = w[(S + 1) * T + i] * exponential(p * w[(N + 1) * T + i])
        w[(E + 2) * T + i] = w[(S + 2) * T + i] * exponential(p * w[(N + 2) * T + i])


def _newton(w, i, value, slope):  # type: ignore[no-untyped-def]
    """One safe Newton iteration of a lane; whether it still moved. One that has settled stays where the laws answered."""
    p, low, high = w[FLOW * T + i], w[LOW * T + i], w[HIGH * T + i]
    low = p if value > ZERO else low
    high = high if value > ZERO else p
    trial = p - value / (slope if slope < ZERO else -ONE)
    trial = trial if (trial >= low) & (trial <= high) & (slope < ZERO) else HALF * (low + high)
    trial = trial if w[(M + FULL_NORM) * T + i] < HALF else p
    settled = 2e-6 if w.itemsize == 4 else 1e-11
    moves = abs(trial - p) > settled * w[SIZE * T + i]
    w[LOW * T + i], w[HIGH * T + i] = low, high
    w[FLOW * T + i] = trial if moves else p
    return moves


@tile_question
def _improve(w, dt):  # type: ignore[no-untyped-def]
    """One iteration of every lane for constant rates; whether one still moves."""
    for i in range(T):
        y, hard, least, k = flow_law(w, i, dt)
        g, slope = read_directed_stress(w, i)
        value, steep = flow_residual(w[FLOW * T + i], g, slope, shear(w, i), y, hard, least, k, ZERO * k)
        some_lane(_newton(w, i, value, steep))


@tile_question
def _improve_falling(w, dt):  # type: ignore[no-untyped-def]
    """The same where rates fall with stress."""
    for i in range(T):
        y, hard, least, k = flow_law(w, i, dt)
        g, slope = read_directed_stress(w, i)
        capacity, fall = capacity_at(w, i, g, k)
        value, steep = flow_residual(w[FLOW * T + i], g, slope, shear(w, i), y, hard, least, capacity, fall)
        some_lane(_newton(w, i, value, steep))


@tile_loop
def _relax(w, dt):  # type: ignore[no-untyped-def]
    """Stress, energy, yield measure and slope of the lanes that flow."""
    for i in range(T):
        flows = w[SIZE * T + i] > ZERO
        p, mu = w[FLOW * T + i], shear(w, i)
        n0, n1, n2 = w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i]
        t0, t1, t2, h00, h11, h22, h01, h02, h12 = read_log_stiffness(w, i)
        p0, p1, p2, along = relaxed_stress(
            p, w[SIZE * T + i], w[S * T + i] if flows else ONE, w[(S + 1) * T + i] if flows else ONE,
            w[(S + 2) * T + i] if flows else ONE, n0, n1, n2, t0, t1, t2,
        )  # fmt: skip
        y, hard, least, k = flow_law(w, i, dt)
        capacity, fall = capacity_at(w, i, along, k)
        _, steep = directed_stress(n0, n1, n2, t0, t1, t2, h00, h11, h22, h01, h02, h12)
        full = w[(M + FULL_NORM) * T + i] > HALF
        printed = max(steep, mu) * (w[SIZE * T + i] - p) / max(p, TINY)
        stopped = (w[ROOM * T + i] < w[SIZE * T + i]) & (p >= w[ROOM * T + i])
        slope = printed if full else flow_slope(p, along, mu, y, hard, least, capacity, fall)
        w[SLOPE * T + i] = RIGID * mu if stopped else slope
        spent = min(along, max(y + hard * p, least) + TWO * mu * p / capacity) if stopped else along
        norm = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
        measure = norm if full else mises(along)
        r0, r1, r2 = p0 * w[S * T + i], p1 * w[(S + 1) * T + i], p2 * w[(S + 2) * T + i]
        average = (r0 + r1 + r2) / THREE
        r0, r1, r2 = r0 - average, r1 - average, r2 - average
        stress = np.sqrt(THREE_HALVES * (r0 * r0 + r1 * r1 + r2 * r2))
        w[P * T + i] = p0 if flows else w[P * T + i]
        w[(P + 1) * T + i] = p1 if flows else w[(P + 1) * T + i]
        w[(P + 2) * T + i] = p2 if flows else w[(P + 2) * T + i]
        w[ENERGY * T + i] += HALF * p * (spent + y) if flows else ZERO
        w[MEASURE * T + i] = measure if flows else w[MEASURE * T + i]
        w[MISES * T + i] = stress if flows else w[MISES * T + i]
        w[NORM * T + i] = norm if flows else w[NORM * T + i]


@tile_loop
def _flowing_hessian(w):  # type: ignore[no-untyped-def]
    """Second derivatives by the trial stretches, through the flow, of the lanes that flow; the others keep the law's."""
    for i in range(T):
        flows = w[SIZE * T + i] > ZERO
        t0, t1, t2, h00, h11, h22, h01, h02, h12 = read_log_stiffness(w, i)
        d = flow_hessian(
            w[FLOW * T + i], w[SLOPE * T + i], w[SIZE * T + i], w[S * T + i] if flows else ONE,
            w[(S + 1) * T + i] if flows else ONE, w[(S + 2) * T + i] if flows else ONE,
            w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i], w[P * T + i], w[(P + 1) * T + i], w[(P + 2) * T + i],
            w[(MATERIAL + MU) * T + i], t0, t1, t2, h00, h11, h22, h01, h02, h12,
        )  # fmt: skip
        for k in range(6):
            w[(H + k) * T + i] = d[k] if flows else w[(H + k) * T + i]

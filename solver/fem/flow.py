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
    FLOW_STRESS,
    FULL_NORM,
    HARDENING,
    HIGH,
    LOW,
    MATERIAL,
    MEASURE,
    MINIMUM_YIELD,
    MISES,
    MU,
    NORM,
    RATE_EXPONENT,
    RATE_STRESS,
    ROOM,
    SIZE,
    SLOPE,
    STRESS_TIME,
    YIELD,
    E,
    H,
    N,
    P,
    Q,
    S,
)
from .laws import run_phase
from .limit_surface import find_room, has_limit
from .plasticity import (
    RIGID,
    SMALLEST_STRETCH,
    deviator,
    directed,
    directed_stress,
    flow_capacity,
    flow_residual,
    flow_slope,
    log_stiffness,
    mises,
    relaxed_stress,
)

RETURNED = np.float32(1e6)  # rate times step at an infinite rate: what is over the yield surface falls to a millionth
ENDLESS = np.float32(1e30)  # less than infinite and more than any rate times step
MOST_RELAXATION = np.float32(30.0)  # rate times step: what lasts 3 % of a step is over in it; more leaves no viscosity at all
MOST_ITERATIONS = 60
SCAN = 12  # trial flows looked at where there may be several roots
T = TILE
M = MATERIAL


@kernel
def respond(w, programs, first, last):  # type: ignore[no-untyped-def]
    """Run the tile's elastic laws: energy, stress and second derivatives at the elastic stretches."""
    for k in range(first, last):
        run_phase(programs[k, 0], w, programs[k, 1], programs[k, 2])


@kernel
def flow(w, dt, programs, first, last):  # type: ignore[no-untyped-def]
    """Relax the elements whose yield measure exceeds the yield stress (Bargteil eqs 7-10).

    On entry E = S and the laws have answered; on exit E are the elastic stretches after flow, Q and H the answers there.
    """
    if not _yielding(w):
        return
    _find_directions(w)
    if has_limit(w):
        find_room(w)
    falling = _begin(w, dt)
    if falling:
        _begin_scan(w)
        _next_in_scan(w, 1 / SCAN)
        for step in range(1, SCAN):
            _flowed_stretches(w)
            respond(w, programs, first, last)
            _narrow(w, dt)
            _next_in_scan(w, (step + 1) / SCAN)
        _leave_scan(w)
    for _ in range(MOST_ITERATIONS):
        _flowed_stretches(w)
        respond(w, programs, first, last)
        if not (_improve_falling(w, dt) if falling else _improve(w, dt)):
            break
    _relax(w, dt)


@tile_question
def _yielding(w):  # type: ignore[no-untyped-def]
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


def _flow_law(w, i, dt):  # type: ignore[no-untyped-def]
    """Along the deviator's direction: yield stress, hardening, least yield stress [Pa], and rate times dt."""
    gated, rate = w[(M + STRESS_TIME) * T + i] > HALF, w[(M + FLOW_RATE) * T + i]
    return (
        directed(w[YIELD * T + i]),
        (ZERO if gated else w[(M + HARDENING) * T + i]) * (2.0 / 3.0),
        directed(w[(M + MINIMUM_YIELD) * T + i]),
        RETURNED if rate > ENDLESS else min(rate * dt, MOST_RELAXATION),
    )


def _shear(w, i):  # type: ignore[no-untyped-def]
    """mu [Pa], never zero."""
    return max(w[(M + MU) * T + i], TINY)


def _log_stiffness(w, i):  # type: ignore[no-untyped-def]
    """tau and its derivatives by log stretches at the elastic stretches."""
    return log_stiffness(
        w[E * T + i], w[(E + 1) * T + i], w[(E + 2) * T + i], w[Q * T + i], w[(Q + 1) * T + i], w[(Q + 2) * T + i],
        w[H * T + i], w[(H + 1) * T + i], w[(H + 2) * T + i], w[(H + 3) * T + i], w[(H + 4) * T + i], w[(H + 5) * T + i],
    )  # fmt: skip


def _directed_stress(w, i):  # type: ignore[no-untyped-def]
    """g and dg/db at the elastic stretches."""
    t0, t1, t2, h00, h11, h22, h01, h02, h12 = _log_stiffness(w, i)
    return directed_stress(
        w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i], t0, t1, t2, h00, h11, h22, h01, h02, h12
    )


def _capacity(w, i, g, k):  # type: ignore[no-untyped-def]
    """k at a directed stress, and its slope."""
    return flow_capacity(g, k, w[(M + RATE_STRESS) * T + i], w[(M + RATE_EXPONENT) * T + i])


@tile_question
def _begin(w, dt):  # type: ignore[no-untyped-def]
    """First guess and bracket of every lane's flow; True if a rate falls with stress somewhere.

    The paper's norm (eq 10) sets the flow by the trial stress alone, so there the bracket has no width.
    """
    for i in range(T):
        a = w[SIZE * T + i]
        y, hard, least, k = _flow_law(w, i, dt)
        mu = _shear(w, i)
        g, slope = _directed_stress(w, i)
        p = max(g - y, ZERO) * k / (TWO * mu + k * max(slope + hard, mu))
        room = w[ROOM * T + i]
        p = room if room < a else min(p, HALF * a)
        q0, q1, q2 = w[Q * T + i], w[(Q + 1) * T + i], w[(Q + 2) * T + i]
        norm = np.sqrt(q0 * q0 + q1 * q1 + q2 * q2)
        full = w[(M + FULL_NORM) * T + i] > HALF
        capacity, _ = _capacity(w, i, directed(norm), k)
        printed = a * capacity / (ONE + capacity) * max(norm - w[YIELD * T + i], ZERO) / max(norm, TINY)
        p = min(printed, room) if full else p
        w[FLOW * T + i], w[LOW * T + i], w[HIGH * T + i] = p, (p if full else ZERO), (p if full else room)
        some_lane((w[(M + RATE_STRESS) * T + i] > ZERO) & (a > ZERO) & ~full)


@tile_loop
def _begin_scan(w):  # type: ignore[no-untyped-def]
    """No lane is done."""
    for i in range(T):
        w[SLOPE * T + i] = ZERO


def _stiffened(w, i):  # type: ignore[no-untyped-def]
    """Whether the tet was beyond its thickening stress at the end of the last step."""
    return w[FLOW_STRESS * T + i] > w[(M + RATE_STRESS) * T + i]


def _scanned(w, i):  # type: ignore[no-untyped-def]
    """Whether the lane's root is still looked for."""
    falls = (w[(M + RATE_STRESS) * T + i] > ZERO) & (w[(M + FULL_NORM) * T + i] < HALF)
    return falls & (w[SIZE * T + i] > ZERO) & (w[SLOPE * T + i] == ZERO)


@tile_loop
def _next_in_scan(w, share):  # type: ignore[no-untyped-def]
    """Put lanes that are scanned at their next trial flow: upwards from none where one has stiffened, else downwards."""
    for i in range(T):
        there = w[ROOM * T + i] * (share if _stiffened(w, i) else ONE - share)
        w[FLOW * T + i] = there if _scanned(w, i) else w[FLOW * T + i]


@tile_loop
def _narrow(w, dt):  # type: ignore[no-untyped-def]
    """Narrow the brackets by the residuals' signs at the trial flows; SLOPE notes which are done."""
    for i in range(T):
        y, hard, least, k = _flow_law(w, i, dt)
        g, slope = _directed_stress(w, i)
        capacity, fall = _capacity(w, i, g, k)
        p = w[FLOW * T + i]
        value, _ = flow_residual(p, g, slope, _shear(w, i), y, hard, least, capacity, fall)
        scanned, stiffened, above = _scanned(w, i), _stiffened(w, i), value > ZERO
        w[LOW * T + i] = p if scanned & above else w[LOW * T + i]
        w[HIGH * T + i] = p if scanned & ~above else w[HIGH * T + i]
        w[SLOPE * T + i] = ONE if scanned & (above != stiffened) else w[SLOPE * T + i]


@tile_loop
def _leave_scan(w):  # type: ignore[no-untyped-def]
    """Begin the search in each bracket at its lower end."""
    for i in range(T):
        falls = (w[(M + RATE_STRESS) * T + i] > ZERO) & (w[(M + FULL_NORM) * T + i] < HALF)
        w[FLOW * T + i] = w[LOW * T + i] if falls else w[FLOW * T + i]


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
        y, hard, least, k = _flow_law(w, i, dt)
        g, slope = _directed_stress(w, i)
        value, steep = flow_residual(w[FLOW * T + i], g, slope, _shear(w, i), y, hard, least, k, ZERO * k)
        some_lane(_newton(w, i, value, steep))


@tile_question
def _improve_falling(w, dt):  # type: ignore[no-untyped-def]
    """The same where rates fall with stress."""
    for i in range(T):
        y, hard, least, k = _flow_law(w, i, dt)
        g, slope = _directed_stress(w, i)
        capacity, fall = _capacity(w, i, g, k)
        value, steep = flow_residual(w[FLOW * T + i], g, slope, _shear(w, i), y, hard, least, capacity, fall)
        some_lane(_newton(w, i, value, steep))


@tile_loop
def _relax(w, dt):  # type: ignore[no-untyped-def]
    """Stress, energy, yield measure and slope of the lanes that flow."""
    for i in range(T):
        flows = w[SIZE * T + i] > ZERO
        p, mu = w[FLOW * T + i], _shear(w, i)
        n0, n1, n2 = w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i]
        t0, t1, t2, h00, h11, h22, h01, h02, h12 = _log_stiffness(w, i)
        p0, p1, p2, along = relaxed_stress(
            p, w[SIZE * T + i], w[S * T + i] if flows else ONE, w[(S + 1) * T + i] if flows else ONE,
            w[(S + 2) * T + i] if flows else ONE, n0, n1, n2, t0, t1, t2,
        )  # fmt: skip
        y, hard, least, k = _flow_law(w, i, dt)
        capacity, fall = _capacity(w, i, along, k)
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

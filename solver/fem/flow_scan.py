"""Where a rate falls with stress: brackets of the root that a tet is to take, from trial flows one after another."""

from ..constants import HALF, ONE, ZERO
from ..jit import TILE
from ..jit.tile_code import tile_loop
from ..slots import FLOW, FLOW_STRESS, FULL_NORM, HIGH, LOW, MATERIAL, RATE_STRESS, ROOM, SIZE, SLOPE
from .flow_lanes import capacity_at, flow_law, read_directed_stress, shear
from .plasticity import flow_residual

SCAN = 12  # trial flows looked at where there may be several roots
T = TILE
M = MATERIAL


@tile_loop
def begin_scan(w):  # type: ignore[no-untyped-def]
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
def next_in_scan(w, share):  # type: ignore[no-untyped-def]
    """Put lanes that are scanned at their next trial flow: upwards from none where one has stiffened, else downwards."""
    for i in range(T):
        there = w[ROOM * T + i] * (share if _stiffened(w, i) else ONE - share)
        w[FLOW * T + i] = there if _scanned(w, i) else w[FLOW * T + i]


@tile_loop
def narrow(w, dt):  # type: ignore[no-untyped-def]
    """Narrow the brackets by the residuals' signs at the trial flows; SLOPE notes which are done."""
    for i in range(T):
        y, hard, least, k = flow_law(w, i, dt)
        g, slope = read_directed_stress(w, i)
        capacity, fall = capacity_at(w, i, g, k)
        p = w[FLOW * T + i]
        value, _ = flow_residual(p, g, slope, shear(w, i), y, hard, least, capacity, fall)
        scanned, stiffened, above = _scanned(w, i), _stiffened(w, i), value > ZERO
        w[LOW * T + i] = p if scanned & above else w[LOW * T + i]
        w[HIGH * T + i] = p if scanned & ~above else w[HIGH * T + i]
        w[SLOPE * T + i] = ONE if scanned & (above != stiffened) else w[SLOPE * T + i]


@tile_loop
def leave_scan(w):  # type: ignore[no-untyped-def]
    """Begin the search in each bracket at its lower end."""
    for i in range(T):
        falls = (w[(M + RATE_STRESS) * T + i] > ZERO) & (w[(M + FULL_NORM) * T + i] < HALF)
        w[FLOW * T + i] = w[LOW * T + i] if falls else w[FLOW * T + i]

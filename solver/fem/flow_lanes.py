"""What the loops of the flow read of a lane: its flow law, and the stress along its direction of flow."""

import numpy as np

from ..constants import HALF, TINY, ZERO
from ..jit import TILE
from ..slots import (
    FLOW_RATE,
    HARDENING,
    MATERIAL,
    MINIMUM_YIELD,
    MU,
    RATE_EXPONENT,
    RATE_STRESS,
    STRESS_TIME,
    YIELD,
    E,
    H,
    N,
    Q,
)
from .lanes import read
from .plasticity import directed, directed_stress, flow_capacity, log_stiffness

RETURNED = np.float32(1e6)  # rate times step at an infinite rate: what is over the yield surface falls to a millionth
ENDLESS = np.float32(1e30)  # less than infinite and more than any rate times step
MOST_RELAXATION = np.float32(300.0)  # rate times step: what lasts a third of a percent of a step is over in it
T = TILE
M = MATERIAL


def flow_law(w, i, dt):  # type: ignore[no-untyped-def]
    """Along the deviator's direction: yield stress, hardening, least yield stress [Pa], and rate times dt."""
    gated, rate = w[(M + STRESS_TIME) * T + i] > HALF, w[(M + FLOW_RATE) * T + i]
    return (
        directed(w[YIELD * T + i]),
        (ZERO if gated else w[(M + HARDENING) * T + i]) * (2.0 / 3.0),
        directed(w[(M + MINIMUM_YIELD) * T + i]),
        RETURNED if rate > ENDLESS else min(rate * dt, MOST_RELAXATION),
    )


def shear(w, i):  # type: ignore[no-untyped-def]
    """mu [Pa], never zero."""
    return max(w[(M + MU) * T + i], TINY)


def read_log_stiffness(w, i):  # type: ignore[no-untyped-def]
    """tau and its derivatives by log stretches at the elastic stretches."""
    return log_stiffness(*read(w, i, E, 3), *read(w, i, Q, 3), *read(w, i, H, 6))


def read_directed_stress(w, i):  # type: ignore[no-untyped-def]
    """g and dg/db at the elastic stretches."""
    return directed_stress(*read(w, i, N, 3), *read_log_stiffness(w, i))


def capacity_at(w, i, g, k):  # type: ignore[no-untyped-def]
    """k at a directed stress, and its slope."""
    return flow_capacity(g, k, w[(M + RATE_STRESS) * T + i], w[(M + RATE_EXPONENT) * T + i])

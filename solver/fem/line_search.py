"""How far to go along a direction of Newton's method."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..contact.entries import Entries
from ..contact.surfaces.surface_contact import SurfaceContact
from .node_sums import dot

Array = NDArray[np.float64]

SLOPE_KEPT = 0.3  # accept a step along which the slope has not turned steeper than this fraction uphill
CUTS = 12


class Descent(Protocol):
    """What is minimised (newton.py)."""

    surfaces: SurfaceContact | None

    def merit(self, positions: Array) -> tuple[float, Array]:
        """Energy but for contact with colliders [J], and its gradient (n, 3) [N], at positions (n, 3)."""


def search_line(
    problem: Descent, x: Array, elastic: float, internal: Array, entries: Entries, direction: Array
) -> tuple[float, Array, float, Array] | None:
    """The largest tried fraction of the direction that is downhill enough; where it leads (n, 3), energy and gradient there.

    Downhill by energy, or by the slope not having turned steeply uphill: the slope is still sound where flow laws
    that have no exact energy (stress-dependent rate, eq 10's norm) make the energy an estimate. Energies and
    gradients (n, 3) are without contact, which is added here, since its friction bounds may just have changed.
    """
    energy, slope = entries.rise(x, direction)
    energy, slope = energy + elastic, slope + dot(internal, direction)
    fraction = 1.0 if problem.surfaces is None else problem.surfaces.limit(x, direction)
    for _ in range(CUTS):
        trial = x + (direction if fraction == 1.0 else fraction * direction)
        if problem.surfaces is not None:
            problem.surfaces.going.went(fraction, trial)
        elastic_there, internal_there = problem.merit(trial)
        energy_there, slope_there = entries.rise(trial, direction)
        energy_there, slope_there = energy_there + elastic_there, slope_there + dot(internal_there, direction)
        if np.isfinite(energy_there) and (
            slope_there <= -SLOPE_KEPT * slope or energy_there <= energy + 1e-4 * fraction * slope
        ):
            return fraction, trial, elastic_there, internal_there
        fraction *= 0.5
    return None

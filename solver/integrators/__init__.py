"""Time integrators, one file each: a file of this folder that defines INTEGRATOR is found by itself.

The files need no numba, so that Blender can list them.
"""

from functools import cache

from ..declared import modules_with
from .contract import Extrapolation, Integrator, start_in_free_flight

__all__ = ["Extrapolation", "Integrator", "integrators", "start_in_free_flight"]


@cache
def integrators() -> dict[str, Integrator]:
    """Return every integrator by its identifier, in the order of the artist's list; the first is the default."""
    found: list[Integrator] = [module.INTEGRATOR for module in modules_with(__name__, "INTEGRATOR")]
    return {one.identifier: one for one in sorted(found, key=lambda one: one.rank)}

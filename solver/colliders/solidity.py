"""Which part of a mesh collider is solid: the rules, for the field and for preflight. numpy only."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import edges_of, hole_area
from ..scene import Settings

# Holes up to this share of a surface's area are closed by the winding number; a mesh with larger ones is a sheet.
SMALL_HOLES = 0.05
# A sheet is ground when no face looks down by more than this (cosine against gravity) and all together look up.
LOOKS_DOWN = 0.1
LOOKS_UP = 0.1


def has_large_holes(areas: NDArray[np.float64], positions: NDArray[np.float64], weld: NDArray[np.int32]) -> bool:
    """Whether a surface of the area vectors (t, 3) lacks too much to enclose a volume.

    positions (n, 3) are its vertices', close about the origin, weld (t, 3) its triangles with seams sewn (geometry/edges.py).
    """
    return hole_area(positions, weld, edges_of(weld)) > SMALL_HOLES * float(np.sqrt((areas * areas).sum(axis=1)).sum())


def is_ground(areas: NDArray[np.float64], up: NDArray[np.float64]) -> bool:
    """Whether a sheet looks up everywhere, or down everywhere: a floor, terrain, open stairs, the inside of a bowl."""
    size = np.sqrt((areas * areas).sum(axis=1))
    total = float(areas.sum(axis=0) @ up)
    rising = areas @ up if total >= 0.0 else -(areas @ up)
    return bool((rising >= -LOOKS_DOWN * size).all()) and abs(total) > LOOKS_UP * float(size.sum())


def against_gravity(settings: Settings) -> NDArray[np.float64]:
    """The unit vector up; z without gravity."""
    gravity = np.asarray(settings.gravity, dtype=np.float64)
    strength = float(np.sqrt(gravity @ gravity))
    return -gravity / strength if strength > 0.0 else np.array([0.0, 0.0, 1.0])

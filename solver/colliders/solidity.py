"""Which part of a mesh collider is solid: the rules, for the field and for preflight. numpy only."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Settings

# Holes up to this share of a surface's area are closed by the winding number; a mesh with larger ones is a sheet.
SMALL_HOLES = 0.05
# A sheet is ground when all its faces look up by more than this (cosine against gravity).
LOOKS_UP = 0.1


def has_large_holes(areas: NDArray[np.float64], open_edges: int) -> bool:
    """Whether a surface of the area vectors (t, 3), consistently turned, lacks too much to enclose a volume."""
    if not open_edges:
        return False
    missing = areas.sum(axis=0)
    return float(np.sqrt(missing @ missing)) > SMALL_HOLES * float(np.sqrt((areas * areas).sum(axis=1)).sum())


def is_ground(areas: NDArray[np.float64], up: NDArray[np.float64]) -> bool:
    """Whether every face of a sheet looks to the same side of the horizon, as terrain or a floor does."""
    size = np.sqrt((areas * areas).sum(axis=1))
    side = 1.0 if float(areas.sum(axis=0) @ up) >= 0.0 else -1.0
    return bool((side * (areas @ up) > LOOKS_UP * size).all())


def against_gravity(settings: Settings) -> NDArray[np.float64]:
    """The unit vector up; z without gravity."""
    gravity = np.asarray(settings.gravity, dtype=np.float64)
    strength = float(np.sqrt(gravity @ gravity))
    return -gravity / strength if strength > 0.0 else np.array([0.0, 0.0, 1.0])

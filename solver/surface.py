"""A triangle surface, as artists' meshes come in."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .errors import SceneError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]

# Tets along an edge of a face: larger ones stay flat where the goo bends (preflight says so), and touch what gives way there,
# not what is seen (contact/edges)
LARGE_FACE = 4.0


@dataclass(frozen=True)
class Surface:
    """A triangle surface.

    positions : (n, 3) float64, world space [m]
    triangles : (t, 3) int32, counter-clockwise seen from outside
    """

    positions: FloatArray
    triangles: IntArray

    @cached_property
    def extent(self) -> float:
        """Largest side of the bounding box of the faces [m]; loose vertices do not count."""
        return float(np.ptp(self.positions[np.unique(self.triangles)], axis=0).max())

    @cached_property
    def longest_edge(self) -> float:
        """Of the faces [m]."""
        corners = self.positions[self.triangles]
        return float(np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2).max()))


def not_finite(count: int) -> tuple[str, str]:
    """Return the message and the remedy for a surface that many of whose vertices have coordinates that are NaN or infinite."""
    message = f"{count} of its vertices {'has' if count == 1 else 'have'} coordinates that are not finite numbers."
    return message, "Delete such vertices or remove the modifier that makes them."


def validated_surface(surface: Surface, name: str) -> Surface:
    """Return the surface cast and contiguous; SceneError says what is wrong with it."""
    positions = np.ascontiguousarray(surface.positions, dtype=np.float64)
    triangles = np.ascontiguousarray(surface.triangles, dtype=np.int32)
    if positions.ndim != 2 or positions.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3:
        raise SceneError(f"Its arrays have shapes {positions.shape} and {triangles.shape}.", body=name)
    if not len(positions) or not len(triangles):
        raise SceneError("It has no faces.", body=name, remedy="Choose a mesh with faces.")
    bad = ~np.isfinite(positions).all(axis=1)
    if bad.any():
        message, remedy = not_finite(int(bad.sum()))
        raise SceneError(message, body=name, place=f"vertex {int(np.flatnonzero(bad)[0])}", remedy=remedy)
    if triangles.min() < 0 or triangles.max() >= len(positions):
        raise SceneError("A face names a vertex that does not exist.", body=name, remedy="Run Mesh > Clean Up.")
    return Surface(positions, triangles)

"""What an artist's surface encloses, by the same rule as the cage."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.measures import area_vectors, box_middle
from ..geometry.orientation import oriented
from ..geometry.triangle_tree import triangle_tree
from ..geometry.winding import WindingTree, winding_numbers, winding_tree
from ..scene import Surface

SAMPLES = 1 << 15
GOLDEN = 1.2207440846057596  # the real root of x^4 = x + 1


class Enclosure:
    """The inside of a surface: where the absolute generalised winding number exceeds 1/2."""

    def __init__(self, surface: Surface) -> None:
        middle = box_middle(surface.positions)
        self.positions = surface.positions - middle
        self.vertices = np.unique(surface.triangles)
        self.triangles = oriented(self.positions, surface.triangles).triangles
        self.tree: WindingTree | None = None
        if len(self.triangles):
            self.tree = winding_tree(triangle_tree(self.positions, self.triangles))

    def volume(self) -> float:
        """Return the volume inside [m^3], to about half a percent.

        Sampled at a fixed sequence of points that fills the bounding box evenly (Roberts 2018, the additive recurrence on
        the generalised golden ratio): unlike the divergence theorem it takes holes and overlaps as the cage does.
        """
        if self.tree is None:
            return 0.0
        used = self.positions[np.unique(self.triangles)]
        lower, sides = used.min(axis=0), np.ptp(used, axis=0)
        steps = GOLDEN ** -np.arange(1.0, 4.0)
        points = lower + sides * ((0.5 + np.arange(1, SAMPLES + 1)[:, None] * steps) % 1.0)
        return float((np.abs(winding_numbers(self.tree, points)) > 0.5).mean() * sides.prod())

    def exposed(self) -> NDArray[np.bool_]:
        """Return which of the vertices that faces use border on the outside; those of inner shells do not."""
        if self.tree is None:
            return np.zeros(len(self.vertices), dtype=bool)
        areas = area_vectors(self.positions, self.triangles)
        normals = np.zeros_like(self.positions)
        for corner in range(3):
            np.add.at(normals, self.triangles[:, corner], areas)
        length = np.sqrt((normals * normals).sum(axis=1, keepdims=True))
        step = 1e-4 * np.ptp(self.positions, axis=0).max() * normals / np.where(length > 0.0, length, 1.0)
        beside = (self.positions + step)[self.vertices]
        exposed: NDArray[np.bool_] = np.abs(winding_numbers(self.tree, beside)) <= 0.5
        return exposed


def enclosed_volume(surface: Surface) -> float:
    """Return the volume that a surface encloses [m^3] (Enclosure.volume)."""
    return Enclosure(surface).volume()

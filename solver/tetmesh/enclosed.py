"""The volume that an artist's surface encloses, by the same rule as the cage."""

import numpy as np

from ..geometry.orientation import oriented
from ..geometry.triangle_tree import triangle_tree
from ..geometry.winding import winding_numbers, winding_tree
from ..scene import Surface

SAMPLES = 1 << 16


def enclosed_volume(surface: Surface) -> float:
    """Return the volume where the generalised winding number exceeds 1/2 [m^3], to about half a percent.

    Sampled at a fixed sequence of points that fills the bounding box evenly (Roberts 2018, the additive recurrence on
    the generalised golden ratio): unlike the divergence theorem it takes holes and overlaps as the cage does.
    """
    positions = surface.positions - surface.positions.mean(axis=0)
    faces = oriented(positions, surface.triangles)
    if not len(faces.triangles):
        return 0.0
    used = positions[np.unique(faces.triangles)]
    lower, sides = used.min(axis=0), np.ptp(used, axis=0)
    golden = 1.2207440846057596  # the real root of x^4 = x + 1
    steps = golden ** -np.arange(1.0, 4.0)
    points = lower + sides * ((0.5 + np.arange(1, SAMPLES + 1)[:, None] * steps) % 1.0)
    winding = winding_numbers(winding_tree(triangle_tree(positions, faces.triangles)), points)
    inside = np.abs(winding) > 0.5
    return float(inside.mean() * sides.prod())

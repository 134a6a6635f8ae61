"""Faces much larger than a tet, halved before a bake begins: flat ones stay flat where goo bends, as those of a default cube.

They lie where they lay, and follow the tets from the first step on.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import edges_of, welded
from ..surface import Surface
from ..tearing.surface_cut import SurfaceCut
from .halving import halved

LONG, AROUND = 2.0, 1.0  # elements: of what is refined later no edge is longer than this, and around one that was, than that
MOST_FACES = 2_000_000  # that it makes at most


def begun_finer(
    surface: Surface, element_size: float, most: float, borders: Callable[[], NDArray[np.int32]]
) -> SurfaceCut | None:
    """Return a surface's change that leaves no edge longer than `most` elements [m]; None where it has none.

    borders are asked, where it has, for the vertices at which something that lies on it has a border: that stays.
    """
    count, triangles = len(surface.positions), welded(surface.positions, surface.triangles)
    names = np.arange(count)
    names[surface.triangles] = triangles  # sides of a seam whose vertices are not one are halved alike
    ends = edges_of(triangles).vertices
    length = np.sqrt(((surface.positions[ends[:, 1]] - surface.positions[ends[:, 0]]) ** 2).sum(axis=1))
    long = length > most * element_size
    if not long.any():
        return None
    allowed = np.full(count, most * element_size)
    allowed[ends[long]] = AROUND * element_size
    fixed = np.zeros(count, dtype=bool)
    fixed[borders()] = True
    made = halved(surface, allowed[names], MOST_FACES, fixed, 0.0)
    return made.change(surface)

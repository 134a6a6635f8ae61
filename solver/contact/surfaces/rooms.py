"""How far nodes of two bodies may be off their way against each other until the next search.

What presses on something is stopped along the line that it presses along, and hardly goes aside: so pairs are looked for with
more room along that line than across it. Most pairs are edges beside each other, which room across would let in.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...geometry.measures import area_vectors
from .pairs import Pairs

Array = NDArray[np.float64]

SPARE = 0.25  # mean edges that nodes of near clusters may come closer, beside their way, along any axis;
ALONG, ACROSS = 0.7, 0.15  # where bodies press on each other along one line, along and across it
ASKED = 256  # triangles that are asked for the line
COMMON = 0.75  # of what their normals' squares are, along the line: of less there is none


class Rooms(NamedTuple):
    """axes (3, 3): unit rows, each square to the others; spare (3,) [m] along each of them."""

    axes: Array
    spare: Array

    @classmethod
    def alike(cls, spare: float) -> Self:
        """The same [m] along each axis of the world."""
        return cls(np.eye(3), np.full(3, spare))

    @classmethod
    def pressed(cls, edge: float, pairs: Pairs, places: Array) -> Self:
        """Those of bodies whose mean edges have a length [m], which had such pairs, with points at places (n, 3)."""
        triangles = pairs.nodes[: pairs.points : max(1, pairs.points // ASKED), 1:]
        normals = area_vectors(places, triangles)
        squares = normals.T @ normals
        if not np.isfinite(squares).all():
            return cls.alike(SPARE * edge)
        along, lines = np.linalg.eigh(squares)
        if not along[2] > COMMON * along.sum():
            return cls.alike(SPARE * edge)
        return cls(np.ascontiguousarray(lines.T), edge * np.array([ACROSS, ACROSS, ALONG]))

    def times(self, share: float) -> Self:
        """So many times as much."""
        return self._replace(spare=share * self.spare)

    @property
    def box(self) -> Array:
        """The half edges (3, 3) [m] of the box that holds it all."""
        return self.axes * self.spare[:, None]

    @property
    def along(self) -> Array:
        """The most (3,) that may be lost along each axis of the world [m]."""
        most: Array = np.abs(self.box).sum(axis=0)
        return most

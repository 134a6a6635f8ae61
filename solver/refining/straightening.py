"""Slivers between vertices that lie in one line, as they come of polygons whose sides have been subdivided.

At rest they are nothing but a line. But where it bends they fold over each other, and so a surface that is cut or sewn would
seem to pass through itself all along it. Each goes as the side that it lies on is flipped: the vertex that lay beside it then
lies between the triangles that take its place, and the surface stays where it is.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import edges_of
from ..geometry.flipping import apart, flips, sound
from ..geometry.self_crossing import rounding
from ..surface import Surface
from ..tearing.surface_cut import SurfaceCut
from .grain import side_lengths, stoutness
from .patchwork import Patchwork

FLAT = 1e-5  # height over the longest side, beside rounding, below which a triangle is a line
BETWEEN = 10.0  # times that, from the ends of its longest side, its third corner lies at least: what is nearer is a short edge
ROUNDS = 1000  # at most: in a fan one sliver goes after the other


def straightened(surface: Surface, charts: NDArray[np.int64] | None = None) -> SurfaceCut | None:
    """Return a surface's change without slivers; None where it has none that can go.

    charts (t,) numbers the pieces of its UV map, whose borders stay.
    """
    made, chart = Patchwork.of(surface), np.zeros(len(surface.triangles), np.int64) if charts is None else charts
    fixed, before = np.zeros(len(surface.positions), dtype=bool), made
    for _ in range(ROUNDS):
        after = _round(made, chart, fixed)
        if after is made:
            break
        made = after
    return None if made is before else made.change(surface)


def _round(made: Patchwork, chart: NDArray[np.int64], fixed: NDArray[np.bool_]) -> Patchwork:
    """The surface after those slivers have gone that lie on a triangle which is none; itself where there are no such.

    A sliver that lies on another waits until that has gone: so there are fewer after each round.
    """
    sides = side_lengths(made.positions, made.triangles)
    longest = sides.max(axis=1)
    height = stoutness(made.positions, made.triangles) * longest
    least = FLAT * longest + rounding(made.positions)
    thin = height < least
    rows = np.flatnonzero(thin & (sides.min(axis=1) > BETWEEN * least))
    if not len(rows):
        return made
    edges = edges_of(made.triangles)
    some = flips(made, edges, rows, sides[rows].argmax(axis=1))
    some = some.taken(~thin[some.beside] & (chart[some.rows] == chart[some.beside]))
    some = some.taken(sound(made, edges, some, fixed))
    some = some.taken(apart(some, height[some.rows]))
    if not len(some.rows):
        return made
    origin = made.origin.copy()
    origin[some.rows] = origin[some.beside]  # both parts are of what was there: a line has no area
    return replace(made.flipped(some), origin=origin)

"""How fine what is seen was at the start: by that it is told where flow has drawn it out, and where it has squeezed it."""

from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import edges_of, welded
from ..geometry.measures import area_vectors
from ..scene import Body
from ..tearing.surface_cut import SurfaceCut

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Grain:
    """A surface of k vertices, as it was at the start about each of them.

    longest, shortest : (k,) its edges there [m]
    stout             : (k,) of its triangles there the least height over the longest side
    fixed             : (k,) bool, what stays: where what lies on it has a border, as UV maps at seams, or a pin holds it
    """

    longest: Array
    shortest: Array
    stout: Array
    fixed: NDArray[np.bool_]

    @classmethod
    def at_rest(cls, body: Body) -> Self:
        """That of a body's surface, vertices in one place being one; none of it counts where the body keeps its tets."""
        surface = body.surface
        if body.remeshing == "off":
            none = np.zeros(len(surface.positions))
            return cls(none, none, none, np.ones(len(none), dtype=bool))
        count, triangles = len(surface.positions), welded(surface.positions, surface.triangles)
        ends = edges_of(triangles).vertices
        length = np.sqrt(((surface.positions[ends[:, 1]] - surface.positions[ends[:, 0]]) ** 2).sum(axis=1))
        longest, shortest, stout = np.zeros(count), np.full(count, np.inf), np.full(count, np.inf)
        np.maximum.at(longest, ends, length[:, None])
        np.minimum.at(shortest, ends, length[:, None])
        np.minimum.at(stout, triangles, stoutness(surface.positions, triangles)[:, None])
        stays = np.zeros(count, dtype=bool)
        stays[np.concatenate([body.borders, *(pin.vertices for pin in body.pins)])] = True
        names = np.arange(count)
        names[surface.triangles] = triangles
        np.logical_or.at(stays, names, stays.copy())
        return cls(longest[names], shortest[names], stout[names], stays[names])

    def after(self, cut: SurfaceCut, seams: bool) -> "Grain":
        """That of the surface after a change; with `seams` the faces that come are not of one piece with those around."""
        corners, weights = cut.old_triangles[cut.vertices.triangles], cut.vertices.weights
        fixed = np.concatenate([self.fixed[cut.kept], (self.fixed[corners] | (weights == 0.0)).all(axis=1)])
        if seams:
            fixed[cut.triangles[~cut.whole]] = True
        parts = {name: np.concatenate([v[cut.kept], (v[corners] * weights).sum(axis=1)]) for name, v in self._lengths().items()}
        return replace(self, **parts, fixed=fixed)

    def _lengths(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in ("longest", "shortest", "stout")}


def joined_grains(parts: list[Grain]) -> Grain:
    """Return those of several surfaces as of one, one after another."""
    return Grain(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Grain)})


def stoutness(positions: Array, triangles: NDArray[np.int32]) -> Array:
    """The height (t,) of triangles (t, 3) over their longest side, above it; 0 for what is flat, 0.87 where all are equal."""
    corners = positions[triangles]
    longest = ((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2).max(axis=1)
    doubled = 2.0 * np.sqrt((area_vectors(positions, triangles) ** 2).sum(axis=1))
    return np.asarray(doubled / np.maximum(longest, 1e-300))


def side_lengths(positions: Array, triangles: NDArray[np.int32]) -> Array:
    """The sides (t, 3) of triangles [m], from each corner to the next."""
    corners = positions[triangles]
    return np.sqrt(np.asarray((np.roll(corners, -1, axis=1) - corners) ** 2).sum(axis=2))

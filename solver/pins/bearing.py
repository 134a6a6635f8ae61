"""What pins of a body lie on: its tets and its surface as they were when the tets were new."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..surface import Surface
from ..tearing.surface_cut import SurfaceCut
from ..tetmesh.mesh import TetMesh
from .pin import Pin

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Bearing:
    """n nodes, m tets, and a surface of k vertices and t triangles.

    nodes (n, 3), tets (m, 4)           : the tets, when they were new [m]
    positions (k, 3), triangles (t, 3)  : the surface, then [m]
    vertices (k,)                       : which of the artist's vertices each one is, by its place among those of all bodies of
                                          the scene, as bodies merge; -1 where a cut has made it; on a surface that has been
                                          laid anew several are the one that they are nearest to
    """

    nodes: Array
    tets: IntArray
    positions: Array
    triangles: IntArray
    vertices: IntArray

    @classmethod
    def at_rest(cls, surfaces: Sequence[Surface], meshes: Sequence[TetMesh]) -> list[Self]:
        """Those of all bodies of a scene with their first tets."""
        first, bearings = first_vertices(surfaces), []
        for surface, mesh, start in zip(surfaces, meshes, first, strict=True):
            names = np.arange(start, start + len(surface.positions), dtype=np.int32)
            bearings.append(cls(mesh.positions, mesh.tets, surface.positions, surface.triangles, names))
        return bearings

    def named(self, cut: SurfaceCut) -> "Bearing":
        """The same of a surface that a change has made, of which so far only the vertices' names are right."""
        were = cut.were
        return replace(self, vertices=np.where(were >= 0, self.vertices[were], -1).astype(np.int32))

    def renewed(self, mesh: TetMesh, surface: Surface) -> "Bearing":
        """The body with new tets, and its surface, of vertices with these names, as they lie now."""
        return Bearing(mesh.positions, mesh.tets, surface.positions, surface.triangles, self.vertices)

    def on(self, nodes: Array, tets: IntArray) -> "Bearing":
        """The body with some new tets (m, 4) among those that stay; nodes (n, 3) are where all would have lain then [m]."""
        return replace(self, nodes=nodes, tets=tets)

    def after(self, cut: SurfaceCut) -> "Bearing":
        """What the surface is after a change on the same tets: what is new lay between what was there."""
        corners = self.positions[cut.old_triangles[cut.vertices.triangles]]
        positions = np.concatenate([self.positions[cut.kept], (corners * cut.vertices.weights[:, :, None]).sum(axis=1)])
        vertices = np.concatenate([self.vertices[cut.kept], np.full(len(positions) - len(cut.kept), -1, dtype=np.int32)])
        return Bearing(self.nodes, self.tets, positions, cut.triangles, vertices)

    @property
    def mesh(self) -> TetMesh:
        """The tets, when they were new."""
        return TetMesh(self.nodes, self.tets)

    @property
    def surface(self) -> Surface:
        """The surface, when they were new."""
        return Surface(self.positions, self.triangles)

    def left(self, pin: Pin, first: int) -> tuple[IntArray, IntArray]:
        """Which (p',) of the vertices of a pin are still there, and which of the surface's (p',) they are, in the pin's order.

        first: the place of the first vertex of the pin's body among those of all bodies.
        """
        names = pin.vertices + first
        place = np.full(max(int(self.vertices.max()), int(names.max())) + 2, -1, dtype=np.int32)
        place[names] = np.arange(len(names))
        which = place[self.vertices]
        there = np.argsort(which, kind="stable").astype(np.int32)[(which < 0).sum() :]
        return which[there], there


def first_vertices(surfaces: Sequence[Surface]) -> list[int]:
    """The place of each body's first vertex among the artist's vertices of all bodies of a scene."""
    first: list[int] = np.cumsum([0, *(len(surface.positions) for surface in surfaces)]).tolist()
    return first[:-1]

"""The faces of a body that a collider's edges touch: what is seen, and which nodes carry any place on it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...embedding import Binding, evaluate
from ...fem.extension import carrying_matrix
from ...geometry.edges import edges_of
from ...surface import Surface
from ...tetmesh.mesh import TetMesh
from ..surfaces.carried import Carried
from ..surfaces.own_side import carrying_rows
from ..surfaces.seen import seen_surface
from ..surfaces.surface import ContactSurface, contact_surface

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Shown:
    """What is seen, or, where it is cut, what touches: how nodes carry its vertices (v, n), and its triangles (t, 3)."""

    rows: csr_matrix
    carried: Carried
    triangles: IntArray

    def between(self, points: IntArray, shares: Array) -> Carried:
        """What carries places between vertices (m, 3) by shares (m, 3)."""
        return _between(self.rows, points, shares)


@dataclass(frozen=True)
class Faces:
    """k points, e edges, t triangles of one body's surface; nodes and tets by their numbers in the body.

    carried       : where nodes carry the points, which is
    rows (k, n)   : a matrix
    surface       : edges and triangles
    ends (e, 2)   : of the edges, in the order of surface.edges, each as its first triangle walks it, seen from outside
    wings (e, 2)  : the third corners of the triangles to both sides, -1 where there is none
    rest (k, 3)   : places of the points when all this was made [m]
    longest       : of its edges then [m]
    shown         : the same without what is merged
    """

    carried: Carried
    rows: csr_matrix
    surface: ContactSurface
    ends: IntArray
    wings: IntArray
    rest: Array
    longest: float
    shown: Shown

    @classmethod
    def of(
        cls, mesh: TetMesh, binding: Binding, triangles: IntArray, element: float, laid: bool, longest: float
    ) -> "Faces | None":  # fmt: skip
        """Those of the surface of triangles (t, 3) that a binding carries, tets being of a size [m]; None where nothing is.

        laid: whether it was laid on the tets, see carrying_rows. Edges are cut only where they are longer than the longest [m]:
        cut faces follow the tets into a hollow that what is seen spans, and a finger that had come to lie on them was 0.15 to
        1.1 element sizes deep in faces of 1.6 to 4 tets.
        """
        now = Surface(evaluate(binding, mesh.tets, mesh.positions), triangles)
        fit = seen_surface(now, mesh, element, longest=longest)
        if not len(fit.triangles):
            return None
        rows = carrying_rows(mesh, fit.positions, now, binding, laid)
        surface = contact_surface(fit.triangles, fit.positions, element)
        ends, wings = _with_wings(fit.triangles)
        span = fit.positions[ends[:, 1]] - fit.positions[ends[:, 0]]
        longest = float(np.sqrt((span**2).sum(axis=1).max()))
        carried = Carried.by(rows)
        shown = Shown(rows, carried, fit.triangles)
        if fit.whole is None:
            own = carrying_matrix(binding, mesh.tets, len(mesh.positions))
            shown = Shown(own, Carried.by(own), triangles)
        return cls(carried, rows, surface, ends, wings, fit.positions, longest, shown)

    def between(self, points: IntArray, shares: Array) -> Carried:
        """What carries places between points (m, 3) by shares (m, 3), and takes the force on them; nodes by the body's numbers.

        It is what carries the points, so a push moves what is seen there, whatever limb or side of a fold is near.
        """
        return _between(self.rows, points, shares)


def _between(rows: csr_matrix, points: IntArray, shares: Array) -> Carried:
    """What carries places between points (m, 3), which rows (k, n) carry, by shares (m, 3)."""
    count = len(points)
    places = csr_matrix((shares.ravel(), points.ravel(), np.arange(0, 3 * count + 1, 3)), shape=(count, rows.shape[0]))
    return Carried.by(csr_matrix(places @ rows))


def _with_wings(triangles: IntArray) -> tuple[IntArray, IntArray]:
    """Ends (e, 2) and wings (e, 2) of the edges of triangles (t, 3), in the order of `edges_of`."""
    edges = edges_of(triangles)
    first = edges.order[edges.first[:-1]]
    second = edges.order[np.minimum(edges.first[:-1] + 1, len(edges.order) - 1)]
    ends = np.stack([triangles[first // 3, first % 3], triangles[first // 3, (first + 1) % 3]], axis=1)
    wings = np.stack([triangles[side // 3, (side + 2) % 3] for side in (first, second)], axis=1)
    wings[edges.counts == 1, 1] = -1
    return ends.astype(np.int32), wings.astype(np.int32)

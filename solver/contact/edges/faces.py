"""The faces of a body that a collider's edges touch: what is seen, and which nodes take the force anywhere on it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...embedding import Binding, evaluate
from ...geometry.edges import edges_of
from ...lookup import Lookup
from ...surface import Surface
from ...tetmesh.mesh import TetMesh
from ..surfaces.carried import Carried
from ..surfaces.own_side import carrying_rows, led_to
from ..surfaces.seen import seen_surface
from ..surfaces.surface import ContactSurface, contact_surface

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Faces:
    """k points, e edges, t triangles of one body's surface; nodes and tets by their numbers in the body.

    carried       : where nodes carry the points, which is
    rows (k, n)   : a matrix, and
    tets (k,)     : of each point one of the tets at the node that carries it most
    surface       : edges and triangles
    ends (e, 2)   : of the edges, in the order of surface.edges, each as its first triangle walks it, seen from outside
    wings (e, 2)  : the third corners of the triangles to both sides, -1 where there is none
    rest (k, 3)   : places of the points when all this was made [m], and
    mesh          : the body's tets then
    """

    carried: Carried
    rows: csr_matrix
    tets: IntArray
    surface: ContactSurface
    ends: IntArray
    wings: IntArray
    rest: Array
    mesh: TetMesh

    @classmethod
    def of(cls, mesh: TetMesh, binding: Binding, triangles: IntArray, element: float, laid: bool) -> "Faces | None":
        """Those of the surface of triangles (t, 3) that a binding carries, tets being of a size [m]; None where nothing is.

        laid: whether it was laid on the tets, see carrying_rows.
        """
        now = Surface(evaluate(binding, mesh.tets, mesh.positions), triangles)
        fit = seen_surface(now, mesh, element)
        if not len(fit.triangles):
            return None
        rows = carrying_rows(mesh, fit.positions, now, binding, laid)
        surface = contact_surface(fit.triangles, fit.positions, element)
        ends, wings = _with_wings(fit.triangles)
        own = np.empty(len(mesh.positions), dtype=np.int32)
        own[mesh.tets] = np.arange(len(mesh.tets), dtype=np.int32)[:, None]
        most = np.asarray(rows.argmax(axis=1)).ravel()
        return cls(Carried.by(rows), rows, own[most], surface, ends, wings, fit.positions, mesh)

    def feet(self, points: IntArray, shares: Array) -> tuple[IntArray, IntArray, Array]:
        """Which tets (m,), their nodes (m, 4) and by which weights (m, 4) take the force on places between points (m, 3).

        These are places by shares (m, 3) of the points. Where one lies outside the tets it is taken by the boundary next to it,
        as that on contact points is. Where these tets are another limb's, or another side's of a fold, to push them would not
        move what is seen there: then it is taken by a tet that carries it.
        """
        look = Lookup.of(self.mesh, np.einsum("km,kmi->ki", shares, self.rest[points]))
        tets, weights, outside = look.tets.copy(), look.weights.copy(), look.tets < 0
        triangle = look.closest.triangle[outside]
        tets[outside] = self.mesh.faces.tet[triangle]
        at = self.mesh.tets[tets[outside]][:, :, None] == self.mesh.faces.boundary[triangle][:, None, :]
        weights[outside] = np.einsum("rij,rj->ri", at, look.closest.weights[outside])
        own = self.tets[points[np.arange(len(points)), shares.argmax(axis=1)]]
        for place in np.flatnonzero(~led_to(self.mesh, tets, own)):
            tets[place], weights[place] = self._own_foot(points[place], shares[place])
        return tets, self.mesh.tets[tets], weights

    def _own_foot(self, points: IntArray, shares: Array) -> tuple[int, Array]:
        """The tet, and weights (4,) in it, that carry most of a place between points (3,)."""
        carrying = np.maximum(shares @ self.rows[points].toarray(), 0.0)
        around = np.flatnonzero((self.mesh.tets == carrying.argmax()).any(axis=1))
        tet = int(around[carrying[self.mesh.tets[around]].sum(axis=1).argmax()])
        weights = carrying[self.mesh.tets[tet]]
        return tet, weights / weights.sum()


def _with_wings(triangles: IntArray) -> tuple[IntArray, IntArray]:
    """Ends (e, 2) and wings (e, 2) of the edges of triangles (t, 3), in the order of `edges_of`."""
    edges = edges_of(triangles)
    first = edges.order[edges.first[:-1]]
    second = edges.order[np.minimum(edges.first[:-1] + 1, len(edges.order) - 1)]
    ends = np.stack([triangles[first // 3, first % 3], triangles[first // 3, (first + 1) % 3]], axis=1)
    wings = np.stack([triangles[side // 3, (side + 2) % 3] for side in (first, second)], axis=1)
    wings[edges.counts == 1, 1] = -1
    return ends.astype(np.int32), wings.astype(np.int32)

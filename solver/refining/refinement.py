"""What is seen of a body, refined and cleaned, and bound to the tets that the body has.

Without new vertices among the contact points they would sink into colliders by as much as what lies between points can.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..embedding import Binding, Spread, bind, joined_rows
from ..geometry.tet_location import weights_of
from ..geometry.tet_walk import way
from ..jit import kernel
from ..remesh.strayed import leads_nowhere
from ..surface import Surface
from ..tearing.surface_cut import SurfaceCut
from ..tetmesh.mesh import TetMesh
from ..topology.body_change import BodyChange
from .cleaning import ERROR, cleaned
from .grain import Grain
from .halving import drawn_out, halved, longest_allowed

Array = NDArray[np.float64]

RINGS = 4  # of tets that lead from a vertex to what is bound next to it, outside of them
PER_FACE = 4  # triangles of the tets' boundary: so many more than at the start what is seen has at most, half a tet long


@dataclass(frozen=True)
class Refined:
    """What is seen of a body after a refinement: the change, and where that and contact points are bound to the tets."""

    cut: SurfaceCut
    surface: Binding
    contacts: Binding

    @property
    def record(self) -> BodyChange:
        """The change by itself."""
        return BodyChange(Surface(self.cut.positions, self.cut.triangles), self.surface, self.contacts, cuts=(self.cut,))


def coarseness(seen: Surface, grain: Grain, factor: float, element_size: float) -> float:
    """How many times as long as what `refined` leaves the longest edge of a surface is."""
    return float(drawn_out(seen.positions, seen.triangles, longest_allowed(grain, factor, element_size)))


def refined(
    seen: Surface, bound: Binding, contacts: Binding, grain: Grain, mesh: TetMesh, factor: float, element_size: float,
    at_start: int, lasting: bool = True,
) -> Refined | None:  # fmt: skip
    """Return what is seen of a body (n vertices, bound to its tets) refined, and its contacts; None where nothing is to do.

    Edges become no longer than `factor` times those at the start, and no shorter for that than half an element [m]; it had
    so many triangles at the start. Where it is not `lasting`, as the body gets new tets at once, it is bound in haste, and
    cleaned: that looks for what passes through itself, and takes many times as long as halving.
    """
    most = at_start + PER_FACE * len(mesh.faces.boundary)
    made = halved(seen, longest_allowed(grain, factor, element_size), most, grain.fixed, ERROR * element_size)
    if not lasting:
        now = grain.after(made.change(seen), seams=False)
        made = cleaned(made, now, longest_allowed(now, factor, element_size), element_size)
    if made.untouched.all():
        return None
    cut = made.change(seen)
    surface = bound_again(bound, cut, mesh, lasting)
    return Refined(cut, surface, with_standby(contacts, surface, len(cut.kept)))


def with_standby(contacts: Binding, surface: Binding, known: int) -> Binding:
    """Contact points, and beside them those of a surface that have come since it had so many, which stand by."""
    fresh, count = surface.taken(np.arange(known, len(surface.tets))), len(contacts.tets)
    rows = [contacts.spread] if contacts.spread else []
    rows += [fresh.spread.shifted(count, 0)] if fresh.spread else []
    known_standby = np.zeros(count, dtype=bool) if contacts.standby is None else contacts.standby
    standby = np.concatenate([known_standby, np.ones(len(fresh.tets), dtype=bool)])
    tets, weights = (np.concatenate([getattr(one, name) for one in (contacts, fresh)]) for name in ("tets", "weights"))
    return Binding(tets, weights, joined_rows(rows), standby)


def bound_again(bound: Binding, cut: SurfaceCut, mesh: TetMesh, lasting: bool) -> Binding:
    """The binding of a surface after a change: of what stays as it was, of what is new to the tet that it lies in.

    That is the one to which tets lead from the vertex that it is nearest to, so that folds and limbs that lie close stay apart.
    What lies outside is bound as ever where tets lead to there, else, or if it is not to last, goes with what it lies between.
    """
    fresh = cut.positions[len(cut.kept) :]
    old = bound.taken(cut.kept.astype(np.int64))
    if not len(fresh):
        return old
    corners, shares = cut.old_triangles[cut.vertices.triangles], cut.vertices.weights
    nearest = bound.tets[corners[np.arange(len(corners)), shares.argmax(axis=1)]]
    tets, weights = nearest.copy(), np.empty((len(fresh), 4))
    inside = _located(mesh.positions, mesh.tets, mesh.faces.neighbours, fresh, tets, weights)
    rows, first = [old.spread] if old.spread else [], len(cut.kept)
    outside = np.flatnonzero(~inside)
    if lasting and len(outside):
        own = bind(mesh, np.ascontiguousarray(fresh[outside]))
        rings = np.full(len(outside), RINGS, dtype=np.int32)
        led = ~leads_nowhere(mesh.tets, mesh.faces.neighbours, np.stack([nearest[outside], own.tets], axis=1), rings)
        tets[outside[led]], weights[outside[led]] = own.tets[led], own.weights[led]
        if own.spread is not None and (kept := own.spread.without(~led)) is not None:
            rows.append(Spread(first + outside[kept.points], kept.start, kept.nodes, kept.weights))
        outside = outside[~led]
    if len(outside):
        rows.append(_between(bound, corners[outside], shares[outside], mesh, first + outside))
    return Binding(np.concatenate([old.tets, tets]), np.concatenate([old.weights, weights]), joined_rows(rows))


def _between(bound: Binding, corners: NDArray[np.int32], shares: Array, mesh: TetMesh, points: NDArray[np.int64]) -> Spread:
    """Rows of points (r,) that go with three others (r, 3), by their shares."""
    used, number = np.unique(corners, return_inverse=True)
    own, count = bound.taken(used.astype(np.int64)), len(mesh.positions)
    weights = own.weights.copy()
    if own.spread is not None:
        weights[own.spread.points] = 0.0
    first = np.arange(0, weights.size + 1, 4)
    carrying = csr_matrix((weights.ravel(), mesh.tets[own.tets].ravel(), first), shape=(len(used), count))
    if own.spread is not None:
        spread, start = own.spread, np.zeros(len(used) + 1, dtype=np.int64)
        start[spread.points + 1] = np.diff(spread.start)
        carrying = carrying + csr_matrix((spread.weights, spread.nodes, np.cumsum(start)), shape=carrying.shape)
    mixing = csr_matrix((shares.ravel(), number.ravel(), np.arange(0, shares.size + 1, 3)), shape=(len(points), len(used)))
    rows = csr_matrix(mixing @ carrying)
    rows.eliminate_zeros()
    rows.sort_indices()
    return Spread(points, rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data)


@kernel
def _located(positions, tets, neighbours, points, found, weights):  # type: ignore[no-untyped-def]
    """Which of points (k, 3) lie in a tet to which tets lead from `found` (k,); that becomes it, with weights there (k, 4)."""
    inside, middle = np.zeros(len(points), dtype=np.bool_), np.empty(3)
    for k in range(len(points)):
        for a in range(3):
            middle[a] = 0.0
            for corner in range(4):
                middle[a] += 0.25 * positions[tets[found[k], corner], a]
        tet, _ = way(positions, tets, neighbours, found[k], middle, points[k])
        inside[k] = tet >= 0
        found[k] = tet if tet >= 0 else found[k]
        w = weights_of(positions, tets, found[k], points[k, 0], points[k, 1], points[k, 2])
        weights[k, 0], weights[k, 1], weights[k, 2], weights[k, 3] = w
    return inside

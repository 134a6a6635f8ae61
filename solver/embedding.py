"""Points carried by a tetrahedral mesh: bound once by barycentric weights, evaluated every frame.

The functions load what is compiled when they are called; the classes are data that Blender may read.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .scene import Surface
from .tetmesh.mesh import TetMesh

if TYPE_CHECKING:
    from .lookup import Lookup

# A point outside further than this share of an edge is carried by a blend of many tets instead of one.
FAR_OUTSIDE = 0.02
LEVEL = 1e-3  # of the spacing: points whose heights differ by less stand out alike, whatever the last digits say
SAMPLES_APART = 0.8  # of the spacing; at 1 a vertex of a resting ball sags 0.1 elements below the ground, at this 0.02
STANDBY_APART = 0.01  # of the spacing, between vertices that stand by: of others, drawn apart, one's depth tells nothing


@dataclass(frozen=True)
class Spread:
    """Points outside the mesh as rows of a sparse matrix over the nodes.

    points  : (r,) int64, which points of the binding, rising
    start   : (r + 1,) int64, row r is nodes[start[r]:start[r + 1]]
    nodes   : (e,) int32; weights : (e,) float64, each row summing to 1
    """

    points: NDArray[np.int64]
    start: NDArray[np.int64]
    nodes: NDArray[np.int32]
    weights: NDArray[np.float64]

    def shifted(self, points: int, nodes: int) -> "Spread":
        """Return the same rows for points and nodes that follow after so many others."""
        return Spread(self.points + points, self.start, (self.nodes + nodes).astype(np.int32), self.weights)

    def without(self, left_out: NDArray[np.bool_]) -> "Spread | None":
        """Return it without the rows of some points, which of all (k,) of the binding's; None where none is left."""
        kept = ~left_out[self.points]
        lengths = np.diff(self.start)
        entries = np.repeat(kept, lengths)
        start = np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64)
        return Spread(self.points[kept], start, self.nodes[entries], self.weights[entries]) if kept.any() else None

    def taken(self, which: NDArray[np.int64]) -> "Spread | None":
        """Return the rows of some of the points, `which` (k,), rising, numbered anew; None where none of them has one."""
        new, own = np.flatnonzero(np.isin(which, self.points)), np.flatnonzero(np.isin(self.points, which))
        if len(own) == len(self.points):
            return replace(self, points=new)
        lengths = np.diff(self.start)[own]
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(self.start[own] - start[:-1], lengths) + np.arange(start[-1])
        return Spread(new, start, self.nodes[entries], self.weights[entries]) if len(own) else None


@dataclass(frozen=True)
class Binding:
    """Points bound to tets; a point outside every tet has negative weights in its nearest one.

    tets    : (k,) int32, index into TetMesh.tets
    weights : (k, 4) float64, summing to 1
    spread  : what replaces the weights of points clearly outside when the binding is evaluated; None keeps them
    standby : (k,) bool, which of the points that carry contact do so only where they are seen to sink in; None: none of them
    """

    tets: NDArray[np.int32]
    weights: NDArray[np.float64]
    spread: Spread | None = None
    standby: NDArray[np.bool_] | None = None

    def taken(self, which: NDArray[np.int64]) -> "Binding":
        """Return the binding of some of the points, `which` (k,), rising."""
        standby = None if self.standby is None else self.standby[which]
        return Binding(self.tets[which], self.weights[which], self.spread and self.spread.taken(which), standby)


def joined_rows(spreads: list[Spread]) -> Spread | None:
    """Return rows of several spreads as one, by rising points; None of none."""
    if not spreads:
        return None
    points = np.concatenate([one.points for one in spreads])
    order = np.argsort(points, kind="stable")
    lengths = np.concatenate([np.diff(one.start) for one in spreads])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    sorted_lengths = lengths[order]
    ends = np.cumsum(sorted_lengths)
    entries = np.repeat(starts[order] - (ends - sorted_lengths), sorted_lengths) + np.arange(ends[-1])
    return Spread(
        points[order],
        np.concatenate([[0], ends]).astype(np.int64),
        np.concatenate([one.nodes for one in spreads])[entries],
        np.concatenate([one.weights for one in spreads])[entries],
    )


def evaluate(binding: Binding, tets: NDArray[np.int32], node_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values at the bound points, (k,) or (k, d), of values at the nodes, (n,) or (n, d)."""
    from .geometry.carrying import carry_by_rows, carry_by_tets
    from .geometry.chunks import evenly

    flat = np.ascontiguousarray(node_values.reshape(len(node_values), -1))
    result = np.empty((len(binding.tets), flat.shape[1]))
    evenly(carry_by_tets, len(result), binding.tets, binding.weights, tets, flat, result)
    spread = binding.spread
    if spread is not None:
        carry_by_rows(spread.points, spread.start, spread.nodes, spread.weights, flat, result)
    return result.reshape(len(binding.tets), *node_values.shape[1:])


def shifted(binding: Binding, tets: int, nodes: int) -> Binding:
    """Return the binding for a mesh whose tets and nodes follow after so many others in common arrays."""
    spread = binding.spread and binding.spread.shifted(0, nodes)
    return replace(binding, tets=(binding.tets + tets).astype(np.int32), spread=spread)


def bind(mesh: TetMesh, points: NDArray[np.float64]) -> Binding:
    """Return the binding of `points` (k, 3) to the mesh; evaluated at rest it gives them back.

    A point outside is bound to a tet at the closest point of the boundary. If it is clearly outside, its offset from
    there moves with the deformation gradient averaged over the tets around (`Spread`), which is continuous from point
    to point: neighbours bound to different tets stay together, and a far one does not swing with a single tet.
    """
    from .lookup import Lookup

    return _bound(Lookup.of(mesh, points))


def at_nodes(mesh: TetMesh) -> Binding:
    """Return the binding of a mesh's own nodes."""
    holders, corners = np.zeros(len(mesh.positions), dtype=np.int32), np.zeros(len(mesh.positions), dtype=np.int64)
    for corner in range(4):
        holders[mesh.tets[:, corner]] = np.arange(len(mesh.tets))
        corners[mesh.tets[:, corner]] = corner
    return Binding(holders, np.eye(4)[corners])


def _bound(look: "Lookup") -> Binding:
    """The binding of points that have been looked up."""
    from .geometry.tet_location import steadiest_tets

    mesh, points, tets, weights = look.mesh, look.points, look.tets.copy(), look.weights.copy()
    outside = np.flatnonzero(tets < 0)
    if not len(outside):
        return Binding(tets, weights)
    corners = mesh.faces.boundary[look.closest.triangle[outside]]
    tets[outside], weights[outside] = steadiest_tets(mesh.positions, mesh.tets, corners, points[outside])
    far = outside[look.closest.distance[outside] > FAR_OUTSIDE * mesh.mean_edge]
    return Binding(tets, weights, _spread(look, far) if len(far) else None)


def _spread(look: "Lookup", which: NDArray[np.int64]) -> Spread:
    from .geometry.spread_weights import spread_rows

    mesh, triangle, corner_weights = look.mesh, look.closest.triangle[which], look.closest.weights[which]
    corners = mesh.faces.boundary[triangle]
    foot = np.einsum("ri,rid->rd", corner_weights, mesh.positions[corners])
    offset, under = look.points[which] - foot, mesh.faces.tet[triangle]
    start, nodes, weights = spread_rows(
        mesh.tree, mesh.positions, mesh.tets, mesh.piece, under, foot, offset, corners, corner_weights, mesh.mean_edge
    )
    return Spread(which, start, nodes, weights)


def contact_samples(surface: Surface, mesh: TetMesh, spacing: float) -> Binding:
    """Return points of the artist's surface that carry contact, about one per cell of `spacing` [m], bound by `bind`.

    Vertices, and points inside triangles larger than the spacing. Vertices come first, of them those that stand out furthest
    from the cage and from their neighbours, so that corners touch; what is seen between points that touch sags through the
    ground by some share of their distance, so none is further than SAMPLES_APART from one. As goo flows, so do they apart,
    and folds of the surface turn outwards: so the other vertices stand by, and those deeper inside the cage than an edge, which
    are of inner shells or at the bottom of a furrow.
    """
    return bind_surface(surface, mesh, spacing)[1]


def bind_surface(
    surface: Surface, mesh: TetMesh, spacing: float, seen: "Lookup | None" = None
) -> tuple[Binding, Binding]:
    """Return `bind` of a surface's vertices and its `contact_samples`; seen: the vertices, if they have been looked up.

    Those may lie in another frame than the surface, together with their mesh.
    """
    from .geometry.edges import used_vertices
    from .geometry.sampling import surface_points
    from .lookup import Lookup

    vertices = Lookup.of(mesh, surface.positions) if seen is None else seen
    relative = Surface(vertices.points, surface.triangles)
    used = used_vertices(surface.triangles, len(surface.positions))
    between = Lookup.about(vertices.mesh, np.ascontiguousarray(surface_points(relative, spacing)[len(used) :]))
    every, count = vertices.joined(between), len(surface.positions)
    candidates = np.concatenate([used, np.arange(count, len(every.points))])
    kept, always = _kept(relative, every, candidates, len(used), spacing)
    chosen = candidates[kept]
    extra = chosen[chosen >= count]
    bound = _bound(every.taken(np.concatenate([np.arange(count), extra])))
    contacts = np.concatenate([chosen[chosen < count], count + np.arange(len(extra))])
    return bound.taken(np.arange(count)), replace(bound.taken(contacts), standby=~np.isin(kept, always))


def _kept(
    surface: Surface, look: "Lookup", candidates: NDArray[np.int64], vertices: int, spacing: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of some points that have been looked up, the first of them vertices, carry contact, and which of these always."""
    from .geometry.sampling import bulges
    from .geometry.thinning import thinned

    points, outside, distance = look.points[candidates], look.tets[candidates] < 0, look.closest.distance[candidates]
    height = np.where(outside, distance, -distance)
    height[:vertices] += bulges(surface)
    level = np.round(height / (LEVEL * spacing))
    order = np.lexsort((-level, np.arange(len(height)) >= vertices))
    near = outside | (distance < look.mesh.mean_edge)
    always = thinned(points, order[near[order]], SAMPLES_APART * spacing)
    order = np.concatenate([always, order[order < vertices]])
    return thinned(points, order, STANDBY_APART * spacing), always

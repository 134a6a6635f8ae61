"""Points carried by a tetrahedral mesh: bound once by barycentric weights, evaluated every frame.

The functions load what is compiled when they are called; the classes are data that Blender may read.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .scene import Surface
from .tetmesh.mesh import TetMesh

# A point outside further than this share of an edge is carried by a blend of many tets instead of one.
FAR_OUTSIDE = 0.02
LEVEL = 1e-3  # of the spacing: points whose heights differ by less stand out alike, whatever the last digits say
SAMPLES_APART = 0.8  # of the spacing; at 1 a vertex of a resting ball sags 0.1 elements below the ground, at this 0.02
STANDBY_APART = 0.1  # of the spacing, between vertices that stand by


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

    flat = np.ascontiguousarray(node_values.reshape(len(node_values), -1))
    result = np.empty((len(binding.tets), flat.shape[1]))
    carry_by_tets(binding.tets, binding.weights, tets, flat, result)
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
    return _bound(mesh.centred, np.ascontiguousarray(points - mesh.middle))


def _bound(mesh: TetMesh, points: NDArray[np.float64]) -> Binding:
    """The binding to a mesh about the origin."""
    from .geometry.tet_location import steadiest_tets
    from .geometry.triangle_tree import closest_points

    tets, weights = mesh.located(points)
    outside = np.flatnonzero(tets < 0)
    if not len(outside):
        return Binding(tets, weights)
    closest = closest_points(mesh.hull, points[outside])
    corners = mesh.faces.boundary[closest.triangle]
    tets[outside], weights[outside] = steadiest_tets(mesh.positions, mesh.tets, corners, points[outside])
    far = closest.distance > FAR_OUTSIDE * mesh.mean_edge
    if not far.any():
        return Binding(tets, weights)
    return Binding(tets, weights, _spread(mesh, points, outside[far], closest.triangle[far], closest.weights[far]))


def _spread(
    mesh: TetMesh,
    points: NDArray[np.float64],
    which: NDArray[np.int64],
    triangle: NDArray[np.int32],
    corner_weights: NDArray[np.float64],
) -> Spread:
    from .geometry.spread_weights import spread_rows

    corners = mesh.faces.boundary[triangle]
    foot = np.einsum("ri,rid->rd", corner_weights, mesh.positions[corners])
    offset, wanted = points[which] - foot, mesh.piece[mesh.faces.tet[triangle]]
    start, nodes, weights = spread_rows(
        mesh.positions, mesh.tets, mesh.piece, wanted, foot, offset, corners, corner_weights, mesh.mean_edge
    )
    return Spread(which, start, nodes, weights)


def contact_samples(surface: Surface, mesh: TetMesh, spacing: float) -> Binding:
    """Return points of the artist's surface that carry contact, about one per cell of `spacing` [m], bound by `bind`.

    Vertices, and points inside triangles larger than the spacing. Vertices come first, of them those that stand out furthest
    from the cage and from their neighbours, so that corners touch; what is seen between points that touch sags through the
    ground by some share of their distance, so none is further than SAMPLES_APART from one. As goo flows, so do they apart,
    and folds of the surface turn outwards: so the other vertices stand by. Points deeper inside the cage than an edge (inner
    shells) are left out.
    """
    from .geometry.sampling import bulges, surface_points
    from .geometry.thinning import thinned
    from .geometry.triangle_tree import closest_points

    here = mesh.centred
    relative = Surface(surface.positions - mesh.middle, surface.triangles)
    candidates = surface_points(relative, spacing)
    outside = here.located(candidates)[0] < 0
    distance = closest_points(here.hull, candidates).distance
    height = np.where(outside, distance, -distance)
    corners = bulges(relative)
    height[: len(corners)] += corners
    level = np.round(height / (LEVEL * spacing))
    order = np.lexsort((-level, np.arange(len(height)) >= len(corners)))
    order = order[(outside | (distance < here.mean_edge))[order]]
    always = thinned(candidates, order, SAMPLES_APART * spacing)
    order = np.concatenate([always, order[order < len(corners)]])
    kept = thinned(candidates, order, STANDBY_APART * spacing)
    return replace(_resting_on_feet(here, _bound(here, candidates[kept])), standby=~np.isin(kept, always))


def _resting_on_feet(mesh: TetMesh, binding: Binding) -> Binding:
    """The binding with the force on points clearly outside taken by the boundary where it is closest to them.

    Such a point is seen where many tets carry it. A single one, whose corners it lies beyond, takes a force as a lever: it
    turns away under it without the point giving way, and is thrown out of the body as a spike.
    """
    from .geometry.triangle_tree import closest_points

    spread = binding.spread
    if spread is None:
        return binding
    closest = closest_points(mesh.hull, evaluate(binding, mesh.tets, mesh.positions)[spread.points])
    tets, weights = binding.tets.copy(), binding.weights.copy()
    tets[spread.points] = mesh.faces.tet[closest.triangle]
    corners = mesh.faces.boundary[closest.triangle]
    at = mesh.tets[tets[spread.points]][:, :, None] == corners[:, None, :]
    weights[spread.points] = np.einsum("rij,rj->ri", at, closest.weights)
    return replace(binding, tets=tets, weights=weights)

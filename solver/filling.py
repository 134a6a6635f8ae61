"""How far tets reach out of what is seen, and how much of them it fills."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .geometry.measures import area_vectors, signed_volumes
from .geometry.triangle_tree import TriangleTree, closest_points, triangle_tree
from .geometry.winding import WindingTree, winding_numbers, winding_tree
from .geometry.winding_steps import DOUBTFUL, winding_steps
from .surface import Surface
from .tetmesh.mesh import TetMesh

Array = NDArray[np.float64]

# Mean edges by which a corner lies outside of what is seen before a tet is not simply taken for full: no place that is asked is
# nearer to a face of a well-shaped tet
OUTSIDE = 0.05
# Mean edges from what is seen at which a place is half inside, whatever the last digits say: flat sides go through such places
ON_SURFACE = 1e-6
# Places in a tet (11, 4) at which it is asked whether it is filled: the middle, and near each corner and each edge
PLACES = np.array(
    [[0.25] * 4]
    + [[0.7 if k == i else 0.1 for k in range(4)] for i in range(4)]
    + [[0.4 if k in (i, j) else 0.1 for k in range(4)] for i in range(4) for j in range(i)]
)


class Standing(NamedTuple):
    """Where nodes (k,) of a boundary are about what is seen: its closest points (k, 3), how far they are, who is outside."""

    feet: Array
    distance: Array
    outside: NDArray[np.bool_]


def standing(positions: Array, boundary: NDArray[np.int32], nodes: NDArray[np.int32], seen: TriangleTree) -> Standing:
    """Return that of some nodes of a mesh at positions (n, 3). What is outwards the boundary (f, 3) says, not what is seen."""
    here = np.ascontiguousarray(positions[nodes])
    found = closest_points(seen, here)
    feet = np.einsum("ki,kid->kd", found.weights, seen.positions[seen.triangles[found.triangle]])
    vectors = area_vectors(positions, boundary)
    outward = [np.bincount(boundary.ravel(), np.repeat(axis, 3), len(positions))[nodes] for axis in vectors.T]
    return Standing(feet, found.distance, np.einsum("ki,ik->k", here - feet, np.array(outward)) > 0.0)


@dataclass(frozen=True)
class Covering:
    """What is seen of a body about its mesh, and what is asked of both again and again, made once."""

    mesh: TetMesh
    seen: Surface

    @cached_property
    def tree(self) -> TriangleTree:
        """The tree over what is seen."""
        return triangle_tree(self.seen.positions, self.seen.triangles)

    @cached_property
    def around(self) -> WindingTree:
        """The same with what winding numbers ask for."""
        return winding_tree(self.tree)

    @cached_property
    def enclosed(self) -> float:
        """The volume that what is seen encloses [m^3]."""
        return float(signed_volumes(self.seen.positions, self.seen.triangles).sum())

    @cached_property
    def reaching(self) -> NDArray[np.int64]:
        """The tets (k,) a corner of which reaches out of what is seen."""
        mesh = self.mesh
        nodes = mesh.rim
        where = standing(mesh.positions, mesh.faces.boundary, nodes, self.tree)
        reaching = np.zeros(len(mesh.positions), dtype=bool)
        reaching[nodes] = where.outside & (where.distance > OUTSIDE * mesh.mean_edge)
        a, b, c, d = mesh.tets.T
        return np.flatnonzero(reaching[a] | reaching[b] | reaching[c] | reaching[d])

    @cached_property
    def filled(self) -> Array:
        """The share (m,) of each tet that what is seen fills."""
        return filled_shares(self)


def filled_shares(covering: Covering) -> Array:
    """Return the share (m,) of each tet that what is seen fills, where its corners reach out of that; 1 elsewhere."""
    mesh = covering.mesh
    shares = np.ones(len(mesh.tets))
    if not len(covering.seen.triangles):
        return shares
    some = covering.reaching
    if len(some):
        places, near = np.einsum("pc,tcd->tpd", PLACES, mesh.positions[mesh.tets[some]]), ON_SURFACE * mesh.mean_edge
        steps = winding_steps(covering.tree, places, near)
        wound = winding_numbers(covering.around, np.ascontiguousarray(places[:, 0]))
        inside = np.where(wound[:, None] + steps > 0.5, 1.0, 0.0)
        doubtful = np.nonzero(steps == DOUBTFUL)
        asked = places[doubtful]
        found = np.where(winding_numbers(covering.around, asked) > 0.5, 1.0, 0.0)
        found[closest_points(covering.tree, asked, near).triangle >= 0] = 0.5
        inside[doubtful] = found
        shares[some] = inside.mean(axis=1)
    return shares


def inner_nodes_outside(covering: Covering) -> NDArray[np.int64]:
    """Return the nodes (k,) that are on no boundary face, and outside of what is seen: tets may reach out so far."""
    if not len(covering.seen.triangles):
        return np.zeros(0, dtype=np.int64)
    mesh = covering.mesh
    near = np.setdiff1d(mesh.tets[covering.reaching], mesh.faces.boundary).astype(np.int64)
    if not len(near):
        return near
    return near[winding_numbers(covering.around, np.ascontiguousarray(mesh.positions[near])) <= 0.5]

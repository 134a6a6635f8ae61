"""Laying a new boundary where the old one was, between its own vertices too.

Stuffing puts new vertices on the old surface, so every facet cuts off what is round and bridges what is hollow; remesh after
remesh the rim of a puddle retreats. Here the boundary is faired once, so that the old one's folds die out; then points all over
the old surface pull at the facets that are nearest to them. A vertex goes by the mean of what pulls at its facets and at its
neighbours', and no further than its tets bear.

What is seen lies outside the tets by a little more after each remesh, where parts thinner than a tet have lost theirs: so the
boundary is brought there in the end, and what is seen hangs on tets again, and not on those next to where it is. And where tets
reach out of what is seen, as below a puddle's rim, nothing would hold them, and goo would run out into them unseen: so the
boundary is brought back from there.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, diags

from ..filling import standing
from ..geometry.measures import area_vectors
from ..geometry.triangle_tree import TriangleTree, closest_points, refit, triangle_tree
from ..surface import Surface
from ..tetmesh.mesh import TetMesh
from .guarding import SHARPEST, guarded

Array = NDArray[np.float64]

ROUNDS = 3
FARTHEST = 0.5  # element sizes by which a vertex may move in all
REACH = 1.5  # element sizes from which a facet is pulled at
# Rounds in which the boundary is brought to what is seen: the dihedral angle [deg] below which they bring no tet, and the
# element sizes that are left between them. Most is done with good tets, what is far outside with such as fitting leaves
REACHING = (*[(20.0, 0.05)] * 10, *[(SHARPEST, 0.08)] * 10)
OUT = 0.2  # element sizes outside of what is seen from which a node is brought back, half the way; less would lose thin rims
ASIDE = 0.1  # element sizes outside the boundary where nothing may be, for it to be seen
FAIRING = 0.5  # of the way to the mean of its neighbours that a vertex goes before it is pulled


def fitted(mesh: TetMesh, old: TetMesh, element_size: float, seen: Surface | None = None, folded: bool = False) -> TetMesh:
    """Return the mesh with its boundary moved to where that of the old one is; parts of the old one may lie in each other.

    What is seen outside the old one pulls too. In the end the boundary is brought to all that is seen outside it, and back from
    where nothing is seen.
    Of a `folded` body all points of the old surface pull, and only at facets that face the same way as they do, for the two
    sides of a fold face each other; and what is seen does not, for the side that it is on would not let go of the other.
    """
    faces, (pulling, normals) = mesh.faces.boundary, _points_of(old)
    facing = normals if folded else None
    if not folded:
        pulling = pulling[_outermost(old, pulling, normals, ASIDE * element_size)]
    if seen is not None and not folded:
        pulling = np.concatenate([pulling, seen.positions[old.located(seen.positions)[0] < 0]])
    nodes = np.unique(faces)
    means = _means_of_neighbours(faces, len(mesh.positions))
    faired = mesh.positions.copy()
    faired[nodes] += FAIRING * (means @ mesh.positions - mesh.positions)[nodes]
    positions = guarded(mesh.positions, faired, mesh.outer)
    facets = triangle_tree(positions, faces)
    for _ in range(ROUNDS):
        facets = refit(facets, positions)
        step = _pull(facets, pulling, REACH * element_size, facing)
        step[nodes] = 0.5 * (step + means @ step)[nodes]
        way = positions + step - mesh.positions
        length = np.sqrt((way**2).sum(axis=1, keepdims=True))
        way *= np.minimum(1.0, FARTHEST * element_size / np.maximum(length, 1e-300))
        positions = guarded(positions, mesh.positions + way, mesh.outer)
    if seen is not None and len(seen.triangles) and not folded:
        positions = _reaching(mesh, positions, seen, element_size)
    return mesh.moved(positions)


def _reaching(mesh: TetMesh, positions: Array, seen: Surface, element_size: float) -> Array:
    """Return nodes (n, 3) moved on to where what is seen lies outside still, and back from outside it, as far as tets bear."""
    boundary, shell = mesh.faces.boundary, triangle_tree(seen.positions, seen.triangles)
    facets, back = triangle_tree(positions, boundary), np.unique(boundary)
    left = seen.positions[mesh.moved(positions).located(seen.positions)[0] < 0]
    for sharpest, close in REACHING:
        facets = refit(facets, positions)
        distance = closest_points(facets, left).distance
        left = left[(distance > close * element_size) & (distance < REACH * element_size)]
        wanted = positions + _pull(facets, left, REACH * element_size)
        moving = np.union1d(back, np.flatnonzero((wanted != positions).any(axis=1))).astype(np.int32)
        where = standing(wanted, boundary, moving, shell)
        out = where.outside & (where.distance > OUT * element_size) & (where.distance < REACH * element_size)
        back = moving[out]
        if not len(left) and not len(back):
            break
        share = 0.5 * OUT * element_size / where.distance[out, None]
        wanted[back] = where.feet[out] + share * (wanted[back] - where.feet[out])
        positions = guarded(positions, wanted, mesh.outer, sharpest)
        left = left[TetMesh(positions, mesh.outer).located(left)[0] < 0]
    return positions


def _points_of(mesh: TetMesh) -> tuple[Array, Array]:
    """Points (k, 3) all over a mesh's boundary, vertices and middles of triangles, and unit normals (k, 3) there."""
    faces = mesh.faces.boundary
    corners, normals = np.unique(faces), area_vectors(mesh.positions, faces)
    of_nodes = np.stack([np.bincount(faces.ravel(), np.repeat(axis, 3), len(mesh.positions)) for axis in normals.T], axis=1)
    points = np.concatenate([mesh.positions[corners], mesh.positions[faces].mean(axis=1)])
    outward = np.concatenate([of_nodes[corners], normals])
    return points, outward / np.maximum(np.sqrt((outward**2).sum(axis=1, keepdims=True)), 1e-300)


def _outermost(mesh: TetMesh, points: Array, normals: Array, aside: float) -> NDArray[np.bool_]:
    """Which points (k,) of a mesh's boundary are not where another part of it begins."""
    return np.asarray(mesh.located(points + aside * normals)[0] < 0)


def _means_of_neighbours(faces: NDArray[np.int32], count: int) -> csr_matrix:
    """The matrix (count, count) that averages over the neighbours on a closed surface; rows of other nodes are zero."""
    first, second = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    joined = coo_matrix((np.ones(len(first)), (first, second)), shape=(count, count)).tocsr()
    return diags(1.0 / np.maximum(np.asarray(joined.sum(axis=1)).ravel(), 1.0)) @ joined


def _pull(facets: TriangleTree, points: Array, reach: float, facing: Array | None = None) -> Array:
    """Return by how much nodes (n, 3) are to move on the mean for facets to meet points (k, 3) not further than reach [m].

    A point that says where it is `facing` (k, 3) leaves facets alone that face elsewhere.
    """
    positions, faces, found = facets.positions, facets.triangles, closest_points(facets, points, reach)
    near = np.flatnonzero(found.triangle >= 0)
    if facing is not None:
        same = np.einsum("ki,ki->k", area_vectors(positions, faces)[found.triangle[near]], facing[near]) > 0.0
        near = near[same]
    corners, weights = faces[found.triangle[near]], found.weights[near]
    offsets = points[near] - np.einsum("ki,kid->kd", weights, positions[corners])
    total = np.bincount(corners.ravel(), weights.ravel(), len(positions))
    sums = [np.bincount(corners.ravel(), (weights * offsets[:, [a]]).ravel(), len(positions)) for a in range(3)]
    pull: Array = np.stack(sums, axis=1) / np.where(total > 0.0, total, 1.0)[:, None]
    return pull

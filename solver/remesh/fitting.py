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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

from ..filling import standing
from ..geometry.chunks import side_by_side
from ..geometry.measures import area_vectors
from ..geometry.triangle_tree import TriangleTree, closest_points, refit, triangle_tree
from ..jit import kernel
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
NOWHERE: Array = np.zeros((0, 3))
FAIRING = 0.5  # of the way to the mean of its neighbours that a vertex goes before it is pulled


class Outline(NamedTuple):
    """What an old mesh says of where a new boundary is to lie.

    points, normals : (k, 3), (k, 3) all over its boundary, and the unit normals there
    pulling         : (p, 3) those that are not where another part of it begins, and what is seen outside it,
    outside         : (s,) these last ones of it, as numbers of what is seen
    shell           : the tree of what is seen, if anything is
    """

    points: Array
    normals: Array
    pulling: Array
    outside: NDArray[np.int64]
    shell: TriangleTree | None


class Pulled(NamedTuple):
    """A mesh with its boundary pulled, that as triangles with nodes somewhere about, and at most how far from it each of the
    points (p,) is that have pulled [m]."""

    mesh: TetMesh
    facets: TriangleTree
    farthest: Array


def outline(old: TetMesh, element_size: float, seen: Surface | None = None, filled: bool = False) -> Outline:
    """Return the outline of a mesh, given what is seen of it; or of that alone, which new tets are to have `filled`."""
    shell = None if seen is None or not len(seen.triangles) else triangle_tree(seen.positions, seen.triangles)
    if filled and seen is not None:
        return Outline(seen.positions, NOWHERE, seen.positions, np.arange(len(seen.positions)), shell)
    points, normals = _points_of(old)
    pulling = points[_outermost(old, points, normals, ASIDE * element_size)]
    outside = np.zeros(0, dtype=np.int64) if seen is None else np.flatnonzero(old.located(seen.positions)[0] < 0)
    if seen is not None:
        pulling = np.concatenate([pulling, seen.positions[outside]])
    return Outline(points, normals, pulling, outside, shell)


def fitted(
    mesh: TetMesh, old: Outline, element_size: float, folded: bool = False
) -> tuple[TetMesh, float]:
    """Return the mesh with its boundary moved to where that of the old one is; parts of the old one may lie in each other.

    In the end the boundary is brought to all that is seen outside it, and back from where nothing is seen; how far outside some
    of it is left is returned too [m].
    Of a `folded` body all points of the old surface pull, and only at facets that face the same way as they do, for the two
    sides of a fold face each other; and what is seen does not, for the side that it is on would not let go of the other.
    """
    if old.shell is None or folded:
        return _pulled(mesh, old, element_size, folded).mesh, 0.0
    # The tree is for what comes after, of tets that are moved a little
    pulled, _ = side_by_side(lambda: _pulled(mesh, old, element_size, folded), lambda: mesh.tree)
    farthest = np.full(len(old.shell.positions), np.inf)
    farthest[old.outside] = pulled.farthest[len(old.pulling) - len(old.outside) :]
    return _reaching(pulled._replace(mesh=mesh.moved(pulled.mesh.positions), farthest=farthest), old.shell, element_size)


def _pulled(mesh: TetMesh, old: Outline, element_size: float, folded: bool) -> Pulled:
    """The mesh with its boundary faired and pulled."""
    pulling, facing = (old.points, old.normals) if folded else (old.pulling, NOWHERE)
    faces = mesh.faces.boundary
    nodes = mesh.rim
    means = _means_of_neighbours(faces, len(mesh.positions))
    faired = mesh.positions.copy()
    faired[nodes] += FAIRING * (means @ mesh.positions - mesh.positions)[nodes]
    positions = guarded(mesh.positions, faired, mesh.outer)
    facets = triangle_tree(positions, faces)
    for _ in range(ROUNDS):
        facets = refit(facets, positions)
        found = closest_points(facets, pulling, REACH * element_size)
        step = _pull(facets, pulling, found.triangle, found.weights, facing)
        step[nodes] = 0.5 * (step + means @ step)[nodes]
        way = positions + step - mesh.positions
        length = np.sqrt((way**2).sum(axis=1, keepdims=True))
        way *= np.minimum(1.0, FARTHEST * element_size / np.maximum(length, 1e-300))
        positions = guarded(positions, mesh.positions + way, mesh.outer)
    gone = np.sqrt(((positions - facets.positions) ** 2).sum(axis=1))  # since then: a facet's points no further than its nodes
    farthest = found.distance + gone[faces[found.triangle]].max(axis=1)
    return Pulled(mesh.moved(positions), facets, farthest)


def _reaching(pulled: Pulled, seen: TriangleTree, element_size: float) -> tuple[TetMesh, float]:
    """Return the mesh with its boundary moved on to where what is seen still lies outside, and back from outside it.

    As far as its tets bear; how far outside the farthest of it is then [m]. It is known how far that is at most from all that
    is seen, (n,) of the points pulled, before it is moved.
    """
    mesh, facets = pulled.mesh, pulled.facets
    positions, rim, boundary = mesh.positions, TetMesh(mesh.positions, mesh.outer), mesh.faces.boundary
    back, left, held = mesh.rim, seen.positions[pulled.farthest > REACHING[0][1] * element_size], mesh
    still = False
    for turn, (sharpest, close) in enumerate(REACHING):
        if still and (sharpest, close) == REACHING[turn - 1]:  # would be the last round again
            continue
        facets = refit(facets, positions)
        found = closest_points(facets, left, REACH * element_size)
        far = np.flatnonzero(found.distance > close * element_size)  # what nothing is near yet may be reached in a later round
        far = far[held.located(left[far])[0] < 0] if len(far) else far
        wanted = positions + _pull(facets, left[far], found.triangle[far], found.weights[far])
        if turn == 0:
            left = left[far]  # and these are looked at in each round: what brings one of them in may take others out again
        moving = np.union1d(back, np.flatnonzero((wanted != positions).any(axis=1))).astype(np.int32)
        where = standing(wanted, boundary, moving, seen)
        out = where.outside & (where.distance > OUT * element_size) & (where.distance < REACH * element_size)
        back = moving[out]
        if not len(far) and not len(back):
            break
        share = 0.5 * OUT * element_size / where.distance[out, None]
        wanted[back] = where.feet[out] + share * (wanted[back] - where.feet[out])
        before, positions = positions, guarded(positions, wanted, mesh.outer, sharpest)
        still = turn > 0 and np.array_equal(before, positions)
        held = rim = rim.moved(positions)
    distance = closest_points(refit(facets, positions), left).distance if len(left) else np.zeros(0)
    farther = np.flatnonzero(distance > REACHING[-1][1] * element_size)
    farther = farther[held.located(left[farther])[0] < 0] if len(farther) else farther
    return mesh.moved(positions), float(distance[farther].max(initial=0.0))


def _points_of(mesh: TetMesh) -> tuple[Array, Array]:
    """Points (k, 3) all over a mesh's boundary, vertices and middles of triangles, and unit normals (k, 3) there."""
    faces = mesh.faces.boundary
    corners, normals = mesh.rim, area_vectors(mesh.positions, faces)
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
    joined.data *= np.repeat(1.0 / np.maximum(np.bincount(first, minlength=count), 1), np.diff(joined.indptr))
    return joined


def _pull(
    facets: TriangleTree, points: Array, nearest: NDArray[np.int32], weights: Array, facing: Array = NOWHERE
) -> Array:
    """Return by how much nodes (n, 3) are to move on the mean for facets to meet points (k, 3).

    The `nearest` facet (k,) to each is pulled at, -1 being none, at weights (k, 3) between its nodes. A point that says where
    it is `facing` (k, 3) leaves facets alone that face elsewhere.
    """
    sums = np.zeros((len(facets.positions), 4))
    _add_pulls(facets.positions, facets.triangles, points, nearest, weights, facing, sums)
    pull: Array = sums[:, :3] / np.where(sums[:, 3] > 0.0, sums[:, 3], 1.0)[:, None]
    return pull


@kernel
def _add_pulls(positions, faces, points, nearest, weights, facing, sums):  # type: ignore[no-untyped-def]
    """Add the ways from facets to points, by weights, and the weights, to sums (n, 4) of the facets' nodes."""
    way, out = np.empty(3), np.empty(3)
    for k in range(len(points)):
        if nearest[k] < 0:
            continue
        a, b, c = faces[nearest[k], 0], faces[nearest[k], 1], faces[nearest[k], 2]
        if len(facing):
            for i in range(3):
                m, n = (i + 1) % 3, (i + 2) % 3
                um, un = positions[b, m] - positions[a, m], positions[b, n] - positions[a, n]
                out[i] = um * (positions[c, n] - positions[a, n]) - un * (positions[c, m] - positions[a, m])
            if not out[0] * facing[k, 0] + out[1] * facing[k, 1] + out[2] * facing[k, 2] > 0.0:
                continue
        u, v, w = weights[k, 0], weights[k, 1], weights[k, 2]
        for i in range(3):
            way[i] = points[k, i] - (u * positions[a, i] + v * positions[b, i] + w * positions[c, i])
        for node, share in ((a, u), (b, v), (c, w)):
            sums[node, 3] += share
            for i in range(3):
                sums[node, i] += share * way[i]

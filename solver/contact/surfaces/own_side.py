"""Contact points of a body that has folded onto itself: each carried by the side of the fold that it is of.

The nearest tet may be one across the fold. What carries the body's own surface there knows better, for it has been handed on
from mesh to mesh (remesh/own_sheet.py).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags, vstack

from ...embedding import Binding, bind
from ...fem.extension import carrying_matrix
from ...geometry.triangle_tree import closest_points, triangle_tree
from ...surface import Surface
from ...tetmesh.mesh import TetMesh
from .seen import Seen

Array = NDArray[np.float64]

TOLD = 1.5  # edges of the tets from a vertex up to which those around it can be told by it


def carrying_rows(mesh: TetMesh, points: Array, seen: Surface, binding: Binding, laid: bool) -> csr_matrix:
    """Return the matrix (k, n) that gives the places of points (k, 3) from those of a mesh's nodes.

    A point is carried as `bind` has it, unless the tet that it names is far, along the mesh, from those that carry the surface
    seen there: then as this surface is, by its `binding`. Of the middle of a face that is larger than tets its corners tell
    nothing. A surface that was laid on the tets (solver/tet_surface) is as fine as they are and carries all points on it.
    """
    found = closest_points(triangle_tree(seen.positions, seen.triangles), np.ascontiguousarray(points))
    corners = seen.triangles[found.triangle]
    start = np.arange(0, 3 * len(points) + 1, 3)
    shares = csr_matrix((found.weights.ravel(), corners.ravel(), start), shape=(len(points), len(seen.positions)))
    if laid:
        return csr_matrix(shares @ carrying_matrix(binding, mesh.tets, len(mesh.positions)))
    bound = bind(mesh, points)
    rows = carrying_matrix(bound, mesh.tets, len(mesh.positions))
    nearest = corners[np.arange(len(points)), found.weights.argmax(axis=1)]
    away = points - seen.positions[nearest]
    told = (away**2).sum(axis=1) < (TOLD * mesh.mean_edge) ** 2
    across = told & ~led_to(mesh, bound.tets, binding.tets[nearest])
    if not across.any():
        return rows
    own = shares @ carrying_matrix(binding, mesh.tets, len(mesh.positions))
    return csr_matrix(diags((~across).astype(float)) @ rows + diags(across.astype(float)) @ own)


def rows_as_seen(mesh: TetMesh, fit: Seen, seen: Surface, binding: Binding, laid: bool) -> csr_matrix:
    """The same of the points of a surface that is, or may be, refined: its vertices are carried as they are seen.

    Bound anew in tets that are pressed just then, as `carrying_rows` does, they would go other ways than what is seen, which
    would pass through itself.
    """
    rows = carrying_matrix(binding, mesh.tets, len(mesh.positions))[fit.vertices]
    cuts = fit.positions[len(fit.vertices) :]
    return csr_matrix(vstack([rows, carrying_rows(mesh, cuts, seen, binding, laid)])) if len(cuts) else rows


def led_to(mesh: TetMesh, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether pairs of tets (k,), (k,) have nodes that two edges or fewer lead from one to the other.

    Nearly all have a node in common; only for others the edges are followed.
    """
    near = (mesh.tets[first][:, :, None] == mesh.tets[second][:, None, :]).any(axis=(1, 2))
    left = np.flatnonzero(~near)
    if len(left):
        near[left] = _followed(mesh, first[left], second[left])
    return np.asarray(near)


def _followed(mesh: TetMesh, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether two edges or fewer lead from a node of each tet (k,) to one of the other (k,)."""
    count = len(mesh.tets)
    holds = csr_matrix(
        (np.ones(4 * count), mesh.tets.ravel(), np.arange(0, 4 * count + 1, 4)), shape=(count, len(mesh.positions))
    )
    joined = holds.T @ holds
    around = holds[first] @ joined @ joined
    return np.asarray(around.multiply(holds[second]).sum(axis=1)).ravel() > 0.0

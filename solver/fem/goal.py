"""Where plasticity control leads to: each tet's goal, from a goal shape of the artist's surface (Irving 2004, section 7)."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.linalg import spsolve

from ..embedding import Binding
from ..errors import SceneError
from ..scene import Body
from ..state import Ranges, State
from ..svd import signed_svd

Array = NDArray[np.float64]

SURFACE_PULL = 1e3  # how much more the surface's goal counts than smoothness inside
STRETCHES = (0.2, 5.0)  # of a goal tet; what the goal asks beyond them is not followed
MOST_FOLDED = 0.2  # share of a body's tets that the goal may turn inside out before it is refused


def set_goals(state: State, ranges: Ranges, bodies: tuple[Body, ...], surfaces: list[Binding]) -> None:
    """Fill `state.goal` and `state.goal_rate` of the bodies that have a goal; the surfaces bind their own meshes."""
    for body, surface, (a, b), (n0, n1) in zip(bodies, surfaces, _pairs(ranges.tets), _pairs(ranges.nodes), strict=True):
        if body.goal is not None:
            own = state.tets[a:b] - n0
            displacements = _inside(state.positions[n0:n1], own, surface, body.goal - body.surface.positions)
            state.goal[a:b] = _goal_strain(state.positions[n0:n1] + displacements, own, state.rest_shape_inverse[a:b], body)
            state.goal_rate[a:b] = body.goal_rate


def _pairs(offsets: NDArray[np.int64]) -> list[tuple[int, int]]:
    return list(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))


def _inside(positions: Array, tets: NDArray[np.int32], surface: Binding, moved: Array) -> Array:
    """Displacements (n, 3) of the nodes that carry the surface's (k, 3) as smoothly as can be.

    The minimum of the Dirichlet energy of the displacement plus the squared misfit at the surface's points.
    """
    edges = positions[tets[:, 1:]] - positions[tets[:, :1]]
    inner = np.swapaxes(np.linalg.inv(edges), 1, 2)
    gradients = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    volumes = np.abs(np.linalg.det(edges)) / 6.0
    blocks = np.einsum("mik,mjk,m->mij", gradients, gradients, volumes)
    rows, columns = np.repeat(tets, 4, axis=1).ravel(), np.tile(tets, (1, 4)).ravel()
    count = len(positions)
    smooth = csr_matrix((blocks.ravel(), (rows, columns)), shape=(count, count))
    carry = carrying_matrix(surface, tets, count)
    pull = SURFACE_PULL * smooth.diagonal().sum() / max((carry.multiply(carry)).sum(), 1e-300)
    solution: Array = spsolve((smooth + pull * (carry.T @ carry)).tocsc(), pull * (carry.T @ moved))
    return solution


def carrying_matrix(surface: Binding, tets: NDArray[np.int32], node_count: int) -> csr_matrix:
    """The sparse matrix (k, n) that takes values at the nodes to the bound points."""
    points, weights, nodes = np.repeat(np.arange(len(surface.tets)), 4), surface.weights.ravel(), tets[surface.tets].ravel()
    if surface.spread is not None:
        kept = ~np.isin(points, surface.spread.points)
        blended = np.repeat(surface.spread.points, np.diff(surface.spread.start))
        points = np.concatenate([points[kept], blended])
        weights = np.concatenate([weights[kept], surface.spread.weights])
        nodes = np.concatenate([nodes[kept], surface.spread.nodes])
    return coo_matrix((weights, (points, nodes)), shape=(len(surface.tets), node_count)).tocsr()


def _goal_strain(goal: Array, tets: NDArray[np.int32], rest_shape_inverse: Array, body: Body) -> Array:
    """log F_p,goal (m, 6: 00 11 22 01 02 12) of every tet, its rotation left out."""
    edges = np.swapaxes(goal[tets[:, 1:]] - goal[tets[:, :1]], 1, 2)
    _, stretches, right = signed_svd(edges @ rest_shape_inverse)
    folded = float((stretches[:, 2] <= 0.0).mean())
    if folded > MOST_FOLDED:
        raise SceneError(
            f"Its goal shape turns {100.0 * folded:.0f} % of its inside out.",
            body=body.name,
            remedy="Choose a goal shape whose vertices are those of this object, in the same order.",
        )
    logs = np.log(np.clip(stretches, *STRETCHES))
    strain = np.einsum("mik,mk,mjk->mij", right, logs, right)
    return strain[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]

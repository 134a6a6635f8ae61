"""From the artist's surface to the inside: what is given at its points, carried on as smoothly as can be."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.linalg import spsolve

from ..embedding import Binding

Array = NDArray[np.float64]

SURFACE_PULL = 1e3  # how much more the surface counts than smoothness inside


def extended_inside(positions: Array, tets: NDArray[np.int32], surface: Binding, values: Array) -> Array:
    """Values (n, c) at the nodes that carry those at the surface's points (k, c) as smoothly as can be.

    The minimum of the Dirichlet energy of the values plus the squared misfit at the surface's points.
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
    solution: Array = spsolve((smooth + pull * (carry.T @ carry)).tocsc(), pull * (carry.T @ values))
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

"""Where fibres run: from the scene to tets (Irving 2004, section 6.1)."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..embedding import Binding
from ..scene import Body
from ..slots import FIBRE_STIFFNESS, FIBRE_TENSION
from ..state import Ranges, State
from .extension import extended_inside

Array = NDArray[np.float64]

LEAST_SHARE = 1e-3  # of fibres in a tet; with less their direction is noise
LEAST_GRADIENT = 0.02  # of weights; where they grow less, it is from what is left of others far away


def set_fibres(state: State, ranges: Ranges, bodies: tuple[Body, ...], surfaces: list[Binding]) -> None:
    """Fill `state.fibres`, and thin out stiffness and tension where few fibres are; the surfaces bind their own meshes."""
    for body, surface, (a, b), (n0, n1) in zip(
        bodies, surfaces, pairwise(ranges.tets.tolist()), pairwise(ranges.nodes.tolist()), strict=True
    ):
        if body.fibres is None:
            continue
        if body.fibres.ndim == 1:
            state.fibres[a:b] = body.fibres / np.linalg.norm(body.fibres)
        elif body.fibres.shape[1] == 1:
            state.fibres[a:b] = along_gradient(state.positions[n0:n1], state.tets[a:b] - n0, surface, body.fibres)
        else:
            field, share = _field(state.positions[n0:n1], state.tets[a:b] - n0, surface, body.fibres)
            state.fibres[a:b] = field
            state.material[[FIBRE_STIFFNESS, FIBRE_TENSION], a:b] *= share


def along_gradient(positions: Array, tets: NDArray[np.int32], surface: Binding, weights: Array) -> Array:
    """Return unit directions (m, 3) of fibres that run the way in which weights (k, 1) at the surface's points grow most.

    The weights are carried on inside as smoothly as can be (extended_inside); a tet's direction is the gradient of what its
    nodes have. Where that is less than LEAST_GRADIENT of all weights over the mesh's size, it is that of the nearest tet with
    more.
    """
    nodes = extended_inside(positions, tets, surface, weights).reshape(-1)
    edges = positions[tets[:, 1:]] - positions[tets[:, :1]]
    gradients = np.linalg.solve(edges, (nodes[tets[:, 1:]] - nodes[tets[:, :1]])[:, :, None])[:, :, 0]
    length = np.sqrt((gradients**2).sum(axis=1))
    known = length > LEAST_GRADIENT * np.ptp(weights) / np.ptp(positions, axis=0).max()
    unit = gradients[known] / length[known, None]
    middles = positions[tets].mean(axis=1)
    _, nearest = cKDTree(middles[known]).query(middles[~known])
    directions = np.empty_like(gradients)
    directions[known], directions[~known] = unit, unit[nearest]
    return directions


def _field(positions: Array, tets: NDArray[np.int32], surface: Binding, directions: Array) -> tuple[Array, Array]:
    """Unit directions (m, 3) and the share of fibres (m,) in the tets, from directions (k, 3) at the surface's points.

    What is extended is a a^T, so that it does not matter which of its two ways a direction is given; its trace is the share.
    """
    length = np.sqrt((directions**2).sum(axis=1, keepdims=True))
    unit = directions / np.where(length > 0.0, length, 1.0)
    tensors = np.einsum("ki,kj->kij", unit, unit).reshape(-1, 9)
    mean = extended_inside(positions, tets, surface, tensors)[tets].mean(axis=1).reshape(-1, 3, 3)
    share = np.clip(np.trace(mean, axis1=1, axis2=2), 0.0, 1.0)
    share[share < LEAST_SHARE] = 0.0
    field = np.linalg.eigh(0.5 * (mean + np.swapaxes(mean, 1, 2)))[1][:, :, 2]
    return np.where(share[:, None] > 0.0, field, 0.0), share

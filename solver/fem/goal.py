"""Where plasticity control leads to: each tet's goal, from a goal shape of the artist's surface (Irving 2004, section 7)."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding
from ..errors import SceneError
from ..scene import Body
from ..state import Ranges, State
from ..svd import signed_svd
from .extension import extended_inside

Array = NDArray[np.float64]

STRETCHES = (0.2, 5.0)  # of a goal tet; what the goal asks beyond them is not followed
MOST_FOLDED = 0.2  # share of a body's tets that the goal may turn inside out before it is refused


def set_goals(state: State, ranges: Ranges, bodies: tuple[Body, ...], surfaces: list[Binding]) -> None:
    """Fill `state.goal` and `state.goal_rate` of the bodies that have a goal; the surfaces bind their own meshes."""
    for body, surface, (a, b), (n0, n1) in zip(
        bodies, surfaces, pairwise(ranges.tets.tolist()), pairwise(ranges.nodes.tolist()), strict=True
    ):
        if body.goal is not None:
            own = state.tets[a:b] - n0
            displacements = extended_inside(state.positions[n0:n1], own, surface, body.goal - body.surface.positions)
            state.goal[a:b] = _goal_strain(state.positions[n0:n1] + displacements, own, state.rest_shape_inverse[a:b], body)
            state.goal_rate[a:b] = body.goal_rate


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

"""Take the flow of an accepted step into the rest shapes (Bargteil eqs 8-12)."""

import numpy as np
from numpy.typing import NDArray

from ..state import STRESS_TIME, State
from . import tile

MOST_FLOW = float(np.log(1.5))  # log stretch that one step may make permanent


def log_flow(tiles: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Log principal stretches (m, 3) that flow makes permanent in this step; zero where nothing yields."""
    stretches = tile.unpack(tiles, tile.S, 3, count)
    gamma = 1.0 - tile.unpack(tiles, tile.RATIO, 1, count)
    logs = np.log(np.where(gamma > 0.0, stretches, 1.0))
    return gamma * (logs - logs.mean(axis=1, keepdims=True))


def commit_flow(state: State, tiles: NDArray[np.float64], step: float) -> None:
    """Update beta, F_p, plastic strain and hardening in place, and refresh the tiles.

    With V from F = U s V^T: beta := beta V exp(-log_flow) V^T and F_p := V exp(log_flow) V^T F_p (eq 12 lacks the left
    beta in print), det F_p renormalised to 1.
    """
    count = len(state.tets)
    flowed = log_flow(tiles, count)
    moving = np.flatnonzero((flowed != 0.0).any(axis=1))
    if len(moving):
        right = tile.unpack(tiles, tile.V, 9, count)[moving].reshape(-1, 3, 3)
        turn = np.swapaxes(right, 1, 2)
        shrink = (right * np.exp(-flowed[moving])[:, None, :]) @ turn
        grow = (right * np.exp(flowed[moving])[:, None, :]) @ turn
        plastic = grow @ state.plastic_deformation[moving]
        scale = np.cbrt(np.linalg.det(plastic))[:, None, None]
        state.plastic_deformation[moving] = plastic / scale
        state.rest_shape_inverse[moving] = state.rest_shape_inverse[moving] @ shrink * scale
    strain = np.sqrt(2.0 / 3.0 * (flowed**2).sum(axis=1))
    stress = np.sqrt((tile.unpack(tiles, tile.P, 3, count) ** 2).sum(axis=1))
    state.plastic_strain += strain
    state.hardening += np.where(state.material[STRESS_TIME] > 0.5, stress * step, strain)
    state.flow_stress[:] = tile.unpack(tiles, tile.MEASURE, 1, count)[:, 0]
    tile.refresh_tiles(tiles, state)

"""Bodies that rise: their rest volume grows by a share a second, as that of dough that proves, or shrinks.

Growth is alike in all directions, F = F_e F_p F_g with F_g = J^(1/3) I (Rodriguez, Hoger and McCulloch 1994), so that the rest
shape takes it over as it does flow: beta := J^(-1/3) beta, V := J V with J = exp(rate dt). What is free to swell stays without
stress, what is confined presses on what confines it. Mass stays.
"""

import numpy as np
from numpy.typing import NDArray

from ..slots import DENSITY
from ..state import State
from .tile import Tiles

Array = NDArray[np.float64]


def rise(state: State, tiles: Tiles, rates: Array, step: float) -> None:
    """Let tets grow at the rates (b,) [1/s] of the bodies of the scene that they are of for a step [s], in state and tiles."""
    if not rates.any():
        return
    grown = (rates * step)[state.origin.astype(np.int64)]
    state.wanted, state.shown = state.wanted * np.exp(grown), state.shown * np.exp(grown)
    grow(state, tiles, grown)


def grow(state: State, tiles: Tiles, grown: Array) -> None:
    """Let the rest volume of tets grow by logarithms (m,), in state and tiles."""
    resize(state, grown)
    tiles.weigh(state)
    tiles.pack(DENSITY, state.density)


def resize(state: State, grown: Array) -> None:
    """Let the rest volume of tets grow by logarithms (m,), in a state alone."""
    state.volumes = state.volumes * np.exp(grown)
    state.density = state.density * np.exp(-grown)
    state.rest_shape_inverse = state.rest_shape_inverse * np.exp(-grown / 3.0)[:, None, None]

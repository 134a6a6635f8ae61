"""The energy that is stored in the barriers of each body."""

import numpy as np
from numpy.typing import NDArray

from .pairs import Pairs
from .terms import add_barrier_gradient

Array = NDArray[np.float64]


def barrier_energies(
    pairs: Pairs, pushing: NDArray[np.int64], places: Array, bodies: NDArray[np.int64], count: int
) -> Array:  # fmt: skip
    """Energy (count,) [J] of those pairs that push, by their numbers, with points at places (k, 3) of bodies (k,).

    That of two bodies counts with the one of the pair's first point: whom it belongs to, nobody knows.
    """
    stored = np.zeros(count)
    if not len(pushing):
        return stored
    scratch, owners = np.zeros_like(places), bodies[pairs.nodes[pushing, 0]]
    for body in np.unique(owners):
        stored[body] = add_barrier_gradient(places, pairs, pushing[owners == body], scratch)
    return stored

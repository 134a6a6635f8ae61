"""What an elastic law declares about itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..contract import Parameter


@dataclass(frozen=True)
class ElasticLaw:
    """An isotropic elastic law in principal stretches.

    response   : function of scalars (s0, s1, s2, mu, lam, first, second) -> energy density [J/m^3], P0, P1, P2,
                 H00, H11, H22, H01, H02, H12 [Pa] with P = d energy/ds and H = dP/ds; written with solver/constants.py so
                 that it compiles for float32 and float64. mu, lam are Lame's parameters at small strains; s0 >= s1 >= |s2|.
    by_invariants : the same energy as a function of (I, J, mu, lam, first, second), I = |F|^2 and J = det F, -> energy density,
                 W_I, W_J, W_II, W_IJ, W_JJ [Pa], where it is one: tets that do not yield then need no decomposition
    parameters : up to two of its own, `first` and `second`
    rank       : its place in the artist's list
    """

    identifier: str
    label: str
    description: str
    source: str
    response: Callable[..., Any]
    rank: int
    by_invariants: Callable[..., Any] | None = None
    parameters: tuple[Parameter, ...] = ()

"""Bargteil 2007 eq 3: linear elasticity in the frame of the principal stretches, as printed."""

from ...constants import HALF, ONE, TWO, ZERO
from .contract import ElasticLaw


def response(s0, s1, s2, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """mu |s - 1|^2 + lambda/2 (s0 + s1 + s2 - 3)^2."""
    d0, d1, d2 = s0 - ONE, s1 - ONE, s2 - ONE
    trace = d0 + d1 + d2
    pressure, both = lam * trace, TWO * mu + lam
    return (
        mu * (d0 * d0 + d1 * d1 + d2 * d2) + HALF * lam * trace * trace,
        TWO * mu * d0 + pressure, TWO * mu * d1 + pressure, TWO * mu * d2 + pressure,
        both, both, both, lam + ZERO, lam + ZERO, lam + ZERO,
    )  # fmt: skip


LAW = ElasticLaw(
    identifier="rotated_linear",
    label="Rotated Linear",
    description="Linear in the stretches, with a linear volume term: the paper's, easily crushed flat",
    source="Bargteil 2007, eq 3",
    response=response,
    rank=2,
)

"""Bargteil 2007 eq 3 with a volume term that resists being crushed flat."""

from ...constants import HALF, ONE, TWO
from .contract import ElasticLaw


def response(s0, s1, s2, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """mu |s - 1|^2 + lambda/2 (J - 1)^2, J = s0 s1 s2."""
    d0, d1, d2 = s0 - ONE, s1 - ONE, s2 - ONE
    j0, j1, j2 = s1 * s2, s0 * s2, s0 * s1
    # J - 1 without the difference of two numbers near 1, which float32 would not bear
    dilation = d0 * j0 + d1 * s2 + d2
    pressure = lam * dilation
    return (
        mu * (d0 * d0 + d1 * d1 + d2 * d2) + HALF * pressure * dilation,
        TWO * mu * d0 + pressure * j0, TWO * mu * d1 + pressure * j1, TWO * mu * d2 + pressure * j2,
        TWO * mu + lam * j0 * j0, TWO * mu + lam * j1 * j1, TWO * mu + lam * j2 * j2,
        lam * j0 * j1 + pressure * s2, lam * j0 * j2 + pressure * s1, lam * j1 * j2 + pressure * s0,
    )  # fmt: skip


LAW = ElasticLaw(
    identifier="corotated",
    label="Corotated",
    description="Linear in the stretches, with a volume term that resists being crushed flat",
    source="Bargteil 2007, eq 3, with lambda/2 (J - 1)^2 for its volume term",
    response=response,
    rank=1,
)

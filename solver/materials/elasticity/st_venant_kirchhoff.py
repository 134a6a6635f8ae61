"""St. Venant-Kirchhoff elasticity: linear in Green strain, weak in compression."""

from ...constants import HALF, ONE, TWO
from .contract import ElasticLaw


def response(s0, s1, s2, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """mu |E|^2 + lambda/2 (tr E)^2 with E = (s^2 - 1)/2."""
    e0, e1, e2 = HALF * (s0 - ONE) * (s0 + ONE), HALF * (s1 - ONE) * (s1 + ONE), HALF * (s2 - ONE) * (s2 + ONE)
    pressure = lam * (e0 + e1 + e2)
    t0, t1, t2 = TWO * mu * e0 + pressure, TWO * mu * e1 + pressure, TWO * mu * e2 + pressure
    both = TWO * mu + lam
    return (
        mu * (e0 * e0 + e1 * e1 + e2 * e2) + HALF * pressure * (e0 + e1 + e2),
        s0 * t0, s1 * t1, s2 * t2,
        t0 + both * s0 * s0, t1 + both * s1 * s1, t2 + both * s2 * s2,
        lam * s0 * s1, lam * s0 * s2, lam * s1 * s2,
    )  # fmt: skip


LAW = ElasticLaw(
    identifier="st_venant_kirchhoff",
    label="St. Venant-Kirchhoff",
    description="Linear in Green strain: stiffens in tension, gives way under strong compression (Irving's figure 3)",
    source="Irving 2004, section 5 and figure 3; Bargteil 2007, section 3.1",
    response=response,
    rank=3,
)

"""Hyperelasticity by squared stretches: the further it is stretched, the harder it pulls."""

from ...constants import HALF, ONE, THREE, TWO, ZERO
from .contract import ElasticLaw


def response(s0, s1, s2, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """Principal stress mu (q - 1) + lambda t |s|, q = s |s|, t = sum (q - 1)/2: the linear law of the squared stretches.

    Energy mu sum (|s|^3/3 - s + 2/3) + lambda/2 t^2. The square keeps the sign of s, or inversion would cost nothing; and
    the pressure is that of an energy, which the paper's is not.
    """
    m0, m1, m2 = abs(s0), abs(s1), abs(s2)
    sign = ONE if s2 >= ZERO else -ONE
    q0, q1, q2 = s0 * m0 - ONE, s1 * m1 - ONE, s2 * m2 - ONE
    t = HALF * (q0 + q1 + q2)
    pressure = lam * t
    thirds = (m0 * m0 * m0 + m1 * m1 * m1 + m2 * m2 * m2) / THREE
    signs0, signs1 = ONE if s0 >= ZERO else -ONE, ONE if s1 >= ZERO else -ONE
    return (
        mu * (thirds - s0 - s1 - s2 + TWO) + HALF * pressure * t,
        mu * q0 + pressure * m0, mu * q1 + pressure * m1, mu * q2 + pressure * m2,
        TWO * mu * m0 + lam * m0 * m0 + pressure * signs0, TWO * mu * m1 + lam * m1 * m1 + pressure * signs1,
        TWO * mu * m2 + lam * m2 * m2 + pressure * sign,
        lam * m0 * m1, lam * m0 * m2, lam * m1 * m2,
    )  # fmt: skip


LAW = ElasticLaw(
    identifier="squared_stretches",
    label="Squared Stretches",
    description="Stiffens with stretch: the linear law of the squared stretches",
    source="Gerszewski 2009, section 4 and figure 5",
    response=response,
    rank=7,
)

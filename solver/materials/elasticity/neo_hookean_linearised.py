"""Neo-Hookean elasticity whose singular part goes on as a straight line below a compression limit."""

from ...constants import HALF, ONE, ZERO, logarithm
from ..contract import Parameter
from .contract import ElasticLaw


def extended(s, limit):  # type: ignore[no-untyped-def]
    """log(s) and its first two derivatives, by its tangent below `limit`; and the parabola's value and derivatives."""
    inside = s > limit
    at = s if inside else limit
    inverse, beyond = ONE / at, s - at
    line = logarithm(at) + beyond * inverse
    curvature = -inverse * inverse
    return (
        line, inverse, curvature if inside else ZERO * s,
        line + HALF * curvature * beyond * beyond, inverse + curvature * beyond, curvature,
    )  # fmt: skip


def response(s0, s1, s2, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """mu/2 (|s|^2 - 3) - mu sum log s + lambda/2 (log J)^2.

    Below the limit `first` the logarithm goes on as its parabola in the shear term and as its tangent in the volume term,
    so that both stresses go on as straight lines.
    """
    l0, a0, b0, q0, c0, f0 = extended(s0, first)
    l1, a1, b1, q1, c1, f1 = extended(s1, first)
    l2, a2, b2, q2, c2, f2 = extended(s2, first)
    volume = l0 + l1 + l2
    pressure = lam * volume
    growth = (s0 - ONE) * (s0 + ONE) + (s1 - ONE) * (s1 + ONE) + (s2 - ONE) * (s2 + ONE)
    return (
        HALF * mu * growth - mu * (q0 + q1 + q2) + HALF * pressure * volume,
        mu * (s0 - c0) + pressure * a0, mu * (s1 - c1) + pressure * a1, mu * (s2 - c2) + pressure * a2,
        mu * (ONE - f0) + lam * a0 * a0 + pressure * b0, mu * (ONE - f1) + lam * a1 * a1 + pressure * b1,
        mu * (ONE - f2) + lam * a2 * a2 + pressure * b2,
        lam * a0 * a1, lam * a0 * a2, lam * a1 * a2,
    )  # fmt: skip


LAW = ElasticLaw(
    identifier="neo_hookean_linearised",
    label="Neo-Hookean, Linearised",
    description="Neo-Hookean rubber whose stress goes on as a straight line below a compression limit",
    source="Irving 2004, section 5 and figure 3, lower right",
    response=response,
    rank=4,
    parameters=(
        Parameter(
            "linear_below", "Linear Below", "", 0.4, 0.05, 0.95,
            "Compression limit: the stretch below which the neo-Hookean stress goes on as a straight line",
        ),
    ),
)  # fmt: skip

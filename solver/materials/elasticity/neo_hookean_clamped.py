"""Neo-Hookean elasticity whose stress stays as it is below a compression limit."""

from ...constants import HALF, ONE, ZERO, logarithm
from ..contract import Parameter
from .contract import ElasticLaw


def response(s0, s1, s2, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """mu/2 (|t|^2 - 3) - mu log J + lambda/2 (log J)^2 + P(t) . x + lambda sum y_i y_j, with t = max(s, first), J = t0 t1 t2,
    x = s - t and y = x/t: below the limit the energy goes on along each stretch as its tangent, also where others do.

    P(t) . x holds the stress of a crushed direction as it is; that of the others follows so that forces keep a potential,
    and the products, over pairs i < j, keep them continuous where two directions are crushed.
    """
    t0, t1, t2 = max(s0, first), max(s1, first), max(s2, first)
    x0, x1, x2 = s0 - t0, s1 - t1, s2 - t2
    i0, i1, i2 = ONE / t0, ONE / t1, ONE / t2
    volume = logarithm(t0) + logarithm(t1) + logarithm(t2)
    pressure = lam * volume - mu
    p0, p1, p2 = mu * t0 + pressure * i0, mu * t1 + pressure * i1, mu * t2 + pressure * i2
    free0, free1, free2 = ONE if x0 == ZERO else ZERO, ONE if x1 == ZERO else ZERO, ONE if x2 == ZERO else ZERO
    y0, y1, y2 = x0 * i0, x1 * i1, x2 * i2
    growth = (t0 - ONE) * (t0 + ONE) + (t1 - ONE) * (t1 + ONE) + (t2 - ONE) * (t2 + ONE)
    curve = lam - pressure - lam * (y0 + y1 + y2)
    return (
        HALF * mu * growth - mu * volume + HALF * lam * volume * volume + p0 * x0 + p1 * x1 + p2 * x2
        + lam * (y0 * y1 + y0 * y2 + y1 * y2),
        p0 + lam * i0 * (y1 + y2), p1 + lam * i1 * (y0 + y2), p2 + lam * i2 * (y0 + y1),
        free0 * (mu + curve * i0 * i0), free1 * (mu + curve * i1 * i1), free2 * (mu + curve * i2 * i2),
        lam * i0 * i1, lam * i0 * i2, lam * i1 * i2,
    )  # fmt: skip


LAW = ElasticLaw(
    identifier="neo_hookean_clamped",
    label="Neo-Hookean, Clamped",
    description="Neo-Hookean rubber whose stress stays constant below a compression limit",
    source="Irving 2004, section 5",
    response=response,
    rank=5,
    parameters=(
        Parameter(
            "clamped_below", "Clamp Below", "", 0.4, 0.05, 0.95,
            "Compression limit: the stretch below which the neo-Hookean stress grows no further",
        ),
    ),
)  # fmt: skip

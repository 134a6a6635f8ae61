"""A stress curve of the artist's own: soft at first, stiff beyond a strain, with a cubic between."""

from ...constants import HALF, ONE, THREE, TWELVE, TWO, ZERO
from ..contract import Parameter
from .contract import ElasticLaw


def curve(s, limit, ratio):  # type: ignore[no-untyped-def]
    """Integral, value and slope of the stress curve over 2 mu at a stretch.

    The slope rises from 1 at rest to `ratio` at the strain `limit` as 1 + (ratio - 1)(2u - u^2), u = |s - 1|/limit, and
    stays there, so value and slope are continuous.
    """
    strain = abs(s - ONE)
    sign = ONE if s > ONE else -ONE
    u = min(strain / limit, ONE + ZERO * s)
    beyond = strain - u * limit
    gain = ratio - ONE
    value = limit * (u + gain * (u * u - u * u * u / THREE))
    energy = limit * limit * (HALF * u * u + gain * (u * u * u / THREE - u * u * u * u / (TWELVE)))
    slope = ONE + gain * (TWO * u - u * u)
    return energy + value * beyond + HALF * slope * beyond * beyond, sign * (value + slope * beyond), slope


def response(s0, s1, s2, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """2 mu sum curve(s) + lambda/2 (s0 + s1 + s2 - 3)^2: the paper's spline with its linear pressure."""
    e0, f0, k0 = curve(s0, first, second)
    e1, f1, k1 = curve(s1, first, second)
    e2, f2, k2 = curve(s2, first, second)
    trace = (s0 - ONE) + (s1 - ONE) + (s2 - ONE)
    pressure, twice = lam * trace, TWO * mu
    return (
        twice * (e0 + e1 + e2) + HALF * pressure * trace,
        twice * f0 + pressure, twice * f1 + pressure, twice * f2 + pressure,
        twice * k0 + lam, twice * k1 + lam, twice * k2 + lam,
        lam + ZERO, lam + ZERO, lam + ZERO,
    )  # fmt: skip


LAW = ElasticLaw(
    identifier="spline",
    label="Stiffening Spline",
    description="Soft at first, stiffer beyond a strain, as flesh is: a cubic between two slopes, and a linear pressure",
    source="Irving 2004, section 5: threshold values, slopes, a cubic spline between, and a linear pressure component",
    response=response,
    rank=6,
    parameters=(
        Parameter("stiffening_strain", "Stiff Beyond", "", 0.4, 0.02, 5.0, "Strain beyond which the material is fully stiff"),
        Parameter("stiffening_ratio", "Stiffening", "", 4.0, 0.1, 100.0, "Stiffness beyond that strain over that at rest"),
    ),
)

"""Stable neo-Hookean elasticity: rubber that keeps its volume, bears inversion and never breaks down."""

from ...constants import FIVE, FOUR, HALF, ONE, SIX, THREE, THREE_QUARTERS, TWO, ZERO, logarithm
from .contract import ElasticLaw


def response(s0, s1, s2, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """m/2 (I - 3) - m/2 log((I + 1)/4) - 3m/4 (J - 1) + k/2 (J - 1)^2, I = |s|^2, m = 4/3 mu, k = lambda + 5/6 mu.

    That is eq 14 of the paper up to a constant, its alpha = 1 + 3m/4k multiplied out: nothing large cancels near rest.
    """
    m, k = FOUR * mu / THREE, lam + FIVE * mu / SIX
    d0, d1, d2 = s0 - ONE, s1 - ONE, s2 - ONE
    j0, j1, j2 = s1 * s2, s0 * s2, s0 * s1
    growth = d0 * (s0 + ONE) + d1 * (s1 + ONE) + d2 * (s2 + ONE)
    dilation = d0 * j0 + d1 * s2 + d2
    share = ONE / (FOUR + growth)
    slope = k * dilation - THREE_QUARTERS * m
    stretch, bend = m * (ONE - share), TWO * m * share * share
    return (
        HALF * m * (growth - logarithm(ONE + growth / FOUR)) - THREE_QUARTERS * m * dilation + HALF * k * dilation * dilation,
        stretch * s0 + slope * j0, stretch * s1 + slope * j1, stretch * s2 + slope * j2,
        stretch + bend * s0 * s0 + k * j0 * j0, stretch + bend * s1 * s1 + k * j1 * j1, stretch + bend * s2 * s2 + k * j2 * j2,
        bend * s0 * s1 + k * j0 * j1 + slope * s2, bend * s0 * s2 + k * j0 * j2 + slope * s1,
        bend * s1 * s2 + k * j1 * j2 + slope * s0,
    )  # fmt: skip


def by_invariants(i, j, mu, lam, first, second):  # type: ignore[no-untyped-def]
    """The same energy by I and J."""
    m, k = FOUR * mu / THREE, lam + FIVE * mu / SIX
    growth, dilation = i - THREE, j - ONE
    share = ONE / (FOUR + growth)
    return (
        HALF * m * (growth - logarithm(ONE + growth / FOUR)) - THREE_QUARTERS * m * dilation + HALF * k * dilation * dilation,
        HALF * m * (ONE - share), k * dilation - THREE_QUARTERS * m, HALF * m * share * share, ZERO * i, k + ZERO * j,
    )  # fmt: skip


LAW = ElasticLaw(
    identifier="stable_neo_hookean",
    label="Stable Neo-Hookean",
    description="Rubber-like: stiffens when crushed, keeps its volume, recovers from inversion; the one to use",
    source="Smith, de Goes, Kim 2018, Stable neo-Hookean flesh simulation, eq 14 and its Lame parameters",
    response=response,
    by_invariants=by_invariants,
    rank=0,
)

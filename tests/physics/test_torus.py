"""Claim I21: a torus without strength becomes a puddle, and with its strength given back a torus again, to 1 %."""

from tests.physics.torus import collapse_and_recover


def test_a_torus_without_strength_collapses_and_recovers():
    height, misfit, inverted, tets = collapse_and_recover(18)
    assert 10_000 < tets < 13_000
    assert height < 0.02
    assert inverted > 0.2
    assert misfit < 0.01

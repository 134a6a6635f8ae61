"""What hardening does under a load that stays, against the solution of its equation; Bargteil's eqs 10 and 11 as printed."""

import numpy as np
import pytest
from scipy.optimize import brentq

from solver.formulas import first_piola_kirchhoff, flow_step
from solver.materials import Material

GOO = {"young_modulus": 1e5, "poisson_ratio": 0.3, "yield_stress": 500.0, "flow_rate": 6.0}
MU = GOO["young_modulus"] / 2.6
LOAD, STEP, STEPS = 900.0, 0.01, 150  # von Mises stress [Pa], [s]
PULL = np.array([1.0, -0.5, -0.5])


def loaded(hardening, least=0.0):
    """Plastic strain after each step (STEPS,) of a tet that is drawn out just so far that its stress stays at LOAD."""
    goo = Material("viscoplastic", GOO | {"hardening_modulus": hardening, "minimum_yield_stress": least})
    plastic, strains, length = np.eye(3)[None], [0.0], 0.0

    def step(stretch):
        return flow_step(np.diag(np.exp(stretch * PULL))[None], goo, STEP, plastic, np.array(strains[-1:]))

    for _ in range(STEPS):
        length = brentq(lambda stretch: step(stretch).mises_stress[0] - LOAD, length - 1e-3, length + 0.2, xtol=1e-12)
        after = step(length)
        plastic = after.plastic_deformation
        strains.append(float(after.plastic_strain[0]))
    return np.array(strains)


@pytest.mark.parametrize("hardening", [8e4, 0.0, -4e3])
def test_a_load_that_stays_draws_goo_out_as_its_equation_says(hardening):
    """dp/dt = r (s - Y - H p) / 3 mu (claim W5): p = (s - Y)/H (1 - exp(-r H t / 3 mu)), for H of either sign."""
    rate, over = GOO["flow_rate"] / (3.0 * MU), LOAD - GOO["yield_stress"]
    times = STEP * np.arange(STEPS + 1)
    expected = rate * over * times if hardening == 0.0 else -over / hardening * np.expm1(-rate * hardening * times)
    assert loaded(hardening) == pytest.approx(expected, abs=0.02 * expected[-1])


def test_hardening_freezes_and_softening_runs_away():
    """Under one load: what hardens comes to rest, what does not goes on evenly, what softens ever faster until it is soft."""
    hard, even, soft = (np.diff(loaded(hardening)) for hardening in (8e5, 0.0, -6e4))
    assert hard[-1] < 1e-6 * hard[0] and loaded(8e5)[-1] == pytest.approx((LOAD - GOO["yield_stress"]) / 8e5, rel=0.01)
    assert even[1:] == pytest.approx(even[-1], rel=1e-3)
    assert soft[-1] > 2.0 * soft[0] and (np.diff(soft) > -1e-9).all()
    assert soft[-1] == pytest.approx(GOO["flow_rate"] * STEP * LOAD / (3.0 * MU), rel=0.02)  # no yield stress is left


def gradients(count=60):
    rng = np.random.default_rng(4)
    return np.eye(3) + 0.1 * rng.normal(size=(count, 3, 3))


@pytest.mark.parametrize("hardening", [30.0, -30.0])
def test_stress_over_time_is_the_integral_of_the_stress(hardening):
    """Bargteil 2007 eq 11: alpha' = |P|, under elastic load too; the yield stress is Y + K alpha, but never below its least."""
    f, least = gradients(), 400.0
    values = GOO | {"yield_stress": 1e6, "hardening_modulus": hardening, "minimum_yield_stress": least}
    goo = Material("viscoplastic", values, {"hardening_law": "stress_time"})
    sizes = np.linalg.norm(first_piola_kirchhoff(f, goo), axis=(1, 2))
    found = flow_step(f, goo, 0.25)
    assert (found.plastic_strain == 0.0).all()
    assert found.yield_stress == pytest.approx(np.maximum(1e6 + hardening * 0.25 * sizes, least), rel=1e-6)
    assert np.ptp(found.yield_stress) > 1e4
    by_flow = flow_step(f, Material("viscoplastic", values), 0.25)
    assert (by_flow.yield_stress == 1e6).all()


def test_the_full_norm_is_the_frobenius_norm_of_the_stress():
    """Bargteil 2007 eq 10: it flows where |P| exceeds the yield stress, and nowhere else."""
    for f in gradients(20):
        size = np.linalg.norm(first_piola_kirchhoff(f[None], Material("viscoplastic", GOO)))
        for share, flows in ((0.98, True), (1.02, False)):
            goo = Material("viscoplastic", GOO | {"yield_stress": share * size}, {"yield_measure": "full_norm"})
            assert (flow_step(f[None], goo, 0.01).plastic_strain[0] > 0.0) == flows

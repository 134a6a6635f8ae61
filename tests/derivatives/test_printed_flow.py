"""The paper's own flow rule (Bargteil 2007, eqs 7 to 11; B5 to B8): its exponent, and what it makes of F, in closed form."""

import numpy as np
import pytest

from solver.formulas import first_piola_kirchhoff, flow_step, signed_svd
from solver.materials import Material

PRINTED = {"yield_measure": "full_norm", "hardening_law": "stress_time", "elastic_law": "rotated_linear"}
YIELD, RATE = 300.0, 4.0
FAR = np.array([[1.4, 1.0, 0.8], [1.1, 1.05, 0.7], [1.3, 1.2, 1.1]])  # the last one swells too
LEFT, RIGHT = (np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3, 3)))[0] for seed in (4, 5))
GRADIENTS = LEFT * (FAR * np.linalg.det(LEFT @ RIGHT)[:, None])[:, None, :] @ np.swapaxes(RIGHT, 1, 2)


def goo(**values):
    """Goo of E = 1000 Pa whose rate is in 1/s."""
    own = {"young_modulus": 1000.0, "poisson_ratio": 0.3, "yield_stress": YIELD, "flow_rate": RATE, "minimum_yield_stress": 0.0}
    return Material("viscoplastic", own | values, PRINTED)


def exponents(flowed):
    """gamma of each F (m,), from F_p = V (F*)^gamma V^T with F* = det(F)^(-1/3) F^ (eqs 8 and 9), and that it is one."""
    _, stretches, right = signed_svd(GRADIENTS)
    wanted = np.log(stretches) - np.log(stretches).mean(axis=1, keepdims=True)
    inner = np.swapaxes(right, 1, 2) @ flowed.plastic_deformation @ right
    kept = np.log(np.einsum("mii->mi", inner))
    gamma = (kept * wanted).sum(axis=1) / (wanted**2).sum(axis=1)
    power = np.einsum("mi,ij->mij", np.exp(gamma[:, None] * wanted), np.eye(3))
    assert np.abs(inner - power).max() < 1e-12
    return gamma


def norms(stress):
    """|P| (m,) of stresses (m, 3, 3) [Pa]."""
    return np.sqrt((stress**2).sum(axis=(1, 2)))


@pytest.mark.parametrize("step", [1e-4, 1 / 96, 1 / 24, 5.0])
@pytest.mark.parametrize(("modulus", "alpha"), [(0.0, 0.0), (100.0, 0.5), (-100.0, 0.5), (1e4, 1.0), (-1e4, 1.0)])
def test_the_exponent_is_the_printed_one(step, modulus, alpha):
    """gamma = k/(1 + k) (|P| - P_Y - K alpha)/|P| with k = rate dt: eq 10 by a backward Euler step; 0 below the yield
    stress, which softening does not take below 0."""
    material = goo(hardening_modulus=modulus)
    size = norms(first_piola_kirchhoff(GRADIENTS, material))
    flowed = flow_step(GRADIENTS, material, step, plastic_strain=np.full(3, alpha))
    share = np.clip((size - max(YIELD + modulus * alpha, 0.0)) / size, 0.0, 1.0)
    assert (share == 0.0).all() if modulus == 1e4 else (share > 0.03).any()
    k = RATE * step
    np.testing.assert_allclose(exponents(flowed), k / (1.0 + k) * share, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(flowed.plastic_deformation), 1.0, atol=1e-13)


def test_in_short_steps_it_is_eq_10_with_a_rate_and_never_more_than_all():
    """nu = rate dt of the print, whose min(., 1) a long step or an endless rate comes to."""
    size = norms(first_piola_kirchhoff(GRADIENTS, goo()))
    printed = RATE * 1e-5 * np.maximum(size - YIELD, 0.0) / size
    np.testing.assert_allclose(exponents(flow_step(GRADIENTS, goo(), 1e-5)), printed, rtol=1e-4)
    all_of_it = exponents(flow_step(GRADIENTS, goo(yield_stress=0.0, flow_rate=1e4), 1.0))
    assert (all_of_it < 1.0).all() and (all_of_it > 0.99).all()


def test_hardening_follows_the_stress_over_time():
    """Eq 11: alpha grows by |P| dt, and the yield stress by K times that, whether goo flows or not."""
    for given in (YIELD, 1e6):
        material = goo(hardening_modulus=50.0, yield_stress=given)
        flowed = flow_step(GRADIENTS, material, 0.1)
        grown = given + 50.0 * 0.1 * norms(flowed.first_piola_kirchhoff)
        np.testing.assert_allclose(flowed.yield_stress, grown, rtol=1e-9)

"""Energy, stress and stiffness of a tet agree by finite differences, for any F; flow obeys its law."""

import numpy as np
import pytest

from solver import slots
from tests.derivatives.elements import Elements

RNG = np.random.default_rng(3)


def near_identity(scale, count=200):
    f = np.eye(3) + scale * RNG.normal(size=(count, 3, 3))
    return f[np.linalg.det(f) > 0.2]


DEGENERATE = np.stack(  # two stretches whose sum is nothing: test_elastic_laws.py
    [np.diag(s) for s in ([1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.01, 0.0], [-1.0, -0.9, -0.8], [1.0, 1.0, -0.9], [2.0] * 3)]
)
ANY = np.concatenate([DEGENERATE + 1e-3 * RNG.normal(size=DEGENERATE.shape), RNG.normal(size=(300, 3, 3))])
LAWS = {
    "quadratic": (ANY, {}),
    "linear": (ANY, {"law": "rotated_linear"}),
    "flowing": (near_identity(0.3), {"y": 0.5, "rate": 3.0}),
    "perfectly plastic, hardening": (near_identity(0.3), {"y": 0.5, "rate": 1e6, "hard": 0.4}),
    "return mapping": (near_identity(0.3), {"y": 0.5, "rate": np.inf}),
    "return mapping, hardening, to a limit": (near_identity(0.3), {"y": 0.5, "rate": np.inf, "hard": 0.4, "limit": 0.15}),
    "flowing to a limit": (near_identity(0.3), {"y": 0.5, "rate": 3.0, "hard": 0.4, "limit": 0.15}),
    "softening": (near_identity(0.3), {"y": 0.5, "rate": 3.0, "hard": -0.4}),
    "no yield stress, linear": (near_identity(0.3), {"y": 0.0, "rate": 30.0, "law": "rotated_linear"}),
}


@pytest.mark.parametrize("law", LAWS)
def test_force_is_minus_the_slope_of_energy(law):
    f, material = LAWS[law]
    tets = Elements(f, **material)
    expected, _ = tets.differences()
    forces, _ = tets.evaluate(tets.positions)
    assert np.abs(forces - expected).max() < 3e-6


@pytest.mark.parametrize("law", [*LAWS, "thickening"])
def test_stiffness_is_minus_the_slope_of_force(law):
    f, material = LAWS.get(law, (near_identity(0.3), {"y": 0.5, "rate": 8.0, "thick": 2.0}))
    tets = Elements(f, **material)
    _, expected = tets.differences()
    stiff = tets.stiffness()[:, 1:, :, 1:, :]
    error = np.abs(stiff - expected).max(axis=(1, 2, 3, 4)) / (1.0 + np.abs(expected).max(axis=(1, 2, 3, 4)))
    assert np.quantile(error, 0.97 if law == "thickening" else 1.0) < 1e-6  # what thickens may jump to another balance


@pytest.mark.parametrize("law", LAWS)
def test_projected_stiffness_has_no_negative_eigenvalue(law):
    f, material = LAWS[law]
    stiff = Elements(f, **material).stiffness(inertia=0.0)
    values = np.linalg.eigvalsh(stiff.reshape(-1, 12, 12))
    assert values.min() > -1e-9 * np.abs(values).max()
    assert np.abs(stiff - np.transpose(stiff, (0, 3, 4, 1, 2))).max() < 1e-9 * np.abs(stiff).max()


def test_inertia_outweighs_what_curvature_is_left():
    stiff = Elements(ANY).stiffness(inertia=50.0).reshape(-1, 12, 12)
    inertia = np.eye(12) * 50.0 * 0.25
    assert np.linalg.eigvalsh(stiff + inertia).min() > 0.0
    assert np.linalg.eigvalsh(stiff).min() < 0.0


def test_stress_of_small_strains_is_hookes_law():
    strain = 1e-6 * RNG.normal(size=(50, 3, 3))
    strain = strain + np.swapaxes(strain, 1, 2)
    tets = Elements(np.eye(3) + strain)
    forces, _ = tets.evaluate(tets.positions)
    trace = np.trace(strain, axis1=1, axis2=2)[:, None, None]
    hooke = 2.0 * 3.0 * strain + 5.0 * trace * np.eye(3)
    assert np.abs(np.swapaxes(forces, 1, 2) + hooke).max() < 3e-9


def test_no_force_at_rest_or_under_rotation():
    turn, _ = np.linalg.qr(RNG.normal(size=(50, 3, 3)))
    turn *= np.sign(np.linalg.det(turn))[:, None, None]
    tets = Elements(np.concatenate([np.eye(3)[None], turn]))
    forces, energies = tets.evaluate(tets.positions)
    assert np.abs(forces).max() < 1e-12 and np.abs(energies).max() < 1e-12


def test_flow_relaxes_the_stress_as_backward_euler():
    """s = Y + (s_trial - Y)/(1 + r dt) at small strains, von Mises (study, section 2)."""
    f = np.eye(3) + 1e-5 * RNG.normal(size=(100, 3, 3))
    trial, relaxed = Elements(f), Elements(f, y=1e-5, rate=4.0)
    trial.evaluate(trial.positions)
    relaxed.evaluate(relaxed.positions)
    s_trial, s = trial.slot(slots.MEASURE, 1), relaxed.slot(slots.MEASURE, 1)
    expected = np.where(s_trial > 1e-5, 1e-5 + (s_trial - 1e-5) / 3.0, s_trial)
    assert np.abs(s - expected).max() < 1e-3 * s_trial.max()


def test_flow_keeps_the_volume_and_stops_in_flat_and_inverted_elements():
    f = np.concatenate([near_identity(0.3), [np.diag([1.0, 1.0, 0.04]), np.diag([1.0, 1.0, -0.5])]])
    tets = Elements(f, y=0.1, rate=50.0)
    tets.evaluate(tets.positions)
    flow, n = tets.slot(slots.FLOW, 1), tets.slot(slots.N, 3)
    assert (flow[:-2] > 0.0).all() and (tets.slot(slots.SIZE, 1)[-2:] == 0.0).all()
    assert np.abs(n[:-2].sum(axis=1)).max() < 1e-12


def test_pressure_alone_never_flows_by_von_mises_but_adds_to_the_full_norm():
    """The reason for the default (study, section 2): a deep pile must not flow under mere pressure."""
    squeezed = np.array([np.diag([0.7, 0.7, 0.7]), np.diag([0.7, 0.7, 0.66])])
    mises, full = Elements(squeezed, y=1.0, rate=50.0), Elements(squeezed, y=1.0, rate=50.0, full=1.0)
    mises.evaluate(mises.positions)
    full.evaluate(full.positions)
    assert (mises.slot(slots.SIZE, 1) == 0.0).all()
    assert full.slot(slots.FLOW, 1)[1] > 0.0


def test_fast_stress_meets_a_solid():
    """Stress-dependent rate (Bargteil fig. 8): the same law flows under a weak stress and hardly under a strong one."""
    stretch = np.array([np.diag([1.005, 1.0, 1.0]), np.diag([1.5, 1.0, 1.0])])
    law = Elements(stretch, mu=100.0, lam=100.0, y=0.1, rate=50.0, thick=5.0)
    plain = Elements(stretch, mu=100.0, lam=100.0, y=0.1, rate=50.0)
    kept = []
    for tets in (law, plain):
        tets.evaluate(tets.positions)
        kept.append(1.0 - tets.slot(slots.FLOW, 1) / tets.slot(slots.SIZE, 1))
    assert kept[0][0] < 0.25 and kept[0][1] > 0.5 and kept[1][1] < 0.15

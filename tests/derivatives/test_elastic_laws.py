"""Every elastic law (B3, I7, I8): stress and second derivatives are of its energy, small strains obey Hooke, nothing jumps."""

import numpy as np
import pytest

from solver.fem.laws import principal_response
from solver.jit import TILE
from solver.materials.elasticity import laws
from solver.slots import MEASURE, REMADE, SIZE
from tests.derivatives.elements import Elements

RNG = np.random.default_rng(11)
MU, LAM = 3.0, 5.0
NAMES = list(laws())
FLAT = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, -1.0], [0.5, 0.4, -0.4], [2.0, 2.0, 2.0]])
ANY = np.concatenate([FLAT + 1e-3 * RNG.normal(size=FLAT.shape), np.sort(1.5 * RNG.normal(size=(400, 3)), axis=1)[:, ::-1]])


def own(name):
    return tuple(parameter.default for parameter in laws()[name].parameters)


def respond(name, stretches):
    return principal_response(name, stretches, MU, LAM, *own(name))


def differences(function, stretches, step=1e-6):
    """Central differences of function (n, ...) by each stretch, in the last axis."""
    moved = [step * np.eye(3)[axis] for axis in range(3)]
    return np.stack([(function(stretches + m) - function(stretches - m)) / (2.0 * step) for m in moved], axis=-1)


@pytest.mark.parametrize("name", NAMES)
def test_stress_is_the_slope_of_energy(name):
    _, stress, _ = respond(name, ANY)
    expected = differences(lambda s: respond(name, s)[0], ANY)
    assert np.abs(stress - expected).max() < 1e-6 * (1.0 + np.abs(stress).max())


@pytest.mark.parametrize("name", NAMES)
def test_hessian_is_the_slope_of_stress(name):
    _, _, hessian = respond(name, ANY)
    expected = differences(lambda s: respond(name, s)[1], ANY)
    assert (np.abs(hessian - expected).max(axis=(1, 2)) < 1e-6 * (1.0 + np.abs(expected).max(axis=(1, 2)))).all()
    assert np.abs(hessian - np.swapaxes(hessian, 1, 2)).max() == 0.0


KINKED = {  # where the slope of a stress jumps: at a flat element, or at an own threshold
    "squared_stretches": FLAT.min(axis=1) == 0.0,
    "neo_hookean_linearised": (np.abs(FLAT) == 0.4).any(axis=1),
    "neo_hookean_clamped": (np.abs(FLAT) == 0.4).any(axis=1),
}


@pytest.mark.parametrize("name", NAMES)
def test_hessian_is_the_slope_of_stress_of_flat_elements(name):
    """Exactly flat, a line, a point and mirrored; the spline's slope has a corner there, which costs the differences some."""
    smooth = FLAT[~KINKED.get(name, np.zeros(len(FLAT), bool))]
    _, _, hessian = respond(name, smooth)
    expected = differences(lambda s: respond(name, s)[1], smooth)
    assert len(smooth) > 2 and np.abs(hessian - expected).max() < (1e-4 if name == "spline" else 1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_small_strains_obey_hookes_law(name):
    strain = 1e-6 * RNG.normal(size=(50, 3))
    energy, stress, _ = respond(name, 1.0 + strain)
    hooke = 2.0 * MU * strain + LAM * strain.sum(axis=1, keepdims=True)
    assert np.abs(stress - hooke).max() < 1e-4 * np.abs(hooke).max()
    assert np.abs(energy - 0.5 * (hooke * strain).sum(axis=1)).max() < 1e-3 * energy.max()


@pytest.mark.parametrize("others", [(1.1, 0.9), (1.1, 0.2), (0.3, 0.2), (1.1, -0.3)])
@pytest.mark.parametrize("name", NAMES)
def test_stress_is_continuous_through_the_flat_and_inverted_state(name, others):
    """Also where other directions are crushed, each past its thresholds."""
    path = np.linspace(1.5, -1.0, 20001)
    stretches = np.stack([*(np.full_like(path, other) for other in others), path], axis=1)
    energy, stress, hessian = respond(name, stretches)
    assert np.isfinite(energy).all() and np.isfinite(hessian).all()
    step = path[0] - path[1]
    assert np.abs(np.diff(stress, axis=0)).max() < 2.0 * step * np.abs(hessian).max()


RECOVERING = [name for name in NAMES if name not in ("st_venant_kirchhoff",)]


@pytest.mark.parametrize("name", RECOVERING)
def test_an_inverted_element_is_pushed_back(name):
    """Irving section 5: forces act to uninvert; St. Venant-Kirchhoff alone has none at the flat state (his figure 3)."""
    s2 = -np.linspace(0.01, 0.6, 30)
    _, stress, _ = respond(name, np.stack([np.ones(30), np.ones(30), s2], axis=1))
    assert (stress[:, 2] < 0.0).all()


TURNED = [np.linalg.qr(RNG.normal(size=(3, 3)))[0] for _ in range(2)]
FLATTENED = np.array(
    [
        [1.0, 1.0, 0.0], [0.7, 0.6, 0.01], [1.0, 0.45, 0.0], [1.0, 0.3, 0.0], [1.0, 0.5, -0.3], [1.0, 0.5, -0.49],
        [2.0, 2.0, 2.0], [1.0, 1.0, 1.0],
    ]
)  # fmt: skip
CRUSHED = np.array(  # two stretches whose sum is nothing, or next to nothing
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, -1.0], [0.5, 0.3, -0.3], [1.0, 0.5, -0.4997], [-1.0, -1.0, -1.0]]
)


def turned(stretches):
    """Deformation gradients of these stretches, along the axes and turned."""
    placed = stretches[:, :, None] * np.eye(3)
    return np.concatenate([placed, TURNED[0] @ placed @ TURNED[1]])


def stiffness_errors(name, f):
    """Of whole tets (n,): stiffness less the slope of their forces, over its size; and that stiffness (n, 3, 3, 3, 3)."""
    tets = Elements(f, law=name, own=own(name))
    _, expected = tets.differences()
    found = tets.stiffness()[:, 1:, :, 1:, :]
    return np.abs(found - expected).max(axis=(1, 2, 3, 4)) / (1.0 + np.abs(expected).max(axis=(1, 2, 3, 4))), found


@pytest.mark.parametrize("name", NAMES)
def test_tiles_of_both_precisions_agree_with_the_formula(name):
    """Force and stiffness of whole tets, flat and inverted too, by finite differences in float64; float32 to its own rounding.

    The stiffness of squared stretches has a corner where a tet is exactly flat, and the spline's slope one.
    """
    f = np.concatenate([RNG.normal(size=(300, 3, 3)), turned(FLATTENED)])
    double, single = (Elements(f, law=name, own=own(name), precision=kind) for kind in (np.float64, np.float32))
    expected, _ = double.differences()
    forces, _ = double.evaluate(double.positions)
    size = 1.0 + np.abs(expected).max(axis=(1, 2))
    assert (np.abs(forces - expected).max(axis=(1, 2)) / size).max() < 1e-6
    errors, _ = stiffness_errors(name, f)
    corner = np.linalg.det(f) ** 2 < 1e-20 if name == "squared_stretches" else np.zeros(len(f), bool)
    assert errors[~corner].max() < 1e-5
    rounded, _ = single.evaluate(single.positions)
    assert np.abs(rounded - forces).max() < 3e-5 * np.abs(forces).max()


@pytest.mark.parametrize("name", ["stable_neo_hookean", "st_venant_kirchhoff"])
def test_stiffness_of_tets_crushed_to_a_line_or_mirrored_is_the_slope_of_force(name):
    """Of laws that are smooth in F itself; the others' stress jumps where two stretches sum to nothing (I5, I7)."""
    errors, _ = stiffness_errors(name, turned(CRUSHED))
    assert errors.max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_stiffness_of_tets_crushed_to_a_line_or_mirrored_is_bounded(name):
    """Where the stress jumps there is no slope: the stiffness is a large and finite one, which resists."""
    _, stiffness = stiffness_errors(name, turned(CRUSHED))
    assert np.isfinite(stiffness).all() and np.abs(stiffness).max() < 1e5 * (2.0 * MU + LAM)


@pytest.mark.parametrize("name", NAMES)
def test_lanes_of_a_tile_that_hold_no_tet_add_nothing(name):
    """Their stretches are zero, where some laws have no energy at all."""
    tets = Elements(np.eye(3) + 0.1 * RNG.normal(size=(5, 3, 3)), law=name, own=own(name))
    _, energies = tets.evaluate(tets.positions)
    assert np.isclose(tets.energy, energies.sum(), rtol=1e-12)


DIRECT = [name for name in NAMES if laws()[name].by_invariants is not None]


@pytest.mark.parametrize("name", DIRECT)
def test_tets_that_do_not_yield_need_no_decomposition(name):
    """The shortcut by invariants gives the forces, energies, yield measures and stiffness of the long way."""
    f = np.concatenate([RNG.normal(size=(300, 3, 3)), np.eye(3) + 1e-3 * RNG.normal(size=(50, 3, 3)), turned(CRUSHED)])
    long, short = (Elements(f, law=name, own=own(name), rate=1.0, decompose=way) for way in (True, False))
    results = [(*tets.evaluate(tets.positions), tets.stiffness(), tets.slot(MEASURE, 1)) for tets in (long, short)]
    assert (short.tiles.data[:, REMADE * TILE] == 2.0).all() and (long.tiles.data[:, REMADE * TILE] == 1.0).all()
    for expected, found in zip(*results, strict=True):
        assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def test_one_tet_that_yields_has_its_tile_decomposed():
    f = np.eye(3) + 1e-3 * RNG.normal(size=(2 * TILE, 3, 3))
    f[3] = np.diag([1.5, 1.0, 0.8])
    tets = Elements(f, law=DIRECT[0], y=0.5, rate=3.0, decompose=False)
    forces, _ = tets.evaluate(tets.positions)
    assert tets.slot(SIZE, 1)[3] > 0.0 and (tets.tiles.data[:, REMADE * TILE] == [0.0, 2.0]).all()
    expected, _ = Elements(f, law=DIRECT[0], y=0.5, rate=3.0).evaluate(tets.positions)
    assert np.abs(forces - expected).max() < 1e-12

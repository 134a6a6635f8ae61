"""Fibres on top of elastic laws: force and stiffness are those of the energy for any F, angular momentum is kept."""

import numpy as np
import pytest

from tests.derivatives.elements import Elements

RNG = np.random.default_rng(5)
AXIS = np.array([0.6, 0.0, 0.8])
# flat and inverted along and across the fibres, the fibres crushed to a point, drawn, and anything
SPECIAL = np.stack(
    [
        np.eye(3) - np.outer(AXIS, AXIS),
        np.eye(3) - 2.0 * np.outer(AXIS, AXIS),
        np.diag([1.0, -1.0, 1.0]),
        np.diag([1.0, 0.0, 1.0]),
        np.eye(3) - 0.95 * np.outer(AXIS, AXIS),
        1.4 * np.eye(3),
        np.zeros((3, 3)),
    ]
)
SPECIAL = np.concatenate([SPECIAL, np.eye(3) - (1.0 - 0.2 * RNG.random((40, 1, 1))) * np.outer(AXIS, AXIS)])
ANY = np.concatenate([SPECIAL + 1e-2 * RNG.normal(size=SPECIAL.shape), RNG.normal(size=(300, 3, 3))])
DIRECTIONS = np.tile(AXIS, (len(ANY), 1))
FIBRES = {"passive": (7.0, 0.0), "active": (0.0, 4.0), "both": (7.0, 4.0)}


def fibred(kind, f=ANY, **options):
    stiffness, tension = FIBRES[kind]
    return Elements(f, fibres=DIRECTIONS[: len(f)], fibre_stiffness=stiffness, fibre_tension=tension, **options)


@pytest.mark.parametrize("kind", FIBRES)
@pytest.mark.parametrize("law", ["corotated", "stable_neo_hookean"])
@pytest.mark.parametrize("decompose", [True, False])
def test_force_is_minus_the_slope_of_energy(kind, law, decompose):
    tets = fibred(kind, law=law, decompose=decompose)
    expected, _ = tets.differences()
    forces, _ = tets.evaluate(tets.positions)
    assert np.abs(forces - expected).max() < 1e-5 * (1.0 + np.abs(forces).max())
    assert np.abs(forces - Elements(ANY, law=law).evaluate(tets.positions)[0]).max() > 1.0


@pytest.mark.parametrize("kind", FIBRES)
@pytest.mark.parametrize("decompose", [True, False])
def test_stiffness_is_minus_the_slope_of_force(kind, decompose):
    """Without an elastic law, whose own derivatives have their own test, so that nothing is left out as a kink."""
    tets = fibred(kind, mu=0.0, lam=0.0, law="stable_neo_hookean", decompose=decompose)
    _, expected = tets.differences()
    stiff = tets.stiffness()[:, 1:, :, 1:, :]
    length = np.linalg.norm(ANY @ AXIS, axis=1)
    smooth = (np.abs(length - 1.0) > 1e-5) & (np.abs(length - 0.125) > 1e-5)
    assert smooth.mean() > 0.99 and (length[smooth] < 0.125).sum() > 10
    assert np.abs(stiff - expected)[smooth].max() < 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("kind", FIBRES)
def test_stiffness_of_fibres_is_never_negative(kind):
    stiff = fibred(kind, mu=0.0, lam=0.0).stiffness().reshape(-1, 12, 12)
    values = np.linalg.eigvalsh(stiff)
    assert values.min() > -1e-12 * values.max() and values.max() > 1.0


def test_angular_momentum_is_kept():
    """P F^T is symmetric (Irving 2004, section 6.1): the corner forces have no torque."""
    tets = fibred("both")
    forces, _ = tets.evaluate(tets.positions)
    torque = np.cross(tets.positions[:, 1:], forces).sum(axis=1)
    assert np.abs(torque).max() < 1e-12 * np.abs(forces).max()


@pytest.mark.parametrize("kind", FIBRES)
def test_force_does_not_jump_where_the_fibre_is_crushed_and_turned_over(kind):
    shares = np.linspace(1.2, -1.2, 4001)[:, None, None]
    path = np.eye(3) + (shares - 1.0) * np.outer(AXIS, AXIS)
    stiffness, tension = FIBRES[kind]
    axes = np.tile(AXIS, (len(path), 1))
    tets = Elements(path, fibres=axes, fibre_stiffness=stiffness, fibre_tension=tension, mu=0.0, lam=0.0)
    forces, _ = tets.evaluate(tets.positions)
    step = 2.4 / 4000
    steepest = stiffness + tension / 0.125
    assert np.abs(np.diff(forces, axis=0)).max() < 1.01 * step * steepest
    assert np.abs(forces + forces[::-1]).max() < 1e-12 * np.abs(forces).max()  # turned over, it pulls the other way


def test_float32_is_the_same_to_its_rounding():
    double, single = fibred("both"), fibred("both", precision=np.float32)
    forces, _ = double.evaluate(double.positions)
    rounded, _ = single.evaluate(single.positions)
    assert np.abs(rounded - forces).max() < 3e-5 * np.abs(forces).max()
    one, two = double.stiffness(), single.stiffness()
    own = np.abs(one).max(axis=(1, 2, 3, 4))
    assert np.quantile(np.abs(two - one).max(axis=(1, 2, 3, 4)) / own, 0.97) < 1e-3


def test_a_tile_with_and_one_without_fibres():
    """Of 300 tets the last alone has fibres; the tiles before it are not touched."""
    f = RNG.normal(size=(300, 3, 3))
    directions = np.zeros((300, 3))
    directions[299] = AXIS
    rows = np.zeros(300)
    rows[299] = 4.0
    plain, tets = Elements(f), Elements(f, fibres=directions, fibre_tension=rows)
    assert tets.tiles.fibred.tolist() == [False, False, True]
    one, two = plain.evaluate(plain.positions)[0], tets.evaluate(tets.positions)[0]
    assert one[:299].tobytes() == two[:299].tobytes() and np.abs(one[299] - two[299]).max() > 0.1

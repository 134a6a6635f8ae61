"""Fibres, Irving's damping, the draft model and a remesh's averages on arrays, against numpy and scipy alone."""

import numpy as np
import pytest
import scipy.linalg

from solver.formulas import (
    damping_stress,
    draft_step,
    element_stiffness,
    fibre_stress,
    first_piola_kirchhoff,
    integrate,
    nodal_forces,
    polar,
    shared_volume_average,
    warped_forces,
)
from solver.materials import Material
from tests.physics.scenes import box_mesh

RNG = np.random.default_rng(8)
REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.0, 0.1], [0.1, 0.0, 1.0], [0.9, 0.9, 0.8]])
TETS = np.array([[0, 1, 2, 3], [1, 4, 2, 3]])
EDGES = np.swapaxes(REST[TETS[:, 1:]] - REST[TETS[:, :1]], 1, 2)
INVERSE, VOLUMES = np.linalg.inv(EDGES), np.linalg.det(EDGES) / 6.0
MU, LAM = 1000.0 / 2.6, 300.0 / (1.3 * 0.4)
RUBBER = {"young_modulus": 1000.0, "poisson_ratio": 0.3}


def draft(**values):
    return Material("draft", RUBBER | {"density": 50.0, "flow_rate": 0.0} | values, {"rotation": "warped"})


def test_fibres_pull_along_themselves() -> None:
    """P = (T + k max(l - 1, 0))/l F a a^T (I11): nothing across, no torque; a limp one below an eighth; none where none are."""
    f, along = np.eye(3) + 0.4 * RNG.normal(size=(6, 3, 3)), RNG.normal(size=(6, 3))
    along[4] = 0.0
    f[5] = 0.05 * np.eye(3)
    found = fibre_stress(f, along, stiffness=700.0, tension=400.0, activation=0.5)
    for own, direction, stress in zip(f, along, found, strict=True):
        a = direction / (np.linalg.norm(direction) or 1.0)
        length = np.linalg.norm(own @ a)
        slope = 200.0 + 700.0 * max(length - 1.0, 0.0)
        np.testing.assert_allclose(stress, slope / max(length, 0.125) * np.outer(own @ a, a), atol=1e-9)
        np.testing.assert_allclose(stress @ own.T, own @ stress.T, atol=1e-9)
    assert (fibre_stress(f, along) == 0.0).all() and (found[4] == 0.0).all() and np.abs(found[:4]).max() > 200.0


def test_damping_answers_to_the_rate_of_green_strain_and_where_flat_to_the_turned_one() -> None:
    """Irving 2004, section 6.2 (I12): F (2 mu t E' + lam t tr E'), E' = sym(F^T F'), of moderate deformation; with R = U V^T in
    place of F where the least stretch is below a quarter, inverted too."""
    goo = Material("viscoplastic", RUBBER | {"rotated_damping": 0.02}, {"damping_model": "rotated"})
    turns = np.linalg.qr(RNG.normal(size=(8, 3, 3)))[0]
    turns *= np.linalg.det(turns)[:, None, None]
    stretches = np.array([[1.0, 1.0, 1.0], [1.4, 0.9, 0.6], [1.3, 0.8, 0.2], [1.1, 0.9, -0.5]])
    f = turns[:4] @ (stretches[:, :, None] * turns[4:])
    rates = RNG.normal(size=(4, 3, 3))
    found = damping_stress(f, rates, goo)
    for k, frame in enumerate((f[0], f[1], turns[2] @ turns[6], turns[3] @ turns[7])):
        rate = frame.T @ rates[k]
        expected = 0.02 * frame @ (MU * (rate + rate.T) + LAM * np.trace(rate) * np.eye(3))
        np.testing.assert_allclose(found[k], expected, atol=1e-9 * np.abs(expected).max())
    spin = np.array([[0.0, -2.0, 0.5], [2.0, 0.0, 1.0], [-0.5, -1.0, 0.0]])
    assert np.abs(damping_stress(f[:2], spin @ f[:2], goo)).max() < 1e-9


def turned(positions):
    """R (m, 3, 3) by scipy and F (m, 3, 3) of the tets at positions (n, 3)."""
    gradients = np.swapaxes(positions[TETS[:, 1:]] - positions[TETS[:, :1]], 1, 2) @ INVERSE
    return np.array([scipy.linalg.polar(f)[0] for f in gradients]), gradients


def tensor(six):
    return six[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]


def assembled(positions, plastic):
    """Forces (15,) and stiffness (15, 15) of Mueller and Gross 2004, eqs 6 to 8 and 16, at positions (n, 3)."""
    turns, _ = turned(positions)
    elements = element_stiffness(INVERSE, VOLUMES, np.full(2, MU), np.full(2, LAM))
    forces, matrix = np.zeros(15), np.zeros((15, 15))
    for turn, stiff, inverse, volume, nodes, own in zip(turns, elements, INVERSE, VOLUMES, TETS, plastic, strict=True):
        rows, four = (3 * nodes[:, None] + np.arange(3)).ravel(), np.kron(np.eye(4), turn)
        stress = 2.0 * MU * tensor(own) + LAM * own[:3].sum() * np.eye(3)
        inner = volume * inverse @ stress
        pull = np.concatenate([-inner.sum(axis=0), inner.ravel()])
        forces[rows] += four @ (stiff @ (REST[nodes].ravel() - four.T @ positions[nodes].ravel()) + pull)
        matrix[np.ix_(rows, rows)] += four @ stiff @ four.T
    return forces, matrix


PLASTIC = np.array([[0.05, -0.02, 0.0, 0.03, 0.0, 0.01], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
MOVED = REST @ scipy.linalg.expm(np.cross(np.eye(3), [0.4, 1.0, -0.3])) + 0.1 * RNG.normal(size=REST.shape)


@pytest.mark.parametrize("plastic", [None, PLASTIC])
def test_warped_forces_are_the_turned_stiffness(plastic) -> None:
    expected, _ = assembled(MOVED, np.zeros((2, 6)) if plastic is None else plastic)
    found = warped_forces(MOVED, TETS, REST, draft(), plastic)
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-9 * np.abs(expected).max())


def test_a_draft_step_is_implicit_euler_and_then_creeps() -> None:
    """(M + dt^2 K') v = M v_0 + dt f (section 6; M13) solved directly, but for a rigid motion that keeps the spin; then the
    elastic strain that is over the yield strain creeps by exp(-rate dt) (eqs 13 and 14; M8)."""
    goo = draft(yield_strain=0.01, flow_rate=30.0, maximum_plastic_strain=1.0)
    step, gravity = 0.008, np.array([0.0, 0.0, -9.81])
    speeds = RNG.normal(size=REST.shape)
    found = draft_step(MOVED, speeds, TETS, REST, goo, step, 1, tuple(gravity), PLASTIC)
    forces, stiffness = assembled(MOVED, PLASTIC)
    masses = np.repeat(np.bincount(TETS.ravel(), np.repeat(50.0 * VOLUMES / 4.0, 4)), 3)
    push = masses * (speeds + step * gravity).ravel() + step * forces
    expected = np.linalg.solve(np.diag(masses) + step**2 * stiffness, push).reshape(-1, 3)
    rigid = np.concatenate([np.tile(np.eye(3), (5, 1, 1)), np.cross(np.eye(3)[None], MOVED[:, None])], axis=1)
    rigid = np.swapaxes(rigid, 1, 2).reshape(15, 6)
    off = (found.velocities - expected).ravel()
    kept = off - rigid @ np.linalg.lstsq(rigid, off, rcond=None)[0]
    change = np.abs(expected - speeds - step * gravity).max()
    assert np.abs(kept).max() < 1e-3 * change and np.abs(off).max() < 0.2 * change
    np.testing.assert_allclose(found.positions, MOVED + step * found.velocities, atol=1e-12)
    turns, gradients = turned(found.positions)
    for turn, gradient, before, after in zip(turns, gradients, PLASTIC, found.plastic_strain, strict=True):
        elastic = 0.5 * (turn.T @ gradient + gradient.T @ turn) - np.eye(3) - tensor(before)
        assert np.linalg.norm(elastic) > 0.02
        np.testing.assert_allclose(tensor(after) - tensor(before), (1.0 - np.exp(-30.0 * step)) * elastic, atol=1e-6)


def test_a_draft_mesh_goes_on_as_it_went() -> None:
    """Two steps are one and then another; what falls freely falls as implicit Euler does."""
    two = draft_step(MOVED, 0.0 * REST, TETS, REST, draft(), steps=2)
    one = draft_step(MOVED, 0.0 * REST, TETS, REST, draft())
    other = draft_step(one.positions, one.velocities, TETS, REST, draft())
    np.testing.assert_allclose(two.positions, other.positions, atol=1e-4 * np.abs(two.positions - MOVED).max())
    fallen = draft_step(REST, 0.0 * REST, TETS, REST, draft(), steps=3, gravity=(0.0, 0.0, -10.0)).positions - REST
    np.testing.assert_allclose(fallen, np.tile((0.0, 0.0, -10.0 * 0.01**2 * 6), (5, 1)), atol=1e-7)


def test_averages_over_shared_volume_are_those_of_slabs() -> None:
    """Four slabs with a value each, cut anew into three: each new slab as a whole has the mean of what it lies over (B20)."""
    old, new = box_mesh((4, 1, 1)), box_mesh((3, 2, 1))
    slab = np.floor(4.0 * old.positions[old.tets].mean(axis=1)[:, 0]).astype(int)
    values = np.array([[1.0, 7.0], [2.0, 7.0], [4.0, 7.0], [8.0, 7.0]])[slab]
    found = shared_volume_average(values, old.positions, old.tets, new.positions, new.tets)
    place = np.floor(3.0 * new.positions[new.tets].mean(axis=1)[:, 0]).astype(int)
    means = [found[place == k].mean(axis=0) for k in range(3)]  # tets of equal volume
    np.testing.assert_allclose(means, [[1.25, 7.0], [3.0, 7.0], [7.0, 7.0]], atol=1e-4)
    assert np.ptp(found[place == 0, 0]) > 0.1


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: nodal_forces(REST, TETS, REST, draft()), "model draft, not viscoplastic"),
        (lambda: first_piola_kirchhoff(np.eye(3)[None], draft()), "model draft, not viscoplastic"),
        (lambda: integrate(REST, REST, TETS, REST, draft(), 0.01), "model draft, not viscoplastic"),
        (lambda: damping_stress(np.eye(3)[None], np.eye(3)[None], draft()), "model draft, not viscoplastic"),
        (lambda: warped_forces(REST, TETS, REST, Material("viscoplastic")), "model viscoplastic, not draft"),
        (lambda: draft_step(REST, REST, TETS, REST, draft(), step=0.02), "takes at most 0.01"),
        (lambda: draft_step(REST, REST[:3], TETS, REST, draft()), "velocities has shape"),
        (lambda: nodal_forces(REST, TETS, REST, Material("viscoplastic", {}, {"volume": "at_nodes"})), "at_nodes"),
        (lambda: nodal_forces(REST, TETS + 1, REST, Material("viscoplastic")), "not among the 5"),
        (lambda: fibre_stress(np.eye(3)[None], np.ones(3)), "directions has shape"),
        (lambda: shared_volume_average(np.ones((2, 1)), REST, TETS, REST, TETS[:, [1, 0, 2, 3]]), "of new_tets has no"),
        (lambda: shared_volume_average(np.ones((3, 1)), REST, TETS, REST, TETS), "values has shape"),
    ],
)
def test_what_cannot_be_answered_is_named(ask, says) -> None:
    with pytest.raises(ValueError, match=says):
        ask()


def test_polar_is_scipys() -> None:
    turns, gradients = turned(MOVED)
    np.testing.assert_allclose(polar(gradients)[0], turns, atol=1e-12)

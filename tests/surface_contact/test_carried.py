"""Contact of points that nodes carry by more than one weight: what acts on the surface reaches the tets as it should."""

import numpy as np
import pytest

from tests.surface_contact.artists import flattened, simulated
from tests.surface_contact.test_energy import dense
from tests.surfaces import box

GAP = 5e-4  # of balls that begin to push at some 2e-3


@pytest.fixture(scope="module")
def run():
    return simulated(flattened(9, GAP))


@pytest.fixture
def pressed(run):
    """Positions of nodes, dented a little, and their contact, which pushes and rubs."""
    places = run.state.positions + 2e-5 * np.random.default_rng(3).normal(size=run.state.positions.shape)
    run.surfaces.begin_step(places)
    return places, run.surfaces


def energy_and_gradient(contact, positions):
    gradient = np.zeros_like(positions)
    return contact.add_gradient(positions, gradient), gradient


def test_points_lie_where_the_artist_put_them_and_move_with_the_body(run):
    carried, positions = run.surfaces.carried, run.state.positions
    seen = np.concatenate([body.surface.positions for body in run.scene.bodies])
    places = carried.places(positions)
    nearest = np.sqrt(((places[:, None] - seen) ** 2).sum(axis=2)).min(axis=0)
    assert nearest.max() < 1e-8
    turn, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))
    assert np.abs(carried.places(positions @ turn + 3.0) - places @ turn - 3.0).max() < 1e-9
    assert (np.diff(carried.start) > 4).any() and carried.weights.min() < 0.0


def test_the_gradient_is_that_of_differences(pressed):
    positions, contact = pressed
    rng = np.random.default_rng(4)
    positions = positions + 1e-5 * rng.normal(size=positions.shape)
    _, gradient = energy_and_gradient(contact, positions)
    assert np.abs(gradient).max() > 0.01
    for _ in range(5):
        way, step = rng.normal(size=positions.shape), 1e-9
        ahead, back = (energy_and_gradient(contact, positions + sign * step * way)[0] for sign in (1.0, -1.0))
        slope = float((gradient * way).sum())
        assert (ahead - back) / (2.0 * step) == pytest.approx(slope, rel=2e-4, abs=1e-5 * np.abs(gradient).sum())


def test_forces_on_nodes_are_internal(pressed, run):
    positions, contact = pressed
    _, gradient = energy_and_gradient(contact, positions)
    size, above = np.abs(gradient).sum(), slice(run.ranges.nodes[1], None)
    assert np.abs(gradient.sum(axis=0)).max() < 1e-9 * size
    assert np.abs(np.cross(positions, gradient).sum(axis=0)).max() < 1e-9 * size
    assert gradient[above, 2].sum() < -0.05 * size


def test_the_stiffness_is_that_of_differences_but_for_the_turning_of_normals(pressed, run):
    positions, contact = pressed
    matrix = dense(contact.stiffness(positions, np.arange(len(positions), dtype=np.int32)), len(positions))
    up, step = np.zeros_like(positions), 1e-8
    up[run.ranges.nodes[1] :, 2] = 1.0
    ahead, back = (energy_and_gradient(contact, positions + sign * step * up)[1] for sign in (1.0, -1.0))
    change, product = (ahead - back) / (2.0 * step), (matrix @ up.ravel()).reshape(-1, 3)
    assert np.abs(product).max() > 100.0
    assert np.abs(product - change).max() < 0.1 * np.abs(product).max()


def test_what_is_ahead_pulls_and_stiffens_as_what_touches(run):
    """A spring that a direction will meet: its gradient on nodes is its matrix times the way left to its reach."""
    positions, contact = run.state.positions, run.surfaces
    apart, fall = positions.copy(), np.zeros_like(positions)
    above = slice(run.ranges.nodes[1], None)
    apart[above, 2] += 0.02
    fall[above, 2] = -0.03
    met = contact.meetings(apart, fall)
    assert len(met) > 10 and met.pressed(met.left(fall)).all() and not met.pressed(met.left(-fall)).any()
    gradient = np.zeros_like(positions)
    met.add_gradient(gradient)
    rank = np.arange(len(positions), dtype=np.int32)
    contact.begin_step(apart)
    matrix = dense(contact.stiffness(apart, rank, met), len(positions)) - dense(contact.stiffness(apart, rank), len(positions))
    moved = np.einsum("km,kmi,ki->k", met.weights, contact.carried.places(fall)[met.points], met.normal)
    pulled = (met.stiffness * (met.gap - met.begin) * moved).sum()
    assert float((gradient * fall).sum()) == pytest.approx(float(pulled), rel=1e-9)
    assert float(fall.ravel() @ matrix @ fall.ravel()) == pytest.approx(float((met.stiffness * moved**2).sum()), rel=1e-9)


@pytest.mark.parametrize("resolution", [4, 6, 9, 12])
def test_the_middle_of_a_face_goes_with_the_tets_there(resolution):
    """Of a default cube all corners may lie outside the tets, 6 and 12 of them: those carry no more than is near them."""
    run = simulated([box((1.0, 0.6, 0.8))], resolution, contact="all")
    at, carried = run.state.positions, run.surfaces.carried
    dent = np.exp(-(at[:, :2] ** 2).sum(axis=1) / 0.15**2) * (at[:, 2] > 0.0)
    pushed = at.copy()
    pushed[:, 2] -= 0.1 * dent
    before, after = carried.places(at), carried.places(pushed)
    on_top = np.isclose(before[:, 2], 0.4, atol=1e-6)
    middle = np.flatnonzero(on_top)[(before[on_top, :2] ** 2).sum(axis=1).argmin()]
    asked = 0.1 * np.exp(-(before[middle, :2] ** 2).sum() / 0.15**2)
    assert 0.4 * asked < before[middle, 2] - after[middle, 2] < 1.2 * asked

"""A finger too thin for tets, on one arm of a bent strip and reaching nearly to the other: it stays with its own arm."""

import numpy as np
import pytest

from solver.embedding import bind, bind_surface, evaluate
from solver.remesh.strayed import gathered
from tests.surfaces import joined, moved, sphere, surface

from .folded import strip

SIZE, GAP = 0.2, 0.5
LIFT = 2.0  # by which the other arm goes away [m]


@pytest.fixture(scope="module")
def arms():
    """The strip, and where its nodes are once its upper arm has gone up."""
    mesh, along = strip(SIZE, GAP)
    lifted = mesh.positions.copy()
    lifted[:, 2] += LIFT * np.clip(along / 0.5, 0.0, 1.0)
    return mesh, lifted


def finger(low=-0.45, high=0.2):
    """From within the lower arm, whose upper side is at -0.25, to just below the upper one's lower side, at 0.25."""
    ball = sphere(16, 0.5)
    return moved(surface(ball.positions * (0.15, 0.15, high - low), ball.triangles), (0.9, 0.0, 0.5 * (low + high)))


def longest(seen, positions):
    ends = seen.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    return np.linalg.norm(positions[ends[:, 0]] - positions[ends[:, 1]], axis=1).max()


def test_a_finger_is_not_drawn_out_by_what_it_only_points_at(arms):
    mesh, lifted = arms
    seen = finger()
    surface_, contacts = bind_surface(seen, mesh, 0.5 * SIZE)
    places = evaluate(contacts, mesh.tets, mesh.positions)
    drawn = evaluate(surface_, mesh.tets, lifted)
    assert longest(seen, drawn) > 0.5 * LIFT and np.ptp(drawn[:, 2]) > LIFT, "or nothing has strayed"
    own, feet = gathered(surface_, contacts, seen, mesh, SIZE)
    np.testing.assert_allclose(evaluate(own, mesh.tets, mesh.positions), seen.positions, atol=1e-9)
    np.testing.assert_allclose(evaluate(feet, mesh.tets, mesh.positions), places, atol=1e-9)
    np.testing.assert_allclose(evaluate(own, mesh.tets, lifted), seen.positions, atol=1e-9)
    np.testing.assert_allclose(evaluate(feet, mesh.tets, lifted), places, atol=1e-9)
    levers = np.flatnonzero(feet.weights.min(axis=1) < -0.05)
    assert len(levers) and np.isin(levers, feet.spread.points).all(), "one tet, beyond whose corners it lies, takes no force"
    assert (feet.standby == contacts.standby).all()
    stays = own.tets == surface_.tets
    assert 0.2 < stays.mean() < 0.8 and (own.weights[stays] == surface_.weights[stays]).all()


def test_what_turns_takes_it_along(arms):
    mesh, _ = arms
    seen = finger()
    own, _ = gathered(*bind_surface(seen, mesh, 0.5 * SIZE), seen, mesh, SIZE)
    turn = np.array([[0.0, -1.0, 0.0], [0.8, 0.0, -0.6], [0.6, 0.0, 0.8]])
    np.testing.assert_allclose(evaluate(own, mesh.tets, mesh.positions @ turn.T), seen.positions @ turn.T, atol=1e-9)


def test_what_is_held_at_both_ends_or_has_no_neighbours_stays(arms):
    """A bridge whose halves lie in both arms, a shell of its own beside one, and what lies on its own limb all over."""
    mesh, _ = arms
    apart = moved(sphere(8, 0.05), (0.9, 0.3, 0.15))
    for seen in (joined(finger(high=-0.3), apart), finger(high=-0.3), apart):
        bound = bind_surface(seen, mesh, 0.5 * SIZE)
        assert gathered(*bound, seen, mesh, SIZE) == bound
    bridge = finger(high=0.45)
    bound = bind(mesh, bridge.positions)
    assert gathered(bound, bound, bridge, mesh, 0.05)[0] is bound, "larger than some elements: it was meant"

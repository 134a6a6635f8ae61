"""Goo that goes past the rim of an open ground: through a hole that is too narrow for it, and over the edge of a table.

A ground is solid for a little way below. Beside its rim there is none: what bulges under it from there, or comes up from deeper
down, is beneath it, and is not lifted out by the whole of that depth in one step.
"""

import numpy as np
import pytest

from solver.contact.beneath import are_beside, are_sunk, belong_beneath, beneath_again, come_round
from solver.contact.contacts import SUNK
from solver.contact.looking import query
from tests.physics.scenes import ball_mesh, box_mesh, make_scene, run
from tests.physics.test_fast_colliders import field_of, grid, without

JELLY = {"density": 1000.0, "young_modulus": 3e4, "poisson_ratio": 0.45, "yield_stress": 1e9, "damping": 0.0}
DEPTH = 0.1  # to which a ground of 2 m is solid below


def holed():
    """A jagged hole, some 0.6 m wide."""
    return field_of(without(grid(2.0, 10), lambda middles: np.hypot(middles[:, 0], middles[:, 1]) < 0.32))


def energy(simulation):
    """Of motion and height [J]."""
    state = simulation.state
    return float(0.5 * (state.masses[:, None] * state.velocities**2).sum() + 9.81 * state.masses @ state.positions[:, 2])


def fastest(simulation, frames):
    """Of all nodes, over some frames [m/s], the most energy of motion and height [J], and the most points beneath."""
    speed, most, beneath = 0.0, -np.inf, 0
    for _ in range(frames):
        simulation.advance()
        speed = max(speed, float(np.linalg.norm(simulation.state.velocities, axis=1).max()))
        most, beneath = max(most, energy(simulation)), max(beneath, int(simulation.contacts.behind.sum()))
    return speed, most, beneath


def test_a_ball_is_wedged_into_a_hole_that_is_too_narrow():
    """It strikes at 2.7 m/s. Where it bulged beneath the rim, it was shot away at 134 m/s, and a finer one at 284."""
    floor = field_of(without(grid(1.8, 12), lambda middles: np.hypot(middles[:, 0], middles[:, 1]) < 0.24))
    scene = make_scene([ball_mesh(10, 0.3, (0.0, 0.0, 0.35))], [JELLY], velocity=(0.0, 0.0, -2.7), frames=14)
    simulation, _ = run(scene, 0, [floor])
    begun = energy(simulation)
    speed, most, beneath = fastest(simulation, 14)
    assert beneath > 3, "some of it bulges in under the rim"
    assert speed < 18.0 and most <= 1.001 * begun
    assert -0.5 < simulation.state.positions[:, 2].mean() < 0.3


def test_a_bar_tips_over_the_edge_of_a_table():
    """Half of it and more lies beyond the edge: it falls past it. Where it swung in under it, it was shot away at 94 m/s."""
    bar = box_mesh((16, 4, 4), (0.8, 0.15, 0.15), (0.55, -0.07, 0.001))
    simulation, _ = run(make_scene([bar], [JELLY | {"damping": 2.0}], frames=30), 0, [field_of(grid(2.0, 10))])
    speed, *_ = fastest(simulation, 30)
    assert simulation.state.positions[:, 2].min() < -0.5, "it has gone over"
    assert speed < 4.5, "a fall of a metre gives 4.4"


@pytest.mark.parametrize(
    ("begun", "here", "round_it"),
    [
        ((0.1, 0.0, -0.05), (0.45, 0.0, -0.05), True),  # sideways, in under the face
        ((0.1, 0.0, 0.05), (0.45, 0.0, -0.3), True),  # through the hole and beneath
        ((0.05, 0.0, 0.01), (0.55, 0.0, -0.05), True),  # past the rim and in under the face, in one step
        ((0.2, 0.0, 0.05), (0.6, 0.0, -0.01), False),  # through the face
        ((0.1, 0.0, -0.05), (0.2, 0.0, -0.05), False),  # in the hole still
        ((0.1, 0.0, 0.05), (0.45, 0.0, 0.02), False),  # onto it
        ((0.1, 0.0, -0.2), (0.5, 0.0, -0.2), True),  # deeper than it is solid
    ],
)
def test_who_has_come_round_a_rim(begun, here, round_it):
    """The hole reaches to some x = 0.3 there."""
    field = holed()
    begun, here = np.array([begun]), np.array([here])
    above, below = (query(field, begun, 0.0, 1.0, beneath)[0] for beneath in (False, True))
    assert are_beside(above, below, 1.0).all()
    assert come_round(field, 0.0, 1.0, begun, here)[0] == round_it


def test_what_lies_on_a_face_is_not_beside_its_rim():
    places = np.array([[0.7, 0.3, 0.0], [0.7, 0.3, -0.02], [0.7, 0.3, 0.02]])
    field = holed()
    above, below = (query(field, places, 0.0, 1.0, beneath)[0] for beneath in (False, True))
    assert not are_beside(above, below, 1.0).any()


def test_what_comes_up_from_deeper_belongs_beneath_unless_it_began_there():
    """Two bodies, one point of each above the ground and one deeper than it is solid; of the second that began there."""
    field = holed()
    places = np.array([[0.7, 0.0, 0.05], [0.7, 0.0, -DEPTH - 0.05]])
    above, below = (query(field, np.tile(places, (2, 1)), 0.0, 0.3, beneath)[0] for beneath in (False, True))
    assert np.isinf(above[1])
    sunk = np.array([False, False, False, True])
    assert belong_beneath(above, below, np.zeros(4, bool), sunk).tolist() == [False, True, False, False]


@pytest.mark.parametrize("margin", [0.003, 0.03, 0.2])
def test_what_comes_up_is_seen_from_beneath_before_it_is_from_above(margin):
    """However near a point has to be in a short step: else it would be in the ground all at once."""
    heights = np.array([-DEPTH - margin - 0.001, -DEPTH - margin + 1e-6, -DEPTH - 1e-6, -DEPTH + 1e-6])
    places = np.stack([np.full(4, 0.7), np.zeros(4), heights], axis=1)
    above, below = (query(holed(), places, 0.0, margin, beneath)[0] for beneath in (False, True))
    assert np.isinf(above).tolist() == [True, True, True, False]
    assert np.isinf(below).tolist() == [True, False, False, False]


@pytest.mark.parametrize(("begun", "velocity", "speed"), [(0.02, -6.0, 12.0), (-0.45, 15.0, 45.0)])
def test_what_strikes_the_edge_of_a_table_stays_beneath_where_it_is(begun, velocity, speed):
    """A block that falls on it with one half, and one that is thrown up against it. Short steps lost who came up from far
    below and who was there: it was shot away at 180 m/s."""
    jelly = JELLY | {"young_modulus": 6e4, "damping": 0.5}
    block = box_mesh((12, 6, 6), (0.4, 0.2, 0.2), (0.8, -0.1, begun))
    scene = make_scene([block], [jelly], velocity=(0.0, 0.0, velocity), frames=8)
    simulation, _ = run(scene, 0, [field_of(grid(2.0, 10))])
    fast, _, beneath = fastest(simulation, 8)
    assert fast < speed and beneath > 3


def test_who_is_sunk_in_a_ground_at_the_start():
    """Of a body that is not all beneath it all that lies under it, at any depth, and nothing in the hole."""
    one = [[0.7, 0.0, 0.05], [0.7, 0.0, -0.05], [0.7, 0.0, -3.0], [0.1, 0.0, -0.05]]
    places = np.array([*one, [0.7, 0.0, -0.2], [0.7, 0.1, -3.0]])
    assert are_sunk(holed(), places, np.array([0, 0, 0, 0, 1, 1])).tolist() == [False, True, True, False, False, False]


@pytest.mark.parametrize("x", [0.0, 0.12])
def test_what_is_thrown_up_against_a_hole_from_beneath_falls_again(x):
    """It begins all beneath, wider than the hole, of which part is beside the rim. It was shot away at 250 to 410 m/s."""
    floor = field_of(without(grid(1.8, 12), lambda middles: np.hypot(middles[:, 0], middles[:, 1]) < 0.24))
    scene = make_scene([ball_mesh(8, 0.3, (x, 0.0, -0.45))], [JELLY], velocity=(0.0, 0.0, 4.0), frames=10)
    simulation, _ = run(scene, 0, [floor])
    speed, _, beneath = fastest(simulation, 10)
    assert speed < 12.0 and beneath > 3 and simulation.state.positions[:, 2].mean() < -0.4


def test_new_points_beneath_a_ground_are_not_let_into_it():
    """Those that a refinement brings know from their neighbours that they are beneath; what belongs above is let out."""
    simulation, _ = run(make_scene([ball_mesh(6, 0.3, (0.6, 0.0, -0.24))], [JELLY], frames=2), 1, [holed()])
    contacts, positions = simulation.contacts, simulation.state.positions.copy()
    here = contacts.points.positions(positions)
    under = np.flatnonzero((here[:, 2] < -0.02) & (here[:, 2] > -DEPTH) & (here[:, 0] > 0.5))
    assert len(under) > 4
    for beneath in (True, False):
        contacts.behind[0, under] = beneath
        contacts.take_in(under, positions, simulation.clock.time, SUNK)
        assert (contacts.slack[0, under] == 0.0).all() if beneath else (contacts.slack[0, under] > 0.01).all()


def test_what_lies_in_the_thickness_that_rounds_a_rim_is_beside_it():
    """Whatever touches the rim has gone into it by a little; from there it may come round it."""
    thick = field_of(grid(2.0, 10), thickness=0.02)
    places = np.array([[1.0 + x, 0.03, z] for x, z in ((0.015, -0.01), (0.03, -0.01), (-0.015, -0.01), (-0.015, 0.01))])
    above, below = (query(thick, places, 0.0, 0.3, beneath)[0] for beneath in (False, True))
    assert are_beside(above, below, 0.05).tolist() == [True, True, False, False] and above[0] < 0.0 < above[1]
    assert come_round(thick, 0.0, 0.3, places[:1], np.array([[0.985, 0.03, -0.018]])).tolist() == [True]


def test_new_tets_keep_beneath_what_was_there():
    """Of each new point under a ground the nearest old one of its body there says it, not one above, however near that is."""
    places = np.array([[0.7, 0.0, 0.001], [0.7, 0.1, -0.03], [0.7, -0.2, -0.05], [0.7, 0.0, -0.02]])
    bodies, belonged = np.array([0, 0, 0, 1]), np.array([False, True, False, True])
    here = np.array([[0.7, 0.0, -0.03], [0.7, -0.15, -0.03], [0.7, 0.0, -0.005], [0.7, 0.0, -0.03], [0.7, 0.1, 0.02]])
    new = here, np.array([0, 0, 0, 2, 0]), np.array([False, False, False, False, True])
    found = beneath_again(holed(), 0.0, 0.01, (places, bodies, belonged), new)
    assert found.tolist() == [True, False, False, False, True]


def test_what_begins_deep_and_shallow_in_a_ground_is_let_out_slowly():
    """Its lower half lies in an open ground, deeper than that is solid. What came up from there was shot out: the ball flew
    2 m high."""
    jelly = JELLY | {"young_modulus": 1e5, "damping": 2.0}
    simulation, _ = run(make_scene([ball_mesh(6, 0.3, (0.2, 0.0, 0.0))], [jelly], frames=30), 0, [field_of(grid(2.0, 10))])
    speed, *_ = fastest(simulation, 30)
    height = simulation.state.positions[:, 2]
    assert speed < 1.0 and height.min() > -0.02 and 0.2 < height.mean() < 0.3

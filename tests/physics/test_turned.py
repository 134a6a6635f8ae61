"""What is said of bodies that stay inside out: after a second, where, and what to do; kept by checkpoints."""

import numpy as np
import pytest

from solver.simulate import Simulation
from solver.turned import PAUSE, TurnedReports
from tests.physics.scenes import box_mesh, make_scene

JELLY = {"young_modulus": 2e4, "poisson_ratio": 0.3, "yield_stress": 1e9}


def two_boxes(**settings):
    meshes = [box_mesh((2, 2, 2), (0.5, 0.5, 0.5), (x, 0.0, 0.0)) for x in (0.0, 2.0)]
    return Simulation(*make_scene(meshes, [JELLY] * 2, **settings), fields=[])


def pulled_through(simulation):
    """Positions with the second body's corner at (2.5, 0.5, 0.5) pulled through it, and the tets that it turns inside out."""
    state = simulation.state
    positions = state.positions.copy()
    corner = np.argmax(positions @ [1.0, 0.1, 0.1])
    positions[corner] -= 0.6
    corners = positions[state.tets]
    turned = np.linalg.det(corners[:, 1:] - corners[:, :1]) <= 0.0
    assert 0 < turned.sum() < len(turned) and turned[simulation.ranges.tets[1] :].sum() == turned.sum()
    return positions, turned


@pytest.mark.parametrize(("contact", "remedy"), [("bodies", "Set Body Contact to All"), ("all", "more resolution")])
def test_what_stays_inside_out_is_named_once_a_second(contact, remedy):
    simulation = two_boxes(body_contact=contact)
    positions, turned = pulled_through(simulation)
    reports, mesh = TurnedReports(2), (simulation.state.tets, simulation.ranges)
    rest = simulation.state.volumes
    told = {}
    for frame in range(1, 2 * PAUSE + 5):
        assert reports.look(positions, *mesh, rest) == turned.sum()
        if said := reports.messages(frame, simulation.scene, positions, *mesh):
            (told[frame],) = said
    assert list(told) == [PAUSE, 2 * PAUSE]
    sentence = told[PAUSE]
    middle = positions[simulation.state.tets[turned]].mean(axis=(0, 1))
    assert sentence.body == "Body 1" and sentence.place == "near ({:.3g}, {:.3g}, {:.3g})".format(*middle)
    assert f"{turned.sum()} of its" in sentence and f"for {PAUSE} frames" in sentence and remedy in sentence


def test_a_blow_that_is_over_within_a_second_is_not_named():
    simulation = two_boxes()
    positions, _ = pulled_through(simulation)
    reports, mesh = TurnedReports(2), (simulation.state.tets, simulation.ranges)
    rest = simulation.state.volumes
    for frame in range(1, 3 * PAUSE):
        here = simulation.state.positions if frame % PAUSE == 0 else positions
        reports.look(here, *mesh, rest)
        assert not reports.messages(frame, simulation.scene, here, *mesh)


def test_a_checkpoint_keeps_how_long_it_has_been():
    simulation, other = two_boxes(), two_boxes()
    simulation.advance()
    assert simulation.turned.frames.tolist() == [0, 0]
    simulation.turned.frames[1] = 7
    other.restore(simulation.checkpoint())
    assert other.turned.frames.tolist() == [0, 7]

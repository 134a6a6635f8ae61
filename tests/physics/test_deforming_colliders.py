"""Colliders that change their shape at every frame: nothing passes through, and what rides on them goes along."""

import numpy as np
import pytest

from solver.colliders import build
from solver.contact.contacts import query
from solver.scene import Collider, Settings
from tests.physics.scenes import boundary, box_mesh, center, make_scene, run
from tests.physics.test_fast_colliders import GOO, WEIGHTLESS, velocity

RATE = 24.0
LENGTH, THICK = 1.6, 0.04
HIT = 0.15  # element sizes that a point may be sunk in as it is hit, as for rigid colliders (test_fast_colliders.py)
RESTS = 0.02  # and where it rests


def plate():
    """A thin plate of many faces, clamped at x = 0, its top at z = 0."""
    return boundary(box_mesh((16, 6, 1), (LENGTH, 0.8, THICK), (0.0, -0.4, -THICK)))


def deforming(part, shapes, friction=0.8):
    collider = Collider("c", "Paddle", "mesh", np.eye(4)[None], part, shapes=np.array(shapes), friction=friction)
    return build(collider, Settings(frame_end=len(shapes) - 1))


def whipping(part, lifts):
    """Shapes of the plate, its tip lifted by so much, a sample each, the rest as the square of the way from its clamp."""
    return [part.positions + np.outer((part.positions[:, 0] / LENGTH) ** 2, (0.0, 0.0, lift)) for lift in lifts]


def sunk(simulation, field):
    """How deep the deepest contact point is [element sizes]."""
    here = simulation.contacts.points.positions(simulation.state.positions)
    distance, _, _ = query(field, here, simulation.clock.time, np.inf)
    return -float(distance.min()) / simulation.element_size


def above(simulation, lift):
    """Whether all nodes are over the middle of a plate whose tip is lifted by so much."""
    x, _, z = simulation.state.positions.T
    return bool((z > lift * (x / LENGTH) ** 2 - 0.5 * THICK)[x < LENGTH].all())


@pytest.mark.parametrize("speed", [5.0, 20.0])
def test_a_paddle_that_bends_takes_along_what_it_hits(speed):
    """The tip of a plate half an element thick whips up, and its shape is another at every frame: a block over its outer half
    stays on its side, and leaves no slower than the plate was there, nor faster than thrown off without loss."""
    lifts = np.array([-0.35, -0.35, *(-0.35 + speed / RATE * np.arange(1, 5))])
    part = plate()
    field = deforming(part, whipping(part, lifts))
    assert field.deformation is not None
    block = box_mesh((5, 5, 5), (0.3,) * 3, (1.1, -0.15, 0.02))
    simulation, _ = run(make_scene([block], [GOO], frames=5, **WEIGHTLESS), 1, [field])
    for lift in lifts[2:]:
        simulation.advance()
        assert sunk(simulation, field) < HIT and above(simulation, lift)
    least, most = speed * (1.1 / LENGTH) ** 2, speed * (1.4 / LENGTH) ** 2
    assert least < np.linalg.norm(velocity(simulation)) < 2.0 * most


def bump(places):
    """How far (n,) places over a plate go with the middle of it."""
    return np.exp(-(((places[:, 0] - 0.8) / 0.3) ** 2) - (places[:, 1] / 0.3) ** 2)


@pytest.mark.parametrize(("speed", "frames"), [(8.0, 2), (20.0, 1)])
def test_a_bump_that_shoots_out_takes_along_what_lies_over_it(speed, frames):
    """Most of a thin plate stands still, so that no rigid motion tells where its middle goes, by up to three elements at a
    frame: a block over it is not passed, and thrown off no faster than without loss."""
    lifts = np.array([-0.2, -0.2, *(-0.2 + speed / RATE * np.arange(1, frames + 1))])
    part = plate()
    field = deforming(part, [part.positions + np.outer(bump(part.positions), (0.0, 0.0, lift)) for lift in lifts])
    block = box_mesh((5, 5, 5), (0.3,) * 3, (0.65, -0.15, 0.02))
    simulation, _ = run(make_scene([block], [GOO], frames=frames + 1, **WEIGHTLESS), 1, [field])
    for lift in lifts[2:]:
        simulation.advance()
        places = simulation.state.positions
        assert sunk(simulation, field) < 2.0 * HIT
        assert (places[:, 2] > lift * bump(places) - THICK).all()
    assert 0.3 * speed < velocity(simulation)[2] < 2.0 * speed


def test_what_rides_on_a_surface_that_rises_has_its_velocity():
    """The plate's tip goes up and down by 0.2 m once a second: the block on it does as well, and rests on it."""
    frames = 30
    lifts = 0.1 - 0.1 * np.cos(2.0 * np.pi * np.clip(np.arange(-1, frames), 0, None) / RATE)
    part = plate()
    field = deforming(part, whipping(part, lifts))
    block = box_mesh((4, 4, 4), (0.3,) * 3, (1.0, -0.15, 0.002))
    simulation, _ = run(make_scene([block], [GOO | {"damping": 20.0}], frames=frames), 1, [field])
    for frame in range(2, frames):
        simulation.advance()
        assert sunk(simulation, field) < RESTS
        share = (center(simulation)[0] / LENGTH) ** 2
        wanted = share * 0.5 * (lifts[frame + 1] - lifts[frame - 1]) * RATE
        assert frame < 6 or velocity(simulation)[2] == pytest.approx(wanted, abs=0.1)


def test_what_rides_on_a_surface_that_stretches_is_dragged_along():
    """A belt of 2 m that gets longer by 0.3 of its length a second: friction takes a block along at the speed that the belt has
    under it."""
    frames, rate = 24, 0.3
    part = boundary(box_mesh((20, 6, 1), (2.0, 0.8, THICK), (0.0, -0.4, -THICK)))
    part.positions[:, 0] -= 0.2
    shapes = [part.positions * (1.0 + rate * time, 1.0, 1.0) for time in np.arange(-1, frames) / RATE]
    field = deforming(part, shapes)
    block = box_mesh((4, 4, 3), (0.3, 0.3, 0.2), (0.85, -0.15, 0.002))
    simulation, _ = run(make_scene([block], [GOO | {"young_modulus": 2e5, "damping": 20.0}], frames=frames), 1, [field])
    for _ in range(frames - 1):
        simulation.advance()
        assert sunk(simulation, field) < RESTS
    time = simulation.clock.time
    assert velocity(simulation)[0] == pytest.approx(rate * center(simulation)[0] / (1.0 + rate * time), rel=0.05)
    assert center(simulation)[0] == pytest.approx(1.0 + rate * time, abs=0.06)

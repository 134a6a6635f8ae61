"""Nothing passes through: fists, paddles and gears, thin plates, cups and floors with a hole."""

import numpy as np
import pytest

from solver.colliders import build
from solver.colliders.motion import rotation_matrix
from solver.contact.contacts import query
from solver.contact.passage import met_on_the_way
from solver.scene import Collider, Settings, Surface
from tests.physics.scenes import ball_mesh, box_mesh, center, make_scene, run
from tests.surfaces import box, sphere

GOO = {"density": 1000.0, "young_modulus": 5e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "damping": 5.0}
WEIGHTLESS = {"gravity": (0.0, 0.0, 0.0)}
SIDE = 0.3


def field_of(part, transforms=None, frames=24, **options):
    transforms = np.eye(4)[None] if transforms is None else transforms
    return build(Collider("c", "Thing", "mesh", transforms, part, **options), Settings(frame_end=frames))


def coming(speed, frames):
    """Transforms of what comes along x and stands 0.3 m before the origin 0.3 of a frame before the second one."""
    transforms = np.tile(np.eye(4), (frames + 1, 1, 1))
    transforms[:, 0, 3] = -0.3 + speed * (np.arange(frames + 1) - 1.7) / 24.0
    return transforms


def deepest(simulation, field):
    """Of all nodes, in element sizes."""
    distance, _, _ = query(field, simulation.state.positions, simulation.clock.time, np.inf)
    return -float(distance.min()) / simulation.element_size


def velocity(simulation):
    state = simulation.state
    return state.masses @ state.velocities / state.masses.sum()


@pytest.mark.parametrize(
    ("begun", "here", "depth", "side"),
    [
        ((-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), -0.51, -1.0),  # through and far beyond
        ((-0.5, 0.0, 0.0), (0.002, 0.0, 0.0), -0.012, -1.0),  # beyond the middle
        ((-0.5, 0.0, 0.0), (-0.002, 0.0, 0.0), -0.008, -1.0),  # not yet
        ((-0.009, 0.0, 0.0), (0.3, 0.0, 0.0), -0.31, -1.0),  # pressed in at the start
        ((-0.5, 0.9, 0.0), (0.5, 0.9, 0.0), np.inf, 0.0),  # past its rim
        ((0.02, 0.0, 0.0), (0.5, 0.0, 0.0), np.inf, 0.0),  # leaving
    ],
)
def test_a_point_belongs_to_the_side_that_it_came_from(begun, here, depth, side):
    """A plate of 2 cm, looked at 0.1 m away and nearer."""
    plate = field_of(box((0.02, 0.8, 0.8)))

    def look(places):
        return query(plate, places, 0.0, np.inf)

    begun, here = np.array([begun]), np.array([here])
    seen = query(plate, here, 0.0, 0.1)
    distance, normal, _ = met_on_the_way(look, begun, look(begun)[0], here, seen, 0.1, np.array([0.05]))
    assert distance[0] == pytest.approx(depth, abs=1e-9) and normal[0, 0] == side


@pytest.mark.parametrize(("speed", "rebound"), [(8.0, 0.9), (30.0, 0.6)])
def test_a_thin_paddle_takes_all_along(speed, rebound):
    """A plate thinner than half an element hits a soft cube at up to three times its speed of sound: all of it is driven
    along, no faster than it would be thrown off without loss."""
    field = field_of(box((0.02, 0.8, 0.8)), coming(speed, 4), 4)
    body = box_mesh((6, 6, 6), (SIDE,) * 3, (-0.5 * SIDE,) * 3)
    simulation, _ = run(make_scene([body], [GOO], frames=4, **WEIGHTLESS), 4, [field])
    paddle = field.motion.pose(simulation.clock.time).translation[0]
    assert (simulation.state.positions[:, 0] > paddle).all()
    assert speed < velocity(simulation)[0] < (1.0 + rebound) * speed and np.isfinite(simulation.state.positions).all()


def test_a_fist_at_thirty_metres_a_second():
    field = field_of(sphere(12, 0.12), coming(30.0, 3), 3)
    body = box_mesh((6, 6, 6), (SIDE,) * 3, (-0.5 * SIDE,) * 3)
    simulation, _ = run(make_scene([body], [GOO], frames=3, **WEIGHTLESS), 1, [field])
    for _ in range(2):
        simulation.advance()
        assert deepest(simulation, field) < 0.15
    assert 24.0 < velocity(simulation)[0] < 48.0


@pytest.mark.parametrize("speed", [5.0, 20.0])
def test_a_fast_ball_stays_on_its_side_of_a_thin_plate(speed):
    plate = field_of(box((1.5, 1.5, 0.01)))
    ball = ball_mesh(4, 0.15, (0.0, 0.0, 0.4))
    simulation, _ = run(make_scene([ball], [GOO], velocity=(0.0, 0.0, -speed), frames=6), 6, [plate])
    assert simulation.state.positions[:, 2].min() > 0.0 and velocity(simulation)[2] > 0.0


def gear(teeth=8, outer=0.5, inner=0.36, half=0.25):
    """A closed gear about z: square teeth, two rings of corners top and bottom and a middle each."""
    turn = np.pi / teeth
    angles = np.repeat(np.arange(2 * teeth) * turn, 2) + np.tile([0.0, turn], 2 * teeth)
    radii = np.where(np.repeat(np.arange(2 * teeth) % 2 == 0, 2), outer, inner)
    ring = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)
    n = len(ring)
    positions = np.concatenate([np.c_[ring, np.full(n, -half)], np.c_[ring, np.full(n, half)], [[0, 0, -half], [0, 0, half]]])
    k, after = np.arange(n), (np.arange(n) + 1) % n
    sides = np.concatenate([np.stack([k, after, after + n], axis=1), np.stack([k, after + n, k + n], axis=1)])
    below, above = np.stack([after, k, np.full(n, 2 * n)], axis=1), np.stack([k + n, after + n, np.full(n, 2 * n + 1)], axis=1)
    return Surface(positions, np.concatenate([sides, below, above]).astype(np.int32))


def test_a_turning_gear_keeps_goo_out_of_its_teeth():
    """Two turns a second, a rim at 6 m/s: a soft cube is thrown off, no faster than without loss, and never inside."""
    frames = 10
    turns = [rotation_matrix(np.array([0.0, 0.0, 4.0 * np.pi / 24.0 * k])) for k in range(frames + 1)]
    transforms = np.tile(np.eye(4), (frames + 1, 1, 1))
    transforms[:, :3, :3] = turns
    field = field_of(gear(), transforms, frames, friction=0.5)
    body = box_mesh((5, 5, 5), (SIDE,) * 3, (-0.5 * SIDE, 0.52, -0.5 * SIDE))
    simulation, _ = run(make_scene([body], [GOO], frames=frames, gravity=(0.0, -9.81, 0.0)), 1, [field])
    velocities = []
    for _ in range(frames - 1):
        simulation.advance()
        assert deepest(simulation, field) < 0.15
        velocities.append(velocity(simulation))
    rim = 4.0 * np.pi * 0.5
    assert min(v[0] for v in velocities) < -0.5 and max(np.linalg.norm(v) for v in velocities) < 2.0 * rim


def without(part, inside):
    """A surface without the faces whose middles a function says are inside."""
    middles = part.positions[part.triangles].mean(axis=1)
    return Surface(part.positions, part.triangles[~inside(middles)])


def grid(size, count):
    """A flat square in z = 0."""
    line = np.linspace(-0.5 * size, 0.5 * size, count + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    corner = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).ravel()
    quads = np.stack([corner, corner + count + 1, corner + count + 2, corner + 1], axis=1)
    positions = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    return Surface(positions, np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]).astype(np.int32))


@pytest.mark.parametrize("speed", [2.0, 15.0])
@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("two_sided", [True, False])
def test_a_cup_holds_from_within_and_without(above, speed, two_sided):
    """Half a globe, open above: a ball thrown in stays in it, one thrown at its bottom from below stays outside.

    Two-sided, and as it is by default: ground, as it faces up everywhere.
    """
    cup = field_of(without(sphere(12, 0.5), lambda middles: middles[:, 2] > 0.0), two_sided=two_sided)
    ball = ball_mesh(4, 0.12, (0.02, 0.0, 0.1 if above else -0.8))
    towards = (0.0, 0.0, -speed if above else speed)
    simulation, _ = run(make_scene([ball], [GOO], velocity=towards, frames=5, **WEIGHTLESS), 1, [cup])
    for _ in range(4):
        simulation.advance()
        radius = np.linalg.norm(simulation.state.positions, axis=1)
        below = simulation.state.positions[:, 2] < -0.01
        assert (radius[below] < 0.505).all() if above else (radius[below] > 0.485).all()
    assert np.linalg.norm(velocity(simulation)) <= 1.001 * speed


@pytest.mark.parametrize(("x", "passes"), [(0.0, True), (0.6, False)])
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("two_sided", [True, False])
def test_a_floor_with_a_hole_lets_through_what_falls_into_it(x, passes, side, two_sided):
    """From above and from below, two-sided and as it is by default: ground, solid for 0.1 m below."""
    hole = without(grid(2.0, 20), lambda middles: np.abs(middles[:, :2]).max(axis=1) < 0.3)
    floor = field_of(hole, two_sided=two_sided)
    ball = ball_mesh(4, 0.12, (x, 0.0, 0.3 * side))
    scene = make_scene([ball], [GOO], velocity=(0.0, 0.0, -10.0 * side), frames=5, **WEIGHTLESS)
    simulation, _ = run(scene, 5, [floor])
    assert (side * center(simulation)[2] < -0.5) == passes
    assert passes or (side * simulation.state.positions[:, 2]).min() > -0.01
    assert np.linalg.norm(velocity(simulation)) <= 10.01


def test_what_starts_sunk_in_a_ground_is_lifted_out_of_it():
    """Half of a ball is below it, deeper than it is solid: none of it belongs beneath, and all of it comes out above."""
    ball = ball_mesh(4, 0.2, (0.0, 0.0, 0.0))
    floor = field_of(grid(2.0, 20))
    simulation, _ = run(make_scene([ball], [GOO | {"damping": 20.0}], frames=48), 48, [floor])
    assert simulation.contacts.behind.sum() == 0
    assert simulation.state.positions[:, 2].min() > -0.05

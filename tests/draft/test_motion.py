"""Bodies of the draft model in time: flight, statics, contact, stability."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

from solver.draft.stiffness import element_stiffness
from tests.draft.scenes import draft_scene, rotation, run
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, center, momentum

GOO = {"young_modulus": 2e5, "poisson_ratio": 0.33, "flow_rate": 0.0}
G = 9.81


def test_a_body_falls_as_implicit_euler_falls():
    """Gravity alone needs no iteration: after n steps of dt it has fallen g t (t + dt)/2, its shape untouched."""
    simulation, frames = run(draft_scene([box_mesh((2, 2, 2))], [GOO], velocity=(1.0, 0.0, 2.0), frames_per_second=25.0), 26)
    fallen = 0.5 * G * 1.0 * (1.0 + 0.01)
    assert np.abs(center(simulation) - (1.5, 0.5, 0.5 + 2.0 - fallen)).max() < 1e-9
    assert np.abs(simulation.state.stress).max() < 1.0  # of 2e5 Pa: rounding in float32
    assert np.abs(frames[-1].bodies[0].attributes["velocity"] - (1.0, 0.0, 2.0 - G)).max() < 1e-5


def test_a_step_is_a_hundredth_of_a_second_and_twenty_iterations():
    """Section 6 (M13): whatever happens in it; a frame of a twenty-fifth of a second takes four."""
    arguments = draft_scene([ball_mesh(4, 0.3, (0.0, 0.0, 0.32))], [GOO], frames_per_second=25.0)
    simulation, frames = run(arguments, 13, [PlaneField()])
    assert max(frame.statistics["contacts"] for frame in frames) > 0 and simulation.time == pytest.approx(12 * 4 * 0.01)
    assert [frame.statistics["substeps"] for frame in frames[1:]] == [4.0] * 12
    assert [frame.statistics["linear_iterations"] for frame in frames[1:]] == [4.0 * 20.0] * 12


@pytest.mark.parametrize("material", [{}, {"damping": 5.0}, {"yield_strain": 0.01, "flow_rate": 50.0}])
def test_spin_and_flight_keep_their_momentum(material):
    """To rounding, though 20 iterations solve nothing exactly and plastic strain need not share the stretches' axes."""
    arguments = draft_scene(
        [box_mesh((3, 3, 6), (0.5, 0.5, 1.0))], [GOO | material], velocity=(1.0, 2.0, 3.0), spin=(2.0, 6.0, 1.0),
        gravity=(0.0, 0.0, 0.0),
    )  # fmt: skip
    simulation, _ = run(arguments, 1)
    linear, angular = momentum(simulation)
    for _ in range(24):
        simulation.advance()
    assert np.abs(momentum(simulation)[0] - linear).max() < 1e-9 * np.abs(linear).max()
    assert np.abs(momentum(simulation)[1] - angular).max() < 1e-9 * np.abs(angular).max()


def test_a_turned_body_at_rest_stays_where_it_is():
    mesh = box_mesh((3, 2, 2), (0.6, 0.4, 0.4))
    simulation, _ = run(draft_scene([mesh], [GOO], gravity=(0.0, 0.0, 0.0)), 1)
    turned = mesh.positions @ rotation((1, 2, 0), 2.5).T
    simulation.state.positions[:] = turned
    saved = simulation.checkpoint()
    simulation.restore(saved)
    for _ in range(12):
        simulation.advance()
    assert np.abs(simulation.state.positions - turned).max() < 1e-5


def cantilever(cells, young_modulus, gravity):
    """A bar of 1 x 0.2 x 0.2 m held at x = 0: its dynamics under a gravity, and its displacement (n, 3) by linear FEM."""
    mesh = box_mesh(cells, (1.0, 0.2, 0.2))
    simulation, _ = run(draft_scene([mesh], [GOO | {"young_modulus": young_modulus}]), 1)
    held, state = mesh.positions[:, 0] < 1e-9, simulation.state
    load = np.zeros((len(held), 3))
    load[:, 2] = -gravity * state.masses
    state.masses[held] = 1e7
    simulation.keyed.gravities = np.where(held[:, None], 0.0, (0.0, 0.0, -gravity))[None]
    element = element_stiffness(state.rest_shape_inverse, state.volumes, state.material[0], state.material[1])
    numbers = (3 * mesh.tets[:, :, None] + np.arange(3)).reshape(-1, 12)
    rows, columns = np.repeat(numbers, 12, axis=1).ravel(), np.tile(numbers, (1, 12)).ravel()
    whole = coo_matrix((element.ravel(), (rows, columns))).tocsr()
    free = np.flatnonzero(np.repeat(~held, 3))
    linear = np.zeros(3 * len(held))
    linear[free] = spsolve(whole[free][:, free], load.ravel()[free])
    return simulation, linear.reshape(-1, 3)


@pytest.mark.parametrize(("cells", "least"), [((10, 2, 2), 0.4), ((20, 4, 4), 0.7)])
def test_a_cantilever_sags_as_linear_elements_do_and_beams_nearly(cells, least):
    """Under a hundredth of gravity it stays for half a second where linear FEM puts it, to 1 % of its sag; Timoshenko's beam
    sags more, as linear tets lock."""
    gravity = 0.01 * G
    simulation, linear = cantilever(cells, 1e6, gravity)
    state = simulation.state
    tip = np.flatnonzero(state.positions[:, 0] > 1.0 - 1e-9)
    sag = -linear[tip, 2].mean()
    state.positions += linear
    simulation.restore(simulation.checkpoint() | {"acceleration": np.zeros_like(linear)})
    for _ in range(12):
        simulation.advance()
        assert simulation.state.positions[tip, 2].mean() - 0.1 == pytest.approx(-sag, rel=0.01)
    second_moment, shear = 0.2**4 / 12.0, 1e6 / (2 * 1.33)
    load = 1000.0 * 0.04 * gravity
    beam = load / (8.0 * 1e6 * second_moment) + load / (2.0 * (5.0 / 6.0) * 0.04 * shear)
    assert least * beam < sag < beam


def test_a_bar_that_sags_far_keeps_its_length_where_linear_elasticity_stretches_it():
    """Figure 1 (M4): no growth under large rotations. Linear FEM makes this bar more than one and a half times as long."""
    simulation, linear = cantilever((10, 2, 2), 1e5, G)
    middle = np.flatnonzero((np.abs(simulation.state.positions[:, 1:] - 0.1) < 1e-9).all(axis=1))

    def length(positions):
        return np.linalg.norm(np.diff(positions[middle], axis=0), axis=1).sum()

    assert length(simulation.state.positions + linear) > 1.5
    lowest = 0.0
    for _ in range(30):
        simulation.advance()
        assert 0.95 < length(simulation.state.positions) < 1.1
        lowest = min(lowest, simulation.state.positions[middle[-1], 2] - 0.1)
    assert -1.05 < lowest < -0.6


def incline(friction, degrees, frames=30):
    angle = np.radians(degrees)
    down, normal = np.array([np.cos(angle), 0.0, -np.sin(angle)]), np.array([np.sin(angle), 0.0, np.cos(angle)])
    mesh = box_mesh((3, 3, 2), (0.4, 0.4, 0.2), (0.0, 0.0, 0.0008))
    turned = type(mesh)(mesh.positions @ np.stack([down, (0.0, 1.0, 0.0), normal]), mesh.tets)
    simulation, _ = run(draft_scene([turned], [GOO], frames_per_second=25.0), 1, [PlaneField(normal=normal, friction=friction)])
    places = [center(simulation) @ down]
    for _ in range(frames):
        simulation.advance()
        places.append(center(simulation) @ down)
    return np.array(places) - places[0]


@pytest.mark.parametrize(("friction", "degrees"), [(0.0, 20.0), (0.2, 30.0), (0.5, 40.0)])
def test_a_block_slides_with_coulombs_acceleration(friction, degrees):
    way, angle = incline(friction, degrees), np.radians(degrees)
    seconds, acceleration = 8 / 25, G * (np.sin(angle) - friction * np.cos(angle))
    assert (way[26] - 2.0 * way[18] + way[10]) / seconds**2 == pytest.approx(acceleration, rel=0.02)


def test_a_block_sticks_below_the_angle_of_friction():
    way = incline(0.6, 28.0, 48)
    assert abs(way[48] - way[24]) < 0.003 * 0.4


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_moving_ground_carries_the_body(speed):
    ground = PlaneField(speed=(0.3, 0.0, speed), friction=0.8)
    simulation, _ = run(draft_scene([ball_mesh(4, 0.3, (0.0, 0.0, 0.301))], [GOO | {"damping": 20.0}]), 25, [ground])
    assert abs(center(simulation)[2] - 0.3 - speed) < 0.05
    assert simulation.state.velocities[:, 2].mean() == pytest.approx(speed, abs=0.05)
    assert simulation.state.positions[:, 2].min() > speed - 0.005


@pytest.mark.parametrize("young_modulus", [1.0, 1e3, 1e9])
def test_nothing_blows_up_however_soft_or_stiff_or_crushed(young_modulus):
    """M2's unconditional stability: thrown hard at the ground, from a random crumple, the energy only falls."""
    mesh = ball_mesh(4, 0.3, (0.0, 0.0, 0.5))
    arguments = draft_scene([mesh], [GOO | {"young_modulus": young_modulus}], velocity=(1.0, 0.0, -8.0))
    simulation, _ = run(arguments, 1, [PlaneField()])
    crumpled = mesh.positions.mean(axis=0) + 0.15 * np.random.default_rng(5).standard_normal(mesh.positions.shape)
    crumpled[:, 2] = np.abs(crumpled[:, 2])
    simulation.state.positions[:] = crumpled
    simulation.restore(simulation.checkpoint())
    for _ in range(24):
        simulation.advance()
    state = simulation.state
    assert np.isfinite(state.positions).all()
    assert np.abs(state.positions - center(simulation)).max() < 3.0
    if young_modulus == 1e9:
        assert np.linalg.norm(state.positions - center(simulation), axis=1).max() < 0.33  # it is a ball again

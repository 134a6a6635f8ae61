"""Stickiness: its law, what it bears, when it lets go, and friction that it adds."""

from dataclasses import replace

import numpy as np
import pytest

from solver.colliders import build
from solver.contact.adhesion import RANGE, Adhesion
from solver.contact.carriers import Carriers
from solver.contact.surfaces.carried import Carried
from solver.scene import Collider, Settings
from tests.physics.scenes import ball_mesh, boundary, box_mesh, center, make_scene, run

JELLY = {"density": 1000.0, "young_modulus": 1e5, "poisson_ratio": 0.3, "yield_stress": 1e9, "damping": 10.0}
SIDE = 0.2
LOAD = 9.81 * 1000.0 * SIDE  # of a cube's weight on one of its sides [Pa]
FRAMES = 20


def turned_plane(x_turns, shift=(0.0, 0.0, 0.0), **options):
    """A plane turned about x by so many quarters: 2 is a ceiling, 1 a wall that looks along -y."""
    c, s = round(np.cos(x_turns * np.pi / 2)), round(np.sin(x_turns * np.pi / 2))
    matrix = np.eye(4)
    matrix[:3, :3] = [[1, 0, 0], [0, c, -s], [0, s, c]]
    matrix[:3, 3] = shift
    return build(Collider("p", "Plate", "plane", matrix[None], **options), Settings(frame_end=FRAMES))


def hung(mesh):
    """Arguments of a cube, or of another mesh, on which gravity comes up within half of the frames, so that nothing swings."""
    scene, *rest = make_scene([mesh], [JELLY], frames=FRAMES)
    keys = np.zeros((FRAMES, 3))
    keys[:, 2] = -9.81 * np.minimum(np.arange(FRAMES) / (0.5 * FRAMES), 1.0)
    return replace(scene, settings=replace(scene.settings, gravity_keys=keys, gravity=(0.0, 0.0, 0.0))), *rest


def cube(cells=4):
    """A cube with its middle in the origin."""
    return box_mesh((cells,) * 3, (SIDE,) * 3, (-0.5 * SIDE,) * 3)


def one_contact(gap):
    """A contact of one node above z = 0, a tet's first, at a gap: (adhesion, positions)."""
    positions = np.array([[0.0, 0.0, gap], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0]])
    carriers = Carriers(np.arange(4, dtype=np.int32)[None], np.eye(4)[:1], Carried.nothing())
    numbers = np.zeros(1), np.array([0.01]), np.array([0.3]), np.array([5.0])
    return Adhesion(carriers, np.array([[0.0, 0.0, 1.0]]), *numbers), positions


@pytest.mark.parametrize("gap", [-0.1, 0.005, 0.03, 0.09, 0.11, 0.2, 0.305, 0.4])
def test_the_law_is_the_derivative_of_its_energy_and_pulls_its_bound_at_most(gap):
    (adhesion, here), (_, above), (_, below) = (one_contact(gap + h) for h in (0.0, 1e-6, -1e-6))
    gradient, other = np.zeros((2, 4, 3))
    difference = adhesion.add_gradient(above, other) - adhesion.add_gradient(below, other)
    adhesion.add_gradient(here, gradient)
    assert gradient[0, 2] == pytest.approx(difference / 2e-6, abs=1e-6)
    way = np.random.default_rng(2).normal(size=here.shape)
    assert adhesion.rise(here, way)[1] == pytest.approx((gradient * way).sum(), rel=1e-12, abs=1e-15)
    assert adhesion.rise(above, way)[0] - adhesion.rise(below, way)[0] == pytest.approx(difference, rel=1e-12, abs=1e-18)
    assert 0.0 <= gradient[0, 2] <= 5.0 + 1e-9 and not gradient[:, :2].any()
    assert (gradient[0, 2] > 0.0) == (0.01 < gap < 0.31)


def test_its_stiffness_is_the_derivative_of_its_force_while_it_grows():
    adhesion, here = one_contact(0.05)
    steps = np.zeros((2, 4, 3))
    for change, sign in zip(steps, (1.0, -1.0), strict=True):
        adhesion.add_gradient(here + [0.0, 0.0, sign * 1e-6], change)
    diagonal = np.zeros((4, 9))
    adhesion.stiffness(here, diagonal, np.arange(4, dtype=np.int32))
    slope = (steps[0, 0, 2] - steps[1, 0, 2]) / 2e-6
    assert diagonal[0, 8] == pytest.approx(slope, rel=1e-5) and np.count_nonzero(diagonal) == 1
    linear = np.zeros((4, 3))
    adhesion.add_linear_gradient(here, here + [0.0, 0.0, 0.01], linear)
    force = np.zeros((4, 3))
    adhesion.add_gradient(here, force)
    assert linear[0, 2] == pytest.approx(force[0, 2] + 0.01 * slope, rel=1e-5)


@pytest.mark.parametrize(("share", "falls"), [(0.0, True), (0.8, True), (1.25, False)])
@pytest.mark.parametrize("cells", [3, 5])
def test_a_ceiling_bears_as_much_as_it_is_sticky(share, falls, cells):
    """A cube hangs where the stickiness exceeds its weight a side, whatever the mesh, and falls where it does not."""
    ceiling = turned_plane(2, (0.0, 0.0, 0.5 * SIDE), stickiness=share * LOAD)
    simulation, _ = run(hung(cube(cells)), FRAMES, [ceiling])
    assert (center(simulation)[2] < -0.5 * SIDE) == falls
    if not falls:
        assert abs(center(simulation)[2]) < 0.1 * SIDE


@pytest.mark.parametrize(("share", "falls"), [(0.8, True), (1.25, False)])
def test_stickiness_grows_with_what_it_bears(share, falls):
    """A cube three times its real size weighs three times as much a side, and hangs by the number that bears the small one."""
    (scene, *rest) = hung(cube())
    scene = replace(scene, bodies=(replace(scene.bodies[0], real_size=SIDE / 3.0),))
    assert scene.bodies[0].extent == pytest.approx(SIDE)
    ceiling = turned_plane(2, (0.0, 0.0, 0.5 * SIDE), stickiness=share * LOAD / 3.0)
    simulation, _ = run((scene, *rest), FRAMES, [ceiling])
    assert (center(simulation)[2] < -0.5 * SIDE) == falls


@pytest.mark.parametrize(("share", "falls"), [(0.8, True), (1.25, False)])
def test_a_sticky_wall_holds_by_friction(share, falls):
    """Friction of 0.8 on the stickiness: a tile slides where that is less than its weight a side; it is too thin to tip off."""
    thick = 0.25 * SIDE
    wall = turned_plane(1, friction=0.8, stickiness=share * LOAD * thick / SIDE / 0.8)
    tile = box_mesh((4, 2, 4), (SIDE, thick, SIDE), (-0.5 * SIDE, -thick, -0.5 * SIDE))
    simulation, _ = run(hung(tile), FRAMES, [wall])
    assert (center(simulation)[2] < -0.5 * SIDE) == falls
    if not falls:
        assert abs(center(simulation)[2]) < 0.1 * SIDE


def test_what_has_not_touched_is_not_pulled():
    """A plate near enough to pull leaves a floating cube alone, before and after it has been away."""
    transforms = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    transforms[:, 1, 1] = transforms[:, 2, 2] = -1.0
    near = 0.5 * SIDE + RANGE * SIDE * 0.66
    transforms[:, 2, 3] = near
    transforms[9:, 2, 3] += np.minimum(np.arange(FRAMES - 8), 4) * 0.02
    transforms[16:, 2, 3] = near
    collider = Collider("p", "Plate", "plane", transforms, stickiness=1e4)
    field = build(collider, Settings(frame_end=FRAMES))
    simulation, _ = run(make_scene([cube()], [JELLY], frames=FRAMES, gravity=(0.0, 0.0, 0.0)), FRAMES, [field])
    assert np.abs(simulation.state.velocities).max() < 2e-3 and not simulation.contacts.stuck.any()


def test_pulling_off_takes_energy():
    """A ball thrown at a sticky plate comes back slower than from a plain one, or not at all."""
    speeds = []
    for stickiness in (0.0, 1e4, 1e5):
        floor = turned_plane(0, friction=0.0, stickiness=stickiness)
        scene = make_scene(
            [ball_mesh(4, 0.1, (0.0, 0.0, 0.102))], [JELLY | {"damping": 0.0}], velocity=(0.0, 0.0, -1.0), gravity=(0.0,) * 3,
            maximum_substep=1.0 / 192.0,
        )
        simulation, _ = run(scene, 10, [floor])
        masses = simulation.state.masses
        speeds.append(float(masses @ simulation.state.velocities[:, 2] / masses.sum()))
    assert speeds[0] > speeds[1] + 0.01 and speeds[1] > speeds[2] + 0.03 and speeds[2] > 0.0


def test_friction_that_is_keyed_takes_hold():
    keys = {"friction": np.where(np.arange(FRAMES) < 10, 0.0, 1.0)}
    floor = build(Collider("p", "Floor", "plane", np.eye(4)[None], keys=keys), Settings(frame_end=FRAMES))
    assert not floor.still
    mesh = box_mesh((3, 3, 2), (SIDE, SIDE, 0.1), (0.0, 0.0, 0.0004))
    simulation, _ = run(make_scene([mesh], [JELLY], velocity=(1.0, 0.0, 0.0), frames=FRAMES), 10, [floor])
    begun = float(simulation.state.velocities[:, 0].mean())
    for _ in range(8):
        simulation.advance()
    assert begun == pytest.approx(1.0, rel=1e-3) and abs(float(simulation.state.velocities[:, 0].mean())) < 0.03


def test_friction_that_is_painted_acts_where_it_is_painted():
    """One end of a plate is painted slippery: what stands there slides, what stands on the other holds."""
    plate = boundary(box_mesh((8, 1, 1), (8.0, 2.0, 0.2), (-4.0, -1.0, -0.2)))
    shares = (plate.positions[:, 0] < 0.5).astype(np.float64)
    angle = np.radians(15.0)
    turn = np.eye(4)
    turn[:3, :3] = [[np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0], [-np.sin(angle), 0.0, np.cos(angle)]]
    collider = Collider("p", "Plate", "mesh", turn[None], plate, friction=0.6, painted={"friction": shares})
    field = build(collider, Settings(frame_end=FRAMES))
    ways = []
    for x in (-2.0, 2.0):
        mesh = box_mesh((3, 3, 2), (SIDE, SIDE, 0.1), (x, 0.0, 0.0004))
        turned = type(mesh)(mesh.positions @ turn[:3, :3].T, mesh.tets)
        simulation, _ = run(make_scene([turned], [JELLY], frames=FRAMES), 1, [field])
        begun = center(simulation)
        for _ in range(12):
            simulation.advance()
        ways.append(float(np.linalg.norm(center(simulation) - begun)))
    assert ways[0] < 0.01 * SIDE
    assert ways[1] == pytest.approx(0.5 * 9.81 * np.sin(angle) * 0.5**2, rel=0.03)

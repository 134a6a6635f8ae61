"""Sharp edges and corners of colliders stay out of the faces of bodies, hold them and let them slide."""

from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest

from solver.bake import prepare
from solver.cache.archive import pack, unpack
from solver.colliders import build, shaped
from solver.contact.edges.edge_contacts import _apart
from solver.jit import use_threads
from solver.materials import Material
from solver.presets import load_preset
from solver.remesh.contact_memory import handed_on
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from tests.physics.knives import depth, knife, nosing, prism, spike
from tests.physics.moving_colliders import gear
from tests.physics.scenes import box_mesh, center, make_scene, run
from tests.surface_contact.soak_scenes import LONGEST, turning
from tests.surfaces import joined, sphere

PRESETS = Path(__file__).resolve().parents[2] / "presets"
SHAPES = {"nosing": nosing, "knife": knife, "spike": spike}
GUM = {"young_modulus": 2e5, "poisson_ratio": 0.4, "flow_rate": 0.0, "yield_stress": 1e12}
STONE = {"young_modulus": 1e7, "poisson_ratio": 0.3, "flow_rate": 0.0, "yield_stress": 1e12}
SOFT = {"young_modulus": 4e3, "poisson_ratio": 0.45, "flow_rate": 0.0, "yield_stress": 1e12, "damping": 5.0}
G = 9.81


def dropped(shape: str, resolution: int, friction: float, **settings) -> tuple[Simulation, np.ndarray]:
    """A ball of gum right above an edge, and the edge."""
    collider, line = SHAPES[shape]()
    ball = sphere(2 * resolution, 0.5, (-0.03, 0.01, 0.52))
    body = Body("b", "Ball", ball, Material("viscoplastic", GUM), resolution=resolution, velocity=(0.0, 0.0, -1.0))
    edged = Collider("c", "Edged", "mesh", np.eye(4)[None], surface=collider, friction=friction)
    scene = validated(Scene((body,), (edged,), Settings(1, 24, threads=1, **settings)))
    (filled,) = prepare(scene)
    return Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts]), line


def deepest(simulation: Simulation, line: np.ndarray, frames: int) -> float:
    """How deep the edge gets into what is seen, in elements."""
    found = 0.0
    for _ in range(frames):
        (seen,) = simulation.advance().bodies
        found = max(found, depth(line, seen.positions + seen.origin, simulation.scene.bodies[0].surface.triangles))
    return found / simulation.element_size


@pytest.mark.parametrize("friction", [0.0, 0.9])
@pytest.mark.parametrize(("shape", "resolution"), [*((shape, k) for shape in SHAPES for k in (8, 12)), ("nosing", 16)])
def test_an_edge_stays_out_of_what_falls_on_it(shape, resolution, friction):
    """By 2 % of an element, at the moment of the blow as well."""
    simulation, line = dropped(shape, resolution, friction)
    assert deepest(simulation, line, 12) < 0.02
    assert np.isfinite(simulation.state.positions).all()


def test_a_step_at_whose_end_an_edge_is_in_is_refused():
    """A knife under what falls off it to both sides without friction; taken as they are, steps left it 0.4 elements deep."""
    simulation, line = dropped("knife", 16, 0.0)
    for _ in range(9):
        assert deepest(simulation, line, 1) < 0.02


@pytest.mark.parametrize("shape", SHAPES)
def test_without_contacts_of_edges_it_sinks_in(shape):
    """What the tests above measure is there."""
    simulation, line = dropped(shape, 8, 0.9)
    simulation.contacts.edges = None
    assert deepest(simulation, line, 12) > 0.05


def test_slime_hangs_over_a_knife_in_few_iterations():
    """Its corners lie right over the edge, and slide from one side to the other: 1900 iterations where only the side counts
    that they are on. From starts a nanometre apart it takes 460 to 1300, so the middle of three counts."""
    slime = load_preset(PRESETS / "slime.toml")
    half = 0.02
    blade = prism([(0, 0), (-half, -0.2), (-half, -6.0), (half, -6.0), (half, -0.2)][::-1], 8.0)
    shrunk = Surface(0.05 * blade.positions, blade.triangles)
    knife_edge, taken = Collider("k", "Knife", "mesh", np.eye(4)[None], surface=shrunk, friction=0.3), []
    for aside in range(3):
        body = Body("b", "Ball", sphere(18, 0.05, (0.0031 + 1e-9 * aside, 0.001, 0.0505)), slime.material, resolution=9)
        scene = validated(Scene((body,), (knife_edge,), Settings(1, 6, threads=1)))
        (filled,) = prepare(scene)
        simulation = Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts])
        taken.append(sum(simulation.advance().statistics["newton_iterations"] for _ in range(6)))
    assert np.median(taken) < 1200, taken


def rails(tilt: float, friction: float):
    """Two blades along y under a block, which fall off towards y at an angle [rad]; the block on them."""
    blade = knife()[0]
    narrow = Surface(blade.positions * (1.0, 2.0, 1.0), blade.triangles)
    both = joined(*(Surface(narrow.positions + (x, 0.0, 0.0), narrow.triangles) for x in (-0.27, 0.31)))
    turn = np.eye(4)
    turn[1:3, 1:3] = [[np.cos(tilt), np.sin(tilt)], [-np.sin(tilt), np.cos(tilt)]]
    field = build(Collider("r", "Rails", "mesh", turn[None], surface=both, friction=friction), Settings(frame_end=48))
    mesh = box_mesh((5, 4, 2), (1.0, 0.8, 0.4), (-0.5, -0.4, 0.0005))
    mesh.positions[:] = mesh.positions @ turn[:3, :3].T
    return make_scene([mesh], [STONE | {"damping": 20.0}], frames=48), field


@pytest.mark.parametrize(("speed", "resolution"), [(4.0, 6), (2.0, 6), (3.0, 7), (4.0, 8)])
def test_what_slides_off_a_thick_sheet_does_not_sink_over_its_rim(speed, resolution):
    """A soft cube, by long steps: what had gone past the rim passed for having gone through the sheet and was pulled back, and
    the rim was met in the plane of the sheet only. It was up to 0.11 elements deep, and one bake in four failed."""
    corners, triangles = shaped.cube(5)
    cube = Surface(0.1 * corners + (-0.45, 0.0, 0.1095), triangles)
    body = Body("b", "Cube", cube, Material("viscoplastic", SOFT), resolution=resolution, velocity=(speed, 0.0, 0.0))
    corners = np.array([(-1.0, -1.5, 0.0), (0.0, -1.5, 0.0), (0.0, 1.5, 0.0), (-1.0, 1.5, 0.0)])
    sheet = Surface(corners, np.array([(0, 1, 2), (0, 2, 3)], np.int32))
    sill = Collider("s", "Sill", "mesh", np.eye(4)[None], surface=sheet, friction=0.0, two_sided=True)
    scene = validated(Scene((body,), (sill,), Settings(1, 14, threads=1)))
    (filled,) = prepare(scene)
    simulation = Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts])
    angles = np.linspace(-np.pi / 2, np.pi / 2, 9)
    round_it = simulation.fields[0].sheet_offset * np.stack([np.cos(angles), 0.0 * angles, np.sin(angles)], axis=1)
    rim = np.array([[0.0, -0.3, 0.0], [0.0, 0.3, 0.0]])
    found = 0.0
    for _ in range(13):
        (seen,) = simulation.advance().bodies
        places = seen.positions + seen.origin
        found = max(found, *(depth(rim + each, places, cube.triangles) for each in round_it))
    assert places[:, 0].min() > -0.2 and found < 0.03 * simulation.element_size


def test_it_slides_off_edges_without_friction_as_fast_as_gravity_says():
    """From the fourth frame, when it has settled on the rails, on."""
    tilt = np.radians(20.0)
    arguments, field = rails(tilt, 0.0)
    simulation, _ = run(arguments, 5, [field])
    along = np.array([0.0, np.cos(tilt), -np.sin(tilt)])
    first, start = center(simulation) @ along, simulation.state.masses @ simulation.state.velocities @ along
    time = simulation.clock.time
    for _ in range(8):
        simulation.advance()
    elapsed, mass = simulation.clock.time - time, simulation.state.masses.sum()
    way = start / mass * elapsed + 0.5 * G * np.sin(tilt) * elapsed**2
    assert center(simulation) @ along - first == pytest.approx(way, rel=0.01)


@pytest.mark.parametrize(("friction", "slides"), [(0.3, True), (0.45, False)])
def test_friction_at_edges_is_coulombs(friction, slides):
    """At 20 degrees, whose tangent is 0.364, it sticks above and slides below, with the acceleration of the rest."""
    tilt = np.radians(20.0)
    arguments, field = rails(tilt, friction)
    simulation, _ = run(arguments, 5, [field])
    along, time = np.array([0.0, np.cos(tilt), -np.sin(tilt)]), simulation.clock.time
    first, start = center(simulation) @ along, simulation.state.masses @ simulation.state.velocities @ along
    for _ in range(12):
        simulation.advance()
    elapsed, mass = simulation.clock.time - time, simulation.state.masses.sum()
    gone = center(simulation) @ along - first
    if slides:
        way = start / mass * elapsed + 0.5 * G * (np.sin(tilt) - friction * np.cos(tilt)) * elapsed**2
        assert gone == pytest.approx(way, rel=0.03)
    else:
        assert abs(gone) < 1e-4


def test_a_new_surface_of_a_body_goes_on_sticking_to_edges():
    """By where it sticks, as the numbers of its edges are others after a remesh: it moves no more than without one."""
    ends = []
    for remeshed in (False, True):
        arguments, field = rails(np.radians(20.0), 0.45)
        simulation, _ = run(arguments, 12, [field])
        contacts = simulation.contacts
        assert np.abs(contacts.edges.held.stretch).max() > 1e-6
        if remeshed:
            places = contacts.points.positions(simulation.state.positions)
            owners = np.zeros(len(places), np.int64)
            contacts.restore(handed_on(contacts, places, owners, contacts, places, owners))
            assert contacts.edges.held.points.max() < 0
        for _ in range(4):
            simulation.advance()
        ends.append(center(simulation))
    assert np.abs(ends[1] - ends[0]).max() < 1e-7  # 1e-5 where it is forgotten


def test_it_rests_on_edges_without_jitter():
    arguments, field = rails(0.0, 0.5)
    simulation, _ = run(arguments, 30, [field])
    before = simulation.state.positions.copy()
    for _ in range(12):
        simulation.advance()
        assert np.abs(simulation.state.positions - before).max() < 1e-5
    assert simulation.contacts.edges.known is not None and len(simulation.contacts.edges.known.keys) > 4


@pytest.mark.parametrize("kind", ["mesh", "box"])
def test_an_edge_that_strikes_fast_stays_out(kind):
    """A bar comes up from below at 20 m/s, edge first, and pushes a ball away. A ball that did not touch itself would crumple
    over the edge, which was up to 0.13 elements deep in it then."""
    turn, speed = np.eye(4), 20.0
    turn[:3, :3] = [[np.sqrt(0.5), 0.0, np.sqrt(0.5)], [0.0, 1.0, 0.0], [-np.sqrt(0.5), 0.0, np.sqrt(0.5)]]
    transforms = np.repeat(turn[None], 6, axis=0)
    top = 0.2 * np.sqrt(0.5)
    transforms[:, 2, 3] = -top - 0.8 + speed / 24.0 * np.arange(6)
    profile = [(-0.1, -0.1), (-0.1, 0.1), (0.1, 0.1), (0.1, -0.1)]
    solid = {"surface": prism(profile, 3.0)} if kind == "mesh" else {"size": (0.2, 3.0, 0.2)}
    bar = Collider("k", "Bar", kind, transforms, friction=0.3, **solid)
    ball = sphere(16, 0.5, (0.02, 0.01, 0.55))
    body = Body("b", "Ball", ball, Material("viscoplastic", GUM), resolution=8)
    scene = validated(Scene((body,), (bar,), Settings(1, 5, threads=1, gravity=(0.0, 0.0, 0.0))))
    (filled,) = prepare(scene)
    simulation = Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts])
    for frame in range(5):
        (seen,) = simulation.advance().bodies
        height = simulation.fields[0].motion.pose(frame / 24.0).translation[2] + top
        line = np.array([[0.0, -1.5, height], [0.0, 1.5, height]])
        assert depth(line, seen.positions + seen.origin, ball.triangles) < 0.02 * simulation.element_size
    assert center(simulation)[2] > 1.0


@pytest.mark.parametrize("integrator", ["newmark", "bdf2", "backward_euler"])
def test_other_integrators_keep_edges_out(integrator):
    simulation, line = dropped("nosing", 6, 0.5, integrator=integrator)
    assert deepest(simulation, line, 8) < 0.02


def test_what_starts_on_an_edge_that_is_in_it_is_let_out_slowly():
    """A quarter of an element deep: no faster than a tenth of an element a frame."""
    simulation, line = dropped("knife", 8, 0.5, gravity=(0.0, 0.0, 0.0))
    state = simulation.state
    state.positions[:, 2] -= 0.02 + 0.25 * simulation.element_size
    state.velocities[:] = 0.0
    start = center(simulation)[2]
    for _ in range(6):
        simulation.advance()
        assert 0.0 <= simulation.state.masses @ simulation.state.velocities[:, 2] < 0.3 * simulation.state.masses.sum()
    assert center(simulation)[2] > start + 0.001


def test_one_and_two_threads_give_the_same_bytes_on_an_edge():
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        simulation, _ = dropped("nosing", 8, 0.9)
        simulation.pace.hold(threads)
        for _ in range(5):
            simulation.advance()
        ends.append(simulation.checkpoint())
    use_threads(1)
    assert len(ends[0]["edges_held_points"]) > 0
    for name in ends[0]:
        assert ends[0][name].tobytes() == ends[1][name].tobytes(), name


def test_a_checkpoint_on_an_edge_goes_on_with_the_same_bytes():
    whole, _ = dropped("nosing", 8, 0.9)
    for _ in range(5):
        whole.advance()
    saved = {name: values.copy() for name, values in whole.checkpoint().items()}
    resumed, _ = dropped("nosing", 8, 0.9)
    resumed.restore(saved)
    assert whole.advance().bodies[0].positions.tobytes() == resumed.advance().bodies[0].positions.tobytes()


def test_a_checkpoint_on_a_turning_gear_goes_on_with_the_same_bytes():
    """Whose teeth lie elsewhere when a bake that goes on meets them first: which pairs are near was told in another order."""

    def on_a_gear() -> Simulation:
        ball, soft = sphere(16, 0.4, (0.1, 0.0, 1.05)), Material("viscoplastic", SOFT)
        falling = Body("b", "Ball", ball, soft, resolution=8, velocity=(0.0, 0.0, -3.0))
        wheel = Collider("c", "Gear", "mesh", turning(-8.0, (0.2, 0.0, 0.0), 0), surface=gear(length=2.0), friction=0.5)
        scene = validated(Scene((falling,), (wheel,), Settings(1, LONGEST, threads=1)))
        (filled,) = prepare(scene)
        return Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts])

    whole, resumed = on_a_gear(), on_a_gear()
    for _ in range(3):
        whole.advance()
    assert len(whole.contacts.edges.known.keys) > 50
    resumed.restore(unpack(pack(whole.checkpoint())))
    for _ in range(4):
        expected, found = (run.advance().bodies[0].positions for run in (whole, resumed))
        assert expected.tobytes() == found.tobytes()


def test_a_step_is_solved_on_for_what_sinks_in_unknown():
    """But for what is known to push that hard it is not."""
    simulation, _ = dropped("nosing", 6, 0.5)
    for _ in range(3):
        simulation.advance()
    edges, positions = simulation.contacts.edges, simulation.state.positions
    down = positions - (0.0, 0.0, 0.05 * simulation.element_size)
    edges.linearize(positions)
    assert len(edges.known.keys) and not edges.wake(positions)
    edges.known = None
    assert edges.wake(down)
    edges.linearize(down)
    assert not edges.wake(down)
    edges.known = None
    assert not edges.too_deep(down)  # it may be solved on
    while edges.wake(down):
        edges.known = None
    assert edges.too_deep(down) and not edges.too_deep(positions)


def test_a_corner_under_a_crumple_is_known_by_each_of_the_faces_that_it_lies_under():
    """They have one key: what is known of one is not what is known of the other, in whichever order they are found."""
    simulation, _ = dropped("spike", 8, 0.5)
    for _ in range(3):
        simulation.advance()
    edges, size = simulation.contacts.edges, simulation.element_size
    down = simulation.state.positions - (0.0, 0.0, 0.05 * size)
    edges.linearize(down)
    pressed = edges.known
    assert (pressed.keys[:, 3] == -1).any()
    apart = replace(pressed, level=pressed.level - 0.4 * size)
    for known in (pressed.joined(apart), apart.joined(pressed)):
        edges.known = known
        assert not edges.wake(down)
    edges.known = apart.joined(apart)
    assert edges.wake(down)


def test_a_smooth_collider_has_no_edges():
    simulation, _ = dropped("nosing", 6, 0.5)
    assert simulation.contacts.edges is not None
    smooth = Collider("s", "Smooth", "mesh", np.eye(4)[None], surface=sphere(16, 0.5, (0.0, 0.0, -0.6)))
    assert build(smooth, Settings()).sharp.among(0.1) is None


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_what_is_near_anywhere_on_its_way_is_not_apart(axis, sign):
    """Points near an edge at a step's start and far at its end, or the other way round; and the edge just as well."""
    near, ends = np.zeros((4, 3)), np.eye(3)[[axis, axis]] * sign + 0.1 * np.eye(3)[:2]
    far, edges = near - 9.0 * sign * np.eye(3)[axis], np.array([[0, 1]], np.int32)
    gone = ends + 9.0 * sign * np.eye(3)[axis]
    for nodes in ((near, far), (far, near), (near, near)):
        assert not _apart(nodes, (ends, ends), edges, 1.2) and _apart(nodes, (ends, ends), edges, 0.8)
        assert not _apart(nodes, (gone, ends), edges, 1.2) and not _apart(nodes, (ends, gone), edges, 1.2)
    assert _apart((far, far), (ends, ends), edges, 1.2) and _apart((near, near), (gone, gone), edges, 1.2)

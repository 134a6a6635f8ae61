"""Stickiness of colliders' edges: bars, blades and wires thinner than the room between contact points hold what is on them."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from solver.colliders import build
from solver.contact.adhesion import RANGE
from solver.contact.edges.sticking import held_areas, left_over
from solver.jit import use_threads
from solver.remesh.contact_memory import handed_on
from solver.scene import Collider, Settings
from solver.simulate import Simulation
from tests.physics.knives import knife, prism
from tests.physics.scenes import box_mesh, center, make_scene

SIDE, FRAMES = 0.2, 20
WEIGHT = 1000.0 * 9.81 * SIDE**3
FIRM = {"density": 1000.0, "young_modulus": 1e7, "poisson_ratio": 0.3, "yield_stress": 1e12, "flow_rate": 0.0, "damping": 10.0}
YAW = 0.1  # of a bar about the vertical, so that no edge runs along one of the block's
WIDE = 0.05 * SIDE
LONG = SIDE / np.cos(YAW)  # of a bar over the block
STICKY = WEIGHT / (WIDE * LONG)  # with which such a bar bears the block [Pa]


def placed(height: float, x: float = 0.0) -> np.ndarray:
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(YAW), -np.sin(YAW)], [np.sin(YAW), np.cos(YAW)]]
    turn[:3, 3] = (x, 0.0, height)
    return turn


def bar(stickiness: float, **options):
    """A bar over the middle of the block's upper side, between its contact points."""
    transforms = options.pop("transforms", placed(0.5 * SIDE + 0.5 * WIDE)[None])
    collider = Collider("b", "Bar", "box", transforms, size=(WIDE, 3.0 * SIDE, WIDE), stickiness=stickiness, **options)
    return build(collider, Settings(frame_end=FRAMES))


def hanging(profile, stickiness: float):
    """A prism of a profile (n, 2) of x and z below 0, turned over, whose top is on the block."""
    upside = placed(0.5 * SIDE) @ np.diag([1.0, -1.0, -1.0, 1.0])
    collider = Collider("b", "Bar", "mesh", upside[None], surface=prism(profile, 3.0 * SIDE), stickiness=stickiness)
    return build(collider, Settings(frame_end=FRAMES))


def hung(field, cells: int = 3, load: float = 1.0, real_size: float = 0.0, **settings) -> Simulation:
    """A block on which gravity comes up within half of the frames, touched by what it is to hang from."""
    scene, *rest = make_scene([box_mesh((cells,) * 3, (SIDE,) * 3, (-0.5 * SIDE,) * 3)], [FIRM], frames=FRAMES, threads=1)
    keys = np.zeros((FRAMES, 3))
    keys[:, 2] = -9.81 * load * np.minimum(np.arange(FRAMES) / (0.5 * FRAMES), 1.0)
    settings = {"gravity_keys": keys, "gravity": (0.0, 0.0, 0.0), **settings}
    bodies = (replace(scene.bodies[0], real_size=real_size),)
    return Simulation(replace(scene, bodies=bodies, settings=replace(scene.settings, **settings)), *rest, fields=[field])


def has_fallen(simulation: Simulation, frames: int = FRAMES) -> bool:
    for _ in range(frames):
        simulation.advance()
    return bool(center(simulation)[2] < -0.25 * SIDE)


def held(simulation: Simulation) -> float:
    """The area that edges hold [m^2] where they are as sticky as STICKY."""
    known = simulation.contacts.edges.known
    return 0.0 if known is None else float(known.pull.sum()) / STICKY


def test_an_edge_holds_a_block_at_three_times_its_real_size():
    """By a third of the stickiness."""
    simulations = [
        hung(bar(share * STICKY), load=0.2, real_size=real_size)
        for share, real_size in ((1.0, 0.0), (3.0, 0.0), (1.0, SIDE / 3.0))
    ]
    for simulation in simulations:
        for _ in range(3):
            simulation.advance()
    once, thrice, grown = (held(simulation) for simulation in simulations)
    assert thrice == pytest.approx(3.0 * once, rel=0.1) and grown == pytest.approx(thrice, rel=0.1)


def held_at_first(field) -> float:
    """The same of a block that has hung from them for a moment, where they are 9 times as sticky."""
    simulation = hung(field, load=0.2)
    for _ in range(3):
        simulation.advance()
    return held(simulation) / 9.0


@pytest.mark.parametrize(("share", "falls"), [(0.8, True), (1.25, False)])
@pytest.mark.parametrize("cells", [3, 5])
def test_a_bar_between_points_bears_its_stickiness_times_its_side(share, falls, cells):
    simulation = hung(bar(share * STICKY), cells)
    assert has_fallen(simulation) == falls
    assert not simulation.contacts.stuck.any()


@pytest.mark.parametrize("cells", [3, 5])
def test_a_bar_holds_its_side_whatever_the_mesh(cells):
    simulation = hung(bar(STICKY), cells, load=0.2)
    for _ in range(3):
        simulation.advance()
    assert held(simulation) == pytest.approx(WIDE * LONG, rel=0.02)


def test_a_blade_holds_what_of_its_flanks_is_in_reach():
    """Of 40 degrees: tan 20 to both sides for as deep as stickiness reaches; a needle's width counts as half of that."""
    blade = np.array([(0, 0), (-np.tan(np.radians(20.0)), -1), (np.tan(np.radians(20.0)), -1)][::-1])
    needle = np.array([(0, 0), (-1e-3, -1), (1e-3, -1)][::-1])
    for profile, share in ((blade, 2.0 * np.tan(np.radians(20.0))), (needle, 0.5)):
        assert held_at_first(hanging(profile, 9.0 * STICKY)) == pytest.approx(share * RANGE * SIDE * LONG, rel=0.03)


@pytest.mark.parametrize(("share", "falls"), [(0.75, True), (1.35, False)])
def test_a_wire_of_eight_sides_bears_what_it_is_sticky(share, falls):
    """What lies of its lowest faces within reach below the block's side: of half of each face beside its lowest edge."""
    radius = 0.03 * SIDE
    around = np.radians(90.0 + 45.0 * np.arange(8))[::-1]
    profile = radius * np.stack([np.cos(around), np.sin(around) - 1.0], axis=1)
    face = 2.0 * radius * np.sin(np.radians(22.5))
    wide = 2.0 * np.cos(np.radians(22.5)) * min(0.5 * face, RANGE * SIDE / np.sin(np.radians(22.5)))
    assert has_fallen(hung(hanging(profile, share * WEIGHT / (wide * LONG)))) == falls


def test_it_is_let_go_where_stickiness_is_keyed_off():
    keys = {"stickiness": np.where(np.arange(FRAMES) < 14, 2.0 * STICKY, 0.0)}
    simulation = hung(bar(0.0, keys=keys))
    assert not has_fallen(simulation, 13)
    assert has_fallen(simulation, FRAMES - 13)


def test_it_holds_where_it_is_painted():
    """From nothing at one end of a bar to all at the other: half of it in all."""
    solid = prism([(-0.5 * WIDE, -WIDE), (-0.5 * WIDE, 0), (0.5 * WIDE, 0), (0.5 * WIDE, -WIDE)], 3.0 * SIDE)
    shares = (solid.positions[:, 1] > 0.0).astype(np.float64)
    upside = placed(0.5 * SIDE) @ np.diag([1.0, -1.0, -1.0, 1.0])
    paint = {"stickiness": shares}
    collider = Collider("b", "Bar", "mesh", upside[None], surface=solid, stickiness=9.0 * STICKY, painted=paint)
    assert held_at_first(build(collider, Settings(frame_end=FRAMES))) == pytest.approx(0.5 * WIDE * LONG, rel=0.02)


def test_a_bar_lifts_what_sticks_to_it():
    transforms = np.repeat(placed(0.5 * SIDE + 0.5 * WIDE)[None], FRAMES + 1, axis=0)
    share = np.clip((np.arange(FRAMES + 1) - 4) / 14.0, 0.0, 1.0)
    transforms[:, 2, 3] += 0.25 * SIDE * share**2 * (3.0 - 2.0 * share)
    simulation = hung(bar(3.0 * STICKY, transforms=transforms))
    assert not has_fallen(simulation) and center(simulation)[2] == pytest.approx(0.25 * SIDE, abs=0.02 * SIDE)
    assert has_fallen(hung(bar(0.0, transforms=transforms)))


def test_what_has_not_touched_an_edge_is_not_pulled():
    simulation = hung(bar(1e6, transforms=placed(0.5 * SIDE + 0.5 * WIDE + 0.6 * RANGE * SIDE)[None]), load=0.0)
    for _ in range(4):
        simulation.advance()
    assert held(simulation) == 0.0 and np.abs(simulation.state.velocities).max() < 1e-5


def test_stickiness_of_nothing_changes_no_byte():
    """One that is keyed, and nothing as yet, as well."""
    ends = []
    for field in (bar(0.0), bar(0.0, keys={"stickiness": np.where(np.arange(FRAMES) < 15, 0.0, 9.0)})):
        simulation = hung(field, load=-1.0)
        for _ in range(8):
            simulation.advance()
        ends.append(simulation.state.positions.tobytes())
    assert ends[0] == ends[1]


def test_threads_and_checkpoints_give_the_same_bytes_on_a_sticky_edge():
    field = bar(1.25 * STICKY)
    whole = hung(field)
    for _ in range(9):
        whole.advance()
    saved = {name: values.copy() for name, values in whole.checkpoint().items()}
    assert len(saved["edges_stuck_places"])
    ends = [whole.advance().bodies[0].positions.tobytes()]
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        resumed = hung(field)
        resumed.pace.hold(threads)
        resumed.restore(saved)
        ends.append(resumed.advance().bodies[0].positions.tobytes())
    use_threads(1)
    assert ends[0] == ends[1] == ends[2]


def test_what_hangs_goes_on_hanging_on_a_new_surface():
    """A remesh hands on which places of colliders stick: what hangs has left them already, and would not touch again."""
    field = bar(1.6 * STICKY)
    old = hung(field)
    assert not has_fallen(old, 12)
    new = hung(field)
    places = old.contacts.points.positions(old.state.positions)
    owners = np.zeros(len(places), dtype=np.int64)
    known = handed_on(old.contacts, places, owners, new.contacts, places, owners)
    new.contacts.restore(known)
    stuck = new.contacts.edges.stuck
    assert len(stuck.places) and np.array_equal(stuck.places, old.contacts.edges.stuck.places)
    old.contacts.restore(known)
    assert not has_fallen(old, 6)


def test_areas_of_a_tooths_end_add_up_to_it():
    """A square of corners alone: each edge has a quarter of it."""
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    ends = np.array([(0, 1), (1, 2), (2, 3), (3, 0)], np.int32)
    inwards = np.array([(0.0, 1, 0), (-1, 0, 0), (0, -1, 0), (1, 0, 0)])
    both = np.stack([inwards, np.tile([0.0, 0.0, 1.0], (4, 1))], axis=1)
    keys = np.array([(0, 0, corner, -1) for corner in range(4)], np.int32)
    normal = np.tile([0.0, 0.0, -1.0], (4, 1))
    areas = held_areas(corners, normal, keys, ends, corners, both, np.full((4, 2), 0.25), 0.1, 10.0, 1.0)
    assert areas.sum() == pytest.approx(1.0) and np.allclose(areas, 0.25)


def test_what_points_hold_is_taken_off_the_edges_around_them():
    places = np.array([(x, 0.0, 0.0) for x in (0.0, 1.0, 2.0, 9.0)])
    left = left_over(np.array([2.0, 1.0, 1.0, 1.0]), places, np.array([[1.0, 0.0, 0.0]]), np.array([2.0]), 1.5)
    assert np.allclose(left, [1.0, 0.5, 0.5, 1.0])
    assert np.allclose(left_over(np.ones(4), places, np.array([[0.0, 0.0, 0.0]]), np.array([9.0]), 0.5), [0.0, 1.0, 1.0, 1.0])


def test_pulling_off_an_edge_takes_energy():
    """A block that leaves a knife on which it has stood loses some speed, the more the stickier it is, or stays."""
    speeds = []
    for stickiness in (0.0, 2.0 * STICKY, 20.0 * STICKY):
        collider = Collider("k", "Knife", "mesh", placed(-0.5 * SIDE)[None], surface=knife()[0], stickiness=stickiness)
        simulation = hung(build(collider, Settings(frame_end=FRAMES)), load=0.05)
        for _ in range(3):
            simulation.advance()
        simulation.state.velocities[:, 2] += 0.3
        for _ in range(3):
            simulation.advance()
        speeds.append(float(simulation.state.velocities[:, 2].mean()))
        assert held(simulation) == 0.0 and not len(simulation.contacts.edges.stuck.places)
    assert speeds[0] > speeds[1] > speeds[2] > 0.0, speeds

"""Points in the hollows of a collider touch a floor and the wall beside it at once."""

from types import SimpleNamespace

import numpy as np
import pytest

from solver.bake import prepare
from solver.contact.hollows import ALIKE, ASIDE, Hollows
from solver.contact.looking import astray
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from tests.surface_contact.seen_depths import SeenDepths
from tests.surfaces import box, moved, surface

SIZE, CORNER = 0.3, np.sqrt(0.5)
X, Z, SLANTED = np.eye(3)[0], np.eye(3)[2], np.array([CORNER, 0.0, CORNER])


def collider(off=0.0):
    """One whose surface all places are so far off [m]."""
    return SimpleNamespace(query=lambda places, time, margin, distance, normal, velocity: distance.fill(off))


def beside(first, second, off=0.0):
    """What a point here touches beside the second of two planes (here, normal, gap) that it has seen after each other."""
    hollows, field, own, sizes = Hollows(), collider(off), np.array([7]), np.full(100, SIZE)
    for here, normal, gap in (first, second):
        found = hollows.beside(1, field, 0.0, own, np.array([here]), np.array([normal]), np.array([gap]), sizes)
    return found


def test_a_point_between_a_floor_and_a_wall_touches_both():
    points, places, normal, level, gap, _, friction, pull = beside(([0.02, 0, 0.01], Z, 0.01), ([-0.03, 0, 0.02], X, -0.03))
    assert points.tolist() == [7] and places.tolist() == [107] and normal.tolist() == [[0.0, 0.0, 1.0]]
    assert level == pytest.approx([0.0]) and gap == pytest.approx([0.02]) and friction[0] == pull[0] == 0.0


def test_a_point_that_saw_the_edge_between_both_touches_the_edge_and_the_wall():
    first = [-0.01, 0.0, -0.01], SLANTED, -0.01 / CORNER  # the edge itself is on either face
    assert beside(first, ([-0.01, 0.0, 0.02], X, -0.01))[2].tolist() == [SLANTED.tolist()]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (([0.02, 0, 0.01], Z, 0.01), ([0.03, 0, 0.02], Z, 0.02)),  # the same plane
        (([0.02, 0, 0.01], Z, 0.01), ([0.02, 0, 0.21], Z, 0.01)),  # a step higher
        (([-0.02, 0, 0.01], Z, 0.01), ([0.01, 0, -0.02], X, 0.01)),  # both sides of an edge that stands out
        (([-0.02, 0, 0.01], Z, 0.01), ([0.01, 0, 0.01], SLANTED, 0.01 / CORNER)),  # one of them, and that edge
        (([0, 0, 0.01], Z, 0.01), ([0, 0, -0.01], -Z, 0.01)),  # both sides of a sheet
        (([0.02, 0, 0.01], Z, 0.01), ([1.1 * ASIDE * SIZE + 0.02, 0, 0.02], -X, 0.01)),  # the place is left behind
    ],
)
def test_a_plane_that_is_none_of_a_hollow_is_forgotten(first, second):
    assert len(beside(first, second)[0]) == 0


def test_a_plane_met_on_the_way_is_none_beyond_its_face():
    """A knife's tip was held where both of its sides' planes go on above it, and sank in by 11 % of an element."""
    assert len(beside(([0.02, 0, 0.01], Z, 0.01), ([-0.03, 0, 0.02], X, -0.03), off=-0.01)[0]) == 0


def test_of_a_corner_all_three_planes_are_touched_and_none_twice():
    hollows, own, sizes = Hollows(), np.array([7, 9]), np.full(100, SIZE)
    turned = np.array([np.sin(0.5 * np.arccos(ALIKE)), 0.0, np.cos(0.5 * np.arccos(ALIKE))])
    for normal in (Z, turned, X, np.eye(3)[1]):
        here = np.array([[0.01, 0.01, 0.01], [5.0, 5.0, 5.0]])
        found = hollows.beside(0, collider(), 0.0, own, here, np.tile(normal, (2, 1)), here @ normal - [0.0, 2.0], sizes)
    assert found[0].tolist() == [7, 7]
    assert sorted(found[2].tolist()) == sorted([turned.tolist(), X.tolist()])


def trough(half: float) -> Surface:
    """A block with a V along the y axis cut into its top, its sides half an angle [degrees] off the upright."""
    x, z = 2.0 * np.sin(np.radians(half)), 2.0 * np.cos(np.radians(half))
    section = np.array([[-x, z], [0.0, 0.0], [x, z], [x, -1.0], [-x, -1.0]])
    points = np.array([[p[0], y, p[1]] for y in (-2.0, 2.0) for p in section])
    i, j = np.arange(5), (np.arange(5) + 1) % 5
    ends = np.array([(0, 1, 4), (1, 3, 4), (1, 2, 3)])
    faces = [np.stack([i, j, i + 5], axis=1), np.stack([i + 5, j, j + 5], axis=1), ends[:, ::-1], ends + 5]
    return surface(points, np.concatenate(faces))


def dropped_into(half: float, modulus: float, frames: int) -> tuple[Simulation, Scene]:
    """A box of eight vertices that falls edge first into such a trough."""
    turn = np.array([[CORNER, 0.0, CORNER], [0.0, 1.0, 0.0], [-CORNER, 0.0, CORNER]])
    cube = box((0.6, 0.6, 0.6))
    part = moved(surface(cube.positions @ turn.T, cube.triangles), (0.0, 0.0, 0.6 * CORNER + 0.15))
    values = {"density": 1000.0, "young_modulus": modulus, "poisson_ratio": 0.4, "yield_stress": 1e9}
    material = Material("viscoplastic", values, {})
    body = Body("b", "Box", part, material, resolution=5)
    collider = Collider("v", "Trough", "mesh", np.eye(4)[None], trough(half), friction=0.3)
    scene = validated(Scene((body,), (collider,), Settings(1, frames, threads=1)))
    (ready,) = prepare(scene)
    return Simulation(scene, [ready.mesh], [ready.surface], [ready.contacts]), scene


@pytest.mark.parametrize(("half", "modulus", "most"), [(45.0, 2e4, 250), (60.0, 2e4, 250), (60.0, 2e5, 300), (60.0, 2e6, 300)])
def test_what_falls_into_a_trough_stays_out_of_both_its_sides(half, modulus, most):
    """With one plane a point it was in a side by 2 to 15 % of an element, in two to six times as many iterations."""
    run, scene = dropped_into(half, modulus, 30)
    depths, effort = SeenDepths(scene), 0.0
    for _ in range(30):
        frame = run.advance()
        depths.look(frame)
        effort += frame.statistics["newton_iterations"]
    assert depths.in_colliders < 0.01 and effort < most
    assert run.state.positions[:, 2].min() < 0.05  # it has arrived


def test_a_point_that_its_plane_has_too_high_is_seen_to_be_astray():
    run, _ = dropped_into(45.0, 2e5, 4)
    for _ in range(4):
        run.advance()
    contacts, down = run.contacts, np.array([0.0, 0.0, -1.0])
    positions = run.state.positions + run.state.positions[:, 2].min() * down  # at the bottom
    entries = contacts.linearize(positions)
    assert not astray(contacts, positions, entries)
    deeper = positions + 0.03 * run.element_size * down
    assert (entries.depth(deeper) > 0.02 * run.element_size).any() and not astray(contacts, deeper, entries)
    entries.level -= 0.01 * run.element_size
    assert astray(contacts, deeper, entries)

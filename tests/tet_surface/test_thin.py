"""Parts thinner than tets: their sides go by the tets that hold them, and contact is not asked to keep these apart."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import prepare
from solver.contact.surfaces.carried import Carried
from solver.contact.surfaces.thin_parts import ThinParts
from solver.embedding import bind, evaluate
from solver.fem.extension import carrying_matrix
from solver.geometry.measures import vertex_area_vectors
from solver.geometry.splitting import split
from solver.scene import Scene, Settings, validated
from solver.simulate import Simulation
from solver.surface import Surface
from solver.tet_surface.laying import laid_surface
from solver.tet_surface.thin import narrowness, thickness
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh, joined_meshes
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import box_mesh
from tests.remesh.shapes import rotation
from tests.surface_contact.soak_former import former_scene
from tests.surfaces import box, joined, sphere

SIZE = 0.125  # of tets [m]
BALL = sphere(40)


def test_the_sides_of_a_plate_stay_apart_wherever_no_tet_turns_inside_out():
    """A third of a tet thick, in tets of a whole one that are pressed to a third in spots two tets wide."""
    plate, mesh = box((2.0, 2.0, 0.33 * SIZE)), cage(box((2.0, 2.0, 1.1 * SIZE)), SIZE)
    made = laid_surface(mesh, plate, 1, SIZE, 0.5 * SIZE)
    places = made.surface.positions
    first, second = sides(places)
    pressed = mesh.positions.copy()
    x, y = np.pi * pressed[:, 0] / (2.0 * SIZE), np.pi * pressed[:, 1] / (2.0 * SIZE)
    pressed[:, 2] *= 1.0 - 0.7 * (np.cos(x) * np.cos(y)) ** 2
    assert tet_volumes(pressed, mesh.tets).min() > 0.0
    height = evaluate(made.bound, mesh.tets, pressed)[:, 2]
    thick = (height[first] - height[second]) / (places[first, 2] - places[second, 2])
    assert thick.min() > 0.15, thick.min()


def sides(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices of a plate's upper side, away from its rim, and of each the nearest one of the lower side."""
    inner = np.abs(places[:, :2]).max(axis=1) < 0.7
    upper, lower = (np.flatnonzero(inner & (sign * places[:, 2] > 0.0)) for sign in (1.0, -1.0))
    away = ((places[upper][:, None, :2] - places[lower][None, :, :2]) ** 2).sum(axis=2)
    return upper, lower[away.argmin(axis=1)]


@pytest.mark.parametrize("thick", [0.3, 0.8])
def test_how_thick_a_plate_is(thick):
    plate = box((0.5, 0.5, thick * SIZE))
    places, triangles = split(plate.positions, plate.triangles, 0.1 * SIZE + 0.4 * thick * SIZE)
    found = thickness(places, vertex_area_vectors(places, triangles), 1.0 * SIZE)
    inner = np.abs(places[:, :2]).max(axis=1) < 0.25 - SIZE
    assert (found[inner] >= thick * SIZE).all() and (found[inner] < 1.05 * thick * SIZE).all()
    assert np.isinf(thickness(BALL.positions, vertex_area_vectors(BALL.positions, BALL.triangles), SIZE)).all()


def test_a_triangle_keeps_of_its_width_what_a_map_leaves_of_it():
    """Turned as it may be, by the smaller factor of two; one that is flat keeps nothing."""
    rng = np.random.default_rng(5)
    before, triangles = rng.normal(size=(30, 3)), np.arange(30).reshape(-1, 3)
    corners = before[triangles]
    first = corners[:, 1] - corners[:, 0]
    upright = np.cross(first, corners[:, 2] - corners[:, 0])
    frame = np.stack([first, np.cross(upright, first)], axis=1)
    frame /= np.linalg.norm(frame, axis=2, keepdims=True)
    turn, within = rotation([1, 2, 3], 0.8), rotation([0, 0, 1], 0.4)[:2, :2]
    for widths in ([1.7, 0.3], [0.9, 0.2]):
        flat = (corners - corners[:, :1]) @ np.swapaxes(frame, 1, 2)
        after = flat @ within.T @ np.diag(widths) @ within @ frame @ turn.T
        np.testing.assert_allclose(narrowness(before, after.reshape(-1, 3), triangles), min(widths), rtol=1e-9)
    assert np.abs(narrowness(before, before * [1.0, 0.0, 0.0], triangles)).max() < 1e-7
    point = np.zeros_like(before)
    assert (narrowness(before, point, triangles) < 1e-30).all() and np.isfinite(narrowness(point, before, triangles)).all()


def fine(part: Surface) -> Surface:
    return Surface(*split(part.positions, part.triangles, 0.6 * SIZE))


def facing(gap: float, height: float) -> tuple[Surface, np.ndarray]:
    """Two blocks so many tets high, one over the other with a gap [tets]; a vertex of the upper, a triangle of the lower."""
    block, away = (4.0 * SIZE, 4.0 * SIZE, height * SIZE), 0.5 * (gap + height) * SIZE
    both = joined(box(block, (0.0, 0.0, away)), box(block, (0.0, 0.0, -away)))
    both = fine(both)
    middles, edge = both.positions[both.triangles].mean(axis=1), 0.5 * gap * SIZE
    vertex = np.argmin(((both.positions - [0.1 * SIZE, 0.0, edge]) ** 2).sum(axis=1))
    under = both.positions[vertex] * [1.0, 1.0, -1.0]
    flat = np.ptp(both.positions[both.triangles][:, :, 2], axis=1) == 0.0
    triangle = np.argmin(((middles - under) ** 2).sum(axis=1) + np.where(flat, 0.0, 1.0))
    return both, np.array([[vertex, *both.triangles[triangle]]], dtype=np.int32)


def held(part: Surface, pair: np.ndarray, mesh: TetMesh) -> bool:
    rows = Carried.by(carrying_matrix(bind(mesh, part.positions), mesh.tets, len(mesh.positions)))
    return bool(ThinParts.of(part.triangles, part.positions, rows, 0.5 * SIZE).held(pair, 1)[0])


def test_contact_is_left_to_tets_where_these_keep_two_sides_apart():
    """Through goo, and through air that one tet holds; but not between tets, nor where it is far."""
    span, origin = (6.0 * SIZE, 6.0 * SIZE, 6.0 * SIZE), (-3.0 * SIZE,) * 3
    whole = box_mesh((6, 6, 6), span, origin)
    for gap, wanted in ((0.05, True), (0.7, False)):
        part, pair = facing(gap, 2.0)
        assert held(part, pair, whole) == wanted
        half = (*span[:2], 3.0 * SIZE)
        above, below = (
            box_mesh((6, 6, 3), half, (*origin[:2], z)) for z in (0.5 * gap * SIZE, -3.0 * SIZE - 0.5 * gap * SIZE)
        )
        assert not held(part, pair, joined_meshes([above, below]))
    for thick, wanted in ((0.3, True), (0.7, False)):
        plate = fine(box((4.0 * SIZE, 4.0 * SIZE, thick * SIZE)))
        upper = np.argmin(((plate.positions - [0.0, 0.0, 0.5 * thick * SIZE]) ** 2).sum(axis=1))
        flat = (plate.positions[plate.triangles][:, :, 2] < 0.0).all(axis=1)
        away = ((plate.positions[plate.triangles].mean(axis=1) - plate.positions[upper]) ** 2).sum(axis=1)
        triangle = np.argmin(away + np.where(flat, 0.0, 1.0))
        assert held(plate, np.array([[upper, *plate.triangles[triangle]]], dtype=np.int32), whole) == wanted


@pytest.mark.parametrize(("seen", "wanted"), [("artist", False), ("tets", True)])
def test_only_the_goo_surface_is_left_to_tets(seen, wanted):
    """All of a coarse ball lies outside its tets, and so is blended from many as well; seeds 6 and 432 of the soak."""
    _, soaked = former_scene(6, 16, 4)
    body = replace(soaked.bodies[0], seen=seen)
    scene = validated(Scene((body,), (), Settings(body_contact="all")))
    (item,) = prepare(scene)
    run = Simulation(replace(scene, bodies=(item.body,)), [item.mesh], [item.surface], [item.contacts], fields=[])
    assert len(item.surface.spread.points) == len(item.surface.tets) and run.surfaces is not None
    assert [each.thin is not None for each in run.surfaces.neighbourhoods] == [wanted] * len(run.surfaces.neighbourhoods)

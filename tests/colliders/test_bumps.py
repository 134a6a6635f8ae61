"""What of smooth colliders stands out for a size of tets: what bends within one, as many places as it takes, and no noise."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from solver.colliders import build
from solver.colliders.bumps import bumps, one_a_cell
from solver.contact.contacts import query
from solver.scene import Collider, Settings, Surface
from tests.surfaces import box, sphere, surface

ELEMENT = 0.2


def field(shape: Surface, **settings):
    return build(Collider("c", "C", "mesh", np.eye(4)[None], surface=shape, **settings), Settings())


def exact(kind: str, size):
    return build(Collider("c", "C", kind, np.eye(4)[None], size=size), Settings())


def touched(collider, element=ELEMENT) -> np.ndarray:
    """Where faces of a body touch what stands out of a collider."""
    found = collider.sharp.among(element)
    return np.zeros((0, 3)) if found is None else collider.corners(0.0)[0][found.corners]


def rough(spread: float, n: int = 60) -> Surface:
    """A field of 2 m with a height that differs by chance."""
    x, y = (axis.ravel() for axis in np.meshgrid(np.linspace(-1.0, 1.0, n), np.linspace(-1.0, 1.0, n), indexing="ij"))
    height = spread * np.random.default_rng(2).normal(size=len(x))
    first = np.flatnonzero((np.arange(n * n) % n < n - 1) & (np.arange(n * n) < n * (n - 1)))
    faces = np.concatenate([np.stack([first, first + n, first + n + 1], 1), np.stack([first, first + n + 1, first + 1], 1)])
    return surface(np.stack([x, y, height], axis=1), faces)


@pytest.mark.parametrize("rings", [12, 48])
def test_of_a_ball_as_thick_as_two_tets_all_of_it_stands_out(rings):
    """However finely it is meshed, no place of it is further than 0.3 tets from one that is touched, and these are not many."""
    places = touched(field(sphere(rings, ELEMENT)))
    way, _ = cKDTree(places).query(ELEMENT * sphere(40).positions)
    assert way.max() < 0.3 * ELEMENT
    assert len(places) < 2.0 * 4.0 * np.pi / 0.1**2


def test_vertices_between_bumps_are_near_to_some():
    """In a face of a body that ends between two bumps a vertex beside it can sink by its distance from them."""
    ball = sphere(48, ELEMENT)
    way, _ = cKDTree(touched(field(ball))).query(ball.positions)
    assert way.max() < 0.11 * ELEMENT and way.mean() < 0.03 * ELEMENT


def test_what_sinks_in_by_less_than_two_percent_does_not_stand_out():
    assert not len(touched(field(sphere(24, 2.2 * ELEMENT)))) and len(touched(field(sphere(24, 1.2 * ELEMENT))))


def test_a_mesh_that_is_rough_but_flat_has_no_bumps():
    """Edges turn by some 4 degrees, to and fro, and so within a tet; their mean does not."""
    flat = rough(0.00025, 200)
    found = field(flat).sharp
    assert (found.radii[found.radii > 0.0] < 1.5 * ELEMENT).mean() > 0.5, "the test is about edges that say nothing"
    rim = np.abs(touched(field(flat)))[:, :2].max(axis=1)
    assert (rim < 1.0).mean() < 0.02
    dome = flat.positions.copy()
    dome[:, 2] += np.maximum(0.1 - (dome[:, :2] ** 2).sum(axis=1) / 0.2, 0.0)
    on_it = touched(field(surface(dome, flat.triangles)))
    assert (np.hypot(on_it[:, 0], on_it[:, 1]) < 0.15).sum() > 5


def test_dents_stand_out_of_sheets_only():
    """Seen from within, a ball bends inwards everywhere; of a sheet that counts too."""
    ball = sphere(24, 0.5 * ELEMENT)
    asked, inwards = np.ones(len(ball.positions), dtype=bool), np.ascontiguousarray(ball.triangles[:, ::-1])
    for triangles, sheet, some in ((ball.triangles, False, True), (inwards, False, False), (inwards, True, True)):
        found = bumps(ball.positions, triangles, asked, 1.5 * ELEMENT, 0.15 * ELEMENT, 0.1 * ELEMENT, sheet)
        assert bool(len(found)) == some


def test_a_thin_plate_stands_out_at_its_rims_only():
    """A plate a tenth of a tet thick, meshed as finely as that: its two sides face away from each other."""
    grid = rough(0.0, 41)
    n, thick = len(grid.positions), 0.1 * ELEMENT
    places = np.concatenate([grid.positions + [0.0, 0.0, thick], grid.positions])
    plate = surface(places, np.concatenate([grid.triangles, grid.triangles[:, ::-1] + n]))
    asked = np.ones(2 * n, dtype=bool)
    assert not len(bumps(plate.positions, plate.triangles, asked, 1.5 * ELEMENT, 0.15 * ELEMENT, 0.1 * ELEMENT, False))


def test_of_many_edges_side_by_side_some_stand_for_all():
    """A rod of 180 sides a tenth of a tet thick: edges along it are no more than a few, and as far round as it goes."""
    sides, length = 180, 2.0
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = 0.1 * ELEMENT * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    k, following = np.arange(sides), (np.arange(sides) + 1) % sides
    mantle = [(k, following, following + sides), (k, following + sides, k + sides)]
    rod = surface(np.concatenate([ring, ring + [0.0, 0.0, length]]), np.concatenate([np.stack(part, 1) for part in mantle]))
    collider = field(rod, two_sided=False)
    found = collider.sharp.among(ELEMENT)
    ends = collider.corners(0.0)[0][found.ends[found.crossed]]
    along = ends[np.abs(ends[:, 1, 2] - ends[:, 0, 2]) > 0.5 * length]
    assert 3 <= len(along) <= 30


@pytest.mark.parametrize(("kind", "size"), [("sphere", (0.2,) * 3), ("capsule", (0.1, 0.1, 1.0)), ("box", (0.2, 0.3, 0.4))])
def test_exact_shapes_stand_out_where_their_surface_is(kind, size):
    collider = exact(kind, size)
    places = touched(collider)
    distance, _, _ = query(collider, places, 0.0, np.inf)
    assert len(places) >= 8 and np.abs(distance).max() < 1e-12
    assert np.allclose(np.ptp(places, axis=0), size, rtol=0.06)


def test_one_of_a_cell():
    places = np.array([(0.1, 0.0, 0.0), (0.4, 0.0, 0.0), (0.6, 0.0, 0.0), (0.2, 0.9, 0.0)])
    assert one_a_cell(places, 0.5).tolist() == [True, False, True, True]
    assert one_a_cell(np.zeros((0, 3)), 0.5).tolist() == []


def test_a_collider_is_asked_once_for_a_size():
    collider = field(box())
    assert collider.sharp.among(0.1) is collider.sharp.among(0.1)

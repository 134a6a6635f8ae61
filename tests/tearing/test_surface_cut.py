"""A closed surface less a solid: closed again, the same away from the cut, and all that lies on it where it belongs."""

from dataclasses import replace

import ipctk
import numpy as np
import pytest

from solver.cache.topology import SurfaceTopology, from_arrays, to_arrays
from solver.errors import CacheError
from solver.geometry.edges import edges_of, unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.scene import Surface
from solver.tearing.cut_topology import cut_topology
from solver.tearing.surface_cut import SurfaceCut, cut_surface
from tests.surfaces import box, flipped, joined, sphere, surface, with_holes

from .shapes import record_of

SLAB = box((0.3, 3.0, 3.0), (0.1234, 0.01, 0.02))


@pytest.fixture(scope="module")
def ball() -> Surface:
    """A ball, and a vertex that belongs to no face."""
    globe = sphere(20)
    positions = np.concatenate([globe.positions[:50], [[9.0, 9.0, 9.0]], globe.positions[50:]])
    return surface(positions, globe.triangles + (globe.triangles >= 50))


@pytest.fixture(scope="module")
def cut(ball) -> SurfaceCut:
    made = cut_surface(ball, SLAB)
    assert made is not None
    return made


def crossings(positions, triangles) -> bool:
    mesh = ipctk.CollisionMesh(positions, ipctk.edges(triangles), triangles)
    return bool(ipctk.has_intersections(mesh, positions))


def test_the_cut_is_closed_and_crosses_nothing(cut):
    assert unpaired_edges(cut.triangles) == 0 and not crossings(cut.positions, cut.triangles)
    assert (np.abs(cut.positions[:, 0] - 0.1234) > 0.15 - 1e-9).all()


def test_away_from_the_cut_every_bit_stays(ball, cut):
    clear = np.abs(ball.positions[ball.triangles][:, :, 0] - 0.1234).min(axis=1) > 0.15
    sides = np.sign(ball.positions[ball.triangles][:, :, 0] - 0.1234)
    clear &= (sides == sides[:, :1]).all(axis=1)
    assert (np.flatnonzero(clear) == cut.origin[cut.whole]).all()
    assert cut.positions[: len(cut.kept)].tobytes() == ball.positions[cut.kept].tobytes() and 50 in cut.kept
    assert (cut.kept[cut.triangles[cut.whole]] == ball.triangles[clear]).all()


def test_everything_goes_over(ball, cut):
    old = record_of(ball)
    new = from_arrays(to_arrays(cut_topology(old, cut)))
    layers = {layer.name: layer.values for layer in new.attributes}
    corners = cut.positions[new.corner_vertices]
    inner = np.repeat(new.material_index == 2, 3)
    outer = np.unique(new.corner_vertices[~inner])
    assert inner.sum() == 3 * (cut.origin < 0).sum() > 0 and (new.inner_slot, new.vertex_count) == (2, len(cut.positions))
    assert np.abs(layers["place"] - cut.positions)[outer].max() < 1e-6
    assert np.abs(layers["corner"] - corners)[~inner].max() < 1e-6
    assert np.abs(layers["place"] - cut.positions).max() < 0.3  # what closes the cut takes from the surface next to it
    assert np.abs(new.uv_layers["map"] - corners[:, :2])[~inner].max() < 1e-6
    assert new.vertex_groups is not None and len(new.vertex_groups.offsets) == new.vertex_count + 1
    assert np.abs(new.vertex_groups.weights - cut.positions[:, 0])[outer].max() < 1e-6
    assert (new.material_index[~inner[::3]] == layers["number"][~inner[::3]] % 2).all()
    assert (np.sort(new.edges[new.corner_edges], axis=1)[:, 0] <= new.corner_vertices).all()
    marked, whole = layers["end"] > 0, (new.edges < len(cut.kept)).all(axis=1)
    own, halves = marked & whole, marked & ~whole
    # what the slab has left of an edge keeps its mark, for it points to where the edge began
    begun, (one, other) = ball.positions[layers["end"][halves]], cut.positions[new.edges[halves]].transpose(1, 0, 2)
    aside = np.cross(other - one, begun - one) / np.linalg.norm(other - one, axis=1)[:, None]
    assert halves.sum() > 30 and np.abs(aside).max() < 1e-6
    assert (cut.kept[new.edges[own]].min(axis=1) == layers["end"][own]).all() and own.sum() > 1000


def test_whole_faces_keep_their_bytes(ball, cut):
    old = record_of(ball)
    new = cut_topology(old, cut)
    now, stayed = np.repeat(cut.whole, 3), (3 * cut.origin[cut.whole][:, None] + np.arange(3)).ravel()
    assert new.uv_layers["map"][now].tobytes() == old.uv_layers["map"][stayed].tobytes()
    assert (cut.kept[new.corner_vertices[now]] == old.corner_vertices[stayed]).all()


def test_faces_that_point_inwards_go_on_doing_so(ball, cut):
    """The solver turns an artist's inward faces; new ones beside them would else point the other way."""
    inwards, outwards = (cut_topology(record_of(part), cut) for part in (flipped(ball), ball))
    found, wanted = (each.corner_vertices.reshape(-1, 3) for each in (inwards, outwards))
    assert unpaired_edges(found) == 0 and np.array_equal(np.sort(found, axis=1), np.sort(wanted, axis=1))
    now, before = (signed_volumes(cut.positions, each).sum() for each in (found, wanted))
    assert now == pytest.approx(-before, rel=1e-9)
    layer = next(layer.values for layer in inwards.attributes if layer.name == "corner")
    outer = np.repeat(inwards.material_index != 2, 3)
    assert np.abs(layer - cut.positions[inwards.corner_vertices])[outer].max() < 1e-6


def test_inner_faces_are_spread_at_the_scale_of_the_rest(cut, ball):
    """Flat, without folding: their area in UVs is that on the cut, times the scale."""
    new = cut_topology(record_of(ball), cut)
    inner = np.flatnonzero(cut.origin < 0)
    uv = new.uv_layers["map"].reshape(-1, 3, 2)[-len(inner) :].astype(np.float64)
    a, b = uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]
    flat = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    # The map is the ball seen from above: two discs of its section on a sphere's area
    radius = np.sqrt(1.0 - np.array([0.2734, 0.0266]) ** 2)
    assert (flat > 0.0).mean() in (0.0, 1.0) and np.abs(flat).sum() == pytest.approx(0.5 * np.pi * (radius**2).sum(), rel=0.02)


def test_polygons_stay_whole_or_fall_into_triangles():
    """A box of quads: those that the slab leaves alone stay quads, in their order."""
    cube = box((1.0, 1.0, 1.0))
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)], dtype=np.int32)
    record = SurfaceTopology(8, np.arange(7, dtype=np.int32) * np.int32(4), quads.ravel())
    cut = cut_surface(cube, SLAB)
    assert cut is not None
    new = cut_topology(record, cut)
    assert (np.diff(new.face_offsets)[:2] == 4).all() and (np.diff(new.face_offsets)[2:] == 3).all()
    assert (new.corner_vertices[:8] == quads[:2].ravel()).all()
    # and again: what is left of the first cut is cut, its record still fits
    once = Surface(cut.positions, cut.triangles)
    twice = cut_surface(once, box((3.0, 0.2, 3.0), (0.0, 0.1, 0.0)))
    assert twice is not None
    last = cut_topology(new, twice)
    assert last.vertex_count == len(twice.positions) and last.corner_vertices.max() + 1 == last.vertex_count
    with pytest.raises(CacheError):
        cut_topology(replace(record, face_offsets=record.face_offsets[:-1]), cut)


def test_short_edges_that_a_cut_leaves_are_drawn_together():
    """A wall that grazes vertices: only where it would move what is seen is an edge left that is short beside an element."""
    globe, element = sphere(30), 0.3
    wall = box((0.5, 3.0, 3.0), (globe.positions[200, 0] - 0.25 + 1e-7, 0.0013, 0.0007))
    as_cut, tidy = cut_surface(globe, wall), cut_surface(globe, wall, element)
    assert as_cut is not None and tidy is not None

    def shortest(cut: SurfaceCut) -> float:
        lines = edges_of(cut.triangles).vertices
        new = (lines >= len(cut.kept)).any(axis=1)
        return float(np.linalg.norm(cut.positions[lines[new, 0]] - cut.positions[lines[new, 1]], axis=1).min())

    assert shortest(as_cut) < 1e-6 and shortest(tidy) > 0.005 * element
    assert (tidy.kept == as_cut.kept).all() and unpaired_edges(tidy.triangles) == 0
    assert not crossings(tidy.positions, tidy.triangles)
    away = closest_points(triangle_tree(tidy.positions, tidy.triangles), as_cut.positions).distance
    assert away.max() < 2.0 * 0.005 * element  # vertices that go, in more rounds than one
    volumes = [signed_volumes(one.positions, one.triangles).sum() for one in (as_cut, tidy)]
    assert volumes[1] == pytest.approx(volumes[0], rel=1e-4)
    places = np.einsum("tck,tckj->tcj", tidy.corners.weights, globe.positions[globe.triangles[tidy.corners.triangles]])
    mine = tidy.origin >= 0
    assert np.linalg.norm(places - tidy.positions[tidy.triangles], axis=2)[mine].max() < 0.02 * element


def test_what_does_not_meet_or_is_open_is_not_cut(ball):
    assert cut_surface(ball, box(centre=(5.0, 0.0, 0.0))) is None
    assert cut_surface(with_holes(ball), SLAB) is None


def test_shells_and_far_places():
    """Several shells are cut at once, ten kilometres off as at the origin."""
    shift = np.array([10_000.0, -3_000.0, 50.0])
    pair = joined(sphere(10, 0.3), sphere(10, 0.3, (0.1, 0.0, 0.7)))
    cut = cut_surface(surface(pair.positions + shift, pair.triangles), surface(SLAB.positions + shift, SLAB.triangles))
    assert cut is not None and unpaired_edges(cut.triangles) == 0
    near = cut_surface(pair, SLAB)
    assert near is not None and len(near.positions) == len(cut.positions)

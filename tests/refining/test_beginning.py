"""Faces much larger than a tet are halved before a bake: they lie where they lay, and are seen to bend with the tets."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import bake
from solver.cache import FrameStore
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import area_vectors, signed_volumes
from solver.pins.pin import Pin
from solver.preflight.resolution import resolution_findings
from solver.refining.beginning import AROUND, LONG, begun_finer
from solver.refining.grain import side_lengths
from solver.scene import Collider, Scene, Settings, Surface, validated
from solver.surface import LARGE_FACE
from solver.tearing.at_start import made_fit, on_copy
from solver.tearing.cut_topology import cut_topology
from tests.merging.shapes import body
from tests.surfaces import box, prism, sphere, surface
from tests.tearing.shapes import record_of

ELEMENT = 0.1


def finer(part: Surface, size: float = ELEMENT):
    return begun_finer(part, size, LONG, lambda: np.zeros(0, np.int32))


def area(positions, triangles) -> float:
    return float(np.sqrt((area_vectors(positions, triangles) ** 2).sum(axis=1)).sum())


@pytest.mark.parametrize("part", [box(), prism(12, 1), box((3.0, 0.2, 0.2))])
def test_faces_are_halved_and_lie_where_they_lay(part):
    cut = finer(part)
    assert side_lengths(cut.positions, cut.triangles).max() <= LONG * ELEMENT * (1.0 + 1e-9)
    assert (cut.kept == np.arange(len(part.positions))).all() and unpaired_edges(cut.triangles) == 0
    assert cut.positions[: len(cut.kept)].tobytes() == part.positions.tobytes()
    for measure in (area, lambda *given: signed_volumes(*given).sum()):
        assert measure(cut.positions, cut.triangles) == pytest.approx(measure(part.positions, part.triangles), rel=1e-9)


def test_no_more_than_is_needed():
    """A cube's edges of ten elements become ones of 5/8; what is fine already keeps every bit."""
    cut = finer(box())
    assert side_lengths(cut.positions, cut.triangles).min(axis=1).max() <= AROUND * ELEMENT and len(cut.triangles) <= 12 * 2**9
    assert finer(sphere(16, 0.5)) is None and finer(box(), 1.0) is None


def test_both_sides_of_a_seam_are_halved_alike():
    """A cube whose faces share no vertices: their borders still meet point by point."""
    cube = box()
    soup = surface(cube.positions[cube.triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    cut = finer(soup)
    places, count = np.unique(np.round(cut.positions, 9), axis=0, return_counts=True)
    assert len(places) == len(finer(cube).positions) and count.max() <= 6


def test_what_lies_on_them_goes_over():
    bar = prism(12, 1)
    old, cut = record_of(bar), finer(bar)
    new = cut_topology(old, cut)
    places = cut.positions[new.corner_vertices]
    np.testing.assert_allclose(new.uv_layers["map"], places[:, :2], atol=1e-6)


def test_pins_hold_what_lies_between_what_they_hold():
    """The top of a box is turned: new vertices on it go with it, by the faces that they lie on; none below does."""
    part = box()
    top = np.flatnonzero(part.positions[:, 2] > 0.0).astype(np.int32)
    turned = part.positions[top] @ np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    pin = Pin("Pin", top, np.ones(len(top)), np.stack([part.positions[top], turned]))
    fine = on_copy(replace(body("Box", part, 10), pins=(pin,)), finer(part))
    held, places = fine.pins[0], fine.surface.positions
    assert sorted(held.vertices) == np.flatnonzero(np.isclose(places[:, 2], 0.5)).tolist() and len(held.vertices) > 50
    np.testing.assert_allclose(held.targets[0], places[held.vertices], atol=1e-12)
    x, y, z = places[held.vertices].T
    np.testing.assert_allclose(held.targets[1], np.stack([-y, x, z], axis=1), atol=1e-12)
    assert (held.weights == 1.0).all()


def test_only_bodies_that_are_refined():
    shot = Scene((body("Box", box(), 10),), (), Settings(frame_end=2))
    assert made_fit(shot, {}, print)[0].bodies[0] is shot.bodies[0]
    for options in ({"resolution": 3, "remeshing": "off"}, {"resolution": 10, "seen": "tets"}):
        other = Scene((body("Box", bar(), refine_length=1.5, **options),), (), Settings(frame_end=2))
        assert made_fit(other, {}, print)[0].bodies[0] is other.bodies[0]


def bar():
    """Edges of 1 m along it, of 0.1 m across."""
    return surface(box().positions * (1.0, 0.1, 0.1), box().triangles)


@pytest.mark.parametrize(("remeshing", "most"), [("off", LARGE_FACE), ("wholesale", LONG)])
def test_without_new_tets_what_preflight_calls_large_is_halved(remeshing, most):
    """A bar of ten elements is, one whose edges are as long as preflight lets them be keeps its faces."""
    def seen(resolution):
        shot = Scene((body("Box", bar(), resolution, refine_length=1.5, remeshing=remeshing),), (), Settings(frame_end=2))
        return made_fit(shot, {}, print)[0].bodies[0]

    fine = seen(10)
    assert fine.surface.longest_edge <= AROUND * fine.element_size * (1.0 + 1e-9)
    assert len(seen(int(most * 0.98)).surface.triangles) == 12
    assert not list(resolution_findings(fine))


@pytest.mark.parametrize("remeshing", ["off", "wholesale"])
def test_a_default_cube_is_seen_to_spread(tmp_path, remeshing):
    """Soft dough on the ground bulges between what were the four corners of each side."""
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    cube = body("Box", box((0.2, 0.2, 0.2), (0.0, 0.0, 0.11)), 8, refine_length=1.5, remeshing=remeshing)
    shot = validated(Scene((cube,), (ground,), Settings(frame_end=14, threads=1)))
    bake(shot, tmp_path)
    store = FrameStore.open(tmp_path)
    first, last = (store.read_body_frame(frame, "box").positions for frame in (1, 14))
    assert len(first) == len(last) > 100
    side = last[first[:, 0] > 0.099].astype(np.float64)
    off = np.linalg.svd(side - side.mean(axis=0), full_matrices=False)
    assert len(side) > 50 and np.abs((side - side.mean(axis=0)) @ off[2][2]).max() > 0.005

"""Rims of what is taken out of a surface: smooth, on the surface, and about all that has to go."""

import numpy as np
import pytest

from solver.geometry.edges import edges_of, unpaired_edges
from solver.geometry.hole_filling import borders
from solver.geometry.measures import area_vectors, signed_volumes
from solver.merging.bands import across_sides, tidied
from solver.merging.level_curve import OFF
from solver.merging.rims import LIFTS, Rimmed, _mean_values, smoothly_cut
from solver.refining.grain import stoutness
from solver.refining.patchwork import Patchwork
from solver.surface import Surface
from solver.tearing.cut_topology import cut_topology
from tests.surfaces import sphere, surface
from tests.tearing.shapes import record_of

SIZE = 0.25  # of tets that would fill it [m]: two or three edges
ACROSS = np.array([0.6, 0.48, 0.64])


def globe(seed: int, rings: int = 24) -> Surface:
    """A ball of a metre, its vertices shaken by a quarter of an edge along it."""
    ball, random = sphere(rings), np.random.default_rng(seed)
    places = ball.positions + random.uniform(-0.25, 0.25, ball.positions.shape) * np.pi / rings
    return surface(places / np.sqrt((places**2).sum(axis=1, keepdims=True)), ball.triangles)


def cap(seen: Surface, height: float, noise: float = 0.0, seed: int = 0) -> np.ndarray:
    """The triangles (t,) that lie above a height across the meridians, which noise [m] makes uneven."""
    middles = seen.positions[seen.triangles].mean(axis=1)
    out = middles @ ACROSS + noise * np.random.default_rng(seed).uniform(-1.0, 1.0, len(middles)) > height
    return tidied(seen, across_sides(seen.triangles), out, 0.5)


def turns(seen: Surface, out: np.ndarray) -> np.ndarray:
    """The angles [degrees] by which the borders of some triangles (t,) turn at each of their vertices."""
    beside, result = across_sides(seen.triangles), []
    rows, sides = np.nonzero(~out[:, None] & out[beside])
    for way in borders(seen.triangles, 3 * rows + sides):
        edges = np.roll(seen.positions[way], -1, axis=0) - seen.positions[way]
        edges /= np.sqrt((edges**2).sum(axis=1, keepdims=True))
        result.append(np.degrees(np.arccos(np.clip((edges * np.roll(edges, -1, axis=0)).sum(axis=1), -1.0, 1.0))))
    return np.concatenate(result)


def area(seen: Surface, rows: np.ndarray) -> float:
    return float(np.sqrt((area_vectors(seen.positions, seen.triangles[rows]) ** 2).sum(axis=1)).sum())


def places_on(seen: Surface, rimmed: Rimmed) -> np.ndarray:
    """Where (t', 3, 3) on the old surface each corner lies by its source."""
    corners = seen.positions[seen.triangles[rimmed.made.owners]]
    return np.einsum("tcij,tci->tcj", corners, rimmed.made.weights)


@pytest.mark.parametrize("seed", range(4))
def test_a_toothed_border_becomes_a_smooth_rim(seed):
    seen = globe(seed)
    out = cap(seen, 0.4, 0.05, seed)
    assert turns(seen, out).mean() > 45.0
    rimmed = smoothly_cut(seen, out, np.zeros(len(out), dtype=bool), SIZE)
    cut = rimmed.seen
    angles = turns(cut, rimmed.out)
    assert angles.mean() < 13.0 and np.percentile(angles, 90) < 30.0
    assert area(cut, rimmed.out) == pytest.approx(area(seen, out), rel=0.1)
    assert unpaired_edges(cut.triangles) == 0 and edges_of(cut.triangles).non_manifold_edges == 0
    volume = signed_volumes(seen.positions, seen.triangles).sum()
    assert signed_volumes(cut.positions, cut.triangles).sum() == pytest.approx(volume, rel=1e-3)
    parts = ~rimmed.made.untouched
    stout, old = stoutness(cut.positions, cut.triangles), stoutness(seen.positions, seen.triangles)
    share = stout[parts] / old[rimmed.made.origin[parts]]
    assert share.min() > 0.03 and np.percentile(share, 10) > 0.15


@pytest.mark.parametrize("seed", range(4))
def test_new_vertices_lie_where_their_values_come_from(seed):
    """All else stays to the last bit."""
    seen = globe(seed)
    rimmed = smoothly_cut(seen, cap(seen, 0.4, 0.05, seed), np.zeros(len(seen.triangles), dtype=bool), SIZE)
    made, count = rimmed.made, len(seen.positions)
    assert made.positions[:count].tobytes() == seen.positions.tobytes() and len(made.positions) > count + 50
    assert (made.triangles[made.untouched] == seen.triangles[made.origin[made.untouched]]).all()
    off = np.sqrt(((places_on(seen, rimmed) - made.positions[made.triangles]) ** 2).sum(axis=2))
    assert 0.0 < off.max() <= (OFF + 1e-6) * SIZE and off[made.triangles < count].max() == 0.0


def test_what_lies_on_it_has_no_seam_at_a_cut():
    """New vertices have one place in a UV map, not one for each face around them."""
    seen = globe(1)
    out = cap(seen, 0.4, 0.05)
    rimmed = smoothly_cut(seen, out, np.zeros(len(out), dtype=bool), SIZE)
    cut = rimmed.made.change(seen)
    record = cut_topology(record_of(seen), cut)
    low, high = (np.full((record.vertex_count, 2), worst, np.float32) for worst in (np.inf, -np.inf))
    np.minimum.at(low, record.corner_vertices, record.uv_layers["map"])
    np.maximum.at(high, record.corner_vertices, record.uv_layers["map"])
    assert (low[len(cut.kept) :] == high[len(cut.kept) :]).all() and len(low) > len(cut.kept) + 50


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("lifts", [LIFTS, 0])
def test_what_has_to_go_goes_whole(seed, lifts, monkeypatch):
    """However it lies in what is chosen: alone, at its border, in corners; also where lifting it is not enough."""
    monkeypatch.setattr("solver.merging.rims.LIFTS", lifts)
    seen = globe(seed)
    out = cap(seen, 0.4, 0.1, seed)
    must = out & (np.random.default_rng(seed + 100).uniform(size=len(out)) < 0.3)
    rimmed = smoothly_cut(seen, out, must, SIZE)
    assert rimmed.out[must[rimmed.made.origin]].all()
    free = smoothly_cut(seen, out, np.zeros(len(out), dtype=bool), SIZE)
    assert not free.out[must[free.made.origin]].all()  # of itself it would not


def test_a_row_of_triangles_that_goes_is_not_lost():
    seen = globe(3)
    z = seen.positions[seen.triangles][:, :, 2]
    out = (z.min(axis=1) < 0.0) & (z.max(axis=1) > 0.0)
    out = tidied(seen, across_sides(seen.triangles), out, 0.5)
    rimmed = smoothly_cut(seen, out, np.zeros(len(out), dtype=bool), SIZE)
    beside = across_sides(rimmed.seen.triangles)
    rows, sides = np.nonzero(~rimmed.out[:, None] & rimmed.out[beside])
    assert len(borders(rimmed.seen.triangles, 3 * rows + sides)) == 2
    assert 0.6 < area(rimmed.seen, rimmed.out) / area(seen, out) < 1.6


def test_parts_are_made_whole_again():
    seen = globe(2)
    out = cap(seen, 0.4, 0.05) | cap(surface(-seen.positions, seen.triangles), 0.4, 0.05)
    rimmed = smoothly_cut(seen, out, np.zeros(len(out), dtype=bool), SIZE)
    low = np.zeros(len(out), dtype=bool)
    low[rimmed.made.origin[rimmed.out & (rimmed.seen.positions[rimmed.seen.triangles].mean(axis=1) @ ACROSS < 0.0)]] = True
    again = rimmed.made.restored(seen, low)
    assert unpaired_edges(again.triangles) == 0 and len(seen.triangles) < len(again.triangles) < len(rimmed.made.triangles)
    below = seen.positions[seen.triangles].mean(axis=1) @ ACROSS < 0.0
    cut = again.change(seen)
    assert below[cut.origin[cut.whole]].sum() == below.sum()
    everything = rimmed.made.restored(seen, np.ones(len(out), dtype=bool))
    assert everything.untouched.all() and len(everything.triangles) == len(out)


def test_a_surface_of_which_nothing_or_all_goes_is_not_cut():
    seen = globe(0)
    for share in (False, True):
        out = np.full(len(seen.triangles), share)
        rimmed = smoothly_cut(seen, out, out, SIZE)
        assert rimmed.made.untouched.all() and (rimmed.out == out).all()


def test_pairs_are_of_what_is_left_of_both():
    seen = globe(0)
    out = cap(seen, 0.4, 0.05)
    rimmed = smoothly_cut(seen, out, np.zeros(len(out), dtype=bool), SIZE)
    left = np.unique(rimmed.made.origin[rimmed.out])
    stays = np.setdiff1d(np.arange(len(out)), left)
    pairs = np.array([[left[0], left[-1]], [left[3], stays[0]], [left[5], left[2]]])
    found = rimmed.parts_of(pairs)
    assert (rimmed.made.origin[found] == pairs[[0, 2]]).all() and rimmed.out[found].all()
    assert not len(Rimmed(Patchwork.of(seen), out).parts_of(np.flatnonzero(~out)[:2][None]))


def test_faces_that_are_lines_have_no_say():
    """Three places in one: no angle, and so no share of anything."""
    part = Surface(np.zeros((3, 3)), np.array([[0, 1, 2]], dtype=np.int32))
    assert np.isfinite(_mean_values(part, np.zeros((1, 3))).toarray()).all()

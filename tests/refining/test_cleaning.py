"""Slivers of a surface that has been squeezed go, and nothing else: not what was so at the start, nor what has a border."""

import numpy as np
import pytest

from solver.cache.topology import NamedArray
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.refining.borders import borders
from solver.refining.cleaning import ERROR
from solver.refining.cleaning import cleaned as cleaned_between
from solver.refining.grain import stoutness
from solver.refining.patchwork import Patchwork
from solver.tearing.cut_topology import cut_topology
from tests.surfaces import cone, joined, sphere, surface
from tests.tearing.shapes import record_of

from .shapes import bar, crossing, grain_of, lengths, smallest_angle

SIZE = 0.4  # of tets [m]


def cleaned(made, grain, size):
    """However long edges become."""
    return cleaned_between(made, grain, np.full(len(made.positions), 1e9), size)


def squeezed(part, times=0.1):
    """Pressed together along x and spread across."""
    return surface(part.positions * (times, times**-0.5, times**-0.5), part.triangles)


def apart(one, other) -> float:
    """How far points of one surface lie from the other, at most [m]."""
    tree = triangle_tree(other.positions, other.triangles)
    corners = one.positions[one.triangles]
    points = np.concatenate(
        [one.positions[np.unique(one.triangles)], corners.mean(axis=1), 0.5 * (corners[:, 0] + corners[:, 1])]
    )
    return float(closest_points(tree, np.ascontiguousarray(points)).distance.max())


def test_short_edges_go_and_the_surface_stays_where_it_is():
    rest = bar()
    flat = squeezed(rest)
    seen = surface(flat.positions + (0.0, 0.03, 0.02) * np.sin(30.0 * flat.positions[:, :1]), flat.triangles)
    grain = grain_of(rest)
    made = cleaned(Patchwork.of(seen), grain, SIZE)
    cut = made.change(seen)
    after = surface(cut.positions, cut.triangles)
    short = lengths(seen.positions, seen.triangles) < 0.2 * grain.shortest[seen.triangles]
    left = lengths(after.positions, after.triangles) < 0.2 * grain.shortest[cut.kept][after.triangles]
    assert short.sum() > 1000 and left.sum() < 0.1 * short.sum()
    assert unpaired_edges(after.triangles) == 0 and not crossing(after.positions, after.triangles)
    assert max(apart(seen, after), apart(after, seen)) < 2.0 * ERROR * SIZE
    assert (after.positions == seen.positions[cut.kept]).all()
    volume = signed_volumes(seen.positions, seen.triangles).sum()
    assert signed_volumes(after.positions, after.triangles).sum() == pytest.approx(volume, rel=0.01)
    again = cleaned(Patchwork.of(seen), grain, SIZE)
    assert again.triangles.tobytes() == made.triangles.tobytes() and again.weights.tobytes() == made.weights.tobytes()
    # every corner that is left still has what lay on it
    new = cut_topology(record_of(seen), cut)
    corner = next(layer.values for layer in new.attributes if layer.name == "corner")
    assert np.abs(corner - after.positions[new.corner_vertices]).max() < 1e-6


def test_borders_and_what_is_coarse_for_tets_stay():
    rest = bar()
    seen, middle = squeezed(rest), np.flatnonzero(np.abs(rest.positions[:, 1]) < 0.05)
    free = cleaned(Patchwork.of(seen), grain_of(rest), SIZE).change(seen).kept
    kept = cleaned(Patchwork.of(seen), grain_of(rest, middle), SIZE).change(seen).kept
    assert np.isin(middle, kept).all() and not np.isin(middle, free).all() and len(kept) < len(seen.positions)
    assert cleaned(Patchwork.of(seen), grain_of(rest), 0.02).untouched.all()


def test_what_was_so_at_the_start_stays():
    """A fan of needles, and short edges beside long ones, on tets so large that all of it were short."""
    for part in (cone(64), sphere(24), bar(30, 4, (1.0, 0.02, 0.02))):
        assert cleaned(Patchwork.of(part), grain_of(part), 100.0).untouched.all()


def flattened(height=0.02):
    """A bar with one vertex of a side drawn all but onto the diagonal across it, and the triangle that is flat."""
    rest = bar(8, 4, (2.0, 1.0, 1.0))
    places = rest.positions.copy()
    top = np.flatnonzero((rest.positions[rest.triangles][:, :, 2] > 0.5 - 1e-9).all(axis=1))
    inner = np.abs(rest.positions[rest.triangles[top]][:, :, :2]).max(axis=(1, 2)) < 0.3
    row = int(top[np.flatnonzero(inner)[0]])
    side = int(lengths(places, rest.triangles)[row].argmax())
    a, b, c = np.roll(rest.triangles[row], -side)
    places[c] = 0.5 * (places[a] + places[b]) + height * (places[c] - 0.5 * (places[a] + places[b]))
    return rest, surface(places, rest.triangles), row


def test_a_flat_triangle_is_flipped():
    rest, seen, row = flattened()
    assert stoutness(seen.positions, seen.triangles).argmin() == row and smallest_angle(seen.positions, seen.triangles) < 2.0
    made = cleaned(Patchwork.of(seen), grain_of(rest), SIZE)
    cut = made.change(seen)
    assert len(cut.triangles) == len(seen.triangles) and 2 <= (~cut.whole).sum() <= 6 and unpaired_edges(cut.triangles) == 0
    assert smallest_angle(cut.positions, cut.triangles) > 15.0 and not crossing(cut.positions, cut.triangles)
    assert apart(seen, surface(cut.positions, cut.triangles)) < ERROR * SIZE
    new = cut_topology(record_of(seen), cut)
    corner = next(layer.values for layer in new.attributes if layer.name == "corner")
    assert np.abs(corner - cut.positions[new.corner_vertices]).max() < 1e-6
    assert cleaned(Patchwork.of(seen), grain_of(rest, seen.triangles[row]), SIZE).untouched[row]  # a border runs along it
    assert cleaned(Patchwork.of(seen), grain_of(seen), SIZE).untouched.all()  # it was so at the start


def test_nothing_new_passes_through_what_lies_close():
    """A speck under the ridge that a flip takes away: then it is not flipped."""
    rest, seen, row = flattened(0.02)
    a, b, c = np.roll(seen.triangles[row], -int(lengths(seen.positions, seen.triangles)[row].argmax()))
    places = seen.positions.copy()
    places[c, 2] -= 0.01
    bent = surface(places, seen.triangles)
    assert not cleaned(Patchwork.of(bent), grain_of(rest), 20.0).untouched[row]
    for depth, stays in ((0.01, True), (0.3, False)):
        speck = sphere(4, 0.001, 0.5 * (places[a] + places[b]) - (0.0, 0.0, depth))
        both, before = joined(bent, speck), joined(rest, speck)
        assert not crossing(both.positions, both.triangles)
        made = cleaned(Patchwork.of(both), grain_of(before), 20.0)
        assert made.untouched[row] == stays and not crossing(made.positions, made.triangles)


def test_borders_of_a_record_are_found():
    """Seams of a UV map, borders of materials and marked edges: their vertices, and no others."""
    part = bar(8, 2)
    record = record_of(part)
    plain = {"attributes": (), "uv_layers": {}, "material_index": np.zeros(0, dtype=np.int32)}
    bare = type(record)(**{**vars(record), **plain})
    assert not len(borders(bare))
    places = part.positions[bare.corner_vertices]
    right = np.repeat(part.positions[part.triangles].mean(axis=1)[:, 0] > 0.0, 3)
    middle = np.flatnonzero(np.abs(part.positions[:, 0]) < 1e-9)
    seamless = {"map": np.ascontiguousarray(places[:, :2], dtype=np.float32)}
    assert not len(borders(type(record)(**{**vars(bare), "uv_layers": seamless})))
    cut = {"map": np.where(right[:, None], 5.0, 0.0).astype(np.float32) + seamless["map"]}
    assert borders(type(record)(**{**vars(bare), "uv_layers": cut})).tolist() == middle.tolist()
    slots = right[::3].astype(np.int32)
    assert borders(type(record)(**{**vars(bare), "material_index": slots})).tolist() == middle.tolist()
    marks = np.zeros(len(record.edges), dtype=bool)
    marks[7] = True
    sharp = NamedArray("sharp_edge", "EDGE", "BOOLEAN", marks)
    assert borders(type(record)(**{**vars(bare), "attributes": (sharp,)})).tolist() == sorted(record.edges[7].tolist())

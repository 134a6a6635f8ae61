"""Edges that are drawn out are halved: nothing moves, nothing opens, and all that lies on the surface stays where it is."""

import numpy as np
import pytest

from solver.cache.topology import SurfaceTopology
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import area_vectors, signed_volumes
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.refining.halving import drawn_out, halved, longest_allowed
from solver.tearing.cut_topology import cut_topology
from tests.surfaces import joined, soup, sphere, surface, with_holes
from tests.tearing.shapes import record_of

from .shapes import bar, crossing, grain_of, lengths, smallest_angle

MANY = 10**6


def plainly(seen, allowed, most=MANY):
    """Halved with nothing fixed, and moved by nothing."""
    return halved(seen, allowed, most, np.zeros(len(allowed), dtype=bool), 1e-9)


def stretched(part, times=4.0):
    """Drawn out along x, its volume kept."""
    return surface(part.positions * (times, times**-0.5, times**-0.5), part.triangles)


def area(part) -> float:
    return float(np.sqrt((area_vectors(part.positions, part.triangles) ** 2).sum(axis=1)).sum())


@pytest.fixture(scope="module")
def drawn():
    rest = bar()
    return stretched(rest), longest_allowed(grain_of(rest), 1.5, 0.0)


@pytest.fixture(scope="module")
def cut(drawn):
    seen, allowed = drawn
    return plainly(seen, allowed).change(seen)


def test_no_edge_stays_longer_than_allowed_and_nothing_opens_or_moves(drawn, cut):
    seen, allowed = drawn
    assert drawn_out(seen.positions, seen.triangles, allowed) > 2.0 and allowed.max() == pytest.approx(1.5 / 24 * 2**0.5)
    assert lengths(cut.positions, cut.triangles).max() <= 1.5 / 24 * 2**0.5
    assert unpaired_edges(cut.triangles) == 0 and not crossing(cut.positions, cut.triangles)
    assert cut.positions[: len(cut.kept)].tobytes() == seen.positions.tobytes()
    after = surface(cut.positions, cut.triangles)
    assert area(after) == pytest.approx(area(seen), rel=1e-12)
    assert signed_volumes(cut.positions, cut.triangles).sum() == pytest.approx(
        signed_volumes(seen.positions, seen.triangles).sum()
    )
    found = closest_points(triangle_tree(seen.positions, seen.triangles), cut.positions)
    assert found.distance.max() < 1e-12


def test_of_a_triangle_the_longest_side_goes_first(drawn):
    """Of two sides that are halved the shorter one's middle is joined to the longer one's, not to the corner across."""
    part = surface([(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.5, 1.5, 0.0)], [(0, 1, 2)])
    for turn in range(3):
        turned = surface(part.positions, np.roll(part.triangles, turn, axis=1))
        made = plainly(turned, np.full(3, 2.3))
        ends = {tuple(sorted(side)) for t in made.triangles.tolist() for side in zip(t, np.roll(t, -1).tolist(), strict=True)}
        longest = next(k for k in range(3, 5) if np.allclose(made.positions[k], (2.0, 0.0, 0.0)))
        assert len(made.triangles) == 3 and (2, longest) in ends and smallest_angle(made.positions, made.triangles) > 20.0


def test_a_square_drawn_out_is_cut_across_and_its_diagonal_flipped():
    """Into two squares, each of two triangles, as long as the surface is flat there and no border runs along."""
    corners = np.array([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 1.0, 0.0), (0.0, 1.0, 0.0)])
    flat = surface(corners, [(0, 1, 2), (0, 2, 3)])
    allowed, free = np.full(4, 1.5), np.zeros(4, dtype=bool)
    made = halved(flat, allowed, MANY, free, 1e-3)
    assert len(made.triangles) == 4 and smallest_angle(made.positions, made.triangles) == pytest.approx(45.0)
    assert (
        np.abs(
            np.einsum("tki,tkij->tkj", made.weights, corners[flat.triangles[made.owners]]) - made.positions[made.triangles]
        ).max()
        < 1e-15
    )
    bent = surface(corners + (0.0, 0.0, 0.1) * (corners[:, :1] * corners[:, 1:2]), flat.triangles)
    for seen, fixed in ((bent, free), (flat, ~free)):
        assert len(halved(seen, allowed, MANY, fixed, 1e-3).triangles) > 4
    assert len(halved(bent, allowed, MANY, free, 0.2).triangles) == 4


def test_all_that_lies_on_it_stays_in_its_place(drawn, cut):
    """Values that tell where they are still do so, for each corner and vertex, to the last bit of single precision or so."""
    seen, _ = drawn
    new = cut_topology(record_of(seen), cut)
    layers = {layer.name: layer.values for layer in new.attributes}
    corners = cut.positions[new.corner_vertices]
    assert np.abs(layers["place"] - cut.positions).max() < 2e-7 and np.abs(layers["corner"] - corners).max() < 2e-7
    assert np.abs(new.uv_layers["map"] - corners[:, :2]).max() < 2e-7
    assert new.vertex_groups is not None and np.abs(new.vertex_groups.weights - cut.positions[:, 0]).max() < 2e-7
    assert (layers["number"] == cut.origin).all() and (new.material_index == cut.origin % 2).all()
    # both halves of a marked edge are marked, what runs through old faces is not
    ends = layers["end"]
    one, other = cut.positions[new.edges].transpose(1, 0, 2)
    aside = np.cross(other - one, seen.positions[ends] - one) / np.linalg.norm(other - one, axis=1)[:, None]
    assert (ends > 0).sum() > 1500 and np.abs(aside[ends > 0]).max() < 1e-9
    assert (ends == 0).sum() > 500


def test_squares_that_no_cut_touches_stay_squares():
    part = bar(8, 2)
    record = SurfaceTopology(
        len(part.positions), np.arange(len(part.triangles) // 2 + 1, dtype=np.int32) * np.int32(4),
        np.concatenate([part.triangles[::2], part.triangles[1::2, 2:]], axis=1).ravel(),
    )  # fmt: skip
    places = part.positions.copy()
    places[:, 0] += np.where(places[:, 0] > 0.0, 3.0 * places[:, 0], 0.0)
    seen = surface(places, part.triangles)
    cut = plainly(seen, longest_allowed(grain_of(part), 1.5, 0.0)).change(seen)
    new = cut_topology(record, cut)
    sizes = np.diff(new.face_offsets)
    assert (sizes == 4).sum() == 4 * 2 * 4 + 8 and set(sizes.tolist()) == {3, 4}
    again = plainly(surface(cut.positions, cut.triangles), np.full(len(cut.positions), 0.1))
    twice = cut_topology(new, again.change(surface(cut.positions, cut.triangles)))
    assert twice.vertex_count == len(again.positions)


def test_edges_shorter_than_half_an_element_stay(drawn):
    seen, _ = drawn
    allowed = longest_allowed(grain_of(bar()), 1.5, 10.0)
    assert plainly(seen, allowed).untouched.all()


def test_there_are_never_more_than_allowed_and_the_longest_go_first(drawn):
    seen, allowed = drawn
    most = len(seen.triangles) + 100
    places = seen.positions * 1.0
    places[:, 0] += 0.2 * (places[:, 0] + 2.0) ** 2  # the longer the farther along
    made = plainly(surface(places, seen.triangles), allowed, most)
    assert len(seen.triangles) + 50 < len(made.triangles) <= most and unpaired_edges(made.triangles) == 0
    assert made.positions[len(seen.positions) :, 0].min() > 2.0


@pytest.mark.parametrize("part", [with_holes(sphere(12)), soup(sphere(8)), joined(sphere(8), sphere(8, 0.5))])
def test_open_and_loose_faces_are_halved_without_a_gap(part):
    """Corners that lie in one place still do: both sides of a gap of no width are cut alike."""
    seen = stretched(part)
    made = plainly(seen, longest_allowed(grain_of(part), 1.5, 0.0))
    again = plainly(stretched(part), longest_allowed(grain_of(part), 1.5, 0.0))
    assert made.triangles.tobytes() == again.triangles.tobytes() and made.positions.tobytes() == again.positions.tobytes()
    assert area(surface(made.positions, made.triangles)) == pytest.approx(area(seen))
    closest = closest_points(triangle_tree(seen.positions, seen.triangles), made.positions)
    assert (
        closest.distance.max() < 1e-12
        and lengths(made.positions, made.triangles).max() < 0.7 * lengths(seen.positions, seen.triangles).max()
    )
    # a corner that lies on a side of another triangle, but on none of its corners, would be a gap to be
    places = np.unique(np.round(made.positions, 9), axis=0)
    middles = np.round(0.5 * (made.positions[made.triangles] + made.positions[np.roll(made.triangles, -1, axis=1)]), 9).reshape(
        -1, 3
    )
    together = np.unique(np.concatenate([places, np.unique(middles, axis=0)]), axis=0)
    assert len(together) == len(places) + len(np.unique(middles, axis=0))

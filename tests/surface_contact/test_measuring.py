"""Pairs a tile at a time: what is told of them is what is found of one pair after the other."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.surfaces import terms
from solver.contact.surfaces.distance import closing, lines_closest
from solver.contact.surfaces.measuring import TILE, closings, make_exact, may_come_close, measure_pairs
from solver.contact.surfaces.pairs import distances
from solver.jit import kernel

KINDS = ("points", "edges")


def scattered(count, seed):
    """Places (n, 3) of pairs (count, 4) side by side, flat ones and slivers among them, and how they go."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(4 * count, 3))
    near = rng.integers(0, 4, count)
    places[0::4] += 0.0
    for k in np.flatnonzero(near == 1):  # one side of the pair drawn together to a sliver
        places[4 * k + 1] = places[4 * k + 2] + 1e-7 * rng.normal(size=3)
    for k in np.flatnonzero(near == 2):  # two lines all but parallel
        places[4 * k + 3] = places[4 * k + 2] + places[4 * k + 1] - places[4 * k] + 1e-9 * rng.normal(size=3)
    for k in np.flatnonzero(near == 3):  # a point of no size
        places[4 * k + 1] = places[4 * k + 2] = places[4 * k + 3]
    return places, np.arange(4 * count, dtype=np.int32).reshape(-1, 4), 0.5 * rng.normal(size=places.shape)


@kernel
def _one_by_one(positions, direction, nodes, points, speed, inside):  # type: ignore[no-untyped-def]
    moves = np.empty((4, 3))
    for k in range(len(nodes)):
        speed[k] = closing(direction, nodes[k], k >= points, moves)
        p = nodes[k]
        inside[k] = lines_closest(positions[p[0]], positions[p[1]], positions[p[2]], positions[p[3]])[2]


@pytest.mark.parametrize("count", [1, TILE - 1, TILE, TILE + 1, 1500])
@pytest.mark.parametrize("points", [0.0, 0.37, 1.0])
def test_distances_and_closings_are_those_of_each_pair(count, points):
    places, nodes, direction = scattered(count, count)
    points = int(points * count)
    speed, inside, told = np.empty(count), np.empty(count, np.bool_), np.empty(count)
    _one_by_one(places, direction, nodes, points, speed, inside)
    every, true = np.arange(count), distances(places, nodes, points)
    closings(direction, nodes, points, every, told)
    assert told == pytest.approx(speed, rel=1e-12)

    distance, exact, which = np.zeros(count), np.zeros(count, np.bool_), np.empty(count, np.int64)
    reach, nothing = np.full(count, 0.8), np.zeros(0)
    pushing = which[: measure_pairs(places, nodes, points, reach, nothing, nothing, distance, exact, which)]
    assert exact[:points].all() and (exact[points:] == inside[points:]).all()
    assert pushing.tolist() == np.flatnonzero(exact & (true < reach)).tolist()
    assert distance[exact] == pytest.approx(true[exact], rel=1e-9, abs=1e-12)
    assert (distance <= true * (1.0 + 1e-9) + 1e-12).all()

    some = every[::3]
    make_exact(places, nodes, points, some, distance, exact)
    assert exact[some].all() and distance[some] == pytest.approx(true[some], rel=1e-9, abs=1e-12)


def corners_of_box(box, count, rng):
    """Of a box with half edges (3, 3) corners and insides (count, 3)."""
    return np.where(rng.random((count, 1)) < 0.5, np.sign(rng.normal(size=(count, 3))), rng.uniform(-1, 1, (count, 3))) @ box


@pytest.mark.parametrize("kind", KINDS)
def test_what_may_come_close_is_all_that_does(kind):
    """Of pairs on a share of their way, each side beside it by half of what the box holds: all that come close are told."""
    places, nodes, direction = scattered(1000, 7)
    edges, rng = kind == "edges", np.random.default_rng(8)
    points, first, reach = 0 if edges else len(nodes), 2 if edges else 1, 0.5
    turn = Rotation.from_rotvec([0.3, -1.1, 0.5]).as_matrix()
    box, (close, came) = turn * np.array([0.3, 0.1, 0.02])[:, None], np.zeros((2, len(nodes)), np.bool_)
    may_come_close(places, direction, nodes, edges, reach, box, close)
    for _ in range(400):
        off = 0.5 * np.stack([corners_of_box(box, len(nodes), rng) for _ in range(4)], axis=1)
        together = rng.random(len(nodes)) < 0.5  # each side as one: so they come closest
        off[together, :first], off[together, first:] = off[together, :1], -off[together, :1]
        moved = places + rng.choice([0.0, 0.5, 1.0, rng.random()]) * direction + off.reshape(-1, 3)
        came |= distances(moved, nodes, points) < reach
    assert not (came & ~close).any()
    assert came.sum() > 100 and close.sum() < 2.0 * came.sum()


@pytest.mark.parametrize("kind", KINDS)
def test_what_may_come_close_without_room_is_what_is_seen_to_along_the_line_between(kind):
    """What goes by, or away, does not come close; what comes straight on does, as far as it goes."""
    place = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.5, -1.0, 0.0], [0.5, 1.0, 0.0]])
    if kind == "points":
        place = np.array([[0.2, 0.2, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    nodes, first, close = np.arange(4, dtype=np.int32)[None], 2 if kind == "edges" else 1, np.empty(1, np.bool_)

    def told(way, box):
        direction = np.zeros((4, 3))
        direction[:first] = way
        may_come_close(place, direction, nodes, kind == "edges", 0.1, np.diag(box), close)
        return bool(close[0])

    nothing = (0.0, 0.0, 0.0)
    assert not told((5.0, 5.0, 0.0), nothing) and not told((0.0, 0.0, 5.0), nothing)
    assert not told((0.0, 0.0, -0.899), nothing) and told((0.0, 0.0, -0.901), nothing)
    assert not told(nothing, (5.0, 5.0, 0.899)) and told(nothing, (0.0, 0.0, 0.901))
    assert told((0.0, 0.0, -0.5), (0.0, 0.0, 0.401)) and not told((0.0, 0.0, -0.5), (0.0, 0.0, 0.399))


@kernel
def _left_out(places, nodes, edges, reach, skipped, counted):  # type: ignore[no-untyped-def]
    corners = terms.corners_of
    for k in range(len(nodes)):
        pair = nodes[k]
        w0, w1, w2, w3, _, _, _ = terms.closest_points(places, pair, edges)
        if edges:
            a, b, c, d = corners(places, pair)
            s, t, inside = lines_closest(a, b, c, d)
            skipped[k] = inside and terms._crosses_far_inside(places, pair, s, t, reach)
            s, t = terms.closest_ends(a, b, c, d)
            gap = a - c + s * (b - a) - t * (d - c)
            counted[k] = np.sqrt((gap * gap).sum()) < reach
        else:
            skipped[k] = terms._far_inside(places, pair, w1, w2, w3, reach)
            counted[k] = False
            for m in range(3):
                counted[k] |= terms._edge_of(places, pair, m, reach)[3] > 0.0
                counted[k] |= terms._corner_of(places, pair, m, reach)[0] > 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_out_far_inside_counts_for_nothing(kind):
    """Of points over a triangle, and edges that cross, that are close: sides and ends within reach are never left out."""
    rng, count, edges = np.random.default_rng(5), 20000, kind == "edges"
    places = rng.normal(size=(count, 4, 3))
    if edges:
        places[:, :, 2] = np.array([0.02, 0.02, 0.0, 0.0])
    else:
        places[:, :, 2] = np.array([0.02, 0.0, 0.0, 0.0])
    nodes = np.arange(4 * count, dtype=np.int32).reshape(-1, 4)
    skipped, counted = np.empty((2, count), np.bool_)
    _left_out(places.reshape(-1, 3), nodes, edges, 0.1, skipped, counted)
    assert not (skipped & counted).any()
    assert skipped.sum() > 1000 and (~skipped & ~counted).sum() < count

"""Pairs of a refined surface begin where they are: with no more energy than was there, and without passing through anything."""

import numpy as np
import pytest

from solver.contact.surfaces.fresh_pairs import Begun, FreshPairs, Sides, Told, energy_of, softened
from solver.contact.surfaces.pairs import Pairs, apart_at_rest, distances

REACH = 0.1


def below(heights, reach=REACH):
    """Pairs of a point each at some heights over one triangle, and the places of all: the corners come last."""
    count = len(heights)
    flat = np.array([[-100.0, -100.0, 0.0], [200.0, -100.0, 0.0], [-100.0, 200.0, 0.0]])
    points = np.column_stack([0.1 * np.arange(count), np.zeros(count), heights])
    nodes = np.column_stack([np.arange(count), *(np.full(count, count + m) for m in range(3))]).astype(np.int32)
    of = np.full(count, 1.0)
    pairs = Pairs(nodes, count, reach * of, 50.0 * of, 0.0 * of, 0.5 * of, np.full((count, 3), 0.2))
    return pairs, np.concatenate([points, flat])


def test_what_nobody_has_pressed_pushes_with_nothing():
    pairs, places = below([0.01, 0.05, 0.2])
    fresh = Begun.of(pairs, places, None, 1.0, 1e-9).fresh
    now = fresh.limited(pairs)
    assert energy_of(pairs, places) > 0.0 and energy_of(now, places) == 0.0
    np.testing.assert_allclose(now.reach, [0.01, 0.05, REACH])
    closer = places.copy()
    closer[0, 2] = 0.005
    assert energy_of(now, closer) > 0.0  # it does not let anything through


def test_what_parts_reaches_as_far_as_it_has_been_apart():
    pairs, places = below([0.01, 0.05])
    fresh = Begun.of(pairs, places, None, 1.0, 1e-9).fresh
    assert fresh.parted(places, REACH) is fresh
    apart = places + [0.0, 0.0, 0.02] * (np.arange(5) < 2)[:, None]
    wider = fresh.parted(apart, REACH)
    np.testing.assert_allclose(wider.limited(pairs).reach, [0.03, 0.07])
    assert energy_of(wider.limited(pairs), apart) == 0.0
    assert wider.parted(places, REACH) is wider  # nor less far when they are pressed again
    gone = wider.parted(apart + [0.0, 0.0, 1.0] * (np.arange(5) < 1)[:, None], REACH)
    assert len(gone.reach) == 1
    assert gone.parted(apart + [0.0, 0.0, 1.0] * (np.arange(5) < 2)[:, None], REACH) is None


def test_where_an_old_pair_was_pushing_a_new_one_does_so():
    """As much as it: half as near as its reach; but only the nearest tells, and only nearby."""
    old, before = below([0.05, 0.2])
    told = Told.of(old, REACH, before)
    pairs, places = below([0.04, 0.06, 0.05])
    places[:3, 0] = 0.03, 0.06, 40.0
    begun = Begun.of(pairs, places, told, 1.0, 1e-9)
    assert begun.new.all()
    np.testing.assert_allclose(begun.reach, [0.08, REACH, 0.05])


def test_a_pair_of_before_keeps_its_reach():
    """However its triangle's corners are turned, and whatever pairs are near it."""
    old, before = below([0.02, 0.03])
    old = old._replace(reach=np.array([0.04, 0.09]))
    told = Told.of(old, REACH, before)
    pairs, places = below([0.02, 0.03, 0.025])
    places[2, 0] = 0.001
    pairs = pairs._replace(nodes=np.ascontiguousarray(pairs.nodes[:, [0, 3, 1, 2]]))
    begun = Begun.of(pairs, places, told, 1.0, 1e-9)
    np.testing.assert_allclose(begun.reach, [0.04, 0.09, 0.05])
    assert begun.new.tolist() == [False, False, True]


@pytest.mark.parametrize("share", [1.5, 0.5], ids=["new ones give way", "all give way"])
def test_all_together_hold_no_more_than_was_there(share):
    old, before = below([0.05])
    told = Told.of(old, REACH, before)
    pairs, places = below([0.05, 0.04, 0.04])
    begun = Begun.of(pairs, places, told, 1.0, 1e-9)
    most = share * told.energy
    assert begun.energy(places) > most
    (softer,) = softened([begun], places, most)
    assert 0.97 * most < softer.energy(places) <= most
    assert (softer.reach >= softer.gaps).all()
    assert (softer.reach[0] == REACH) == (share > 1.0)


def test_what_all_but_lies_in_its_own_skin_is_no_pair_until_it_is_apart():
    pairs, places = below([1e-12, 0.05])
    fresh = Begun.of(pairs, places, None, 1.0, 1e-15).fresh
    assert len(fresh.limited(pairs).nodes) == 1
    places[0, 2] = 0.5 * 0.01 * REACH
    assert fresh.parted(places, REACH).limited(pairs).reach.tolist() == [0.05]
    places[0, 2] = 0.02 * REACH
    np.testing.assert_allclose(fresh.parted(places, REACH).limited(pairs).reach, [0.02 * REACH, 0.05])


def test_what_has_come_since_is_no_one_skin_with_what_it_would_lie_on():
    """At rest both points all but lie on the triangle: only the one that lay there then is one skin with it."""
    pairs, rest = below([1e-7, 1e-7, 0.02])
    kept = apart_at_rest(pairs, rest, REACH, since=np.array([True, False, False]))
    assert kept.nodes[:, 0].tolist() == [0, 2] and kept.points == 2
    np.testing.assert_allclose(kept.reach, [0.01 * REACH, 0.01])


def test_checkpoints_keep_them():
    pairs, places = below([0.01, 0.05])
    fresh = Begun.of(pairs, places, None, 1.0, 1e-9).fresh
    again = FreshPairs.from_arrays(fresh.arrays())
    assert (again.sides.nodes == fresh.sides.nodes).all() and (again.reach == fresh.reach).all()
    assert (again.limited(pairs).reach == fresh.limited(pairs).reach).all()


def test_pairs_are_the_same_however_their_sides_are_written():
    nodes = np.array([[0, 1, 2, 3], [4, 5, 6, 7]], np.int32)
    other = np.array([[0, 3, 1, 2], [7, 6, 4, 5]], np.int32)
    assert Sides.of(nodes, 1).among(Sides.of(other, 1)).tolist() == [0, 1]
    assert Sides.of(nodes[1:], 0).among(Sides.of(nodes[1:], 1)).tolist() == [-1]
    assert distances(np.eye(8)[:, :3], *Sides.of(nodes, 1)).shape == (2,)

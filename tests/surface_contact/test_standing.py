"""How pairs stand: what is taken over from another list of pairs is what would be worked out anew."""

import numpy as np
import pytest

from solver.contact.surfaces.candidates import Neighbourhood
from solver.contact.surfaces.clusters import Clusters
from solver.contact.surfaces.distance import closing, closing_at_most, speeds_of
from solver.contact.surfaces.friction import Friction
from solver.contact.surfaces.pairs import distances, taken
from solver.contact.surfaces.standing import Standing
from solver.jit import kernel
from tests.surface_contact.bodies import block, crumpled, surfaces_of


@pytest.fixture
def found():
    """Places of two crumpled slabs, and their pairs."""
    slab = block((6, 6, 1), 0.25)
    places, surfaces = surfaces_of((crumpled(slab[0], 0.04), slab[1]), (slab[0] + [0.1, 0.05, 0.3], slab[1]))
    first, second = (Clusters(surface, places) for surface in surfaces)
    search = Neighbourhood(first, second, places, 0.12, 1e4, 0.5)
    search.cover(places, places)
    return places, search.pairs


def same(one, other):
    close = all(np.array_equal(a, b) for a, b in zip(vars(one.close).values(), vars(other.close).values(), strict=True))
    springs = zip(one.springs(Friction()), other.springs(Friction()), strict=True)
    return close and all(np.array_equal(a, b) for a, b in springs)


def test_what_pushes_is_kept_when_what_is_far_has_changed(found):
    places, pairs = found
    known = Standing(pairs, places)
    assert len(known.close.which) > 50
    known.springs(Friction())
    far = np.flatnonzero(known.distance >= pairs.reach)
    fewer = np.ones(len(pairs.nodes), dtype=bool)
    fewer[far[::2]] = False
    others = taken(pairs, fewer)
    after = Standing.after((known,), others, places, np.arange(len(places)))
    assert "barriers" in vars(after) and same(after, Standing(others, places))
    assert not np.array_equal(after.close.which, known.close.which)


def test_what_pushes_is_worked_out_anew_elsewhere_or_when_it_has_changed(found):
    places, pairs = found
    known = Standing(pairs, places)
    weaker = pairs._replace(stiffness=0.5 * pairs.stiffness)
    fewer = taken(pairs, np.arange(len(pairs.nodes)) != known.close.which[7])
    moved = places + [0.0, 0.0, 1e-6] * np.sin(40.0 * places)
    for others, there in ((weaker, places), (fewer, places), (pairs, moved)):
        after = Standing.after((known,), others, there, np.arange(len(there)))
        assert "barriers" not in vars(after) and same(after, Standing(others, there))


@kernel
def _closings(direction, pairs, edges, exact, bound):  # type: ignore[no-untyped-def]
    speeds, moves = speeds_of(direction, pairs.ravel().astype(np.int64)), np.empty((4, 3))
    for k in range(len(pairs)):
        exact[k], bound[k] = closing(direction, pairs[k], edges, moves), closing_at_most(speeds, pairs[k], edges)


@pytest.mark.parametrize("edges", [False, True])
def test_no_pair_closes_faster_than_its_nodes_go_beside_another(edges):
    rng = np.random.default_rng(4)
    direction = rng.normal(size=(4000, 3)) * 10.0 ** rng.uniform(-3.0, 1.0, (4000, 1)) + [30.0, -20.0, 10.0]
    pairs = np.arange(4000, dtype=np.int32).reshape(-1, 4)
    exact, bound = np.empty((2, len(pairs)))
    _closings(direction, pairs, edges, exact, bound)
    assert (exact <= bound).all() and (exact > 0.6 * bound).any()


def test_pairs_are_told_to_be_apart_at_least_as_far_as_they_are(found):
    """Wherever the points have gone, with the same that push; exactly, where that is said."""
    places, pairs = found
    known, every = Standing(pairs, places), np.arange(len(places))
    true = distances(places, pairs.nodes, pairs.points)
    assert (known.distance <= true * (1.0 + 1e-12)).all() and not known.exact.all()
    for size in (1e-4, 1e-3, 1e-2):
        there = places + size * np.sin(37.0 * places[:, [1, 2, 0]]) + [0.3, -0.2, 0.1]
        told, anew = Standing(pairs, there, known, every), Standing(pairs, there)
        true = distances(there, pairs.nodes, pairs.points)
        for stand in (told, anew):
            assert (stand.distance <= true * (1.0 + 1e-12)).all()
            np.testing.assert_allclose(stand.distance[stand.exact], true[stand.exact], rtol=1e-12)
            assert stand.exact[stand.pushing].all()
        assert np.array_equal(told.pushing, anew.pushing) and len(told.pushing) > 20
        assert told.exact.sum() < anew.exact.sum()

"""The search for pairs against all pairs there are, and against ipctk's."""

import ipctk
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.surfaces import candidates
from solver.contact.surfaces.candidates import Neighbourhood
from solver.contact.surfaces.clusters import Clusters, near_clusters
from solver.contact.surfaces.overlap import Way, edges_near
from solver.contact.surfaces.pairs import distances, no_pairs
from solver.contact.surfaces.rooms import Rooms
from solver.contact.surfaces.surface_contact import SurfaceContact
from solver.contact.surfaces.touch import Touch
from tests.surface_contact.bodies import block, crumpled, surfaces_of, themselves

REACH = 0.15


@pytest.fixture
def slab():
    """A folded slab (positions) and its surface."""
    places, surfaces = surfaces_of(block((8, 8, 1), 0.25))
    return crumpled(places, 0.08), places, surfaces[0]


def neighbourhood(surfaces, rest, reach=REACH):
    boxes = [Clusters(surface, rest) for surface in surfaces]
    return Neighbourhood(boxes[0], boxes[-1], rest, reach, 1e4, 0.5)


def pair_set(nodes, points):
    """Pairs (k, 4) regardless of the order in which their nodes come."""
    found = {(int(p[0]), *sorted(map(int, p[1:]))) for p in nodes[:points]}
    return found | {tuple(sorted((tuple(sorted(map(int, p[:2]))), tuple(sorted(map(int, p[2:])))))) for p in nodes[points:]}


def all_pairs(surfaces):
    """Every pair (k, 4) of the surfaces, or of one with itself, that has no node twice, and how many are of a vertex."""
    points, edges = [], []
    first, last = surfaces[0], surfaces[-1]
    for one, other in ((first, last),) if len(surfaces) == 1 else ((first, last), (last, first)):
        v, t = np.meshgrid(np.arange(len(one.vertices)), np.arange(len(other.triangles)), indexing="ij")
        points.append(np.concatenate([one.vertices[v.ravel(), None], other.triangles[t.ravel()]], axis=1))
    a, b = np.meshgrid(np.arange(len(first.edges)), np.arange(len(last.edges)), indexing="ij")
    chosen = a.ravel() < b.ravel() if len(surfaces) == 1 else slice(None)
    edges = np.concatenate([first.edges[a.ravel()[chosen]], last.edges[b.ravel()[chosen]]], axis=1)
    parts = [np.concatenate(points), edges]
    parts = [part[[len(set(row)) == 4 for row in part.tolist()]] for part in parts]
    return np.concatenate(parts).astype(np.int32), len(parts[0])


def test_near_edges_are_all_and_once(slab):
    places, _, surface = slab
    clusters, room, still = Clusters(surface, places), 0.1, np.zeros_like(places)
    clusters.fit(places, still)
    near = near_clusters(clusters, clusters, room)
    clusters.fit_items(places, still, near)
    found = edges_near(clusters, clusters, near, Way(places, still, 1e9, np.zeros((3, 3)), np.full(3, room)))
    ends = places[surface.edges]
    lower, upper = ends.min(axis=1), ends.max(axis=1) + room
    meet = ((lower[:, None] <= upper[None]) & (lower[None] <= upper[:, None])).all(axis=2)
    expected = {(i, j) for i, j in np.argwhere(meet) if i < j and not set(surface.edges[i]) & set(surface.edges[j])}
    pairs = {tuple(sorted(pair)) for pair in found.items.tolist()}
    assert pairs == expected and len(found.items) == len(expected) > 100
    assert (np.concatenate([surface.edges[found.items[:, 0]], surface.edges[found.items[:, 1]]], axis=1) == found.nodes).all()


def test_how_far_nodes_may_go_hangs_on_no_way_that_was_asked_for_before():
    """Two folded slabs asked along way after way, from its end, a part of it or beside it, as by a contact that is new."""
    mesh = block((8, 8, 1), 0.25)
    other = crumpled(mesh[0] + [0.1, 0.05, 0.9], 0.06, seed=4)
    start, surfaces = surfaces_of((crumpled(mesh[0], 0.08), mesh[1]), (other, mesh[1]))
    above = np.arange(len(start)) >= len(mesh[0])
    rest = start + [0.0, 0.0, 5.0] * above[:, None]
    touches, rng, shares = [Touch(1e4, 0.5, 1e-5), Touch(1e4, 0.5, 1e-5)], np.random.default_rng(6), []

    def contact():
        return SurfaceContact(surfaces, touches, rest, themselves(start))

    def bent(size):
        return size * np.sin(3.0 * start @ rng.normal(size=(3, 3)) + rng.uniform(0.0, 6.0, 3))

    def limit_by_places(places, way):
        """By a contact that is new, and searches between two places."""
        new = contact()
        new.cover(places, places + way)
        return new.limit(places, way)

    asked, places = contact(), start
    for turn in range(40):
        way = bent(0.05) + [0.0, 0.0, rng.uniform(-0.6, 0.3)] * above[:, None]
        shares.append(asked.limit(places, way))
        assert shares[-1] == pytest.approx(limit_by_places(places, way), rel=1e-9), turn
        end = places + shares[-1] * way
        asked.going.went(shares[-1], end)
        beside = contact().reachable(start, start + bent(0.1))
        places = (end, places + 0.4 * shares[-1] * way, end + 1e-9 * way, beside)[turn % 4]
        if turn % 3 == 0:
            assert (asked.touched(places) == contact().touched(places)).all(), turn
    assert 8 < np.count_nonzero(np.array(shares) < 1.0) < 36


@pytest.mark.parametrize("bodies", [1, 2])
def test_a_search_holds_wherever_nodes_are_in_their_boxes(slab, bodies):
    """No pair that is within reach is missing, as long as `cover` finds nothing to do."""
    places, rest, surface = slab
    if bodies == 1:
        surfaces = [surface]
    else:
        other = crumpled(rest + [0.1, 0.05, 0.55], 0.06, seed=4)
        places, surfaces = surfaces_of((places, block((8, 8, 1), 0.25)[1]), (other, block((8, 8, 1), 0.25)[1]))
        rest = places
    search, (pairs, points) = neighbourhood(surfaces, rest), all_pairs(surfaces)
    rng = np.random.default_rng(5)
    assert search.cover(places, places) and not search.cover(places, places)
    held = 0
    for size in (0.002, 0.005, 0.01, 0.02, 0.03, 0.06, 0.1):
        moved = places + rng.uniform(-size, size, places.shape) + [5.0, -3.0, 1.0]
        if search.cover(moved, moved):
            continue
        held += 1
        close = distances(moved, pairs, points) < REACH
        expected = pair_set(pairs[:points][close[:points]], int(close[:points].sum()))
        expected |= pair_set(pairs[points:][close[points:]], 0)
        listed = pair_set(search.pairs.nodes, search.pairs.points)
        assert expected <= listed and len(expected) > 50
    assert held >= 2


def test_what_near_parts_do_together_needs_no_search(monkeypatch):
    """A long slab leans: its ends go far, but no part of it far from its neighbours. All that is within reach is known."""
    monkeypatch.setattr(candidates, "CROWDED", np.inf)
    rest, surfaces = surfaces_of(block((16, 4, 1), 0.25))
    places = crumpled(rest, 0.03)
    search, (pairs, points) = neighbourhood(surfaces, rest), all_pairs(surfaces)
    search.cover(places, places)
    moved = places + np.random.default_rng(3).uniform(-2e-3, 2e-3, places.shape)
    moved[:, 2] += 0.03 * (rest[:, 0] - 2.0)
    assert np.abs(moved - places).max() > 0.6 * search.rooms.spare.min() and not search.cover(moved, moved)
    close = distances(moved, pairs, points) < REACH
    listed = pair_set(search.pairs.nodes, search.pairs.points)
    expected = pair_set(pairs[:points][close[:points]], int(close[:points].sum())) | pair_set(pairs[points:][close[points:]], 0)
    assert expected <= listed and len(expected) > 20


def test_what_presses_has_room_along_its_line():
    """Two slabs lie on each other, turned anyhow: they may part or come closer along the line, but not slide as far."""
    turn = Rotation.from_rotvec([0.7, -0.4, 1.1]).as_matrix().T
    one, other = block((8, 8, 1), 0.25), block((8, 8, 1), 0.25, (0.06, 0.04, 0.268))
    rest, surfaces = surfaces_of((one[0] @ turn, one[1]), (other[0] @ turn, other[1]))
    above, (pairs, points) = np.arange(len(rest)) >= len(one[0]), all_pairs(surfaces)

    def gone(way):
        """Where the upper one has gone a way (3,), in edges."""
        return rest + 0.3 * (np.array(way) @ turn) * above[:, None]

    def pressed(lifted=0.0):
        search = neighbourhood(surfaces, rest, 0.02)
        for places in (rest, gone([0.0, 0.0, lifted])):  # what has been found says to the next which line that is
            search.searched = False
            search.cover(places, places)
        return search

    def stays(way, lifted=0.0):
        """Whether a search holds where the upper one has gone a way; all that is within reach there is known."""
        search, moved = pressed(lifted), gone(way) + np.random.default_rng(2).uniform(-1e-3, 1e-3, rest.shape)
        stayed = not search.cover(moved, moved)
        close = distances(moved, pairs, points) < search.reach
        expected = pair_set(pairs[:points][close[:points]], int(close[:points].sum()))
        listed = pair_set(search.pairs.nodes, search.pairs.points)
        assert expected | pair_set(pairs[points:][close[points:]], 0) <= listed
        return stayed, len(expected)

    edge = pressed().edge
    assert edge == pytest.approx(0.3, rel=0.1) and abs(pressed().rooms.axes[2] @ turn[2]) > 0.99
    assert stays([0.0, 0.0, -0.03])[1] > 100 and stays([0.1, 0.0, -0.03])[1] > 100
    assert [stays([0.0, 0.0, up])[0] for up in (-0.03, 0.3, 0.6, 0.8)] == [True, True, True, False]
    assert stays([0.05, 0.05, 0.0], 0.6)[0] and stays([0.05, 0.05, -0.03], 0.6) == (True, stays([0.05, 0.05, -0.03])[1])
    assert [stays([aside, 0.0, 0.0])[0] for aside in (0.1, -0.1, 0.2, -0.2)] == [True, True, False, False]


def test_what_faces_all_around_has_the_same_room_along_all_axes():
    """As what is nowhere, and what had no pairs; of one side alone it is the line square to that."""
    places, (surface,) = surfaces_of(block((4, 4, 4), 0.25))
    alike, sides = Rooms.alike(0.25 * 0.3), np.insert(surface.triangles, 0, 0, 1)
    for name, triangles, moved in (("all", sides, places), ("nowhere", sides, np.nan * places), ("none", sides[:0], places)):
        found = Rooms.pressed(0.3, no_pairs()._replace(nodes=triangles, points=len(triangles)), moved)
        assert (found.axes == alike.axes).all() and (found.spare == alike.spare).all(), name
    top = sides[(places[surface.triangles, 2] > 0.99).all(axis=1)]
    found = Rooms.pressed(0.3, no_pairs()._replace(nodes=top, points=len(top)), places)
    assert abs(found.axes[2, 2]) == 1.0 and found.axes @ found.axes.T == pytest.approx(np.eye(3), abs=1e-12)
    assert found.along == pytest.approx(found.spare) and found.spare[2] > 2.0 * found.spare[0]


def test_a_way_is_covered_from_end_to_end(slab):
    places, rest, surface = slab
    search, (pairs, points) = neighbourhood([surface], rest), all_pairs([surface])
    after = crumpled(places, 0.1, seed=9)
    search.cover(places, after)
    listed = pair_set(search.pairs.nodes, search.pairs.points)
    for share in (0.0, 0.3, 0.7, 1.0):
        close = distances(places + share * (after - places), pairs, points) < REACH
        assert pair_set(pairs[:points][close[:points]], int(close[:points].sum())) <= listed
        assert pair_set(pairs[points:][close[points:]], 0) <= listed


def test_ipctk_finds_no_closer_pair(slab):
    places, rest, surface = slab
    search = neighbourhood([surface], rest)
    search.cover(places, places)
    candidates = ipctk.Candidates()
    mesh = ipctk.CollisionMesh(places, surface.edges, surface.triangles)
    candidates.build(mesh, places, 0.5 * REACH)
    listed = pair_set(search.pairs.nodes, search.pairs.points)
    points = [(c.vertex_id, *surface.triangles[c.face_id]) for c in candidates.fv_candidates]
    edges = [(*surface.edges[c.edge0_id], *surface.edges[c.edge1_id]) for c in candidates.ee_candidates]
    theirs = np.array(points + edges, dtype=np.int32)
    close = distances(places, theirs, len(points)) < REACH
    assert close.sum() > 50
    assert pair_set(theirs[: len(points)][close[: len(points)]], int(close[: len(points)].sum())) <= listed
    assert pair_set(theirs[len(points) :][close[len(points) :]], 0) <= listed


def test_a_body_at_rest_pushes_nothing_and_distant_bodies_are_not_searched():
    places, surfaces = surfaces_of(block((4, 4, 1), 0.1), block((4, 4, 1), 0.1, (0.0, 0.0, 1.0)))
    own = neighbourhood(surfaces[:1], places, reach=0.5)
    own.cover(places, places)
    assert len(own.pairs.nodes) > 100
    assert (distances(places, own.pairs.nodes, own.pairs.points) > own.pairs.reach).all()
    between = neighbourhood(surfaces, places)
    assert not between.cover(places, places) and not len(between.pairs.nodes)
    near = places.copy()
    near[25 * 2 :, 2] -= 0.85
    assert between.cover(near, near) and len(between.pairs.nodes)
    assert between.cover(places, places) and not len(between.pairs.nodes)

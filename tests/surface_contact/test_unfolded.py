"""What is taken to be unfolded does not come near itself: against all pairs, on sheets that wave, fold, wind and cross."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Delaunay, cKDTree

from solver.contact.surfaces import candidates as candidates_module
from solver.contact.surfaces import unfolded as unfolded_module
from solver.contact.surfaces.candidates import CLOSEST, Neighbourhood
from solver.contact.surfaces.clusters import Clusters, near_clusters
from solver.contact.surfaces.pairs import NOTHING, REST_SHARE, Edges, apart_at_rest, distances, pairs_of
from solver.contact.surfaces.seen_patch import rim_stays_away
from solver.contact.surfaces.surface import contact_surface
from solver.contact.surfaces.unfolded import Unfolded

REACH = 0.1  # of an edge, which is about 1
LOOSE = 0.1
ROOMS = LOOSE / np.sqrt(3.0), 0.25, 0.0


def disk(radius):
    """A flat disk's vertices (v, 3), about 1 apart, and triangles."""
    steps = np.arange(-int(1.2 * radius), int(1.2 * radius) + 1)
    i, j = (part.ravel() for part in np.meshgrid(steps, steps))
    flat = np.stack([i + 0.5 * j, 0.75**0.5 * j, 0.0 * i], axis=1)
    flat = flat[np.hypot(flat[:, 0], flat[:, 1]) < radius]
    triangles = Delaunay(flat[:, :2]).simplices
    sides = flat[triangles[:, 1:]] - flat[triangles[:, :1]]
    turned = np.cross(sides[:, 0], sides[:, 1])[:, 2] < 0.0
    triangles[turned] = triangles[turned][:, ::-1]
    return flat, triangles.astype(np.int32)


def waves(flat):
    """A sheet with waves a third as high as they are long."""
    return flat + [0.0, 0.0, 1.0] * (2.0 * np.sin(flat[:, :1] / 2.0) * np.cos(flat[:, 1:2] / 2.5))


def twice_around(flat, middle=(8.5, 11.258)):
    """A sheet that winds around a vertex twice, by default that in the middle of a patch.

    Seen from above all of it faces up, and it lies on itself.
    """
    apart = flat - flat[np.hypot(*(flat[:, :2] - middle).T).argmin()]
    angle, distance = 2.0 * np.arctan2(apart[:, 1], apart[:, 0]), np.hypot(apart[:, 0], apart[:, 1])
    lift = 0.04 * np.cos(0.5 * angle)
    return np.stack([distance * np.cos(angle), distance * np.sin(angle), lift], axis=1)


def pleat(flat):
    """A sheet folded onto itself, so flat that its halves come within reach."""
    return np.stack([np.abs(flat[:, 0]), flat[:, 1], np.where(flat[:, 0] < 0.0, 0.0, 0.05)], axis=1)


def band(flat):
    """A sheet around a cylinder, whose ends cross."""
    angle = flat[:, 0] / 14.0
    return np.stack([15.0 * np.cos(angle), 15.0 * np.sin(angle), flat[:, 1] + 0.02 * flat[:, 0]], axis=1)


def turned_over(flat):
    """A flat sheet of which a narrow strip is turned over, so that three layers lie there."""
    wide, y = 3.0 * 0.75**0.5, flat[:, 1]  # three rows of triangles
    along = np.where(y < 0.0, y, np.where(y < wide, -y, y - 2.0 * wide))
    return np.stack([flat[:, 0], along, 0.02 * np.clip(y, 0.0, wide)], axis=1)


def squeezed(flat):
    """A flat sheet of triangles hardly higher than pairs reach."""
    return flat * [1.0, 0.13, 1.0]


def ball(count, radius):
    """A ball's vertices (count, 3) and triangles, all of about one size."""
    k = np.arange(count) + 0.5
    angle, height = k * np.pi * (3.0 - np.sqrt(5.0)), 1.0 - 2.0 * k / count
    wide = np.sqrt(1.0 - height**2)
    places = np.stack([wide * np.cos(angle), wide * np.sin(angle), height], axis=1)
    triangles = ConvexHull(places).simplices
    turned = np.linalg.det(places[triangles]) < 0.0
    triangles[turned] = triangles[turned][:, ::-1]
    return radius * places, triangles.astype(np.int32)


def items_of(clusters, surface):
    """For each vertex, triangle and edge of a surface its cluster."""
    found = []
    for items in clusters.kinds:
        mine = np.empty(len(items.order), dtype=np.int64)
        mine[items.order] = np.repeat(np.arange(len(items.first) - 1), np.diff(items.first))
        found.append(mine)
    return found


def close_items(places, surface, reach):
    """Pairs of items, (k, 2) vertex and triangle and (l, 2) edge and edge, without common vertex within reach."""
    middles = places[surface.triangles].mean(axis=1), places[surface.edges].mean(axis=1)
    wide = 3.5  # that far apart are the middles of items of about length 1 that come close
    pairs = cKDTree(places).sparse_distance_matrix(cKDTree(middles[0]), wide, output_type="ndarray")
    corners = np.stack([pairs["i"], pairs["j"]], axis=1)
    corners = corners[(surface.triangles[corners[:, 1]] != corners[:, :1]).all(axis=1)]
    edges = cKDTree(middles[1]).query_pairs(wide, output_type="ndarray")
    first, last = surface.edges[edges[:, 0]], surface.edges[edges[:, 1]]
    edges = edges[(first[:, :, None] != last[:, None, :]).all(axis=(1, 2))]
    nodes = [
        np.concatenate([corners[:, :1], surface.triangles[corners[:, 1]]], axis=1),
        np.concatenate([surface.edges[edges[:, 0]], surface.edges[edges[:, 1]]], axis=1),
    ]
    close = distances(places, np.concatenate(nodes).astype(np.int32), len(corners)) < reach
    return corners[close[: len(corners)]], edges[close[len(corners) :]]


def answered(unfolded, a, b):
    """Which pairs of clusters (k,), (k,) need no search."""
    pairs = np.stack([a, b], axis=1).astype(np.int32)
    left = {tuple(pair) for pair in unfolded.rest_of(pairs).tolist()}
    return np.array([tuple(pair) not in left for pair in pairs.tolist()], dtype=bool)


# Each with the share of clusters of which more is known
SHEETS = {"waves": (waves, 0.3), "twice around": (twice_around, 0.1), "pleat": (pleat, 0.05), "band": (band, 0.05)}
SHEETS |= {"turned over": (turned_over, 0.05), "squeezed": (squeezed, -1.0)}


@pytest.mark.parametrize("name", SHEETS)
def test_what_needs_no_search_stays_apart_on_all_of_its_way(name, monkeypatch):
    """However nodes go beside the way, within the bound: no pair of items of clusters that are answered for comes close."""
    shape, least = SHEETS[name]
    flat, triangles = disk(44.0)
    places, surface = shape(flat), contact_surface(triangles, flat, 1.0)
    clusters, rng = Clusters(surface, flat), np.random.default_rng(2)
    unfolded = Unfolded(clusters, flat)
    way = 0.3 * np.sin(places[:, [1, 0, 0]] * [0.3, 0.2, 0.2])  # layers that lie on each other go the same way
    monkeypatch.setattr("solver.contact.surfaces.unfolded.LITTLE", 0.0)
    assert unfolded.look(places, places + way, REACH, *ROOMS)
    in_vertices, in_triangles, in_edges = items_of(clusters, surface)
    found = 0
    for share in (0.0, 0.5, 1.0):
        off = rng.uniform(-0.5, 0.5, places.shape) * LOOSE / np.sqrt(3.0)
        corners, edges = close_items(places + share * way + off, surface, REACH)
        found += len(corners) + len(edges)
        assert not answered(unfolded, in_vertices[corners[:, 0]], in_triangles[corners[:, 1]]).any()
        assert not answered(unfolded, in_edges[edges[:, 0]], in_edges[edges[:, 1]]).any()
    assert found > 10 or name == "waves"
    assert (unfolded.patch >= 0).mean() > least


@pytest.mark.parametrize("height", [0.3, 0.4])
def test_nodes_may_go_as_far_as_there_is_room_for_their_clusters(height, monkeypatch):
    """Rows of low triangles pushed at each other, as far as it holds by what the look has left: what is answered for stays
    apart, and comes close at five times as far."""
    flat, triangles = disk(44.0)
    places, surface = flat * [1.0, height, 1.0], contact_surface(triangles, flat, 1.0)
    clusters, rng = Clusters(surface, flat), np.random.default_rng(3)
    unfolded = Unfolded(clusters, flat)
    monkeypatch.setattr("solver.contact.surfaces.unfolded.LITTLE", 0.0)
    assert unfolded.look(places, places, REACH, *ROOMS)
    unfolded.wide[:] = np.inf  # rows come no nearer to what is far from them
    in_vertices, in_triangles, in_edges = items_of(clusters, surface)
    row = np.rint(flat[:, 1] / 0.75**0.5).astype(int)
    push = rng.choice([-0.5, 0.5], row.max() - row.min() + 1)[row - row.min()]

    def close(size):
        """Whether any pair that is answered for is, and whether the look holds for it."""
        off, ranges = np.zeros_like(places), np.empty((len(clusters.vertices.first) - 1, 2, 3))
        off[:, 1] = size * push
        candidates_module._ranges(off, clusters.own_nodes, clusters.first_own, ranges)
        corners, edges = close_items(places + off, surface, REACH)
        found = answered(unfolded, in_vertices[corners[:, 0]], in_triangles[corners[:, 1]]).any()
        return bool(found or answered(unfolded, in_edges[edges[:, 0]], in_edges[edges[:, 1]]).any()), unfolded.doubts(
            ranges, np.inf
        ) is None

    sizes = np.arange(0.02, 0.3, 0.02)
    found = [close(size) for size in sizes]
    held = max(size for size, (_, stays) in zip(sizes, found, strict=True) if stays)
    assert not any(near for near, stays in found if stays)
    assert held > 0.6 * ROOMS[0] and close(5.0 * held)[0]


@pytest.mark.parametrize("name", ["waves", "band"])
def test_a_rim_stays_away_from_its_hem_as_long_as_there_is_room_for_the_patch(name, monkeypatch):
    """Nodes of the one pushed at those of the other, along all axes at once: as far as it holds, the rim still winds around the
    circle about the hem once; and at five times as far it no longer does."""
    monkeypatch.setattr("solver.contact.surfaces.unfolded.LITTLE", 0.0)
    flat, triangles = disk(44.0)
    clusters = Clusters(contact_surface(triangles, flat, 1.0), flat)
    unfolded, places = Unfolded(clusters, flat), SHEETS[name][0](flat)
    assert unfolded.look(places, places, REACH, *ROOMS)
    unfolded.rooms[:] = np.inf  # how far nodes of a cluster are off against each other is not the question
    answering, patches = unfolded.patch.copy(), unfolded.patches
    for p in np.unique(answering[answering >= 0])[::5]:
        unfolded.patch[:] = np.where(answering == p, p, -1)
        hem, rim = (rows.values[rows.first[p] : rows.first[p + 1]] for rows in (patches.hem, patches.rim))
        inward, found = np.sign(places[hem].mean(axis=0) - places), []
        for share in (0.5, 0.99, 1.01, 2.0, 5.0):
            off, ranges = np.zeros_like(places), np.empty((len(answering), 2, 3))
            off[hem], off[rim] = -0.5 * inward[hem], 0.5 * inward[rim]
            off *= share * unfolded.wide[p]
            candidates_module._ranges(off, clusters.own_nodes, clusters.first_own, ranges)
            left = rim_stays_away(hem, rim, places + off, places + off, unfolded.views[p])
            found.append((unfolded.doubts(ranges, np.inf) is None, left >= 0.0))
        assert found[:2] == [(True, True)] * 2 and found[-1] == (False, False)
        assert not any(stays for stays, _ in found[2:])


def test_clusters_that_different_patches_answer_for_are_looked_at():
    """Halves of a sheet that each know of themselves: of all pairs, however far apart, those of one with the other."""
    flat, triangles = disk(12.0)
    clusters = Clusters(contact_surface(triangles, flat, 1.0), flat)
    clusters.fit(flat, np.zeros_like(flat))
    unfolded, count = Unfolded(clusters, flat), clusters.leaf + 1
    unfolded.patch[:] = np.arange(count) // (count // 2)
    found = near_clusters(clusters, clusters, np.inf, unfolded.known)
    assert {frozenset(pair) for pair in found.tolist()} == {
        frozenset((a, b)) for a in range(count // 2) for b in range(count // 2, count)
    }


def test_a_core_lies_within_its_hem():
    """Of a flat sheet, seen from above, also where the core reaches the sheet's border or a hole in it."""
    flat, triangles = disk(30.0)
    triangles = triangles[np.hypot(*flat[triangles].mean(axis=1)[:, :2].T - np.array([[8.0], [3.0]])) > 5.0]
    surface = contact_surface(triangles, flat, 1.0)
    places = flat[surface.vertices]
    numbers = np.searchsorted(surface.vertices, surface.triangles).astype(np.int32)
    clusters = Clusters(contact_surface(numbers, places, 1.0), places)
    patches = Unfolded(clusters, places).patches
    around = np.radians(np.arange(0.0, 360.0, 10.0))
    views = np.stack([np.cos(around), np.sin(around), 0.0 * around])
    for p in range(len(patches.clusters)):
        core, hem = (rows.values[rows.first[p] : rows.first[p + 1]] for rows in (patches.core, patches.hem))
        inside = np.concatenate([clusters.own_nodes[clusters.first_own[c] : clusters.first_own[c + 1]] for c in core])
        assert ((places[inside] @ views).max(axis=0) <= (places[hem] @ views).max(axis=0) + 1e-9).all()
    assert len(patches.clusters) > 20


@pytest.mark.parametrize("name", SHEETS)
def test_boxes_of_normals_say_what_their_triangles_say(name):
    """From wherever a patch is looked at: with boxes that hold everything each of its triangles is asked."""
    shape, _ = SHEETS[name]
    flat, triangles = disk(30.0)
    places, surface = shape(flat), contact_surface(triangles, flat, 1.0)
    clusters, rng = Clusters(surface, flat), np.random.default_rng(3)
    unfolded = Unfolded(clusters, flat)
    unfolded.look(places, places + 0.02 * rng.normal(size=places.shape), REACH, *ROOMS)
    wide = unfolded.boxes.copy()
    wide[:, 0], wide[:, 1] = -np.inf, np.inf
    said = []
    for p in range(len(unfolded.patches[0])):
        for view in unfolded_module._mean_normal(unfolded.patches, p, wide) + rng.normal(size=(20, 3)) * rng.uniform(
            0.0, 1.0, (20, 1)
        ):
            here = unfolded.patches, p, unfolded.heights
            by_boxes, by_triangles = (
                unfolded_module._seen_from_the_front(*here, boxes, view, 2.0 * LOOSE, LOOSE) for boxes in (unfolded.boxes, wide)
            )
            assert by_boxes == by_triangles
            said.append(by_triangles)
    assert len(said) > 100 and (name in {"pleat", "turned over", "squeezed"} or any(said)) and not all(said)


def test_a_patch_that_a_part_of_its_own_passes_over_is_not_answered_for(monkeypatch):
    """Its rim winds once around its middle, but where the sheet winds around twice is somewhere else in its core."""
    monkeypatch.setattr("solver.contact.surfaces.unfolded.LITTLE", 0.0)
    flat, triangles = disk(44.0)
    surface = contact_surface(triangles, flat, 1.0)
    clusters = Clusters(surface, flat)
    unfolded, (in_vertices, in_triangles, _) = Unfolded(clusters, flat), items_of(clusters, surface)
    for off in np.linspace(0.0, 24.0, 13):
        places = twice_around(flat, (8.5, 11.258 - off))
        unfolded.look(places, places, REACH, *ROOMS)
        corners, _ = close_items(places, surface, REACH)
        assert len(corners) > 100
        assert not answered(unfolded, in_vertices[corners[:, 0]], in_triangles[corners[:, 1]]).any()


def test_a_ball_needs_hardly_any_search_until_it_is_dented():
    """Pushed in until its poles touch, it is looked at again, and every pair within reach is found."""
    rest, triangles = ball(3000, 15.0)
    surface = contact_surface(triangles, rest, 1.0)
    clusters = Clusters(surface, rest)
    search = Neighbourhood(clusters, clusters, rest, REACH, 1e4, 0.5)
    search.cover(rest, rest)
    all_near, unknown = len(near_clusters(clusters, clusters, 1.0)), len(search.near)
    dented = rest.copy()
    top = (np.hypot(*rest[:, :2].T) < 10.0) & (rest[:, 2] > 0.0)
    dented[top, 2] = 0.05 - rest[top, 2]
    assert search.cover(dented, dented)
    corners, edges = close_items(dented, surface, search.reach * REST_SHARE)
    listed = {tuple(sorted(map(int, nodes))) for nodes in search.pairs.nodes}
    nodes = [(vertex, *surface.triangles[triangle]) for vertex, triangle in corners]
    nodes += [(*surface.edges[first], *surface.edges[last]) for first, last in edges]
    assert len(corners) > 50 and len(edges) > 50 and {tuple(sorted(map(int, each))) for each in nodes} <= listed
    assert unknown < 0.1 * all_near


def test_where_pairs_crowd_less_room_is_searched(monkeypatch):
    """All within reach are found with less room to spare as well; and once they are few there is as much room as before."""
    rest, triangles = ball(3000, 15.0)
    clusters = Clusters(contact_surface(triangles, rest, 1.0), rest)
    folded = rest * (1.0, 1.0, 0.002)

    def found(crowded: float) -> tuple[Neighbourhood, set[tuple[int, ...]]]:
        monkeypatch.setattr(candidates_module, "CROWDED", crowded)
        search = Neighbourhood(clusters, clusters, rest, REACH, 1e4, 0.5)
        search.cover(folded, folded)
        close = distances(folded, search.pairs.nodes, search.pairs.points) < search.pairs.reach
        return search, {tuple(map(int, nodes)) for nodes in search.pairs.nodes[close]}

    roomy, all_near = found(1e9)
    tight, near = found(1.0)
    assert roomy.share == 1.0 and tight.share == CLOSEST and near == all_near and len(near) > 500
    assert len(tight.pairs.nodes) < 0.5 * len(roomy.pairs.nodes) and tight.rooms.spare[0] == CLOSEST * roomy.rooms.spare[0]
    for _ in range(5):
        tight.cover(rest, rest)
        tight.searched = False
    assert tight.share == 1.0
    assert tight.cover(folded, folded) and tight.rooms.spare[0] < 0.5 * roomy.rooms.spare[0]
    shifted = folded + 0.4 * tight.rooms.spare[0] * np.sin(40.0 * rest)
    assert not tight.cover(shifted, shifted)


def test_what_all_but_touches_at_rest_is_not_kept_apart():
    """Edges that cross above each other: within a body by what their gap at rest is, between bodies whatever it is."""
    reach, gaps = 0.02, np.array([0.5, 0.98, 1.02, 3.0, 1e6]) * NOTHING * 0.02 / REST_SHARE
    corner = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    lifted = np.array([0.0, 0.0, 1.0, 1.0])
    rest = np.concatenate([corner + np.outer(lifted, (0.0, 0.0, gap)) + (4.0 * k, 0.0, 0.0) for k, gap in enumerate(gaps)])
    nodes, one = np.arange(len(rest), dtype=np.int32).reshape(-1, 4), np.ones(2 * len(gaps))
    between = pairs_of([], Edges(nodes, nodes[:, ::2] // 2, (one, one), (4.0 * one, 4.0 * one)), reach, 1.0, 0.5)
    within = apart_at_rest(between, rest, reach)
    assert (within.nodes[:, 0] // 4).tolist() == [2, 3, 4]
    assert within.reach == pytest.approx(np.minimum(reach, REST_SHARE * gaps[2:]))
    assert (between.reach == reach).all() and len(between.nodes) == len(gaps)


@pytest.mark.parametrize("name", ["waves", "turned over"])
def test_what_is_doubted_is_looked_at_where_it_is(name, monkeypatch):
    """A disk is bent, more and more, until it waves or is folded: nothing is missed, and waves are not always searched."""
    monkeypatch.setattr(unfolded_module, "LITTLE", 0.0)
    flat, triangles = disk(20.0)
    surface = contact_surface(triangles, flat, 1.0)
    clusters = Clusters(surface, flat)
    search, bent, doubted, count = Neighbourhood(clusters, clusters, flat, REACH, 1e4, 0.5), flat, 0, 0
    search.cover(flat, flat)
    for share in np.linspace(0.04, 1.0, 16):
        before, bent, known = bent, (1.0 - share) * flat + share * SHEETS[name][0](flat), search.pairs
        search.cover(before, bent)
        doubted += search.doubtful and known is search.pairs
        there = before + 0.7 * (bent - before)
        corners, edges = close_items(there, surface, search.reach)
        nodes = np.concatenate(
            [
                np.column_stack([surface.vertices[corners[:, 0]], surface.triangles[corners[:, 1]]]),
                np.concatenate([surface.edges[edges[:, 0]], surface.edges[edges[:, 1]]], axis=1),
            ]
        )
        reaches = np.minimum(search.reach, REST_SHARE * distances(flat, nodes, len(corners)))
        pushing = (distances(there, nodes, len(corners)) < reaches) & (reaches > NOTHING * search.reach)
        listed, expected = ({tuple(sorted(each)) for each in some.tolist()} for some in (search.pairs.nodes, nodes[pushing]))
        assert expected <= listed
        count += len(expected)
    assert doubted > 2 if name == "waves" else count > 100


def test_what_turns_over_is_not_still_unfolded(monkeypatch):
    """Of a sheet that was flat when it was looked at, whichever of its clusters or patches are doubted."""
    monkeypatch.setattr(unfolded_module, "LITTLE", 0.0)
    flat, triangles = disk(30.0)
    clusters = Clusters(contact_surface(triangles, flat, 1.0), flat)
    unfolded = Unfolded(clusters, flat)
    assert unfolded.look(flat, flat, REACH, *ROOMS)
    all_clusters = np.ones(len(unfolded.patch), bool), np.zeros(len(unfolded.wide), bool)
    all_patches = np.zeros(len(unfolded.patch), bool), np.ones(len(unfolded.wide), bool)
    bent = flat + [0.0, 0.0, 0.1] * np.sin(flat[:, :1])
    for doubts in ([all_clusters], [all_patches], [all_clusters, all_patches]):
        assert unfolded.still(doubts, flat, flat, REACH) and unfolded.still(doubts, flat, bent, REACH)
    assert not unfolded.still([all_clusters], flat, turned_over(flat), REACH)
    inwards = flat * np.where(np.hypot(*flat[:, :2].T) > 20.0, 0.1, 1.0)[:, None]
    assert not unfolded.still([all_patches], flat, inwards, REACH)

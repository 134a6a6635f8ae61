"""Tables and trees that are made by counting, in parts: the same as by sorting, and on any number of threads."""

import numba
import numpy as np
import pytest

from solver.fem.assembly import build_pattern
from solver.fem.block_matrix import build_layout
from solver.fem.coarse_space import divide
from solver.fem.lanes import PAIRS
from solver.geometry.edge_crossings import crossing_vertices
from solver.geometry.edges import connected
from solver.geometry.self_crossing import crossing_faces
from solver.geometry.thinning import thinned
from solver.geometry.tree import build_tree
from solver.geometry.triangle_tree import triangle_tree
from tests.remesh.shapes import ball
from tests.surfaces import joined, sphere


@pytest.fixture(scope="module")
def mesh():
    return ball(0.25)


def test_edges_are_every_pair_of_corners_once(mesh):
    pattern = build_pattern(mesh.tets, len(mesh.positions))
    expected = np.unique(np.sort(mesh.tets[:, PAIRS].reshape(-1, 2), axis=1), axis=0)
    assert (pattern.edges == expected).all()
    assert (pattern.corners == np.argsort(mesh.tets.ravel(), kind="stable")).all()
    assert (np.diff(pattern.corner_offsets) == np.bincount(mesh.tets.ravel())).all()


def test_the_layout_is_that_of_sorting(mesh):
    """Whatever the order of the nodes: blocks of an edge together, upright before turned, columns rising in each row."""
    pattern = build_pattern(mesh.tets, len(mesh.positions))
    order = np.random.default_rng(3).permutation(len(mesh.positions)).astype(np.int32)
    layout, rank = build_layout(pattern, order, np.array([0, len(order)])), np.argsort(order)
    ends = rank[mesh.tets[:, PAIRS].reshape(-1, 2)]  # of every block, by rows of the matrix
    blocks = np.split(layout.items // 9, layout.item_offsets[1:-1])  # where they begin
    last = [own.max() for own in blocks]
    assert last == sorted(last)  # an edge after the last of its tets
    rows = np.repeat(np.arange(len(order)), np.diff(layout.row_offsets))
    assert (np.diff(layout.columns)[np.diff(rows) == 0] > 0).all()
    for e, own in enumerate(blocks):
        low, high = ends[own[0]].min(), ends[own[0]].max()
        assert (np.sort(ends[own], axis=1) == (low, high)).all()
        turned = ends[own, 0] > ends[own, 1]
        assert layout.middles[e] == layout.item_offsets[e] + (~turned).sum() and (np.diff(turned.astype(int)) >= 0).all()
        assert all((np.diff(own[turned == side]) > 0).all() for side in (False, True))
        for place, row, column in zip(layout.places[e], (low, high), (high, low), strict=True):
            there = np.flatnonzero((rows == row) & (layout.columns == column))
            assert len(there) == 1 and place == layout.addresses[there[0]]


def test_parts_are_halves_by_place_and_then_by_number():
    """However many nodes lie in one plane, as those of a lattice do; and again and again, each of them in one part."""
    positions = np.random.default_rng(4).integers(0, 12, (6000, 3)) * [1.0, 0.9, 0.8]
    ends = np.stack([np.arange(5999), np.arange(1, 6000)], axis=1).astype(np.int32)
    parts = divide(positions, ends)
    whole = np.arange(6000)
    halves = np.split(whole[np.lexsort((whole, positions[:, 0]))], 2)
    for half, own in zip(halves, np.split(parts.order, 2), strict=True):
        assert (np.sort(half) == np.sort(own)).all()
    assert len(parts.part_offsets) == 9 and (np.sort(parts.order) == whole).all()


def test_a_tree_is_the_same_on_two_threads_and_holds_its_items():
    lower = np.random.default_rng(5).random((10_000, 3)).round(2)  # with ties
    trees = []
    for threads in (1, 2):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        trees.append(build_tree(lower, lower + 0.01))
    assert all(np.asarray(one).tobytes() == np.asarray(other).tobytes() for one, other in zip(*trees, strict=True))
    tree = trees[0]
    assert (np.sort(tree.order) == np.arange(len(lower))).all()
    for node in range(len(tree.start)):
        own = lower[tree.order[tree.start[node] : tree.stop[node]]]
        assert (own >= tree.lower[node]).all() and (own + 0.01 <= tree.upper[node]).all()


def test_a_tree_is_halved_across_the_longest_side():
    centres = np.random.default_rng(6).random((10_000, 3)) * [1.0, 3.0, 2.0]
    tree = build_tree(centres, centres)
    for node in range(tree.leaf):
        first, middle, last = tree.start[node], tree.stop[2 * node + 1], tree.stop[node]
        axis = np.ptp(centres[tree.order[first:last]], axis=0).argmax()
        assert middle == (first + last) // 2
        assert centres[tree.order[first:middle], axis].max() <= centres[tree.order[middle:last], axis].min()


@pytest.mark.parametrize("places", [1, 3, 1000])
@pytest.mark.parametrize("count", [5, 17, 64])
def test_few_items_of_a_tree_lie_as_hoares_quickselect_leaves_them(places, count):
    """Swap by swap, with many ties: whatever sums over what is found in a tree hangs on its order."""

    def halved(own):
        axis, low, high, middle = np.ptp(centres[own], axis=0).argmax(), 0, len(own) - 1, len(own) // 2
        while low < high:
            key = [(centres[k, axis], k) for k in own]
            at, i, j = key[(low + high) // 2], low, high
            while i <= j:
                while key[i] < at:
                    i += 1
                while at < key[j]:
                    j -= 1
                if i <= j:
                    own[i], own[j], key[i], key[j] = own[j], own[i], key[j], key[i]
                    i, j = i + 1, j - 1
            low, high = (low, j) if middle <= j else (i, high) if middle >= i else (low, low)
        return own[:middle], own[middle:]

    centres = np.random.default_rng(count).integers(0, places, (count, 3)).astype(float)
    tree, groups = build_tree(centres, centres), [list(range(count))]
    while len(groups) <= tree.leaf:
        groups = [half for own in groups for half in halved(own)]
    assert tree.order.tolist() == [k for own in groups for k in own]


def test_thinned_points_are_those_that_one_after_another_has_room_for():
    points = np.random.default_rng(7).random((400, 3))
    order, apart = np.random.default_rng(8).permutation(400)[:350], 0.12
    chosen: list[int] = []
    for k in order:
        if all(np.linalg.norm(points[k] - points[j]) >= apart for j in chosen):
            chosen.append(int(k))
    assert thinned(points, order, apart).tolist() == sorted(chosen)


@pytest.mark.parametrize("apart", [0.5, 1.5, 2.5])
def test_where_a_surface_passes_through_itself(apart):
    both = joined(sphere(14, 1.0), sphere(14, 1.0, (apart, 0.1, 0.2)))
    found = crossing_vertices(triangle_tree(both.positions, both.triangles))
    expected = np.unique(both.triangles[crossing_faces(both.positions, both.triangles)])
    assert found.tolist() == expected.tolist() and bool(len(found)) == (apart < 2.0)


@pytest.mark.parametrize("few", [0, 10**9])
def test_parts_are_named_by_their_smallest_point(monkeypatch, few):
    """By a graph where points are many and by passing names on where they are few: as a walk from each point finds them."""
    monkeypatch.setattr("solver.geometry.edges.FEW", few)
    rng = np.random.default_rng(4)
    for count, edges in ((1, 0), (50, 0), (60, 25), (300, 280), (2000, 1500)):
        ends = rng.integers(0, count, (2, edges))
        beside = [set() for _ in range(count)]
        for a, b in ends.T.tolist():
            beside[a].add(b)
            beside[b].add(a)
        names = np.full(count, -1)
        for point in range(count):
            reached = [point] if names[point] < 0 else []
            while reached:
                at = reached.pop()
                names[at] = point
                reached += [other for other in beside[at] if names[other] < 0]
        assert (connected(ends, count) == names).all()

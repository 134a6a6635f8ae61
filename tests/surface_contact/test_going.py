"""Places on a way that is known to hold need no look of their own; others do."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from solver.contact.surfaces.candidates import Neighbourhood
from solver.contact.surfaces.carried import Carried
from solver.contact.surfaces.clusters import Clusters
from solver.contact.surfaces.going import Going, Share, share_of
from solver.contact.surfaces.surface import contact_surface
from tests.surface_contact.test_unfolded import REACH, ball


def searched() -> tuple[np.ndarray, Neighbourhood]:
    """A ball's points at rest (n, 3), and its pairs with itself there."""
    rest, triangles = ball(3000, 15.0)
    clusters = Clusters(contact_surface(triangles, rest, 1.0), rest)
    search = Neighbourhood(clusters, clusters, rest, REACH, 1e4, 0.5)
    search.cover(rest, rest)
    return rest, search


def gone() -> tuple[Going, np.ndarray]:
    """Six points, one of them on three nodes, and by how much each node carries them."""
    rows = np.eye(6)
    rows[3] = [0.25, 0.25, 0.5, 0.0, 0.0, 0.0]
    return Going(Carried.by(csr_matrix(rows))), rows


def test_the_same_places_are_asked_for_once_and_others_are_not_taken_for_them():
    going, rows = gone()
    nodes, direction = np.random.default_rng(0).normal(size=(2, 6, 3))
    places = going.places(nodes)
    assert places == pytest.approx(rows @ nodes) and going.places(nodes) is places
    assert going.way(nodes, direction)[1] is going.way(nodes, direction)[1]
    other = nodes.copy()
    other[4, 2] += 1e-12
    assert going.places(other) is not places and going.way(other, direction)[1] == pytest.approx(rows @ direction)


def test_who_went_along_a_way_is_known_to_be_there_until_asked_anew():
    going, rows = gone()
    nodes, direction = np.random.default_rng(2).normal(size=(2, 6, 3))
    start, ways = going.way(nodes, direction)
    there = nodes + 0.3 * direction
    going.went(0.3, there)
    places = going.places(there)
    assert places == pytest.approx(rows @ there) and going.share_of(start, ways, places) == (0.3, 0.0, np.inf)
    looked = going.share_of(start, ways.copy(), places)
    assert looked.share == pytest.approx(0.3, abs=1e-12) and looked.off < 1e-12, "by another way it is looked for"
    going.went(1.0, nodes + direction)
    assert going.share_of(start, ways, going.end) == (1.0, 0.0, 0.0)
    assert going.end == pytest.approx(rows @ (nodes + direction))
    going.anew(nodes)
    assert going.places(nodes) is start and going.places(there) is places
    going.anew(there)
    assert going.places(there) is not places
    np.testing.assert_array_equal(going.places(there), going.carried.places(there))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_place_on_a_way_is_known_by_its_share(share):
    rng = np.random.default_rng(1)
    start, way = rng.normal(size=(300, 3)) + 50.0, rng.normal(size=(300, 3))
    places = start + share * way
    found, off, off_end = share_of(start, way, places)
    assert found == pytest.approx(share, abs=1e-12) and off < 1e-12
    assert off_end == pytest.approx((1.0 - share) * np.abs(way).max(), abs=1e-12)
    beside = places.copy()
    beside[17, 1] += 1e-6
    assert share_of(start, way, beside)[1] == pytest.approx(1e-6, rel=1e-6)
    for outside in (start + 1.1 * way, start - 0.1 * way):
        assert share_of(start, way, outside)[1] == pytest.approx(0.1 * np.abs(way).max(), rel=1e-9)
    beside[17, 1] = np.nan
    assert share_of(start, way, beside)[1:] == (np.inf, np.inf)


def test_what_is_doubted_at_an_end_is_looked_at_on_the_way():
    """A ball that is dented: without doubts at both ends the middle holds as they do; with doubts it is asked anew, but not at
    the very end, where what is doubted is known."""
    rest, search = searched()
    little, more = (rest + size * np.sin(3.0 * rest[:, [1, 2, 0]]) for size in (0.01, 0.09))

    def known(end, share):
        """What is known of places on the way to an end."""
        search.cover(rest, end)
        there = rest + share * (end - rest)
        search.passed(there, rest, end, Share(*share_of(rest, end - rest, there)))
        return [marks for places, marks in search.held if places is there]

    assert known(little, 0.5) == [None]
    search.cover(rest, more)
    marks = [marks for places, marks in search.held if places is more]
    assert marks and marks[0] is not None, "nothing is doubted"
    assert known(more, 0.5) == [] and known(more, 1.0)[0] is marks[0] and known(more, 1.1) == []


def test_a_place_that_was_searched_for_no_way_is_not_taken_for_the_end_of_the_next():
    rest, search = searched()
    more = rest + 0.09 * np.sin(3.0 * rest[:, [1, 2, 0]])
    search.cover(rest, more)
    doubts = next(marks for places, marks in search.held if places is more)
    there = more.copy()
    search.passed(there, rest, more, Share(1.0, 0.0, 0.0))
    assert doubts is not None and next(marks for places, marks in search.held if places is there) is doubts


def test_places_beside_a_way_are_known_for_as_long_as_that_rounds():
    """Moved by a hair, as a balance of momentum moves a body: what that is in all since the search counts."""
    rest, search = searched()
    end = rest + 0.001 * np.sin(3.0 * rest[:, [1, 2, 0]])
    search.cover(rest, end)
    left, hair = search.blur, 0.3 * search.blur
    assert 1e-7 < left < 1e-5
    for count in range(5):
        there = end + hair * np.cos(rest)
        share = Share(*share_of(rest, end - rest, there))
        assert share.off_end == pytest.approx(hair, rel=1e-3)
        search.passed(there, rest, end, share)
        known = [marks for places, marks in search.held if places is there]
        assert known == ([None] if count < 3 else []) and search.blur == pytest.approx(left - hair * min(count + 1, 3))
        search.held.append((rest, None))
        search.held.append((end, None))

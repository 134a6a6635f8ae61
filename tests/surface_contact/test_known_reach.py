"""Pairs of one body reach as far after a remesh as before it, where air is between them."""

import numpy as np
import pytest

from solver.contact.surfaces.candidates import Neighbourhood
from solver.contact.surfaces.clusters import Clusters
from solver.contact.surfaces.known_reach import KnownReach
from solver.contact.surfaces.pairs import REST_SHARE, distances
from solver.contact.surfaces.surface import contact_surface

from .test_unfolded import REACH, ball


def search_of(triangles, rest, known=None):
    clusters = Clusters(contact_surface(triangles, rest, 1.0), rest)
    search = Neighbourhood(clusters, clusters, rest, REACH, 1e4, 0.5)
    search.known = known
    return search


def close(search, places):
    """Reaches (k,) of pairs nearer than REACH with points at places (n, 3), and how far they are apart."""
    search.cover(places, places)
    gaps = distances(places, search.pairs.nodes, search.pairs.points)
    return search.pairs.reach[gaps < REACH], gaps[gaps < REACH]


@pytest.mark.parametrize("between", ["air", "goo"])
def test_what_is_closed_reaches_as_far_as_it_did(between):
    """A skin pushed in at a pole until it lies over the other one: outside it is a fold, inside it is a film."""
    rest, triangles = ball(3000, 15.0)
    dented = rest.copy()
    top = (np.hypot(*rest[:, :2].T) < 10.0) & (rest[:, 2] > 0.0)
    dented[top, 2] = 0.05 - rest[top, 2]
    triangles = triangles[:, ::-1].copy() if between == "air" else triangles
    before = search_of(triangles, rest)
    assert (close(before, dented)[0] == REACH).all()
    known = KnownReach.of([(before.pairs, triangles)], dented)
    reaches, gaps = close(search_of(triangles, dented), dented)
    assert len(gaps) > 100 and reaches == pytest.approx(REST_SHARE * gaps)
    again, gaps = close(search_of(triangles, dented, known), dented)
    expected = REACH if between == "air" else REST_SHARE * gaps
    assert (np.abs(again - expected) < 1e-9).mean() > 0.99  # at the bend there is neither


def test_what_goes_another_way_or_lies_elsewhere_takes_nothing():
    """Two edges that cross above each other tell those that do so there, not those beside each other or far away."""
    corner = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.02], [0.0, 1.0, 0.02]])
    known = KnownReach(np.array([[0.0, 0.0, 0.01, 0.0, 0.0, -1.0, 0.07]]))
    places = np.concatenate([corner, corner[:, [0, 2, 1]], corner + (4.0, 0.0, 0.0)])
    found = known.reaches(np.arange(12, dtype=np.int32).reshape(3, 4), 0, places, REACH)
    assert found.tolist() == [0.07, 0.0, 0.0]

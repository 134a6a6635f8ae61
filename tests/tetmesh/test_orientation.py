"""Faces turned outwards, whatever the artist's state of them."""

import numpy as np
import pytest

from solver.geometry.measures import signed_volumes
from solver.geometry.orientation import oriented, turned_outwards
from tests.surfaces import box, flipped, joined, moved, soup, sphere, stored, surface


def volume(part):
    return signed_volumes(part.positions, oriented(part.positions, part.triangles).triangles).sum()


BALL = sphere(12)
FULL = signed_volumes(BALL.positions, BALL.triangles).sum()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_any_share_of_flipped_faces_is_undone(share):
    which = np.random.default_rng(3).random(len(BALL.triangles)) < share
    assert volume(flipped(BALL, which)) == pytest.approx(FULL)


def test_a_soup_is_welded_and_turned():
    which = np.random.default_rng(3).random(len(BALL.triangles)) < 0.4
    assert volume(soup(flipped(BALL, which))) == pytest.approx(FULL)


def test_a_cavity_stays_a_cavity_even_when_all_is_inside_out():
    hollow = joined(BALL, flipped(sphere(12, 0.5)))
    assert volume(hollow) == pytest.approx(FULL * (1 - 0.125))
    assert volume(flipped(hollow)) == pytest.approx(FULL * (1 - 0.125))


def test_neighbouring_shells_are_turned_one_by_one():
    assert volume(joined(BALL, flipped(moved(BALL, (3, 0, 0))))) == pytest.approx(2 * FULL)
    assert volume(joined(BALL, flipped(moved(BALL, (1.2, 0, 0))))) == pytest.approx(2 * FULL)


def test_shells_are_counted_and_faces_without_area_dropped():
    thin = joined(BALL, surface([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]]), moved(sphere(8, 0.3), (3, 0, 0)))
    faces = oriented(thin.positions, thin.triangles)
    assert len(faces.triangles) == len(thin.triangles) - 1
    assert np.unique(faces.shell).tolist() == [0, 1]
    assert oriented(stored("suzanne").positions, stored("suzanne").triangles).shell.max() + 1 == 3


def test_doubled_faces_count_once():
    assert volume(joined(BALL, BALL)) == pytest.approx(FULL)
    assert volume(joined(BALL, flipped(BALL))) == pytest.approx(FULL)
    half = surface(BALL.positions, BALL.triangles[: len(BALL.triangles) // 2])
    assert volume(joined(BALL, half)) == pytest.approx(FULL)


def test_a_wall_between_two_rooms_stays_inside():
    rooms = joined(box(), moved(box(), (1.0, 0.0, 0.0)))
    assert volume(rooms) == pytest.approx(2.0)


def test_faces_are_turned_in_their_places():
    """Some of them turned, one doubled and one without area: each stays where it is, and the volume is the ball's."""
    given = flipped(BALL, np.random.default_rng(3).random(len(BALL.triangles)) < 0.4).triangles
    given = np.concatenate([given, given[:1], np.array([[4, 4, 5]], dtype=np.int32)])
    result = turned_outwards(BALL.positions, given)
    assert np.array_equal(np.sort(result, axis=1), np.sort(given, axis=1)) and np.array_equal(result[-1], given[-1])
    assert signed_volumes(BALL.positions, result[: len(BALL.triangles)]).sum() == pytest.approx(FULL)
    assert turned_outwards(BALL.positions, BALL.triangles) is BALL.triangles

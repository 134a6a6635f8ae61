"""What springs at colliders' edges held when a step ended is all that those of the next one may begin with."""

import numpy as np
import pytest

from solver.contact.edges.stored import Stored
from solver.contact.response import FIRM, GIVING, gaps_of_energies, normal_energies

REACH, STIFFNESS = 0.01, 2e4  # [m], [N/m]
OWN, OTHER, THIRD = (0, 1, 7, 3), (0, 1, 7, -1), (0, 1, 9, 2)


def energies(gaps):
    found = np.empty(len(gaps))
    normal_energies(np.array(gaps), np.full(len(gaps), REACH), np.full(len(gaps), STIFFNESS), found)
    return found


def stored(keys, gaps):
    return Stored.of(np.array(keys, np.int32), np.array(gaps), np.full(len(gaps), REACH), np.full(len(gaps), STIFFNESS))


def begun(held, keys, gaps):
    return held.gaps(np.array(keys, np.int32), np.array(gaps), np.full(len(gaps), REACH), np.full(len(gaps), STIFFNESS))


@pytest.mark.parametrize("deep", (0.3, 0.9, 0.5 * (GIVING + FIRM), 3.0 * FIRM))  # in each part of the law
def test_a_gap_is_found_by_the_energy_that_it_holds(deep):
    gap = (1.0 - deep) * REACH
    found = gaps_of_energies(energies([gap]), np.array([-REACH * 20.0]), np.array([REACH]), np.array([STIFFNESS]))
    np.testing.assert_allclose(found, gap, rtol=1e-9, atol=1e-12)


def test_a_spring_begins_with_no_more_than_it_held():
    held = stored([OWN], [-0.05])
    np.testing.assert_allclose(begun(held, [OWN], [-0.2]), [-0.05], rtol=1e-9)
    assert begun(held, [OWN], [-0.03]).tolist() == [-0.03]  # what has been let go of is gone


def test_what_is_no_more_leaves_its_energy_to_others_by_what_they_ask_for():
    held = stored([THIRD], [-0.05])
    found = begun(held, [OWN, OTHER], [-0.06, -0.04])
    assert energies(found).sum() == pytest.approx(energies([-0.05])[0], rel=1e-9)
    asked, given = energies([-0.06, -0.04]), energies(found)
    assert given[0] / given[1] == pytest.approx(asked[0] / asked[1], rel=1e-9)


def test_where_nothing_touches_any_more_nothing_is_asked_for():
    """As of a sticky collider that lets go."""
    nothing = np.zeros((0, 4), np.int32), np.zeros(0), np.zeros(0), np.zeros(0)
    assert len(stored([OWN], [-0.05]).gaps(*nothing)) == 0 and len(Stored().gaps(*nothing)) == 0


def test_each_has_its_own_first():
    """A place found deep beside takes nothing away from one that is pressed, and gets what another has left."""
    held = stored([OWN, THIRD], [-0.05, -0.03])
    found = begun(held, [OWN, OTHER], [-0.05, -0.5])
    assert found[0] == pytest.approx(-0.05, rel=1e-9)
    assert energies(found)[1] == pytest.approx(energies([-0.03])[0], rel=1e-9)


def test_what_nobody_has_pushed_in_is_let_out_as_what_lies_is_held():
    """Of bodies or colliders that hold nothing, and of a corner with two springs by one key no more than once."""
    at_ease = (1.0 - GIVING) * REACH
    for held in (Stored(), stored([(0, 2, 7, 3)], [-0.05]), stored([(1, 1, 7, 3)], [-0.05])):
        np.testing.assert_allclose(begun(held, [OWN, OTHER], [-0.3, 0.5 * REACH]), [at_ease, 0.5 * REACH], rtol=1e-9)
    twice = begun(stored([OTHER], [-0.05]), [OTHER, OTHER], [-0.05, -0.05])
    assert energies(twice).sum() == pytest.approx(energies([-0.05])[0], rel=1e-9)


def test_edges_with_other_numbers_share_what_their_bodies_held():
    held = stored([OWN, (0, 2, 7, 3)], [-0.05, -0.09]).renumbered()
    assert held.keys.tolist() == [[0, 1, -1, -1], [0, 2, -1, -1]]
    assert energies(begun(held, [THIRD], [-0.2])) == pytest.approx(energies([-0.05]), rel=1e-9)


def test_a_checkpoint_keeps_it():
    held = stored([OWN, OTHER, THIRD], [-0.05, 2.0 * REACH, 0.0])
    assert held.keys.tolist() == [list(OWN), list(THIRD)]  # one does not touch
    again = Stored.from_arrays(held.arrays())
    assert again.keys.tolist() == held.keys.tolist() and again.energies.tolist() == held.energies.tolist()
    assert len(Stored.from_arrays({}).energies) == 0

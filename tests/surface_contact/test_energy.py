"""The energy of surfaces in contact: its gradient and stiffness, friction, and what it leaves alone."""

import numpy as np
import pytest

from solver.contact.surfaces.candidates import REACH
from solver.contact.surfaces.pairs import distances
from solver.contact.surfaces.standing import Standing
from solver.contact.surfaces.surface_contact import SurfaceContact
from solver.contact.surfaces.touch import Touch
from tests.surface_contact.bodies import block, surfaces_of, themselves

SOFT = Touch(modulus=1e4, friction=0.5, slip=1e-5)


def two_blocks(gap, turn=0.3, friction=0.5):
    """Places (n, 3) of a small block over a larger one, turned about the upright, `gap` of an edge apart; and their contact."""
    lower, upper = block((4, 4, 1), 0.1), block((2, 2, 1), 0.1, (0.07, 0.09, 1.0))
    rest, surfaces = surfaces_of(lower, upper)
    touch = Touch(modulus=1e4, friction=friction, slip=1e-5)
    contact = SurfaceContact(surfaces, [touch, touch], rest, themselves(rest))
    places, above = rest.copy(), slice(len(lower[0]), None)
    c, s = np.cos(turn), np.sin(turn)
    places[above, :2] = (rest[above, :2] - 0.2) @ np.array([[c, s], [-s, c]]) + 0.2
    places[above, 2] += 0.1 + gap * 0.1 - 1.0
    return places, contact, above


def add_barriers(pairs, places, gradient):
    """The energy of all barriers, whose gradient is added."""
    found = Standing(pairs, places).barriers
    gradient += found.gradient
    return found.energy


@pytest.fixture
def pressed():
    """Blocks within reach, a little dented, so that pairs of both kinds push; with what moves them apart or along."""
    rng = np.random.default_rng(3)
    places, contact, above = two_blocks(0.3 * REACH)
    places += 2e-5 * rng.normal(size=places.shape)
    contact.cover(places, places)
    return places, contact, above


def energy_and_gradient(contact, places):
    gradient = np.zeros_like(places)
    return contact.add_gradient(places, gradient), gradient


@pytest.mark.parametrize("turn", [0.3, 0.0, 0.01])
def test_the_gradient_is_that_of_differences(turn):
    """With edges that cross, are parallel, or fade."""
    rng = np.random.default_rng(4)
    places, contact, _ = two_blocks(0.3 * REACH, turn)
    places += 2e-5 * rng.normal(size=places.shape)
    contact.begin_step(places)
    places = places + 1e-5 * rng.normal(size=places.shape)
    _, gradient = energy_and_gradient(contact, places)
    assert np.abs(gradient).max() > 0.01
    for _ in range(5):
        way, step = rng.normal(size=places.shape), 1e-9
        ahead, back = (energy_and_gradient(contact, places + sign * step * way)[0] for sign in (1.0, -1.0))
        slope = float((gradient * way).sum())
        assert (ahead - back) / (2.0 * step) == pytest.approx(slope, rel=2e-4, abs=1e-5 * np.abs(gradient).sum())


def test_what_rubbed_at_the_start_acts_until_the_step_ends(pressed):
    """Also where its bodies are far apart at the end; and barriers then have what they had at the start, and now nothing."""
    places, contact, above = pressed
    contact.begin_step(places)
    begun = add_barriers(contact.pairs, places, np.zeros_like(places))
    apart = places.copy()
    apart[above] += (1e-3, 0.0, 1.0)
    contact.cover(apart, apart)
    energy, gradient = energy_and_gradient(contact, apart)
    assert not contact.pushes(apart) and not contact.idle
    assert energy > 0.0 and gradient[above, 0].sum() > 0.5 * contact.friction.grip.sum() > 0.0
    assert contact.stiffness(apart, np.arange(len(apart), dtype=np.int32)).blocks.any()
    start, end = contact.stored(apart)
    assert start.sum() == pytest.approx(begun) and begun > 0.0 and not end.any()
    contact.begin_step(apart)
    assert contact.idle and contact.add_gradient(apart, gradient) == 0.0


def wedge(up):
    """One tet, 4 long and 0.4 high, with an edge along x at the top or at the bottom, and the one opposite along y."""
    ends = np.array([(-2.0, 0.0, 0.4), (2.0, 0.0, 0.4), (0.0, -0.4, 0.0), (0.0, 0.4, 0.0)])
    return (ends, np.array([[0, 1, 3, 2]])) if up else (ends * (1.0, 1.0, -1.0), np.array([[0, 1, 2, 3]]))


def test_edges_that_are_almost_parallel_turn_each_other_as_their_energy_says():
    """Where one fades, its energy hangs on the angle: two sharp edges that cross in their middles, 0.028 rad apart."""
    rest, surfaces = surfaces_of(wedge(True), wedge(False))
    contact = SurfaceContact(surfaces, [SOFT, SOFT], rest, themselves(rest))
    above, reach = slice(4, None), contact.neighbourhoods[0].reach

    def turned(angle):
        places, (c, s) = rest.copy(), (np.cos(angle), np.sin(angle))
        places[above, :2] = rest[above, :2] @ np.array([[c, s], [-s, c]])
        places[above, 2] += 0.8 + 0.3 * reach
        return places

    angle, step = 0.028, 1e-6
    places = turned(angle)
    contact.cover(places, places)
    gradient = energy_and_gradient(contact, places)[1]
    way = (turned(angle + step) - turned(angle - step)) / (2.0 * step)
    ahead, back = (energy_and_gradient(contact, turned(angle + sign * step))[0] for sign in (1.0, -1.0))
    slope = (ahead - back) / (2.0 * step)
    assert slope > 0.1 * energy_and_gradient(contact, places)[0] / angle  # it grows as they turn apart, and fades as they align
    assert float((gradient * way).sum()) == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize("beside", [(0.3, 0.2), (0.3, 0.004), (0.002, 0.003), (0.0, 0.0)])
def test_a_vertex_over_a_flat_face_is_as_firm_as_the_face_beside_edges_and_corners_too(beside):
    """A tip over a block's top, so many edges from a corner: firm along one line as its energy says, and not across it.

    Where its own edges bring energies that bend downwards, which no stiffness may, it is firmer by these.
    """
    lower = block((4, 4, 1), 0.1)
    tip = np.array([(0.0, 0.0, 0.0), (0.01, 0.0, 0.1), (-0.005, 0.009, 0.1), (-0.005, -0.009, 0.1)])
    rest, surfaces = surfaces_of((lower[0], lower[1]), (tip + [0.2, 0.2, 1.0], np.array([[0, 1, 2, 3]])))
    contact = SurfaceContact(surfaces, [SOFT, SOFT], rest, themselves(rest))
    places, above, reach = rest.copy(), len(lower[0]), contact.neighbourhoods[contact.bodies.index((0, 1))].reach
    places[above:] = tip + [0.2 + 0.1 * beside[0], 0.2 + 0.1 * beside[1], lower[0][:, 2].max() + 0.8 * reach]
    contact.cover(places, places)
    moves = np.zeros((3, *places.shape))
    moves[np.arange(3), above, np.arange(3)] = 1.0
    step = 1e-3 * reach

    def pushed(sign):
        return np.array([energy_and_gradient(contact, places + sign * step * move)[1][above] for move in moves])

    true = (pushed(1.0) - pushed(-1.0)) / (2.0 * step)
    told = dense(contact.stiffness(places, np.arange(len(places), dtype=np.int32)), len(places))
    told = told[3 * above : 3 * above + 3, 3 * above : 3 * above + 3]
    firm = np.linalg.eigvalsh(true).max()
    assert firm > 0.0 and np.linalg.eigvalsh(told - true).min() > -0.05 * firm and np.trace(told) < 1.1 * firm


def test_forces_are_internal(pressed):
    places, contact, above = pressed
    contact.begin_step(places)
    _, gradient = energy_and_gradient(contact, places)
    size = np.abs(gradient).sum()
    assert np.abs(gradient.sum(axis=0)).max() < 1e-12 * size
    assert np.abs(np.cross(places, gradient).sum(axis=0)).max() < 1e-12 * size
    assert gradient[above, 2].sum() < -0.1 * size  # pushed up


def dense(stiffness, count):
    """A PairStiffness as a matrix (3n, 3n)."""
    matrix = np.zeros((3 * count, 3 * count))
    for points, weights, h in zip(stiffness.points, stiffness.weights, stiffness.blocks.reshape(-1, 3, 3), strict=True):
        moved = np.zeros(count)
        for a, weight in zip(points, weights, strict=True):
            entries = slice(stiffness.start[a], stiffness.start[a + 1])
            np.add.at(moved, stiffness.rows[entries], weight * stiffness.shares[entries])
        matrix += np.kron(np.outer(moved, moved), h)
    return matrix


def test_the_stiffness_is_that_of_differences_but_for_the_turning_of_normals(pressed):
    places, contact, above = pressed
    matrix = dense(contact.stiffness(places, np.arange(len(places), dtype=np.int32)), len(places))
    eigenvalues = np.linalg.eigvalsh(matrix)
    assert eigenvalues.min() > -1e-12 * eigenvalues.max()
    up, step = np.zeros_like(places), 1e-8
    up[above, 2] = 1.0
    ahead, back = (energy_and_gradient(contact, places + sign * step * up)[1] for sign in (1.0, -1.0))
    change = (ahead - back) / (2.0 * step)
    product = (matrix @ up.ravel()).reshape(-1, 3)
    assert np.abs(product).max() > 100.0
    assert np.abs(product - change).max() < 0.1 * np.abs(product).max()


def test_friction_holds_within_the_cone_and_drags_with_its_bound_beyond():
    places, contact, above = two_blocks(0.3 * REACH)
    contact.begin_step(places)
    _, pushing = energy_and_gradient(contact, places)
    press = -float(pushing[above, 2].sum())
    slip = SOFT.slip
    for length, share in ((0.1 * slip, 0.19), (0.5 * slip, 0.75), (1.0 * slip, 1.0), (5.0 * slip, 1.0)):
        moved = places.copy()
        moved[above, 0] += length
        without = np.zeros_like(moved)
        add_barriers(contact.pairs, moved, without)
        drag = float((energy_and_gradient(contact, moved)[1] - without)[above, 0].sum())
        assert drag == pytest.approx(0.5 * share * press, rel=0.03)


@pytest.mark.parametrize(("length", "kept"), [(0.4, 0.4), (3.0, 1.0)])
def test_what_sticks_is_remembered_and_what_slips_lets_go(length, kept):
    """A block that was pushed aside pulls back with the same force in the next step, but with no more than its bound."""
    places, contact, above = two_blocks(0.3 * REACH)
    contact.begin_step(places)
    moved = places.copy()
    moved[above, 0] += length * SOFT.slip

    def drag():
        without = np.zeros_like(moved)
        add_barriers(contact.pairs, moved, without)
        return float((energy_and_gradient(contact, moved)[1] - without)[above, 0].sum())

    before = drag()
    contact.end_step(moved)
    contact.begin_step(moved)
    assert drag() == pytest.approx(before, rel=0.03)
    contact.end_step(moved)
    contact.begin_step(places)
    moved = places
    assert drag() == pytest.approx(before, rel=0.03)
    stretch = contact.held.stretch
    assert stretch[:, 0].max() == pytest.approx(kept * SOFT.slip, rel=1e-6)


@pytest.mark.parametrize("turned_about", [False, True])
def test_what_sticks_goes_on_sticking_on_surfaces_of_other_numbers(turned_about):
    """As after a remesh: with the bodies' points in another order, or the bodies themselves."""
    places, contact, above = two_blocks(0.3 * REACH)
    moved = places.copy()
    moved[above, 0] += 0.4 * SOFT.slip
    contact.begin_step(places)
    contact.end_step(moved)
    count, lower = above.start, slice(0, above.start)
    order = np.concatenate([np.arange(len(places))[above], np.arange(count)]) if turned_about else np.arange(len(places))[::-1]
    rest = surfaces_of(block((4, 4, 1), 0.1), block((2, 2, 1), 0.1, (0.07, 0.09, 1.0)))[0]
    blocks = [block((4, 4, 1), 0.1)[1], block((2, 2, 1), 0.1)[1]]
    rank = np.argsort(order)
    if turned_about:
        other = surfaces_of((rest[above], blocks[1]), (rest[lower], blocks[0]))
    else:
        rank = np.concatenate([rank[:count] - len(places) + count, rank[count:] + count])
        order = np.argsort(rank)
        tets = [rank[:count][blocks[0]], rank[count:][blocks[1]] - count]
        other = surfaces_of((rest[order][:count], tets[0]), (rest[order][count:], tets[1]))
    fresh = SurfaceContact(other[1], [SOFT, SOFT], other[0], themselves(other[0]))
    fresh.cover(moved[order], moved[order])
    fresh.held = contact.held.renumbered()
    contact.begin_step(moved)
    fresh.begin_step(moved[order])
    old, new = energy_and_gradient(contact, moved)[1], energy_and_gradient(fresh, moved[order])[1]
    assert np.allclose(new, old[order], atol=0.05 * np.abs(old).max())  # corners have several normals
    fresh.held = type(contact.held)()
    fresh.begin_step(moved[order])
    assert not np.allclose(energy_and_gradient(fresh, moved[order])[1], old[order], atol=0.1 * np.abs(old).max())


def test_no_friction_is_no_drag():
    places, contact, _ = two_blocks(0.3 * REACH, friction=0.0)
    contact.begin_step(places)
    assert not len(contact.friction.points)


def test_a_flat_surface_is_slid_over_as_if_it_had_no_edges():
    """But for where nodes come under the upper block's border, which do push outward."""
    along = []
    for shift in np.linspace(0.0, 0.1, 41):
        places, contact, above = two_blocks(0.3 * REACH, friction=0.0)
        places[above, :2] += [shift, 0.37 * shift]
        contact.cover(places, places)
        _, gradient = energy_and_gradient(contact, places)
        force = gradient[above].sum(axis=0)
        along.append(np.hypot(force[0], force[1]) / -force[2])
    assert np.median(along) < 0.005 and max(along) < 0.05


def test_a_step_into_another_body_is_stopped_before_it():
    places, contact, above = two_blocks(5.0)
    fall = np.zeros_like(places)
    fall[above, 2] = -2.0
    share = contact.limit(places, fall)
    assert 0.2 < share < 0.25
    after = places + share * fall
    pairs = contact.pairs
    assert distances(after, pairs.nodes, pairs.points).min() > 0.0
    assert contact.limit(places, -fall) == 1.0
    assert contact.limit(after, fall) < 0.05


def test_bodies_of_other_groups_and_bodies_without_self_contact_pass():
    rest, surfaces = surfaces_of(block((1, 1, 1), 0.1), block((1, 1, 1), 0.1, (0.0, 0.0, 0.1005)))
    touches = [Touch(1e4, 0.0, 1e-5, own=False, groups=5), Touch(1e4, 0.0, 1e-5, own=False, groups=2)]
    contact = SurfaceContact(surfaces, touches, rest, themselves(rest))
    contact.cover(rest, rest)
    assert not len(contact.pairs.nodes)
    touches[1] = Touch(1e4, 0.0, 1e-5, own=False, groups=6)
    contact = SurfaceContact(surfaces, touches, rest, themselves(rest))
    contact.cover(rest, rest)
    assert len(contact.pairs.nodes) and contact.touched(rest).sum() == 8

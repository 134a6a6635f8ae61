"""Which edges of colliders are sharp, and where they touch triangles: distances, normals and sides."""

from types import SimpleNamespace

import numpy as np
import pytest

from solver.colliders import build
from solver.contact.edges.edge_contacts import EdgeContacts
from solver.contact.edges.meeting import Crossings, EdgedCollider, Touches
from solver.contact.edges.touching import touching_corners, touching_edges
from solver.scene import Collider, Settings, Surface
from tests.physics.knives import knife, nosing, prism
from tests.surfaces import box, sphere


def field(surface: Surface, **settings):
    return build(Collider("c", "C", "mesh", np.eye(4)[None], surface=surface, **settings), Settings())


def ends_of(found) -> set:
    """The sharp edges of a field as pairs of rounded places."""
    places, _ = found.corners(0.0)
    return {frozenset(tuple(np.round(places[i], 9) + 0.0) for i in edge) for edge in found.sharp.among(0.0).ends}


def test_a_box_has_the_twelve_edges_of_its_mesh():
    exact = build(Collider("c", "C", "box", np.eye(4)[None], size=(1.0, 2.0, 3.0)), Settings())
    assert len(exact.sharp.among(0.0).ends) == 12
    assert ends_of(exact) == ends_of(field(box((1.0, 2.0, 3.0))))


def test_only_edges_that_stand_out_are_sharp():
    """Of a stair of two steps the nosings and the outer edges, not the edge at the foot of a riser."""
    profile = [(0, 0), (0, 2), (1, 2), (1, 1), (2, 1), (2, 0)]
    n = len(profile)
    sides = prism(profile, 1.0)
    caps = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)])
    caps = np.concatenate([caps, caps[:, ::-1] + n])
    stair = field(Surface(sides.positions, np.concatenate([sides.triangles[: 2 * n], caps]).astype(np.int32)))
    inner = frozenset({(1.0, -0.5, 1.0), (1.0, 0.5, 1.0)})
    along = {edge for edge in ends_of(stair) if len({y for _, y, _ in edge}) == 2}
    assert inner not in along and len(along) == n - 1


def test_what_bends_gently_has_none_and_a_sheet_has_its_rim():
    assert field(sphere(24)).sharp.among(0.0) is None
    sheet = Surface(np.array([(0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]), np.array([(0, 1, 2), (0, 2, 3)], np.int32))
    assert len(field(sheet, two_sided=True).sharp.among(0.0).ends) == 4


def test_ways_out_are_half_way_between_the_faces():
    for shape, out in ((nosing, (np.sqrt(0.5), 0.0, np.sqrt(0.5))), (knife, (0.0, 0.0, 1.0))):
        collider = field(shape()[0])
        edged = EdgedCollider.of(collider, 0, collider.sharp.among(0.0))
        corners, _ = edged.corners(collider.corners(0.0))
        edges, _ = edged.ways_out(corners)
        top = (np.abs(corners[edged.sharp.ends][:, :, [0, 2]]) < 1e-12).all(axis=(1, 2))
        assert top.sum() == 1 and np.allclose(edges[top], out)


# Two triangles over the y axis, seen from below: their common edge runs along x at a height
HIGH = 0.013
PLACES = np.array([(-0.5, 0.1, HIGH), (0.7, -0.1, HIGH), (0.1, 1.0, HIGH + 0.4), (0.0, -1.0, HIGH + 0.3)])
ENDS, WINGS = np.array([[0, 1]], np.int32), np.array([[3, 2]], np.int32)
LINE, SIDES = np.array([(0.0, -2.0, 0.0), (0.0, 2.0, 0.0), (-0.3, 0.0, -1.0), (0.3, 0.0, -1.0)]), np.array([[2, 3]], np.int32)
OUT = np.array([[0.0, 0.0, 1.0]])


def touched(here, begun, offset=0.0, ends=ENDS, beside=0.0, offset_then=None):
    """offset: one for all corners, or each of the line's own."""
    thick = np.zeros(4) + offset
    thick_then = thick if offset_then is None else np.zeros(4) + offset_then
    room = np.empty(1, np.int64), np.empty((1, 2)), np.empty((1, 3)), np.empty(1), np.empty((1, 2)), np.empty((1, 3))
    pairs = here, begun, ends, WINGS, LINE, thick, LINE, thick_then, np.array([[0, 1]], np.int32), SIDES, OUT
    return touching_edges(*pairs, 0.5, beside, *room), *(column[0] for column in room[1:4]), room[4][0, 0], room[4][0, 1]


def test_a_crossing_edge_is_as_far_as_the_lines_are():
    count, shares, normal, gap, depth, _ = touched(PLACES, PLACES, 0.003)
    u, v = PLACES[1] - PLACES[0], LINE[1] - LINE[0]
    across = np.cross(u, v) / np.linalg.norm(np.cross(u, v))
    assert count == 1 and gap == pytest.approx(abs(across @ (PLACES[0] - LINE[0])) - 0.003) and depth == 0.0
    assert np.allclose(normal, (0.0, 0.0, 1.0))
    assert np.allclose(PLACES[0] + shares[0] * u, LINE[0] + shares[1] * v + (0.0, 0.0, HIGH))


def test_an_edge_is_as_thick_as_it_is_there_and_then():
    """Thickness goes straight along an edge; how deep a place was when the step began says the thickness of that time."""
    _, shares, _, gap, depth, _ = touched(PLACES, PLACES, [0.0, 0.2, 0.0, 0.0], offset_then=[0.0, 0.04, 0.0, 0.0])
    assert gap == pytest.approx(HIGH - 0.2 * shares[1]) and depth == pytest.approx(0.04 * shares[1] - HIGH)


def test_what_is_sunk_in_is_pushed_out_the_same_way():
    down = PLACES - (0.0, 0.0, 0.05)
    count, _, normal, gap, depth, _ = touched(down, PLACES)
    assert count == 1 and normal[2] > 0.9 and gap == pytest.approx(HIGH - 0.05) and depth == 0.0
    assert touched(down, down)[4] == pytest.approx(0.05 - HIGH)


def test_a_normal_that_turns_round_lets_nothing_out():
    """The faces beside the body's edge change sides, as those of a crumple do, and its way in with them; the edge stays."""
    down = PLACES - (0.0, 0.0, 0.05)
    count, _, _, gap, depth, stayed = touched(down, down[[0, 1, 3, 2]])
    assert count == 1 and gap == pytest.approx(HIGH - 0.05) and depth == 0.0 and stayed == pytest.approx(0.05 - HIGH)


def test_the_gap_changes_as_the_normal_says():
    rng = np.random.default_rng(3)
    tilted = PLACES + rng.uniform(-0.1, 0.1, PLACES.shape)
    _, (s, _), normal, gap, _, _ = touched(tilted, tilted)
    for node, weight in ((0, 1.0 - s), (1, s)):
        for axis in range(3):
            ends = [tilted.copy(), tilted.copy()]
            ends[0][node, axis] -= 1e-6
            ends[1][node, axis] += 1e-6
            slope = np.diff([touched(end, end)[3] for end in ends])[0] / 2e-6
            assert slope == pytest.approx(weight * normal[axis], abs=3.0 * abs(gap) + 1e-6)


def test_beyond_a_corner_an_edge_counts_as_long_as_it_holds_nothing():
    """A corner has gone 0.1 past the line: the edge behind it still knows where its plane is, at the corner itself."""
    past = PLACES + (0.6, 0.0, 0.0)
    assert touched(past, past, beside=0.09)[0] == 0
    count, shares, normal, gap, _, _ = touched(past, past, beside=0.11)
    assert count == 1 and shares[0] == 0.0 and shares[1] == pytest.approx((past[0, 1] + 2.0) / 4.0)
    lean = np.array([0.5, 0.0, 1.0]) / np.sqrt(1.25)
    assert np.allclose(normal, lean) and gap == pytest.approx(lean @ (past[0] - LINE[0]))
    sunk = past - (0.0, 0.0, 2.0 * HIGH)
    assert touched(sunk, sunk, beside=0.11)[0] == 0


def test_a_surface_that_faces_away_is_not_pulled():
    assert touched(PLACES, PLACES, ends=np.ascontiguousarray(ENDS[:, ::-1]))[0] == 0


def test_a_corner_touches_the_triangle_over_it():
    triangle = np.array([(-1.0, -1.0, 0.02), (0.0, 2.0, 0.02), (1.0, -1.0, 0.02)])
    tip = np.array([(0.1, 0.2, 0.0), (0.0, 0.0, -1.0)])
    room = np.empty(1, np.int64), np.empty((1, 2)), np.empty((1, 3)), np.empty(1), np.empty((1, 2)), np.empty((1, 3))
    first, ends = np.array([0, 1, 1]), np.array([1], np.int32)
    thick = np.full(2, 0.005)
    pairs = triangle, triangle, np.array([[0, 1, 2]], np.int32), tip, thick, tip, thick, np.array([0], np.int32), first, ends
    count = touching_corners(*pairs, np.array([(0.0, 0.0, 1.0)] * 2), np.zeros(2, bool), 0.5, *room)
    s, t = room[1][0]
    assert count == 1 and room[3][0] == pytest.approx(0.015) and np.allclose(room[2][0], (0.0, 0.0, 1.0))
    foot = (1.0 - s - t) * triangle[0] + s * triangle[1] + t * triangle[2]
    assert np.allclose(foot, (0.1, 0.2, 0.02))


def test_what_has_hardly_moved_was_where_it_is():
    """A tip beside a steep face, 0.6 away along its way out and 0.06 within the plane, which goes a thousandth further in."""
    face = np.array([(0.06 + 0.1 * z, y, z) for y, z in ((2.0, -2.0), (0.0, 1.0), (-2.0, -2.0))])
    tip = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, -1.0)])
    room = np.empty(1, np.int64), np.empty((1, 2)), np.empty((1, 3)), np.empty(1), np.empty((1, 2)), np.empty((1, 3))
    bare, corner = (tip, np.zeros(2)), (np.array([0], np.int32), np.array([0, 0, 0]), np.array([], np.int32))
    pairs = face, face - (0.001, 0.0, 0.0), np.array([[0, 1, 2]], np.int32), *bare, *bare
    count = touching_corners(*pairs, *corner, np.array([(0.0, 0.0, 1.0)] * 2), np.zeros(2, bool), 0.5, *room)
    depth, stayed = room[4][0]
    assert count == 1 and room[3][0] == pytest.approx(-0.06, abs=0.001)
    assert depth == 0.0 and stayed == pytest.approx(0.06 - 0.25 * 0.001, abs=0.002)


@pytest.mark.parametrize(("turned", "touches"), [(False, 1), (True, 0)])
def test_a_rim_pushes_outwards_only(turned, touches):
    """A steep face beside the rim of an upright sheet, seen from outside or, as where goo is turned over, from within."""
    places = np.array([(-0.15, 0.1, -0.475), (0.15, -0.1, 0.475), (0.0, 1.0, 0.05), (0.0, -1.0, -0.05)])
    ends, wings = np.array([[0, 1]], np.int32), np.array([[2, 3]] if turned else [[3, 2]], np.int32)
    room = np.empty(1, np.int64), np.empty((1, 2)), np.empty((1, 3)), np.empty(1), np.empty((1, 2)), np.empty((1, 3))
    line = np.array([(0.0, -2.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, -1.0)])
    bare = line, np.zeros(3)
    rim = *bare, *bare, np.array([[0, 1]], np.int32), np.array([[2, -1]], np.int32), OUT
    outward = np.cross(places[ends[0, 1]] - places[ends[0, 0]], places[wings[0, 0]] - places[ends[0, 0]])
    assert (outward[2] > 0.0) == turned
    assert touching_edges(places, places, ends, wings, *rim, 0.5, 0.0, *room) == touches


UP = np.array([[0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("gone", "aside", "stayed", "swept"),
    [(0.02, 0.1, 0.0, True), (0.001, 0.0, 0.05, False), (0.001, 0.0, 0.0, True)],
    ids=["slides in", "hardly moves", "faces turn over"],
)
def test_only_what_may_have_slid_in_asks_for_shorter_steps(gone, aside, stayed, swept):
    """A place 0.05 elements deep, which no spring has held, has gone so far in, and was so deep by the normals of then."""
    goo, none, numbers = np.zeros((1, 3)), np.zeros(1), np.zeros((1, 4), np.int32)
    deep, then = np.array([-0.05]), np.array([[aside, 0.0, -gone]])
    at = Crossings(numbers, numbers[:, :3], goo, goo, then, UP, deep, none, none + stayed, none + 1.0, none, UP)
    meeting = SimpleNamespace(body=SimpleNamespace(point=0), element=1.0, swept=False, overlap=lambda touches: -deep)
    points = SimpleNamespace(size=np.ones(1), stiffness=np.ones(1))
    EdgeContacts([], points, [], np.ones((0, 1), bool), False)._gap(meeting, Touches(at, goo, goo, None))
    assert meeting.swept == swept

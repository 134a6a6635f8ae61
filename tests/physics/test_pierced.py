"""Edges of colliders that have gone into a body whatever the planes of what touches say: what is shown is out of them."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import identity
from scipy.spatial.transform import Rotation

from solver.bake import prepare
from solver.colliders.shaped import cube
from solver.contact.edges.edge_contacts import EdgeContacts
from solver.contact.edges.faces import Shown
from solver.contact.edges.pierced import STUCK, Skin, pierced
from solver.contact.shown import MAY, Way, _needs_no_look, _pierced
from solver.contact.surfaces.carried import Carried
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from tests.physics.knives import depth, knife
from tests.physics.test_thin_plates import SOFT, thrown
from tests.surface_contact.seen_depths import SeenDepths
from tests.surfaces import box, moved, stored

LEAST = 0.012
TURNED = Rotation.from_rotvec((1.22858098, 1.1472398, 1.43645248)).as_matrix()


def meeting(line, parts=3, offset=0.0, triangles=None, element=1.0) -> tuple[SimpleNamespace, np.ndarray]:
    """A cube of 1 m about the origin, of tets of a size [m], and a collider's edge (2, 3); and its nodes, the vertices."""
    corners, faces = cube(parts)
    nodes, rows = 0.5 * corners, identity(len(corners), format="csr")
    shown = Shown(rows, Carried.by(rows), faces.astype(np.int32) if triangles is None else triangles(faces.astype(np.int32)))
    sharp = SimpleNamespace(ends=np.array([[0, 1]], np.int32))
    line = np.asarray(line, dtype=float)
    parts = {"faces": SimpleNamespace(shown=shown), "now": (line, np.full(2, offset)), "collider": SimpleNamespace(sharp=sharp)}
    return SimpleNamespace(element=element, **parts), nodes


def asked(met, nodes, edges=(0,), corners=()):
    return pierced(met, np.array(edges, np.int32), np.array(corners, np.int32), Skin(met, nodes), LEAST)


def deepest_in(run: Simulation, lines: list[np.ndarray], frames: int) -> tuple[float, float]:
    """How deep lines (2, 3) of edges get into what is shown, and that gets into colliders, in elements."""
    depths, deepest = SeenDepths(run.scene), 0.0
    for _ in range(frames):
        frame = run.advance()
        depths.look(frame)
        (seen,) = frame.bodies
        shown = seen.positions + seen.origin, run.scene.bodies[0].surface.triangles
        deepest = max(deepest, *(depth(np.clip(line, -0.3, 0.3), *shown) / run.element_size for line in lines))
    return deepest, depths.in_colliders


@pytest.mark.parametrize("sunk", [0.02, 0.1, 0.2])
def test_what_lies_over_an_edge_goes_to_it_by_the_shortest_way(sunk):
    met, nodes = meeting([(0.1, -2.0, 0.5 - sunk), (0.1, 2.0, 0.5 - sunk)])
    found = asked(met, nodes)
    # Near the ends of the edge's way through the cube the nearest face is another one
    over, top = found.over, np.abs(found.normal[:, 2] + 1.0) < 1e-9
    assert over.max() == pytest.approx(sunk, rel=1e-9) and top.any()
    assert np.allclose(found.rows.places(nodes), found.here)
    out = found.here + found.over[:, None] * found.normal
    assert np.allclose(out[:, [0, 2]], [0.1, 0.5 - sunk])
    assert np.all(np.abs(found.here).max(axis=1) == pytest.approx(0.5))


def test_nothing_is_asked_of_what_is_out_or_all_but_out():
    for height in (0.501, 0.5 - 0.9 * LEAST):
        met, nodes = meeting([(0.1, -2.0, height), (0.1, 2.0, height)])
        assert len(asked(met, nodes).over) == 0


def test_thickness_reaches_into_what_an_edge_is_outside_of():
    met, nodes = meeting([(0.1, -2.0, 0.53), (0.1, 2.0, 0.53)], offset=0.1)
    found = asked(met, nodes)
    assert found.over.max() == pytest.approx(0.07) and np.allclose(found.normal[found.over.argmax()], (0.0, 0.0, -1.0))


def test_a_tip_counts_by_itself():
    met, nodes = meeting([(0.1, 0.05, 0.44), (0.1, 0.05, 2.0)])
    found = asked(met, nodes, edges=(), corners=(0,))
    assert found.over == pytest.approx([0.06]) and np.allclose(found.here, (0.1, 0.05, 0.5))


def test_what_runs_through_a_body_on_purpose_is_left_alone():
    met, nodes = meeting([(0.0, 0.0, -2.0), (0.0, 0.0, 2.0)], element=0.9 / STUCK * 0.5)
    assert len(asked(met, nodes).over) and not asked(met, nodes).over.any()


def test_goo_that_is_inside_out_holds_nothing():
    met, nodes = meeting([(0.1, -2.0, 0.4), (0.1, 2.0, 0.4)], triangles=lambda faces: faces[:, ::-1].copy())
    assert len(asked(met, nodes).over) == 0


def test_what_is_pierced_by_an_edge_that_touches_nothing_is_found_too():
    """The far edge of a thin plate may be in a fold although by planes all that it meets is more than the reach away."""
    met, nodes = meeting([(0.1, -2.0, 0.4), (0.1, 2.0, 0.4)])
    met.body = SimpleNamespace(nodes=slice(0, len(nodes)))
    touches = SimpleNamespace(at=SimpleNamespace(keys=np.array([[0, 0, 0, 5]], np.int32), gap=np.array([0.3])))
    assert _pierced(met, touches, Skin(met, nodes)).over.max() == pytest.approx(0.1 - MAY)


@pytest.mark.parametrize(
    ("thickness", "modulus", "x", "velocity"),
    [(0.001, 2e3, -0.0742712, (-0.7725839, 0.0, -6.2072911)), (0.003, 2e4, 0.0030651, (-0.4283972, 0.0, -7.0397039))],
)
def test_a_plate_thinner_than_a_tenth_of_a_tet_is_not_shown_in_goo(thickness, modulus, x, velocity):
    """The bottom of a fold inside it sees only its flat sides: its edge was 45 and 10 % of an element deep in one frame."""
    plate = moved(box((thickness, 3.0, 1.5)), (0.0, 0.0, -0.75))
    run = thrown(plate, 0.25, (x, 0.0, 0.3), velocity, 10, modulus)
    lines = [np.array([(side, -0.3, 0.0), (side, 0.3, 0.0)]) for side in (-0.5 * thickness, 0.5 * thickness)]
    edge, vertex = deepest_in(run, lines, 10)
    assert edge < 0.025 and vertex < 0.02


def test_what_comes_out_of_one_side_of_a_fold_does_not_go_in_at_the_other():
    """Looks that forgot where the last ones had led went to and fro and left an edge 3.5 % of an element deep."""
    blade, line = knife()
    shape = stored("torus")
    places = 0.5 * (shape.positions - shape.positions.mean(axis=0)) / np.ptp(shape.positions, axis=0).max() @ TURNED.T
    ring = Surface(places + (-0.09963061, -0.06376854, 0.03 - places[:, 2].min()), shape.triangles)
    goo = Material("viscoplastic", SOFT | {"young_modulus": 2e3})
    body = Body("b", "Ring", ring, goo, resolution=6, velocity=(0.07930925, 0.20072382, -4.0734432))
    collider = Collider("s", "Knife", "mesh", np.eye(4)[None], surface=blade, friction=0.2)
    scene = validated(Scene((body,), (collider,), Settings(1, 15, 24.0, threads=1, body_contact="off")))
    (filled,) = prepare(scene)
    run = Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts])
    edge, vertex = deepest_in(run, [line], 9)
    assert edge < 0.02 and vertex < 0.02


@pytest.mark.parametrize(("hidden", "begun", "looked"), [(False, set(), False), (True, set(), True), (True, {(0, 0)}, False)])
def test_what_is_pierced_is_looked_at_in_calm_too(hidden, begun, looked):
    """It would jump back in as it comes to rest; but what began so is let out by and by."""
    nodes = np.zeros((4, 3))
    ended = SimpleNamespace(depth=lambda shown: np.zeros(1), reach=np.ones(1), keys=np.zeros((1, 4)))
    edges = EdgeContacts([], None, [], np.zeros((0, 0), bool), holds=True)
    edges.meetings, edges.begun_in = [SimpleNamespace(hidden=hidden, pair=(0, 0))], begun
    fields, points = [SimpleNamespace(still=True)], SimpleNamespace(size=np.ones(1))
    contacts = SimpleNamespace(ended=ended, edges=edges, fields=fields, points=points)
    assert _needs_no_look(contacts, Way(nodes, nodes, 0.0, 0.1, 0.1), nodes) is not looked


def test_what_begins_on_an_edge_is_let_out_by_and_by():
    """Not shown outside at once, which would be a jump at the first frame."""
    blade, line = knife()
    run = thrown(blade, 0.25, (0.0, 0.0, 0.235), (0.0, 0.0, 0.0))
    triangles, element = run.scene.bodies[0].surface.triangles, run.element_size
    deep, before, jumps = [], run.scene.bodies[0].surface.positions, []
    for _ in range(14):
        (seen,) = run.advance().bodies
        now = seen.positions + seen.origin
        jumps.append(float(np.abs(now - before).max()) / element)
        deep.append(depth(np.clip(line, -0.3, 0.3), now, triangles) / element)
        before = now
    assert 0.2 < deep[0] < 0.4 and jumps[1] < 0.25 and all(later < earlier for earlier, later in pairwise(deep[:9]))
    assert max(deep[9:]) < 0.02


def test_that_it_began_so_is_kept_in_checkpoints_and_by_new_tets():
    runs = [thrown(knife()[0], 0.25, (0.0, 0.0, 0.235), (0.0, 0.0, 0.0)) for _ in range(2)]
    first, resumed = (run.contacts.edges for run in runs)
    for _ in range(3):
        runs[0].advance()
    assert first.begun_in == {(0, 0)} and resumed.begun_in is None
    for kept in (first.arrays(), first.of_places()):
        resumed.restore(kept)
        assert resumed.begun_in == {(0, 0)}

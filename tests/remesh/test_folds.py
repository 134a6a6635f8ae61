"""A body that has folded onto itself and does not merge gets new tets on each side of the fold by itself."""

from dataclasses import replace

import numpy as np
import pytest

from solver.embedding import bind, evaluate
from solver.geometry.edge_crossings import crossing_pairs
from solver.geometry.tet_walk import way
from solver.materials import Material
from solver.remesh import sheets
from solver.remesh.creases import OF_MIDDLE, _ended
from solver.remesh.elastic_strain import log_left_stretch
from solver.remesh.folding import _far_along, is_folded
from solver.remesh.lattice_frame import LatticeFrame
from solver.remesh.record import mesh_change
from solver.remesh.restuffing import Vanished, lattice_turn
from solver.remesh.sheets import sheets_of
from solver.remesh.transfer import transferred
from solver.scene import Body
from solver.state import State, build_state
from solver.tearing.renewal import renewed_body
from solver.tetmesh.cage import cage
from solver.tetmesh.lattice_points import lattice_around, lattice_points
from solver.tetmesh.manifold import components
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import dihedral_angles, tet_volumes
from tests.physics.scenes import box_mesh
from tests.surfaces import box, sphere

from .folded import bent, new_sheets, roll, skin, strip
from .shapes import GOO, ball, is_manifold, restuffed, squashed

SIZE = 0.2
REFUSED_FROM = 8  # remeshes; from starts a nanometre apart it was 10, 11, 12 or none of 20
SHAPES = {
    "near": lambda: strip(SIZE, 0.02),
    "pressed into itself": lambda: strip(SIZE, -0.1),
    "creased": lambda: strip(SIZE, 0.0, 0.5, 3.0),
    "rolled": lambda: roll(SIZE),
}


def volume(mesh: TetMesh) -> float:
    return float(tet_volumes(mesh.positions, mesh.tets).sum())


def bridges(mesh: TetMesh, along: np.ndarray) -> np.ndarray:
    """How far along the strip (k,) tets lie that lead from one part of it to another, four cells off or more."""
    own = along[mesh.tets]
    return np.abs(own).max(axis=1)[np.ptp(own, axis=1) > 4.0 * SIZE]


@pytest.mark.parametrize("shape", SHAPES)
def test_twenty_remeshes_do_not_close_a_fold(shape):
    """Each in one piece, with its volume; at a bend of no radius one tet may hold all of the bend, and no more.

    What is pressed into itself may be refused new tets after some, and keeps those that it has: it is chaotic when.
    """
    mesh, along = SHAPES[shape]()
    begun, ends = volume(mesh), np.abs(along).max()
    for k in range(20):
        try:
            new, of_sheets = new_sheets(mesh, SIZE, lattice_turn(k + 1))
        except Vanished:
            assert shape == "pressed into itself" and k >= REFUSED_FROM
            continue
        along = mesh_change(mesh, new, of_sheets).carried(along[:, None])[:, 0]
        mesh = new
        assert of_sheets is not None and components(mesh.tets).max() == 0
        assert bridges(mesh, along).max(initial=0.0) < 0.9
    assert volume(mesh) == pytest.approx(begun, rel=1e-9)
    assert is_manifold(mesh) and dihedral_angles(mesh).min() >= 10.0
    assert len(np.unique(crossing_pairs(mesh.hull))) < 0.2 * len(mesh.faces.boundary)  # sides nearer than a tet overlap
    assert np.abs(along).max() > ends - 2.0 * SIZE


@pytest.mark.parametrize("shape", [*SHAPES, "ball"])
def test_points_are_joined_as_if_every_way_were_walked(shape, monkeypatch):
    """Ways where the boundary does not pass are not looked at, and nothing comes of it.

    But in the crease, where tets are inside out: a walk may turn back there and never arrive.
    """
    mesh = squashed(ball(SIZE), np.diag([1.5, 1.5, 0.4])) if shape == "ball" else SHAPES[shape]()[0]
    mesh = LatticeFrame(lattice_turn(3), mesh.middle).mesh(mesh)
    lattice = lattice_around(mesh.positions.min(axis=0), mesh.positions.max(axis=0), SIZE)
    found = sheets_of(mesh, lattice, lattice_points(lattice))
    monkeypatch.setattr(sheets, "_mark_boundary", lambda positions, boundary, lattice, shift, near: near.fill(True))
    walked = sheets_of(mesh, lattice, lattice_points(lattice))
    assert (found.link >= 0).sum() > 1000 and (found.left[found.link < 0] < 1.0).any()
    assert all((one == other).all() for one, other in zip(found[:3], walked[:3], strict=True))
    lost = found.link != walked.link
    assert lost.sum() <= (2 if shape == "creased" else 0) and (walked.link[lost] < 0).all()
    assert (found.left == walked.left)[~lost].all()


def test_points_that_end_most_creases_are_given_up_first():
    """As a search of all creases before each has it; each crease has a point that is given up."""
    rng = np.random.default_rng(3)
    creases = np.stack([rng.permutation(200)[:3] for _ in range(600)])
    places, share, bottoms = rng.random((200, 3)), 1.2 * rng.random(600), rng.random((600, 3))
    given_up, moved = _ended(creases, share, bottoms, places, SIZE)
    sides = ((places[creases[:, 1:]] - bottoms[:, None]) ** 2).sum(axis=2).argmin(axis=1)
    wanted = np.where(share < OF_MIDDLE, creases[:, 0], creases[np.arange(600), 1 + sides])
    left, expected = np.ones(600, dtype=bool), np.zeros(200, dtype=bool)
    while left.any():
        worst = np.bincount(wanted[left]).argmax()
        expected[worst], left[(creases == worst).any(axis=1)] = True, False
    assert (given_up == expected).all() and given_up[creases].any(axis=1).all()
    assert (moved[~given_up] == places[~given_up]).all() and (moved[given_up] != places[given_up]).any(axis=1).all()


def test_what_merges_fuses():
    mesh, along = SHAPES["near"]()
    new = restuffed(mesh, SIZE, lattice_turn(1))
    assert len(bridges(new, mesh_change(mesh, new).carried(along[:, None])[:, 0])) > 100


def test_what_is_not_folded_is_stuffed_as_ever():
    """Also where it is hollow: a bent strip whose arms are three cells apart, and a ball that is squashed."""
    for mesh in (strip(SIZE, 0.6)[0], squashed(ball(SIZE), np.diag([1.5, 1.5, 0.4]))):
        new, of_sheets = new_sheets(mesh, SIZE, lattice_turn(1))
        assert of_sheets is None and new.positions.tobytes() == restuffed(mesh, SIZE, lattice_turn(1)).positions.tobytes()


def test_a_ball_turned_partly_inside_out_is_not_folded():
    """Tets that are inside out lie in each other too, but are of one sheet."""
    mesh = ball(SIZE)
    pushed = mesh.positions.copy()
    inner = int(np.argmin((pushed**2).sum(axis=1)))
    pushed[inner] += (0.0, 0.0, 1.6 * SIZE)
    broken = TetMesh(pushed, mesh.tets)
    assert tet_volumes(broken.positions, broken.tets).min() < 0.0
    assert new_sheets(broken, SIZE, lattice_turn(1))[1] is None


def test_a_thin_arm_is_not_folded():
    """Of an arm thinner than a cell, bent to two cells' radius, a lattice holds too few points to lead along them all."""
    flat = box_mesh((24, 3, 3), (8.0 * SIZE, 0.8 * SIZE, 0.8 * SIZE))
    along, across, height = (flat.positions - flat.positions.mean(axis=0)).T
    angle, radius, missed = along / (2.0 * SIZE), 2.0 * SIZE + across, 0
    arm = flat.moved(np.stack([radius * np.sin(angle), radius * np.cos(angle), height], axis=1))
    for turn in range(1, 13):
        mesh = LatticeFrame(lattice_turn(turn), arm.middle).mesh(arm)
        lattice = lattice_around(mesh.positions.min(axis=0), mesh.positions.max(axis=0), SIZE)
        points = lattice_points(lattice)
        found = sheets_of(mesh, lattice, points)
        missed += len(_far_along(lattice, found.place, found.begin, found.link))
        assert not is_folded(found, lattice, points, mesh)
    assert missed > 0


def test_ways_lead_through_what_is_inside_out():
    """To a tet that holds the end, by as many turns as it takes."""
    mesh = ball(SIZE)
    pushed = mesh.positions.copy()
    inner = int(np.argmin((pushed**2).sum(axis=1)))
    pushed[inner] += (0.0, 0.0, 1.6 * SIZE)
    far = np.flatnonzero(~(mesh.tets == inner).any(axis=1))
    middles = pushed[mesh.tets[far]].mean(axis=1)
    near = np.flatnonzero(((middles - (0.0, 0.0, 1.0 * SIZE)) ** 2).sum(axis=1) < (2.0 * SIZE) ** 2)
    for k in near:
        end = pushed[inner] - (middles[k] - pushed[inner]) * (0.9, 0.8, 1.1)  # through about where the node is now
        reached, share = way(pushed, mesh.tets, mesh.faces.neighbours, far[k], middles[k], end)
        assert share == 1.0 and reached >= 0
        corners = pushed[mesh.tets[reached]]
        weights = np.linalg.solve((corners[1:] - corners[0]).T, end - corners[0])
        assert min(*weights, 1.0 - weights.sum()) > -1e-9


def test_a_folded_body_that_would_fall_apart_keeps_its_tets():
    """Pressed into itself, and in one place a third of a cell thick."""
    flat = cage(box((4.0, 1.0, 0.4)), SIZE)
    along, across, height = flat.positions.T
    waist = 1.0 - 0.85 * np.exp(-(((along - 1.2) / 0.15) ** 2))
    thin = bent(np.stack([along, across, height * waist], axis=1), -0.1, 0.4)
    with pytest.raises(Vanished):
        new_sheets(TetMesh(thin, flat.tets), SIZE, lattice_turn(1))


def stretched(mesh: TetMesh, along: np.ndarray, stretch: float) -> State:
    """The state of a strip whose arms, which lie along x, are stretched along it; each arm of another plastic strain."""
    state, _ = build_state((Body("b", "Goo", sphere(4), Material("viscoplastic", GOO.values)),), [mesh])
    state.rest_shape_inverse = state.rest_shape_inverse @ np.diag([stretch, stretch**-0.5, stretch**-0.5])
    state.plastic_strain = np.where(along[mesh.tets].mean(axis=1) > 0.0, 3.0, 1.0)
    return state


def test_strain_is_kept_on_each_side():
    """Two arms in each other: after five remeshes each has its own history, and the stretch that it had."""
    mesh, along = strip(SIZE, -0.1)
    state = stretched(mesh, along, 1.1)
    for k in range(5):
        new, of_sheets = new_sheets(mesh, SIZE, lattice_turn(k + 1))
        change = mesh_change(mesh, new, of_sheets)
        state = transferred(replace(state, positions=mesh.positions), change, 0.01)
        along, mesh = change.carried(along[:, None])[:, 0], new
    middle = along[mesh.tets].mean(axis=1)
    for side, history in ((middle > 1.2, 3.0), (middle < -1.2, 1.0)):
        assert np.abs(state.plastic_strain[side] - history).max() < 1e-6
        strain = log_left_stretch(mesh.positions, mesh.tets[side], state.rest_shape_inverse[side])[0]
        assert strain[:, 0] == pytest.approx(np.log(1.1), rel=0.05)
        assert np.abs(strain[:, 3:]).max() < 0.01
    assert state.volumes.sum() == pytest.approx(volume(mesh), rel=1e-6)


@pytest.mark.parametrize("gap", [0.02, -0.1])
def test_what_is_seen_stays_on_its_side(gap):
    """Each vertex, and each contact point, is carried by the part of the strip that it is of; in the crease within the bend."""
    mesh, along = strip(SIZE, gap)
    seen, flat = skin(gap)
    places = flat[:, 0]
    body = Body("b", "Goo", seen, GOO, remeshing="wholesale")
    right = bind(strip(SIZE, 0.6)[0], skin(0.6)[0].positions).tets  # the same tets, with nothing next to them
    assert np.abs(along[mesh.tets[right]].mean(axis=1) - places).max() < 2.0 * SIZE
    new = renewed_body(body, SIZE, mesh, seen, right, lattice_turn(1))
    after = new.change.carried(along[:, None])[:, 0]
    off, arms = np.abs(evaluate(new.surface, new.change.new.tets, after) - places), np.abs(places) > 0.7
    assert off[arms].max() < 0.5 * SIZE and off.max() < 4.0 * SIZE
    assert np.abs(evaluate(new.surface, new.change.new.tets, new.change.new.positions) - seen.positions).max() < 1e-9
    points = evaluate(new.contacts, new.change.new.tets, new.change.new.positions)
    nearest = ((points[:, None] - seen.positions[None]) ** 2).sum(axis=2).argmin(axis=1)
    if gap > 0.0:  # the sides of arms that are pressed into each other lie in one plane
        assert np.abs(evaluate(new.contacts, new.change.new.tets, after) - places[nearest]).max() < 4.0 * SIZE

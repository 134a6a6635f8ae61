"""New tets for what old ones fill: closed, manifold, well shaped, on the old surface, with the old volume (claim B19).

Of the paper's limits (B34) what remeshes do to a shape and to its volume is measured here, and bounded.
"""

import ipctk
import numpy as np
import pytest

from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.remesh import fitting
from solver.remesh.fitting import fitted, outline
from solver.remesh.held_points import held_points
from solver.remesh.restuffing import lattice_turn
from solver.surface import Surface
from solver.tetmesh.boundary import face_table
from solver.tetmesh.lattice_points import lattice_around, lattice_points
from solver.tetmesh.manifold import components
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import dihedral_angles, tet_volumes
from tests.physics.scenes import box_mesh
from tests.surfaces import sphere

from .shapes import ball, is_manifold, restuffed, rotation, squashed

SIZE = 0.2


def volume(mesh: TetMesh) -> float:
    return float(tet_volumes(mesh.positions, mesh.tets).sum())


def joined(first: TetMesh, second: TetMesh) -> TetMesh:
    tets = np.concatenate([first.tets, second.tets + len(first.positions)]).astype(np.int32)
    return TetMesh(np.concatenate([first.positions, second.positions]), tets)


@pytest.mark.parametrize("gradient", [np.diag([1.5, 1.5, 0.4]), rotation([1, 2, 0], 0.5) @ [[1, 2, 0], [0, 1, 0], [0, 0.5, 1]]])
def test_a_flattened_and_a_sheared_ball(gradient):
    old = squashed(ball(SIZE), gradient)
    new = restuffed(old, SIZE, lattice_turn(1))
    angles = dihedral_angles(new)
    assert is_manifold(new) and tet_volumes(new.positions, new.tets).min() > 0.0
    assert angles.min() > 10.0 and angles.max() < 165.0
    assert volume(new) == pytest.approx(volume(old), rel=1e-12)
    assert max(apart(old, new), apart(new, old)) < 0.2 * SIZE


def apart(first: TetMesh, second: TetMesh) -> float:
    """How far points all over the first boundary are from the second one at most [m]."""
    faces = face_table(first.tets).boundary
    corners = first.positions[faces]
    points = np.concatenate([corners.mean(axis=1), 0.8 * corners[:, 0] + 0.1 * corners[:, 1] + 0.1 * corners[:, 2]])
    other = triangle_tree(second.positions, face_table(second.tets).boundary)
    return float(closest_points(other, points).distance.max())


def test_twelve_remeshes_leave_a_puddle_its_rim():
    """At the rim it is one element thick and bends within one: it may be off by half an element, on the mean by a tenth."""
    first = mesh = squashed(ball(SIZE), np.diag([1.8, 1.8, 0.32]))
    for k in range(12):
        mesh = restuffed(mesh, SIZE, lattice_turn(k + 1))
    assert max(apart(first, mesh), apart(mesh, first)) < 0.5 * SIZE
    assert volume(mesh) == pytest.approx(volume(first), rel=1e-9)
    assert is_manifold(mesh) and dihedral_angles(mesh).min() >= 10.0
    assert creases(mesh).max() < 1.2 * creases(first).max()
    rim, was = (np.abs(one.positions[:, :2]).max() for one in (mesh, first))
    assert rim == pytest.approx(was, abs=0.3 * SIZE)


def creases(mesh: TetMesh) -> np.ndarray:
    """The 100th part of angles between neighbouring boundary triangles that are largest [deg]."""
    faces = face_table(mesh.tets).boundary
    x = mesh.positions[faces]
    normals = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    owner = {(a, b): k for k, face in enumerate(faces.tolist()) for a, b in zip(face, face[1:] + face[:1], strict=True)}
    pairs = np.array([(k, owner[b, a]) for (a, b), k in owner.items() if a < b])
    angles = np.degrees(np.arccos(np.clip((normals[pairs[:, 0]] * normals[pairs[:, 1]]).sum(axis=1), -1.0, 1.0)))
    return np.sort(angles)[-max(1, len(angles) // 100) :][:1]


def test_nothing_pulls_at_a_boundary_from_inside():
    """Of two balls in one another only the union's surface counts."""
    inner = ball(SIZE, 0.8, centre=(0.05, 0.0, 0.0))
    new = fitted(restuffed(ball(SIZE), SIZE, np.eye(3)), outline(joined(ball(SIZE), inner), SIZE), SIZE)[0]
    assert max(apart(new, ball(SIZE)), apart(ball(SIZE), new)) < 0.1 * SIZE


def test_a_piece_inside_another_goes_into_it():
    old = joined(ball(SIZE), ball(SIZE, 0.5))
    new = restuffed(old, SIZE, np.eye(3))
    assert components(new.tets).max() == 0 and apart(new, ball(SIZE)) < 0.3 * SIZE


def test_balls_that_overlap_become_one():
    old = joined(ball(SIZE), ball(SIZE, centre=(1.7, 0.1, 0.0)))
    new = restuffed(old, SIZE, np.eye(3))
    assert components(new.tets).max() == 0 and is_manifold(new)
    assert volume(new) == pytest.approx(volume(old), rel=0.03)


def test_balls_apart_keep_a_volume_each():
    small, large = ball(SIZE, 0.7), ball(SIZE, centre=(2.5, 0.0, 0.0))
    new = restuffed(joined(small, large), SIZE, np.eye(3))
    piece = components(new.tets)
    volumes = np.bincount(piece, tet_volumes(new.positions, new.tets))
    assert sorted(volumes) == pytest.approx([volume(small), volume(large)], rel=1e-12)


def test_a_neck_that_is_thinner_than_a_tet_tears():
    old = squashed(ball(SIZE), np.diag([2.0, 1.0, 1.0]))
    pinched = old.positions.copy()
    pinched[:, 1:] *= (1.0 - 0.97 * np.exp(-((pinched[:, :1] / 0.4) ** 4)))
    new = restuffed(TetMesh(pinched, old.tets), SIZE, np.eye(3))
    assert components(new.tets).max() == 1 and is_manifold(new)


def test_seventy_five_remeshes_keep_volume_and_shape():
    """A ball that is turned, and pulled to and fro, between remeshes."""
    mesh = ball(0.3)
    begun = volume(mesh)
    for k in range(75):
        stretch = 1.15 if k % 2 == 0 else 1.0 / 1.15
        gradient = rotation([1, k % 3, 2], 0.3) @ np.diag([stretch, 1.0, 1.0 / stretch])
        mesh = restuffed(squashed(mesh, gradient), 0.3, lattice_turn(k))
    assert volume(mesh) == pytest.approx(begun, rel=5e-3)
    assert is_manifold(mesh) and dihedral_angles(mesh).min() > 8.0


def test_a_remesh_crosses_nothing():
    old = squashed(ball(SIZE), [[1, 1.5, 0], [0, 0.7, 0], [0.3, 0, 1]])
    new = restuffed(old, SIZE, np.eye(3))
    faces = face_table(new.tets).boundary
    nodes, numbered = np.unique(faces, return_inverse=True)
    faces = numbered.reshape(-1, 3).astype(np.int32)
    surface = ipctk.CollisionMesh(new.positions[nodes], ipctk.edges(faces), faces)
    assert not ipctk.has_intersections(surface, new.positions[nodes])


def test_a_lattice_point_is_held_where_a_tet_is_found_for_it():
    """Each tet marks the points of the lattice in itself; a search of the tets for each point says the same."""
    old = squashed(ball(), [[1.2, 0.6, 0.0], [0.0, 0.9, 0.1], [0.0, 0.2, 0.8]])
    old = old.moved(old.positions + 0.02 * np.sin(7.0 * old.positions[:, ::-1]))
    lattice = lattice_around(old.positions.min(axis=0), old.positions.max(axis=0), 0.13)
    points, aside = lattice_points(lattice), np.array([3e-3, 1e-3, 2e-3])
    begin, tets = held_points(old, lattice, aside)
    held, found = np.diff(begin) > 0, old.located(points + aside)[0]
    assert 500 < held.sum() < len(points) and (held == (found >= 0)).all()
    assert (tets[begin[:-1][held]] == found[held]).all()


def test_the_boundary_is_brought_to_what_is_seen_outside_it():
    """A lip of 0.4 elements that no tet holds: the new boundary comes to a fifth of one of it, a manifold of as much volume."""
    old = ball(SIZE)
    whole = sphere(16)
    seen, triangles = whole.positions, whole.triangles
    lip = np.abs(seen[:, 2]) < 0.1
    seen = np.where(lip[:, None], seen * (1.0 + 0.4 * SIZE), seen)
    plain, brought = restuffed(old, SIZE, lattice_turn(1)), restuffed(old, SIZE, lattice_turn(1), seen=Surface(seen, triangles))

    def farthest(mesh: TetMesh) -> float:
        outside = seen[mesh.located(seen)[0] < 0]
        return float(closest_points(mesh.hull, outside).distance.max(initial=0.0))

    assert farthest(plain) > 0.3 * SIZE and farthest(brought) < 0.2 * SIZE and is_manifold(brought)
    assert volume(brought) == pytest.approx(volume(old), rel=1e-3) and dihedral_angles(brought).min() > 9.9


@pytest.mark.parametrize("count", [1, 2, 3])
def test_what_must_be_near_once_it_has_pulled_is_not_asked_again(monkeypatch, count):
    """As if it were: it lies no further from where its facet is now than from where that was, and the way of that."""
    old, whole = ball(SIZE), sphere(16)
    bumps = 1.0 + 0.2 * SIZE * np.sin(9.0 * whole.positions).prod(axis=1, keepdims=True)
    seen, pulled = Surface(whole.positions * bumps, whole.triangles), fitting._pulled
    shortened = restuffed(old, SIZE, lattice_turn(count), seen=seen)

    def asking_all(*arguments: object) -> fitting.Pulled:
        made = pulled(*arguments)
        return made._replace(farthest=np.full(len(made.farthest), np.inf))

    monkeypatch.setattr(fitting, "_pulled", asking_all)
    assert restuffed(old, SIZE, lattice_turn(count), seen=seen).positions.tobytes() == shortened.positions.tobytes()


@pytest.mark.parametrize("thick, lattices, farthest", [(0.9, (1, 3, 4, 5), 0.25), (0.6, (2,), 0.5)])
def test_a_thin_lip_that_stuffing_has_lost_is_reached_again(thick, lattices, farthest):
    """Some elements of it: what is further away than facets look at first, and what others' moves have taken out again, too.

    Where one lattice loses too much of it, another one is taken.
    """
    old = box_mesh((30, 12, 4), (3.0, 1.2, 1.0), (-1.5, -0.6, -0.5))
    height = thick * SIZE + (4.0 - thick) * SIZE / (1.0 + np.exp((np.abs(old.positions[:, 0]) - 0.8) / 0.05))
    old = old.moved(old.positions * np.stack([np.ones(len(height)), np.ones(len(height)), height], axis=1))
    nodes, numbered = np.unique(old.faces.boundary, return_inverse=True)
    seen = Surface(old.positions[nodes], numbered.reshape(-1, 3).astype(np.int32))
    for count in lattices:
        new = restuffed(old, SIZE, lattice_turn(count), seen=seen)
        outside = seen.positions[new.located(seen.positions)[0] < 0]
        assert closest_points(new.hull, outside).distance.max(initial=0.0) < farthest * SIZE
        assert is_manifold(new) and dihedral_angles(new).min() > 9.9


def test_the_boundary_is_brought_back_to_what_is_seen():
    """A ball of which a cap, half an element high, is not seen: new tets hardly reach out there, and keep their volume."""
    old, whole = ball(SIZE), sphere(24)
    seen = Surface(np.maximum(whole.positions, (-9.0, -9.0, 0.5 * SIZE - 1.0)), whole.triangles)
    plain, brought = restuffed(old, SIZE, lattice_turn(1)), restuffed(old, SIZE, lattice_turn(1), seen=seen)
    low = [float(0.5 * SIZE - 1.0 - mesh.positions[:, 2].min()) for mesh in (plain, brought)]
    assert low[0] > 0.4 * SIZE and low[1] < 0.25 * SIZE and is_manifold(brought)
    assert volume(brought) == pytest.approx(volume(old), rel=0.02) and dihedral_angles(brought).min() > 9.9

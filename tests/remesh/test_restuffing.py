"""New tets for what old ones fill: closed, manifold, well shaped, on the old surface, with the old volume."""

import ipctk
import numpy as np
import pytest

from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.remesh.restuffing import lattice_turn, restuffed
from solver.tetmesh.boundary import face_table
from solver.tetmesh.manifold import components
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import dihedral_angles, tet_volumes

from .shapes import ball, is_manifold, rotation, squashed

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
    assert angles.min() > 8.0 and angles.max() < 165.0
    assert volume(new) == pytest.approx(volume(old), rel=1e-12)
    boundary = triangle_tree(old.positions, face_table(old.tets).boundary)
    outside = new.positions[np.unique(face_table(new.tets).boundary)]
    assert closest_points(boundary, outside).distance.max() < 0.05 * SIZE


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

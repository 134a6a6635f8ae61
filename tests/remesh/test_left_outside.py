"""What is seen lies at most a quarter of an element outside new tets: thin parts are held, or it keeps its tets."""

import numpy as np
import pytest

from solver.geometry.triangle_tree import closest_points
from solver.materials import Material
from solver.remesh import restuffing
from solver.remesh.lattice_frame import LatticeFrame
from solver.remesh.left_outside import LEFT, farther
from solver.remesh.restuffing import Vanished, lattice_turn, restuffed_sheets
from solver.scene import Body, Surface
from solver.tearing.renewal import renewed_body
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import dihedral_angles
from tests.physics.scenes import box_mesh

from .shapes import is_manifold

SIZE = 0.25


def of_box(scale) -> tuple[TetMesh, Surface]:
    """A box of 12 x 4.8 x 4 elements, its nodes scaled by what a function of x says of y and z, and what is seen of it."""
    box = box_mesh((30, 12, 4), (3.0, 1.2, 1.0), (-1.5, -0.6, -0.5))
    y, z = scale(box.positions[:, 0])
    mesh = box.moved(box.positions * np.stack([np.ones(len(y)), y, z], axis=1))
    nodes, numbered = np.unique(mesh.faces.boundary, return_inverse=True)
    return mesh, Surface(mesh.positions[nodes], numbered.reshape(-1, 3).astype(np.int32))


def finger(thick: float) -> tuple[TetMesh, Surface]:
    """The last 2.4 elements of the box are a finger, `thick` elements across."""

    def scale(x):
        wide = 1.0 / (1.0 + np.exp((x - 0.9) / 0.05))
        return tuple(thick * SIZE / whole + (1.0 - thick * SIZE / whole) * wide for whole in (1.2, 1.0))

    return of_box(scale)


def sheet(thick: float) -> tuple[TetMesh, Surface]:
    """Both ends of the box, half of it, are a sheet `thick` elements thick."""

    def scale(x):
        return np.ones(len(x)), thick * SIZE + (1.0 - thick * SIZE) / (1.0 + np.exp((np.abs(x) - 0.8) / 0.05))

    return of_box(scale)


def outside(mesh: TetMesh, seen: Surface) -> float:
    """How far outside a mesh the farthest vertex is that is seen, in element sizes."""
    out = seen.positions[mesh.located(seen.positions)[0] < 0]
    return float(closest_points(mesh.hull, out).distance.max(initial=0.0)) / SIZE


@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize("thick, lattice", [(0.6, 1), (0.4, 3)])
def test_a_finger_that_stuffing_loses_is_held(thick, lattice, fuse, monkeypatch):
    """By well-shaped tets, with the volume of the old ones; nothing of it is seen further outside than elsewhere."""
    old, seen = finger(thick)
    frame = LatticeFrame(lattice_turn(lattice), old.middle)
    here, shell = frame.mesh(old), Surface(frame.points(seen.positions), seen.triangles)
    held = restuffed_sheets(here, SIZE, fuse=fuse, seen=shell)
    monkeypatch.setattr(restuffing, "SHIFTS", ())
    assert outside(restuffed_sheets(here, SIZE, fuse=fuse, seen=shell).mesh, shell) > LEFT + 0.05
    assert outside(held.mesh, shell) < LEFT and not len(farther(here, held.look, SIZE, LEFT))
    assert is_manifold(held.mesh) and dihedral_angles(held.mesh).min() > 9.9
    assert held.mesh.volumes.sum() == pytest.approx(here.volumes.sum(), rel=1e-9)


@pytest.mark.parametrize("shape, thick, renewed", [(finger, 0.6, True), (sheet, 0.9, True), (sheet, 0.75, False)])
def test_a_remesh_that_would_leave_something_outside_is_refused(shape, thick, renewed):
    """A sheet that nothing holds keeps its tets: with too little of it left outside to be taken for lost, too."""
    old, seen = shape(thick)
    body = Body("b", "B", seen, Material("viscoplastic", {}), remeshing="wholesale")
    carrying = old.located(seen.positions)[0]
    if not renewed:
        with pytest.raises(Vanished, match="thinner than its tets"):
            renewed_body(body, SIZE, old, seen, carrying, lattice_turn(2))
        return
    made = renewed_body(body, SIZE, old, seen, carrying, lattice_turn(2))
    assert outside(made.change.new, made.seen) < LEFT
    assert made.seen is seen and not made.cuts


def test_what_hung_on_the_tets_from_outside_is_not_asked_for():
    """A hair of the artist's, two elements outside the old tets, is left as far outside, and no tets lead there."""
    old, seen = of_box(lambda x: np.ones((2, len(x))))
    places = seen.positions.copy()
    tip = int(places[:, 2].argmax())
    places[tip, 2] += 2.0 * SIZE
    frame = LatticeFrame(lattice_turn(1), old.middle)
    shell = Surface(frame.points(places), seen.triangles)
    made = restuffed_sheets(frame.mesh(old), SIZE, seen=shell)
    assert 1.8 < outside(made.mesh, shell) < 2.1
    assert not len(farther(frame.mesh(old), made.look, SIZE, LEFT))

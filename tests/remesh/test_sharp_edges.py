"""How sharp edges and thin rims come through remeshes: what is seen keeps them to rounding, new tets cut them off by part of an
element."""

import numpy as np
import pytest

from solver.embedding import bind_surface, evaluate
from solver.geometry.triangle_tree import closest_points
from solver.materials import Material
from solver.remesh.restuffing import Vanished, lattice_turn
from solver.scene import Body, Surface
from solver.tearing.renewal import renewed_body
from solver.tearing.renewed_body import RenewedBody
from tests.physics.scenes import box_mesh

SIZE = 0.125


def block(cells: tuple[int, int, int], sides: tuple[float, float, float]) -> tuple:
    """A block of so many cells and so many elements along each axis, and its boundary as it is seen."""
    mesh = box_mesh(cells, tuple(SIZE * side for side in sides), (0.0, 0.0, 0.0))
    nodes, numbered = np.unique(mesh.faces.boundary, return_inverse=True)
    return mesh, Surface(mesh.positions[nodes], numbered.reshape(-1, 3).astype(np.int32))


def edges_of(sides: tuple[float, float, float]) -> np.ndarray:
    """Points all along the twelve edges of such a block."""
    along, found = np.linspace(0.0, 1.0, 101), []
    for axis in range(3):
        for corner in np.ndindex(2, 2):
            points = np.empty((len(along), 3))
            points[:, axis], points[:, (axis + 1) % 3], points[:, (axis + 2) % 3] = along, *corner
            found.append(points)
    return SIZE * np.concatenate(found) * sides


def remeshed(mesh, seen: Surface, count: int, bound) -> RenewedBody:
    body = Body("b", "Block", seen, Material("viscoplastic", {"young_modulus": 1e4}), remeshing="wholesale")
    here = Surface(evaluate(bound, mesh.tets, mesh.positions), seen.triangles)
    return renewed_body(body, SIZE, mesh, here, bound.tets, lattice_turn(count))


@pytest.mark.parametrize(
    "cells, sides, most", [((8, 8, 8), (8, 8, 8), 0.32), ((24, 24, 24), (8, 8, 8), 0.2), ((30, 30, 6), (10, 10, 2), 0.22)]
)
def test_edges_that_are_seen_stay_and_tets_cut_off_part_of_an_element(cells, sides, most):
    """A cube's and a thin plate's, seen as squares of an element's size and of a third of one."""
    mesh, seen = block(cells, sides)
    edges, bound = edges_of(sides), bind_surface(seen, mesh, 0.5 * SIZE)[0]
    for count in range(1, 5):
        new = remeshed(mesh, seen, count, bound)
        mesh, bound = new.change.new, new.surface
        moved = np.abs(evaluate(bound, mesh.tets, mesh.positions) - seen.positions).max()
        assert moved < 1e-12 * SIZE and (new.seen.triangles == seen.triangles).all()
        outside = edges[mesh.located(edges)[0] < 0]
        assert closest_points(mesh.hull, outside).distance.max() < most * SIZE and new.outside < 0.15 * SIZE


def test_a_plate_as_thin_as_a_tet_keeps_its_tets():
    """And so its rim, whatever is seen of it."""
    mesh, seen = block((30, 30, 3), (10, 10, 1))
    with pytest.raises(Vanished):
        remeshed(mesh, seen, 1, bind_surface(seen, mesh, 0.5 * SIZE)[0])

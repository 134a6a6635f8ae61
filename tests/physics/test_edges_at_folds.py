"""Who takes the force of a collider's edge where a body has folded onto itself: the side that is seen there, not the other."""

import numpy as np
from scipy.sparse import csr_matrix

from solver.contact.edges.faces import Faces
from solver.embedding import bind
from solver.tetmesh.mesh import TetMesh
from tests.physics.scenes import boundary, box_mesh

LONG, THICK, CELL = 4.0, 0.2, 0.2
GAP = 0.02  # between the arms' tets, into which what is seen reaches by more than that from both sides
BULGE = 0.06


def hairpin(places: np.ndarray) -> np.ndarray:
    """Places (n, 3) of a strip along x, bent about its middle until its ends lie on each other, 0 to THICK off the bend."""
    radius, turn = 0.5 * GAP, np.pi
    bend = (radius + 0.5 * THICK) * turn
    along, z = places[:, 0] - 0.5 * LONG, radius + places[:, 2]
    angle = np.clip(along / bend + 0.5, 0.0, 1.0) * np.pi
    rest = along - np.clip(along, -0.5 * bend, 0.5 * bend)
    x = z * np.sin(angle) - np.abs(rest)
    return np.column_stack([x, places[:, 1], -z * np.cos(angle)])


def folded() -> tuple[Faces, np.ndarray]:
    """Faces of a strip folded so, of which what is seen within the fold lies outside the tets; its nodes when straight."""
    straight = box_mesh((20, 3, 1), (LONG, 0.6, THICK))
    shell = boundary(straight)
    inner = shell.positions[:, 2] < 1e-9
    seen = shell.positions - BULGE * inner[:, None] * (0.0, 0.0, 1.0)
    binding = bind(straight, seen)
    mesh = TetMesh(hairpin(straight.positions), straight.tets)
    faces = Faces.of(mesh, binding, shell.triangles, CELL, laid=False, longest=4.0 * CELL)
    assert faces is not None
    return faces, straight.positions


def test_each_side_of_a_fold_takes_what_is_pressed_on_it():
    """By the weights that it is seen by, and nodes of its own arm alone."""
    faces, straight = folded()
    triangles = faces.surface.triangles
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.ones(3), len(triangles))
    taking = faces.between(triangles, shares)
    weights = csr_matrix((taking.weights, taking.nodes, taking.start), shape=(len(triangles), len(straight)))
    seen = np.einsum("ti,tid->td", shares, (faces.rows @ straight)[triangles])
    within = (seen[:, 2] < -0.5 * BULGE) & (np.abs(seen[:, 0] - 0.5 * LONG) > 2.0 * CELL)
    assert within.sum() > 50 and np.allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose((weights @ straight)[within], seen[within], atol=1e-9)
    arms = np.sign(straight[:, 0] - 0.5 * LONG)
    share_of_own = abs(weights).multiply(arms[None, :] == np.sign(seen[:, :1] - 0.5 * LONG)).sum(axis=1)
    assert np.asarray(share_of_own / abs(weights).sum(axis=1))[within].min() > 0.99

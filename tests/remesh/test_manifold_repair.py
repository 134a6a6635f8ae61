"""Whatever tets are held, some come and go until their surface is a manifold (claim B18)."""

import numpy as np
import pytest

from solver.remesh.variational.delaunay import delaunay
from solver.remesh.variational.extraction import FLAT, extracted, filled_shares
from solver.remesh.variational.relaxation import relaxed
from solver.remesh.variational.repair import made_manifold
from solver.remesh.variational.sites import first_sites, samples
from solver.remesh.variational.triangulation import triangulation
from solver.tetmesh.manifold import components
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import tet_volumes

from .shapes import ball, is_manifold
from .test_bad_shapes import mesh_of
from .worn import SIZE, bent_bar


def cloud(seed: int, count: int = 300) -> TetMesh:
    return delaunay(np.random.default_rng(seed).random((count, 3)))


def mended(mesh: TetMesh, held) -> tuple[np.ndarray, int]:
    whole = triangulation(mesh, np.asarray(held, dtype=bool))
    changed = made_manifold(mesh, whole)
    return whole.held[: len(mesh.tets)], changed


@pytest.mark.parametrize("seed", range(6))
def test_any_choice_of_tets_becomes_manifold(seed):
    mesh = cloud(seed)
    middles = mesh.positions[mesh.tets].mean(axis=1)
    chosen = np.random.default_rng(seed).random(len(mesh.tets)) < 0.5 if seed % 2 else np.sin(9.0 * middles).sum(axis=1) > 0.0
    held, changed = mended(mesh, chosen)
    assert changed > 0 and held.any() and is_manifold(TetMesh(mesh.positions, mesh.tets[held]))
    assert mended(mesh, held)[1] == 0  # and is left alone then


def test_a_manifold_is_left_alone():
    mesh = cloud(9)
    inside = np.linalg.norm(mesh.positions[mesh.tets].mean(axis=1) - 0.5, axis=1) < 0.3
    held, _ = mended(mesh, inside)
    assert mended(mesh, np.ones(len(mesh.tets)))[1] == 0
    assert (held != inside).mean() < 0.02


def octahedron(height: float = 1.0) -> TetMesh:
    """Four tets around the edge from pole to pole."""
    points = [(0, 0, -height), (0, 0, height), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)]
    return mesh_of(points, [[0, 1, 2, 3], [0, 1, 3, 4], [0, 1, 4, 5], [0, 1, 5, 2]])


def test_an_edge_with_two_gaps_is_filled_or_cleared():
    """Two of the four tets are held that only share the edge: of equal sizes a well shaped gap is filled."""
    held, changed = mended(octahedron(), [1, 0, 1, 0])
    assert changed == 1 and held.sum() == 3
    flat = octahedron(0.05)  # badly shaped: nothing comes in
    held, changed = mended(flat, [1, 0, 1, 0])
    assert changed == 1 and held.sum() == 1


def test_two_tets_that_meet_in_a_vertex_are_parted():
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (-2, 0, 0), (0, -2, 0), (0, 0, -2)]
    mesh = delaunay(np.array(points, dtype=np.float64) + 1e-3 * np.random.default_rng(1).random((7, 3)))
    upper = np.isin(mesh.tets, [0, 1, 2, 3]).all(axis=1)
    lower = np.isin(mesh.tets, [0, 4, 5, 6]).all(axis=1)
    assert upper.sum() == lower.sum() == 1
    held, _ = mended(mesh, upper | lower)
    assert is_manifold(TetMesh(mesh.positions, mesh.tets[held])) and held[lower].all()


def test_a_hollow_that_only_meets_the_outside_in_a_vertex_is_filled():
    mesh = cloud(3)
    hull = np.zeros(len(mesh.positions), dtype=bool)
    hull[mesh.faces.boundary] = True
    one = int(np.flatnonzero(hull[mesh.tets].sum(axis=1) == 1)[0])
    chosen = np.ones(len(mesh.tets), dtype=bool)
    chosen[one] = False
    held, changed = mended(mesh, chosen)
    assert changed == 1 and held.all()


def test_half_of_a_tet_has_to_be_filled():
    """Old and new are the same tets, the old ones cut by a plane: of 3/4 and 1/4 that are filled one stays."""
    old = ball(0.2)
    shares = filled_shares(cloud_around(old), old)
    assert (shares > -1e-4).all() and (shares < 1.0 + 1e-4).all() and ((shares > 0.05) & (shares < 0.95)).sum() > 50
    mesh = cloud_around(old)
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(4), 400)
    for t in np.flatnonzero((shares > 0.2) & (shares < 0.8))[:20]:
        inside = old.located(weights @ mesh.positions[mesh.tets[t]])[0] >= 0
        assert inside.mean() == pytest.approx(shares[t], abs=0.1)
    kept = extracted(mesh, old, 1e-6).mesh  # no dent is shallow at that size: only the rule of halves and manifoldness count
    assert is_manifold(kept) and components(kept.tets).max() == 0
    found = {tuple(sorted(map(tuple, tet.tolist()))) for tet in kept.positions[kept.tets]}
    half = {tuple(sorted(map(tuple, tet.tolist()))) for tet in mesh.positions[mesh.tets[shares >= 0.5]]}
    assert len(found ^ half) < 0.05 * len(half)


def test_flat_tets_go_from_flat_parts_of_the_surface():
    """Where four sites are in one plane Qhull makes tets of rounding, of which overlap says nothing; none is left to mend."""
    old = bent_bar()
    surface = samples(old, SIZE)
    mesh = relaxed(old, first_sites(old, surface, SIZE), surface)
    flat = np.abs(tet_volumes(mesh.positions, mesh.tets)) < FLAT * SIZE**3
    assert flat.sum() > 50
    found = extracted(mesh, old, SIZE)
    assert tet_volumes(found.mesh.positions, found.mesh.tets).min() > FLAT * SIZE**3 and found.mended == 0


def cloud_around(old: TetMesh) -> TetMesh:
    """Delaunay tets of points in a box around a mesh that do not heed its surface."""
    lower, upper = old.positions.min(axis=0) - 0.2, old.positions.max(axis=0) + 0.2
    return delaunay(lower + (upper - lower) * np.random.default_rng(8).random((1500, 3)))

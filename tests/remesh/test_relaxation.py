"""Sites move to where their tets interpolate best, and are drawn to the surface only where that brings further ones there
(claims B14, B15)."""

import numpy as np
import pytest

from solver.geometry.triangle_tree import closest_points
from solver.remesh.features import features
from solver.remesh.variational.delaunay import delaunay
from solver.remesh.variational.relaxation import optimal_places, relaxed, snapped
from solver.remesh.variational.sites import APART, DEPTH, Sites, first_sites, samples
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh, joined_meshes
from solver.tetmesh.quality import minimum_dihedrals, tet_volumes
from tests.surfaces import box

from .shapes import ball, rotation, squashed

SIZE = 0.2
TURN = rotation([1, 2, 3], 0.7)


def star() -> TetMesh:
    """Tets around one site, number 0, that is in a bad place."""
    rng = np.random.default_rng(5)
    points = rng.normal(size=(30, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return delaunay(np.concatenate([[[0.3, -0.2, 0.4]], points]))


def interpolated(mesh: TetMesh, place) -> float:
    """The integral of |x|^2 as interpolated, with site 0 at a place: what an optimal Delaunay triangulation makes least."""
    positions = mesh.positions.copy()
    positions[0] = place
    return float((tet_volumes(positions, mesh.tets) * (positions**2).sum(axis=1)[mesh.tets].mean(axis=1)).sum())


def test_an_optimal_place_makes_the_interpolation_error_least():
    mesh, step = star(), 1e-4
    place = optimal_places(mesh)[0]
    slope = [(interpolated(mesh, place + a) - interpolated(mesh, place - a)) / (2.0 * step) for a in step * np.eye(3)]
    assert np.abs(slope).max() < 1e-8
    assert interpolated(mesh, place) < interpolated(mesh, mesh.positions[0]) - 1e-2


def test_it_is_the_mean_of_circumcentres_by_volume():
    mesh = star()
    own = mesh.tets[(mesh.tets == 0).any(axis=1)]
    x = mesh.positions[own]
    ways = x[:, 1:] - x[:, :1]
    centres = x[:, 0] + np.linalg.solve(2.0 * ways, (ways**2).sum(axis=2)[..., None])[..., 0]
    weights = tet_volumes(mesh.positions, own)
    assert optimal_places(mesh)[0] == pytest.approx((weights[:, None] * centres).sum(axis=0) / weights.sum(), abs=1e-10)


def test_samples_stand_for_the_whole_surface():
    old = ball(SIZE)
    x = old.positions[old.faces.boundary]
    areas = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
    found = samples(old, SIZE)
    assert found.areas.sum() == pytest.approx(areas.sum(), rel=1e-12)
    moment = np.einsum("t,tkd->d", areas, x) / 3.0
    assert (found.areas[:, None] * found.points).sum(axis=0) == pytest.approx(moment, abs=1e-12)
    inside = samples(joined_meshes([old, ball(SIZE, 0.6)]), SIZE)
    assert inside.areas.sum() == pytest.approx(areas.sum(), rel=1e-12)


def test_first_sites_are_apart_and_on_the_surface():
    old = ball(SIZE)
    sites = first_sites(old, samples(old, SIZE), SIZE)
    surface, inner = sites.positions[sites.on_surface], sites.positions[~sites.on_surface]
    gaps = np.linalg.norm(surface[:, None] - surface[None], axis=2) + 10.0 * np.eye(len(surface))
    assert gaps.min() >= APART * SIZE and gaps.min(axis=1).max() < 2.0 * APART * SIZE
    assert closest_points(old.hull, surface).distance.max() < 1e-9
    assert closest_points(old.hull, np.ascontiguousarray(inner)).distance.min() >= DEPTH * SIZE
    assert not sites.fixed.any()


def test_a_box_gets_sites_at_its_corners_and_along_its_edges():
    corners = (box((2.0, 2.0, 2.0)).positions) @ TURN.T
    old = squashed(cage(box((2.0, 2.0, 2.0)), SIZE), TURN)
    sites = first_sites(old, samples(old, SIZE), SIZE)
    fixed = sites.positions[sites.fixed]
    assert np.linalg.norm(fixed[:, None] - corners[None], axis=2).min(axis=0).max() < 1e-6
    assert (np.sum(np.abs(np.abs(fixed @ TURN) - 1.0) < 1e-6, axis=1) >= 2).all() and len(fixed) == 8 + 12 * 13


def test_creases_of_a_drum_go_around_and_have_no_corners():
    """A box whose cross-section is rounded to a disc."""
    old = cage(box((2.0, 2.0, 1.2)), SIZE)
    x, y, z = old.positions.T
    drum = TetMesh(np.stack([x * np.sqrt(1.0 - 0.5 * y**2), y * np.sqrt(1.0 - 0.5 * x**2), z], axis=1), old.tets)
    found = features(drum, SIZE)
    assert len(found.corners) == 0 and set(found.chains) == {0, 1}
    for chain in (0, 1):
        own = found.chains == chain
        assert (found.ends[own] == np.roll(found.starts[own], -1, axis=0)).all()
        assert np.linalg.norm(found.ends[own] - found.starts[own], axis=1).sum() == pytest.approx(2.0 * np.pi, rel=0.01)
    assert len(features(ball(SIZE), SIZE).starts) == 0


def test_sites_are_drawn_only_where_more_come_to_the_surface():
    old = squashed(cage(box((2.0, 2.0, 2.0)), SIZE), TURN)
    surface = samples(old, SIZE)
    sites = first_sites(old, surface, SIZE)
    settled = snapped(old, sites, surface)
    assert snapped(old, settled, surface) is settled
    near = settled.positions.copy()
    number = int(np.flatnonzero(~settled.on_surface)[0])
    near[number] = 0.98 * TURN @ [0.03, 0.05, 1.0]
    drawn = snapped(old, Sites(near, settled.on_surface, settled.fixed), surface)
    assert drawn.on_surface[number] and not settled.on_surface[number]
    assert (TURN.T @ drawn.positions[number])[2] == pytest.approx(1.0, abs=1e-6)
    assert (drawn.positions[settled.fixed] == near[settled.fixed]).all()


def test_relaxing_lifts_the_angles():
    """Far from the surface, where nothing else holds sites."""
    old = ball(SIZE)
    surface = samples(old, SIZE)
    sites = first_sites(old, surface, SIZE)
    noise = np.random.default_rng(2).uniform(-0.2 * SIZE, 0.2 * SIZE, sites.positions.shape)
    rough = sites._replace(positions=np.where(sites.on_surface[:, None], sites.positions, sites.positions + noise))
    medians = []
    for mesh in (delaunay(rough.positions), relaxed(old, rough, surface)):
        deep = np.linalg.norm(mesh.positions[mesh.tets].mean(axis=1), axis=1) < 0.5
        medians.append(np.percentile(minimum_dihedrals(TetMesh(mesh.positions, mesh.tets[deep])), 5))
    assert medians[1] > medians[0] + 5.0 and medians[1] > 30.0

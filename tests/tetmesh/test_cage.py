"""The cage on clean surfaces and on wrecks."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.errors import MeshingError
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.materials import Material
from solver.scene import Body
from solver.tetmesh import mesh_report, tetrahedralize
from solver.tetmesh.boundary import face_table
from solver.tetmesh.cage import cage
from solver.tetmesh.enclosed import enclosed_volume
from solver.tetmesh.estimate import estimated_tet_count
from solver.tetmesh.manifold import components
from solver.tetmesh.quality import minimum_dihedrals, tet_volumes
from tests.surfaces import box, cone, flipped, joined, moved, soup, sphere, stored, surface, with_holes, wrecks

WRECKS = wrecks()


def body(part, resolution=12, **options):
    return Body("uid", "Bun", part, Material("viscoplastic"), resolution=resolution, **options)


def volume(mesh):
    return float(tet_volumes(mesh.positions, mesh.tets).sum())


@pytest.mark.parametrize("resolution", [5, 13])
@pytest.mark.parametrize("name", list(WRECKS))
def test_every_cage_is_sound(name, resolution):
    mesh, report = tetrahedralize(body(WRECKS[name], resolution))
    assert minimum_dihedrals(mesh).min() > 10.0
    assert report.minimum_dihedral == minimum_dihedrals(mesh).min()
    assert tet_volumes(mesh.positions, mesh.tets).min() > 0
    assert np.array_equal(np.unique(mesh.tets), np.arange(len(mesh.positions)))
    assert len(np.unique(mesh.positions, axis=0)) == len(mesh.positions)
    _assert_manifold(face_table(mesh.tets).boundary)


def solids():
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], dtype=float)
    return {"cube": box(), "tetrahedron": surface(corners, [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]), "cone": cone(24)}


@pytest.mark.parametrize("resolution", [4, 6, 8])
@pytest.mark.parametrize("name", list(solids()))
def test_corners_do_not_come_off(name, resolution):
    """Tets around a corner, that large faces end in, were a piece of their own: of cubes that lie askew at 4 tets 7 of 40."""
    solid = solids()[name]
    for seed in range(40):
        turn = Rotation.random(random_state=seed).as_matrix()
        askew = surface(solid.positions @ turn.T + np.random.default_rng(seed).normal(size=3), solid.triangles)
        mesh = cage(askew, np.ptp(askew.positions, axis=0).max() / resolution)
        assert not components(mesh.tets).any(), seed


def _assert_manifold(boundary):
    """Two triangles at each edge, once in each direction; one fan of triangles at each vertex."""
    ends = np.stack([boundary, np.roll(boundary, -1, axis=1)], axis=2).reshape(-1, 2)
    assert len(np.unique(ends, axis=0)) == len(ends)
    assert (np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)[1] == 2).all()
    following = {(a, b): c for triangle in boundary for a, b, c in (triangle, np.roll(triangle, 1), np.roll(triangle, 2))}
    valence = np.bincount(boundary.ravel())
    start = dict(following.keys())  # one way on from each vertex
    for vertex, first in start.items():
        turned, current = 0, first
        while True:
            current = following[vertex, current]
            turned += 1
            if current == first:
                break
        assert turned == valence[vertex]


@pytest.mark.parametrize("name", ["soup", "soup with gaps", "holes", "inside out", "some flipped", "inner shell", "far away"])
def test_a_damaged_ball_gets_the_ball_s_cage(name):
    assert volume(cage(WRECKS[name], 0.1)) == pytest.approx(volume(cage(WRECKS["sphere"], 0.1)), rel=5e-3)


def test_a_cavity_stays_and_an_overlap_is_united():
    ball, hollow = volume(cage(WRECKS["sphere"], 0.1)), volume(cage(WRECKS["hollow"], 0.1))
    inner = sphere(8, 0.5)
    assert ball - hollow == pytest.approx(enclosed_volume(inner), rel=0.05)
    assert volume(cage(WRECKS["overlap"], 0.1)) == pytest.approx(enclosed_volume(WRECKS["overlap"]), rel=0.02)
    assert enclosed_volume(WRECKS["overlap"]) < enclosed_volume(sphere(16)) + enclosed_volume(sphere(12, 0.8))


def test_suzanne_as_blender_adds_her():
    mesh, report = tetrahedralize(body(stored("suzanne"), 24))
    assert 15_000 < report.tets < 25_000
    assert report.components == 1
    assert report.minimum_dihedral > 10
    assert report.surface_error < report.element_size
    assert report.surface_error_rms < 0.3 * report.element_size
    assert report.outside_fraction < 0.02
    assert report.volume_error < 0.05
    assert volume(mesh) == pytest.approx(enclosed_volume(stored("suzanne")), rel=0.05)


def test_volume_and_surface_converge_at_second_order():
    fine = sphere(64)
    reports = [mesh_report(cage(fine, h), fine, h) for h in (0.4, 0.2, 0.1)]
    volumes = [abs(volume(cage(fine, h)) - 4 / 3 * np.pi) for h in (0.4, 0.2, 0.1)]
    for coarse, refined in itertools.pairwise(reports):
        assert refined.surface_error_rms < 0.35 * coarse.surface_error_rms
    assert volumes[2] < 0.2 * volumes[0]


def test_surface_vertices_lie_on_the_artist_s_surface():
    part = stored("spot")
    mesh = cage(part, 0.04)
    on_boundary = np.unique(face_table(mesh.tets).boundary)
    distance = closest_points(triangle_tree(part.positions, part.triangles), mesh.positions[on_boundary]).distance
    assert (distance < 1e-8).mean() > 0.97


def test_a_cube_is_met_exactly():
    mesh, report = tetrahedralize(body(box((2.0, 1.0, 1.0)), 8))
    assert volume(mesh) == pytest.approx(2.0, rel=1e-12)
    assert report.surface_error < 1e-9
    assert report.volume_error < 0.01


def test_thin_parts_are_padded_not_lost():
    ear = moved(box((1.5, 0.02, 0.5)), (1.5, 0.0, 0.0))
    mesh, report = tetrahedralize(body(joined(sphere(16), ear), 16))
    assert report.components == 1
    assert report.surface_error < report.element_size
    assert mesh.positions[:, 0].max() > 2.0


@pytest.mark.parametrize("resolution", [5, 7, 9, 14])
def test_a_thin_neck_does_not_fall_apart(resolution):
    positions = sphere(40).positions.copy()
    positions[:, :2] *= 0.08 + np.minimum(positions[:, 2:] ** 2, 1.0)
    _, report = tetrahedralize(body(surface(positions, sphere(40).triangles), resolution))
    assert report.components == 1


def test_two_runs_and_any_thread_count_give_the_same_bytes():
    import numba

    before, seen = numba.get_num_threads(), set()
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS), 1):
        numba.set_num_threads(threads)
        mesh = cage(WRECKS["suzanne"], 0.15)
        seen.add((mesh.positions.tobytes(), mesh.tets.tobytes()))
    numba.set_num_threads(before)
    assert len(seen) == 1


def test_ten_kilometres_away_is_the_same_mesh():
    near, far = cage(sphere(16), 0.15), cage(WRECKS["far away"], 0.15)
    assert np.array_equal(near.tets, far.tets)
    assert np.abs(far.positions - near.positions - [10_000.0, -3_000.0, 50.0]).max() < 1e-8


@pytest.mark.parametrize("name", ["sphere", "cube", "torus", "spot", "suzanne", "hollow", "two balls"])
def test_the_estimate_is_close(name):
    part = WRECKS[name]
    size = np.ptp(part.positions, axis=0).max() / 20
    assert estimated_tet_count(part, size) == pytest.approx(len(cage(part, size).tets), rel=0.2)


@pytest.mark.parametrize(
    "part, words",
    [
        (surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), "flat"),
        (surface([[0, 0, 0], [1, 0, 0], [1, 1, 0.5], [0, 1, 0.5]], [[0, 1, 2], [0, 2, 3]]), "no volume"),
        (surface([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]]), "no area"),
        (box((1.0, 1.0, 0.001)), "thinner than one tet"),
    ],
)
def test_what_cannot_be_filled_is_refused_with_a_remedy(part, words):
    with pytest.raises(MeshingError, match=words) as caught:
        tetrahedralize(body(part, 4))
    assert caught.value.body == "Bun"
    assert caught.value.remedy


def test_a_lattice_beyond_memory_is_refused():
    with pytest.raises(MeshingError, match="million points"):
        cage(sphere(8), 1e-3)


def test_holes_and_flips_together():
    wreck = soup(with_holes(flipped(sphere(16), np.arange(960) % 4 == 0), 15))
    assert volume(cage(wreck, 0.15)) == pytest.approx(volume(cage(sphere(16), 0.15)), rel=0.02)

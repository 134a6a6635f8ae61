"""A film across an opening bursts, a ring opens where it is thin; fins, corners and stumps stay."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import prepare
from solver.embedding import bind
from solver.geometry.edges import unpaired_edges
from solver.scene import Scene, Settings, validated
from solver.tearing.collapse import collapsed
from solver.tearing.renewal import renewed_body
from solver.tearing.thin import torn
from solver.tetmesh.boundary import face_table
from solver.tetmesh.cage import cage
from solver.tetmesh.manifold import components
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import box_mesh
from tests.remesh.shapes import is_manifold
from tests.surfaces import sphere, surface

from .shapes import Watched, check_kept, scene
from .test_tearing_bakes import crossing

SIZE = 0.06


def handles(triangles):
    """How many handles a closed surface in one piece has."""
    edges = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    return (2 - (len(np.unique(triangles)) - len(edges) + len(triangles))) // 2


def boundary(mesh):
    return face_table(mesh.tets).boundary


def disc(middle):
    """A metre across, its rim 0.3 m thick, half as thick as this in the middle [m]."""
    globe = sphere(40)
    x, y, z = globe.positions.T
    out = np.sqrt(x**2 + y**2)
    half = middle + (0.15 - middle) * np.clip((out - 0.3) / 0.4, 0.0, 1.0)
    height = half * np.tanh(4.0 * np.sqrt(np.maximum(0.0, 1.0 - out**2)))
    return surface(np.stack([0.5 * x, 0.5 * y, np.sign(z) * height], axis=1), globe.triangles)


def ring(thin):
    """A metre across, 0.3 m thick, and so thick [m] in one place."""
    round_, tube = 64, 24
    a, b = np.meshgrid(2.0 * np.pi * np.arange(round_) / round_, 2.0 * np.pi * np.arange(tube) / tube, indexing="ij")
    thick = 0.15 + (0.5 * thin - 0.15) * np.exp(-((np.minimum(a, 2.0 * np.pi - a) / 0.5) ** 2))
    out = 0.35 + thick * np.cos(b)
    points = np.stack([out * np.cos(a), out * np.sin(a), thick * np.sin(b)], axis=-1).reshape(-1, 3)
    i, j = (values.ravel() for values in np.meshgrid(np.arange(round_), np.arange(tube), indexing="ij"))
    corner = lambda u, v: (u % round_) * tube + v % tube  # noqa: E731
    quads = np.stack([corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)], axis=1)
    return surface(points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32))


BURST = {"film": (lambda: disc(0.03), 0, 1), "ring": (lambda: ring(0.1), 1, 0)}


@pytest.mark.parametrize("name", BURST)
def test_what_is_thinner_than_the_tear_thickness_opens_once(name):
    seen, before, after = BURST[name][0](), *BURST[name][1:]
    mesh = cage(seen, SIZE)
    assert handles(boundary(mesh)) == before
    assert torn(mesh, 0.06, SIZE).mesh is mesh
    left = torn(mesh, 0.2, SIZE)
    assert handles(boundary(left.mesh)) == after and not components(left.mesh.tets).any()
    assert left.fragments == 0 and len(left.holes) == 1
    lost = 1.0 - tet_volumes(left.mesh.positions, left.mesh.tets).sum() / tet_volumes(mesh.positions, mesh.tets).sum()
    assert 0.0 < lost < 0.05
    assert torn(left.mesh, 0.2, SIZE).mesh is left.mesh  # its edge is a fin now, its ends are stumps


@pytest.mark.parametrize("name", BURST)
def test_what_is_seen_opens_with_the_tets(name):
    seen, before, after = BURST[name][0](), *BURST[name][1:]
    mesh, (body,) = cage(seen, SIZE), scene(tear=0.2).bodies
    new = renewed_body(body, SIZE, mesh, seen, bind(mesh, seen.positions).tets, np.eye(3))
    assert handles(seen.triangles) == before
    assert is_manifold(new.change.new) and handles(boundary(new.change.new)) == after
    assert unpaired_edges(new.seen.triangles) == 0 and handles(new.seen.triangles) == after
    assert len(new.cuts) == 1


def test_a_film_bursts_in_a_bake():
    """A disc whose parts fly outwards: one cut, closed, without faces that cross, and momentum as before."""
    (gum,) = scene(tear=0.14).bodies
    body = replace(gum, surface=disc(0.06), resolution=18)
    shot = validated(Scene((body,), (), Settings(frame_end=3, worst_condition=2.0, gravity=(0.0, 0.0, 0.0), threads=1)))
    made = prepare(shot)[0]
    simulation = Watched(shot, [made.mesh], [made.surface], [made.contacts], fields=[])
    positions = simulation.state.positions
    out = np.sqrt((positions[:, :2] ** 2).sum(axis=1, keepdims=True))
    velocities = np.zeros_like(positions)
    velocities[:, :2] = 30.0 * positions[:, :2] * np.minimum(1.0, 0.3 / np.maximum(out, 1e-9))
    simulation.state.velocities, simulation.state.previous_velocities = velocities, velocities.copy()
    had = float(tet_volumes(positions, simulation.state.tets).sum())
    before = simulation.state.shown.sum()
    frames = [simulation.advance() for _ in range(3)]
    (change,) = (change for frame in frames for change in frame.changes)
    check_kept(simulation, shrinks=True)
    # The hole takes more of the tets than of what is seen
    assert simulation.state.shown.sum() == pytest.approx(before, rel=0.011)
    assert unpaired_edges(change.cut.triangles) == 0 and handles(change.cut.triangles) == 1
    assert handles(boundary(TetMesh(simulation.state.positions, simulation.state.tets))) >= 1  # strands may span it
    assert not crossing(change.cut.positions, change.cut.triangles)
    state = simulation.state
    momentum = state.masses[:, None] * state.velocities
    assert np.abs(momentum.sum(axis=0)).max() < 0.02 * np.abs(momentum).sum()
    assert float(tet_volumes(state.positions, state.tets).sum()) == pytest.approx(had, rel=0.05)


def test_a_thick_ring_and_a_thick_disc_stay():
    for part in (disc(0.15), ring(0.3)):
        mesh = cage(part, SIZE)
        assert torn(mesh, 0.2, SIZE).mesh is mesh


def test_thin_parts_that_hang_on_one_side_collapse_and_others_do_not():
    mesh = box_mesh((12, 12, 4))
    middles = mesh.positions[mesh.tets].mean(axis=1)
    depth = np.minimum(middles[:, 2], 1.0 - middles[:, 2])
    film = collapsed(mesh.tets, np.abs(middles[:, :2] - 0.5).max(axis=1) > 0.3, depth)
    assert len(film.triangles) and not len(film.edges)
    bridge = collapsed(mesh.tets, np.abs(middles[:, 0] - 0.5) > 0.3, depth)
    assert len(bridge.edges) and not len(bridge.triangles)
    for held in (middles[:, 0] > 0.5, middles[:, 0] > 0.9):
        fin = collapsed(mesh.tets, held, depth)
        assert not len(fin.triangles) and not len(fin.edges)

"""Which points of the artist's surface carry contact."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from solver.colliders import build
from solver.contact.contacts import Contacts
from solver.contact.points import gather_points
from solver.embedding import SAMPLES_APART, contact_samples, evaluate
from solver.materials import Material
from solver.scene import Body, Collider, Settings
from solver.state import build_state
from solver.tetmesh.cage import cage
from tests.surfaces import box, joined, sphere, stored


def samples(part, size, spacing, standby=False):
    """The points that always touch, or those that stand by."""
    mesh = cage(part, size)
    binding = contact_samples(part, mesh, spacing)
    return evaluate(binding, mesh.tets, mesh.positions)[binding.standby == standby]


def test_they_lie_on_the_artist_s_surface_about_one_per_cell():
    points = samples(sphere(32), 0.2, 0.1)
    assert np.abs(np.linalg.norm(points, axis=1) - 1.0).max() < 0.01
    cells = np.floor((points + 5.0) / 0.1)
    assert 4 * np.pi / 0.1**2 * 0.5 < len(points) < 4 * np.pi / 0.1**2 * 2.0
    assert len(np.unique(cells, axis=0)) > 0.5 * len(points)


@pytest.mark.parametrize("rings", [16, 48])  # vertices further, and nearer, to each other than samples
def test_no_vertex_is_far_from_one_and_none_is_near_another(rings):
    part, apart = sphere(rings), SAMPLES_APART * 0.1
    points = samples(part, 0.2, 0.1)
    tree = cKDTree(points)
    assert tree.query(part.positions)[0].max() < apart + 1e-9
    assert tree.query(points, k=2)[0][:, 1].min() > apart - 1e-9


def test_all_other_vertices_stand_by():
    """But for those that lie in one place, or all but: no other tells how deep a vertex is."""
    part = sphere(48)
    always, standby = (samples(part, 0.2, 0.1, which) for which in (False, True))
    assert len(standby) > 2 * len(always)
    assert cKDTree(np.concatenate([always, standby])).query(part.positions)[0].max() < 0.001 + 1e-9  # 0.5 % of an element


@pytest.mark.parametrize(("name", "resolution"), [("koala", 6), ("fish", 5), ("penguin", 6)])
def test_vertices_at_the_bottom_of_furrows_stand_by(name, resolution):
    """In coarse tets these lie deeper than an edge: left out, they sank into gears and paddles by 3 to 13 % of an element."""
    part = stored(name)
    size = np.ptp(part.positions, axis=0).max() / resolution
    mesh = cage(part, size)
    binding = contact_samples(part, mesh, 0.5 * size)
    points = evaluate(binding, mesh.tets, mesh.positions)
    assert cKDTree(points).query(part.positions)[0].max() < 0.006 * size


def test_large_triangles_are_covered():
    points = samples(box((2.0, 2.0, 0.5)), 0.2, 0.2)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 40), np.linspace(-1, 1, 40), [0.25]), axis=-1).reshape(-1, 3)
    nearest = np.sqrt(((grid[:, None] - points) ** 2).sum(axis=2)).min(axis=1)
    assert nearest.max() < 0.4


def test_corners_are_kept():
    part = box()
    points = samples(part, 0.15, 0.15)
    for corner in part.positions:
        assert np.linalg.norm(points - corner, axis=1).min() < 1e-9


@pytest.mark.parametrize("spacing", [0.1, 0.2])
def test_inner_shells_need_none(spacing):
    points = samples(joined(sphere(24), sphere(12, 0.4)), 0.12, spacing)
    assert np.linalg.norm(points, axis=1).min() > 0.9


def test_suzanne_is_covered():
    part = stored("suzanne")
    points = samples(part, 0.15, 0.15)
    outer = part.positions[np.abs(part.positions[:, 0]) > 1.0]  # her ears
    nearest = np.sqrt(((outer[:, None] - points) ** 2).sum(axis=2)).min(axis=1)
    assert nearest.max() < 0.3
    assert len(points) < 2500


def bend(positions):
    """A smooth, large deformation."""
    x, y, z = positions.T
    return np.stack([x * np.cos(z) - y * np.sin(z), x * np.sin(z) + y * np.cos(z), z + 0.4 * x * x], axis=1)


def test_what_is_seen_is_what_touches():
    """A bent Suzanne's contact planes lie exactly where the vertices that are seen meet the ground."""
    part, spacing = stored("suzanne"), 0.1
    body = Body("s", "Suzanne", part, Material("viscoplastic"), resolution=12)
    mesh = cage(part, body.element_size)
    state, ranges = build_state((body,), [mesh])
    binding = contact_samples(part, mesh, spacing)
    points = gather_points(state, ranges, [binding], [mesh.topology], [body.extent], [1.0], 9.81)
    assert len(points.rows) > 100
    shape = bend(mesh.positions)
    contacts = Contacts(points, [build(Collider("g", "Ground", "plane", np.eye(4)[None]), Settings())])
    contacts.awake[:] = True
    contacts.begin_step(shape, shape, 0.1, 0.01)
    entries = contacts.linearize(shape)
    carried = entries.carriers.places(shape)
    gaps = (carried * entries.normal).sum(axis=1) - entries.level
    seen, own = points.positions(shape), len(binding.tets)  # nodes inside follow
    assert seen[:own] == pytest.approx(evaluate(binding, mesh.tets, shape), abs=1e-12)
    near = seen[:, 2] < points.size[0]
    assert near.sum() == len(gaps) > 100
    assert gaps == pytest.approx(seen[entries.places, 2], abs=1e-9)
    assert carried == pytest.approx(seen[entries.places], abs=1e-9)
    by_tets = np.einsum("ka,kax->kx", binding.weights, shape[mesh.tets[binding.tets]])
    assert np.abs(by_tets - seen[:own])[near[:own]].max() > 0.05 * body.element_size  # or nothing is shown
    # No friction pulls while nothing has moved since the step's start.
    assert carried - entries.anchor == pytest.approx(np.zeros_like(carried), abs=1e-9)


def test_what_pushes_outside_the_cage_is_no_lever():
    """What stands out of it hangs on many tets; on one alone only what hardly stands out, which pulls little the other way."""
    part = stored("suzanne")
    mesh = cage(part, 0.2)
    binding = contact_samples(part, mesh, 0.2)
    spread = binding.spread
    alone = np.setdiff1d(np.arange(len(binding.tets)), spread.points)
    assert len(spread.points) > 100 and len(alone) > 100
    assert binding.weights[alone].min() > -0.2 and binding.weights[spread.points].min() < -0.4
    pulled = np.add.reduceat(np.minimum(spread.weights, 0.0), spread.start[:-1])
    alone_pulled = np.minimum(binding.weights[spread.points], 0.0).sum(axis=1)
    assert pulled.min() > 0.6 * alone_pulled.min()
    assert np.diff(spread.start).min() > 8

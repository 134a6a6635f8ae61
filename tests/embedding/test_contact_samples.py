"""Which points of the artist's surface carry contact."""

import numpy as np
import pytest

from solver.embedding import contact_samples, evaluate
from solver.tetmesh.cage import cage
from tests.surfaces import box, joined, sphere, stored


def samples(part, size, spacing):
    mesh = cage(part, size)
    binding = contact_samples(part, mesh, spacing)
    return evaluate(binding, mesh.tets, mesh.positions)


def test_they_lie_on_the_artist_s_surface_about_one_per_cell():
    points = samples(sphere(32), 0.2, 0.1)
    assert np.abs(np.linalg.norm(points, axis=1) - 1.0).max() < 0.01
    cells = np.floor((points + 5.0) / 0.1)
    assert 4 * np.pi / 0.1**2 * 0.5 < len(points) < 4 * np.pi / 0.1**2 * 2.0
    assert len(np.unique(cells, axis=0)) > 0.5 * len(points)


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

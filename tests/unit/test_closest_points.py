"""Closest points of many points, which go down a tree in packets, are those of each by itself, to the last bit."""

import numpy as np
import pytest

from solver.geometry.packets import PACKET
from solver.geometry.triangle_tree import closest_points, triangle_tree
from tests.surfaces import sphere

SURFACE = sphere(rings=12)


def singly(tree, points, limit):
    """The same of few points at a time, fewer than a packet."""
    parts = [closest_points(tree, points[k : k + PACKET - 1], limit) for k in range(0, len(points), PACKET - 1)]
    return [np.concatenate(values) for values in zip(*parts, strict=True)]


def places(kind):
    rng = np.random.default_rng(11)
    corners = SURFACE.positions[SURFACE.triangles]
    if kind == "near":
        return np.concatenate([corners.mean(axis=1)] * 3) + rng.normal(size=(3 * len(corners), 3)) * 0.01
    if kind == "tied":  # closest to corners and edges, which several triangles share
        outside = np.concatenate([SURFACE.positions, 0.5 * (corners[:, 0] + corners[:, 1])])
        return np.concatenate([outside * 1.1, outside * 1.3, outside, outside * 1.01])
    if kind == "tied far from the origin":
        return places("tied") + 50.0
    return rng.normal(size=(2 * len(corners), 3)) * (1e-3 if kind == "as far from all" else 3.0)


@pytest.mark.parametrize("kind", ["near", "tied", "tied far from the origin", "as far from all", "anywhere"])
@pytest.mark.parametrize("limit", [np.inf, 0.05])
def test_packets_find_what_each_point_finds_by_itself(kind, limit):
    points = places(kind)
    moved = 50.0 if "origin" in kind else 0.0
    tree = triangle_tree(SURFACE.positions + moved, SURFACE.triangles)
    assert len(points) > len(SURFACE.triangles) > PACKET
    together = closest_points(tree, points, limit)
    for one, other in zip(together, singly(tree, points, limit), strict=True):
        assert one.tobytes() == other.tobytes()
    assert np.isfinite(limit) or (together.triangle >= 0).all()


def test_packets_find_what_is_closest():
    points = places("near")[::7]
    points = np.concatenate([points] * 8)
    tree = triangle_tree(SURFACE.positions, SURFACE.triangles)
    found = closest_points(tree, points)
    feet = np.einsum("ki,kid->kd", found.weights, SURFACE.positions[SURFACE.triangles[found.triangle]])
    assert np.linalg.norm(points - feet, axis=1) == pytest.approx(found.distance, rel=1e-9)
    steps = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 9)] * 2), axis=-1).reshape(-1, 2)
    steps = steps[steps.sum(axis=1) <= 1.0]
    a, b, c = (SURFACE.positions[SURFACE.triangles[:, k]] for k in range(3))
    everywhere = a[:, None] + steps[None, :, :1] * (b - a)[:, None] + steps[None, :, 1:] * (c - a)[:, None]
    for point, distance in zip(points[:40], found.distance[:40], strict=True):
        assert distance <= np.linalg.norm(everywhere - point, axis=2).min() + 1e-12

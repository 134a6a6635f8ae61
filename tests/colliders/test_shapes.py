"""Exact shapes against the mesh collider of the same shape, and against their own rates."""

import numpy as np
import pytest

from solver.colliders import build
from solver.colliders.motion import rotation_matrix
from solver.errors import SceneError
from solver.scene import Collider, Settings
from solver.surface import Surface
from tests.colliders.test_mesh import box, sphere
from tests.colliders.test_motion import transform
from tests.colliders.test_plane import ask

SETTINGS = Settings(frame_start=1, frame_end=3, frames_per_second=10.0)
POINTS = np.random.default_rng(8).uniform(-1.5, 1.5, size=(400, 3))
TURN = rotation_matrix(np.array([0.4, -0.3, 0.9]))


def exact(kind, size, transforms=None, **options):
    transforms = transform(TURN, (0.1, 0.2, -0.3))[None] if transforms is None else transforms
    return Collider("uid", kind.title(), kind, transforms, size=size, **options)


def capsule_mesh(size, rings=48):
    """A ball of the capsule's thickness whose halves are drawn apart along x."""
    part = sphere(rings, 0.5 * max(size[1:]))
    away = np.sign(part.positions[:, 0]) * (0.5 * size[0] - 0.5 * max(size[1:]))
    return Surface(part.positions + away[:, None] * [1.0, 0.0, 0.0], part.triangles)


@pytest.mark.parametrize(
    ("kind", "size", "part", "error"),
    [
        ("box", (1.0, 0.6, 1.4), box((1.0, 0.6, 1.4)), 1e-9),
        ("sphere", (1.2, 1.0, 0.8), sphere(48, 0.6), 3e-3),
        ("capsule", (2.0, 0.5, 0.8), capsule_mesh((2.0, 0.5, 0.8)), 3e-3),
    ],
)
def test_they_are_the_mesh_of_the_same_shape(kind, size, part, error):
    """Distance and normal, inside and outside; a little of the meshes' own coarseness is left."""
    mesh = Collider("uid", "Mesh", "mesh", transform(TURN, (0.1, 0.2, -0.3))[None], part)
    (distance, normal, _), (expected, facing, _) = (ask(item, POINTS, margin=10.0) for item in (exact(kind, size), mesh))
    assert np.abs(distance - expected).max() < error and (distance < 0.0).sum() > 8
    alike = np.einsum("ki,ki->k", normal, facing)
    assert (alike > 0.99).mean() > 0.97  # but where the closest point jumps


@pytest.mark.parametrize("kind", ["sphere", "box", "capsule"])
def test_velocity_is_how_fast_the_surface_comes(kind):
    """Moving, turning and growing: the distance of points at rest falls at the surface's speed along the normal."""
    turns = [rotation_matrix(0.1 * k * np.array([0.3, 1.0, 0.2])) for k in range(4)]
    scales = [np.diag(1.0 + 0.05 * k * np.array([1.0, 0.5, 2.0])) for k in range(4)]
    keys = np.array([transform(turns[k] @ scales[k], (0.1 * k, 0.0, 0.0)) for k in range(4)])
    collider, step = exact(kind, (1.6, 0.7, 0.9), keys, thickness=0.05), 1e-5
    _, normal, velocity = ask(collider, POINTS, 0.05, settings=SETTINGS)
    later, before = (ask(collider, POINTS, 0.05 + change, settings=SETTINGS)[0] for change in (step, -step))
    rate = (later - before) / (2.0 * step)
    close = np.abs(np.einsum("ki,ki->k", velocity, normal) + rate) < 1e-3
    assert close.mean() > 0.98  # the rest sits where the closest face changes
    assert np.abs(rate).max() > 0.5


def test_thickness_margin_and_no_size():
    thick = exact("box", (1.0, 1.0, 1.0), np.eye(4)[None], thickness=0.1)
    distance, normal, _ = ask(thick, [[0.0, 0.0, 1.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]], margin=0.5)
    assert distance == pytest.approx([0.4, np.inf, -0.6]) and not normal[1].any()
    with pytest.raises(SceneError, match="'Sphere': It has no size along an axis"):
        build(exact("sphere", (1.0, 1.0, 0.0)), SETTINGS)

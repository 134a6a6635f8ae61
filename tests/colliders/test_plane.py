"""The plane, exactly."""

import numpy as np
import pytest

from solver.colliders import build, kinds
from solver.colliders.motion import rotation_matrix
from solver.errors import SceneError
from solver.scene import Collider, Settings
from tests.colliders.test_motion import transform


def ask(collider, points, time=0.0, margin=np.inf, settings=None):
    points = np.asarray(points, dtype=float)
    field = build(collider, settings or Settings())
    distance, normal, velocity = np.empty(len(points)), np.empty_like(points), np.empty_like(points)
    field.query(points, time, margin, distance, normal, velocity)
    return distance, normal, velocity


def plane(*transforms, **options):
    return Collider("uid", "Floor", "plane", np.array(transforms), **options)


POINTS = np.random.default_rng(0).normal(size=(50, 3))


def test_level_and_tilted():
    distance, normal, velocity = ask(plane(transform(shift=(1, 2, 0.5))), POINTS)
    assert distance == pytest.approx(POINTS[:, 2] - 0.5)
    assert np.allclose(normal, [0, 0, 1])
    assert not velocity.any()
    tilt = rotation_matrix(np.array([0.7, 0.0, 0.0]))
    distance, normal, _ = ask(plane(transform(tilt)), POINTS)
    assert distance == pytest.approx(POINTS @ tilt[:, 2])
    assert np.allclose(normal, tilt[:, 2])


def test_scale_thickness_and_margin():
    squashed = np.diag([3.0, 0.5, 2.0])
    distance, normal, _ = ask(plane(transform(squashed), thickness=0.1), POINTS, margin=0.3)
    expected = POINTS[:, 2] - 0.1
    near = expected <= 0.3
    assert distance[near] == pytest.approx(expected[near])
    assert np.isinf(distance[~near]).all()
    assert not normal[~near].any()


def test_shear_and_mirror():
    shear = np.array([[1.0, 0.0, 0.4], [0.0, 1.0, 0.0], [0.0, 0.3, 1.0]])
    normal = ask(plane(transform(shear)), POINTS)[1]
    across = np.cross(shear[:, 0], shear[:, 1])
    assert np.allclose(normal, across / np.linalg.norm(across))
    assert np.allclose(ask(plane(transform(np.diag([1.0, 1.0, -1.0]))), POINTS)[1], [0, 0, -1])


def test_the_velocity_is_that_of_the_plane():
    axis = np.array([0.2, 0.5, -0.1])
    keys = [transform(rotation_matrix(k * axis), (0.1 * k, 0.0, 0.3 * k)) for k in range(3)]
    settings, step = Settings(frames_per_second=10.0), 1e-6
    _distance, normal, velocity = ask(plane(*keys), POINTS, 0.05, settings=settings)
    before, after = (ask(plane(*keys), POINTS, 0.05 + s, settings=settings)[0] for s in (-step, step))
    # A point at rest sees the surface come nearer at the surface's speed along the normal.
    assert -(after - before) / (2 * step) == pytest.approx(np.einsum("ki,ki->k", normal, velocity), abs=1e-5)


def test_kinds_are_found_and_unknown_ones_named():
    assert {"plane", "mesh"} <= set(kinds())
    with pytest.raises(SceneError, match="no collider kind 'torus'"):
        build(Collider("uid", "Ring", "torus", np.eye(4)[None]), Settings())

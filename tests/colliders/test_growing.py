"""Thickness that is keyed: the surface comes as fast as it grows."""

import numpy as np
import pytest

from solver.colliders import build
from solver.colliders.motion import rotation_matrix
from solver.keyframes import rate_at_frame
from solver.scene import Collider, Settings
from solver.surface import Surface
from tests.colliders.test_mesh import box
from tests.colliders.test_motion import transform
from tests.colliders.test_plane import ask

SETTINGS = Settings(frame_start=1, frame_end=3, frames_per_second=10.0)
POINTS = np.random.default_rng(4).uniform(-1.5, 1.5, size=(200, 3))
KEYS = {"thickness": np.array([0.0, 0.5, 1.0])}
SQUARE = Surface(np.array([(-2.0, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)]), np.array([(0, 1, 2), (0, 2, 3)], np.int32))
SHAPES = {
    "plane": {"kind": "plane"},
    "sphere": {"kind": "sphere"},
    "box": {"kind": "box"},
    "capsule": {"kind": "capsule", "size": (2.0, 0.5, 0.5)},
    "mesh": {"kind": "mesh", "surface": box((1.0, 1.0, 1.0))},
    "ground": {"kind": "mesh", "surface": SQUARE},
    "sheet": {"kind": "mesh", "surface": SQUARE, "two_sided": True},
    "painted": {"kind": "mesh", "surface": box((1.0, 1.0, 1.0)), "painted": {"thickness": np.linspace(0.2, 0.9, 8)}},
    "painted sheet": {"kind": "mesh", "surface": SQUARE, "two_sided": True, "painted": {"thickness": np.linspace(0.5, 1, 4)}},
}


def growing(shape, *transforms):
    return Collider("uid", "Thing", transforms=np.array(transforms or [np.eye(4)]), keys=KEYS, **SHAPES[shape])


def rate_of(collider, points, time, step=1e-6):
    """How fast the distances (k,) of points at rest fall [m/s]."""
    later, before = (ask(collider, points, time + change, settings=SETTINGS)[0] for change in (step, -step))
    return (before - later) / (2.0 * step)


def test_a_still_sphere_comes_as_fast_as_its_thickness_grows():
    """0 to 0.5 to 1 m at 10 frames a second; at a frame's own time the way there counts, before and after nothing moves."""
    ball = growing("sphere")
    for time, speed in ((-0.01, 0.0), (0.0, 0.0), (0.05, 5.0), (0.1, 5.0), (0.2, 5.0), (0.21, 0.0)):
        _, normal, velocity = ask(ball, POINTS, time, settings=SETTINGS)
        np.testing.assert_allclose(velocity, speed * normal, atol=1e-12)
    assert rate_at_frame(np.array([1.0, 3.0, 2.0]), 1.5) == -1.0 and rate_at_frame(np.array([1.0]), 0.5) == 0.0


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_velocity_is_how_fast_the_surface_comes(shape, moves):
    """Of every kind, painted or not, from both sides of a sheet, still or as it moves and turns."""
    turns = [rotation_matrix(0.1 * k * np.array([0.3, 1.0, 0.2])) for k in range(4)]
    keys = [transform(turn, (0.1 * k, 0.0, 0.0)) for k, turn in enumerate(turns)] if moves else []
    collider = growing(shape, *keys)
    distance, normal, velocity = ask(collider, POINTS, 0.07, settings=SETTINGS)
    known = np.isfinite(distance)
    if shape == "painted":  # deeper than the surface itself the thickness is that of the closest point, wherever that goes
        known &= np.abs(POINTS).max(axis=1) > 0.9
    close = np.abs(np.einsum("ki,ki->k", velocity, normal)[known] - rate_of(collider, POINTS[known], 0.07)) < 1e-4
    assert close.mean() > 0.97  # the rest sits where the closest face changes
    assert known.sum() > 80
    if "sheet" in shape:
        assert min((normal[:, 2] > 0.5).sum(), (normal[:, 2] < -0.5).sum()) > 50


@pytest.mark.parametrize("shape", SHAPES)
def test_what_it_grows_bounds_steps(shape):
    field = build(growing(shape), SETTINGS)
    most = {"painted": 0.9}.get(shape, 1.0)
    assert field.grown(0.05, 0.15) == pytest.approx(0.5 * most) and field.grown(0.15, 0.05) == 0.0

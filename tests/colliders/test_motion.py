"""Keyframed transforms: polar decomposition, interpolation, rates."""

import numpy as np
import pytest

from solver.colliders.motion import Motion, rotation_matrix
from solver.scene import Settings

SETTINGS = Settings(frames_per_second=10.0)


def transform(linear=None, shift=(0.0, 0.0, 0.0)):
    matrix = np.eye(4)
    matrix[:3, :3] = np.eye(3) if linear is None else linear
    matrix[:3, 3] = shift
    return matrix


def matrix_at(motion, time):
    pose = motion.pose(time)
    return pose.rotation @ pose.stretch, pose.translation


@pytest.mark.parametrize("seed", range(5))
def test_keys_come_back(seed):
    """Keys lie one frame apart, the first a frame before the first frame; shear and mirror images included."""
    rng = np.random.default_rng(seed)
    keys = np.array([transform(rng.normal(size=(3, 3)), rng.normal(size=3)) for _ in range(4)])
    keys[:, 0, :3] *= np.sign(np.linalg.det(keys[:, :3, :3]) * np.linalg.det(keys[0, :3, :3]))[:, None]
    motion = Motion(keys, SETTINGS)
    for index, key in enumerate(keys):
        linear, shift = matrix_at(motion, (index - 1) / 10.0)
        assert linear == pytest.approx(key[:3, :3], abs=1e-9)
        assert shift == pytest.approx(key[:3, 3], abs=1e-9)
        assert np.linalg.det(motion.rotations[index]) == pytest.approx(1.0)


def test_a_rotation_turns_evenly_and_keeps_lengths():
    axis = np.array([0.3, -0.5, 0.8])
    keys = np.array([transform(rotation_matrix(angle * axis)) for angle in (0.0, 1.0)])
    motion = Motion(keys, SETTINGS)
    for share in (0.0, 0.25, 0.5, 0.9):
        linear, _ = matrix_at(motion, -0.1 + 0.1 * share)
        assert linear == pytest.approx(rotation_matrix(share * axis), abs=1e-12)
    assert motion.pose(-0.05).spin == pytest.approx(axis * 10.0)


def test_half_a_turn_is_found():
    keys = np.array([transform(), transform(np.diag([-1.0, -1.0, 1.0]))])
    spin = Motion(keys, SETTINGS).pose(-0.05).spin
    assert np.abs(spin) == pytest.approx([0.0, 0.0, np.pi * 10.0])


def test_rates_are_the_derivative_of_the_pose():
    rng = np.random.default_rng(2)
    keys = np.array([transform(np.eye(3) + 0.3 * rng.normal(size=(3, 3)), rng.normal(size=3)) for _ in range(3)])
    motion, point, step = Motion(keys, SETTINGS), np.array([0.4, -0.2, 0.7]), 1e-6
    for time in (-0.07, 0.03):
        pose = motion.pose(time)
        (a, s), (b, t) = matrix_at(motion, time - step), matrix_at(motion, time + step)
        expected = ((b @ point + t) - (a @ point + s)) / (2 * step)
        arm = pose.rotation @ pose.stretch @ point
        rate = pose.velocity + np.cross(pose.spin, arm) + pose.rotation @ pose.stretch_rate @ point
        assert rate == pytest.approx(expected, rel=1e-6)


def test_at_a_key_it_still_goes_the_way_that_led_there():
    """A step that ends there has come that way; whatever rounding makes of the time."""
    keys = np.array([transform(shift=(x, 0.0, 0.0)) for x in (0.0, 3.0, 1.0, 2.0)])
    motion = Motion(keys, SETTINGS)
    for time in (0.1, 0.1 + 1e-13, 0.1 - 1e-13):
        assert motion.pose(time).velocity[0] == pytest.approx(-20.0)
        assert motion.pose(time).translation[0] == pytest.approx(1.0)
    assert motion.pose(0.1 + 1e-6).velocity[0] == pytest.approx(10.0)
    assert motion.pose(-0.1).velocity[0] == pytest.approx(30.0)


def test_it_stands_still_outside_its_keys_and_when_static():
    keys = np.array([transform(), transform(shift=(1.0, 0.0, 0.0))])
    assert not Motion(keys, SETTINGS).pose(5.0).velocity.any()
    assert Motion(keys, SETTINGS).pose(5.0).translation == pytest.approx([1.0, 0.0, 0.0])
    assert Motion(keys[:1], SETTINGS).static
    assert Motion(np.repeat(keys[:1], 4, axis=0), SETTINGS).static
    assert not Motion(keys, SETTINGS).static

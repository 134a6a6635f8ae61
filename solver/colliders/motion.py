"""How a collider moves: keyframed transforms, interpolated between frames. numpy only.

A transform is split into a rotation R and a symmetric stretch S (polar decomposition; S carries scale, shear and a
mirror image) and a translation: x_world = R S x_local + c. Between frames R turns at constant speed, S and c go straight.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..scene import Settings

SAME = 1e-12
SAME_TIME = 1e-9  # samples by which a time may miss that of one by rounding


@dataclass(frozen=True)
class Pose:
    """A collider at one time.

    rotation (3, 3), stretch (3, 3), translation (3,) [m]; spin (3,) angular velocity [rad/s]; stretch_rate (3, 3) [1/s];
    velocity (3,) of the translation [m/s]
    """

    rotation: NDArray[np.float64]
    stretch: NDArray[np.float64]
    translation: NDArray[np.float64]
    spin: NDArray[np.float64]
    stretch_rate: NDArray[np.float64]
    velocity: NDArray[np.float64]


class Motion:
    """The transforms (k, 4, 4) of a collider, so many samples a frame, the first one frame before the first frame.

    A single one stands still.
    """

    def __init__(self, transforms: NDArray[np.float64], settings: Settings, samples: int = 1) -> None:
        self.rotations, self.stretches = _polar(transforms[:, :3, :3])
        self.translations = transforms[:, :3, 3].copy()
        self.rate, self.before = settings.frames_per_second * samples, float(samples)
        self.turns = np.array([_rotation_vector(b @ a.T) for a, b in zip(self.rotations, self.rotations[1:], strict=False)])
        size = np.abs(self.stretches).max()
        self.static = len(transforms) == 1 or bool((np.abs(np.diff(transforms, axis=0)) <= SAME * size).all())
        self.stretches_change = bool((np.abs(np.diff(self.stretches, axis=0)) > 1e-9 * size).any())

    def place(self, time: float, count: int) -> tuple[int, float, float]:
        """Return the sample before a time [s] among `count` samples, the way to the next, 0 to 1, and samples a second [1/s].

        Before the first and after the last nothing moves: then they are an end, and 0. At a sample's own time it is the way
        there that counts: a step ends there, in which the collider has come that way and has not yet turned.
        """
        place, last = time * self.rate + self.before, count - 1
        if not 0.0 <= place <= last:
            return (0, 0.0, 0.0) if place < 0.0 else (last - 1, 1.0, 0.0)
        key = min(max(int(np.ceil(place - SAME_TIME)) - 1, 0), last - 1)
        return key, place - key, self.rate

    def pose(self, time: float) -> Pose:
        """Return the pose at `time` [s] since the first frame; before the first and after the last key it stands still."""
        zero, none = np.zeros(3), np.zeros((3, 3))
        if self.static:
            return Pose(self.rotations[0], self.stretches[0], self.translations[0], zero, none, zero)
        key, share, rate = self.place(time, len(self.rotations))
        if rate == 0.0:
            end = key + int(share)
            return Pose(self.rotations[end], self.stretches[end], self.translations[end], zero, none, zero)
        stretch_step = self.stretches[key + 1] - self.stretches[key]
        step = self.translations[key + 1] - self.translations[key]
        return Pose(
            rotation_matrix(share * self.turns[key]) @ self.rotations[key],
            self.stretches[key] + share * stretch_step,
            self.translations[key] + share * step,
            self.turns[key] * rate,
            stretch_step * rate,
            step * rate,
        )

    def carried(self, points: NDArray[np.float64], begun: float, time: float) -> NDArray[np.float64]:
        """Where points (k, 3) that are fixed to the collider at one time [s] lie at another."""
        if self.static:
            return points
        before, after = self.pose(begun), self.pose(time)
        change = after.rotation @ after.stretch @ np.linalg.pinv(before.rotation @ before.stretch)
        moved: NDArray[np.float64] = (points - before.translation) @ change.T + after.translation
        return moved


def rotation_matrix(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation (3, 3) about an axis by its length [rad] (Rodrigues' formula)."""
    angle = float(np.sqrt(vector @ vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: NDArray[np.float64] = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return rotation


def _polar(matrices: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return rotations and symmetric stretches with M = R S; a mirror image goes into S."""
    u, s, vt = np.linalg.svd(matrices)
    sign = np.sign(np.linalg.det(u) * np.linalg.det(vt))
    rotations = sign[:, None, None] * (u @ vt)
    stretches = sign[:, None, None] * (np.swapaxes(vt, 1, 2) * s[:, None, :]) @ vt
    return rotations, stretches


def _rotation_vector(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return axis times angle [rad] of a rotation (3, 3), the shorter way round."""
    axis = 0.5 * np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    sine = float(np.sqrt(axis @ axis))
    cosine = 0.5 * (float(np.trace(rotation)) - 1.0)
    angle = float(np.arctan2(sine, cosine))
    if sine > 1e-6:
        return axis * (angle / sine)
    if cosine > 0.0:
        return axis
    # Half a turn: the axis is the column of R + 1 that is longest.
    columns = rotation + np.eye(3)
    longest = columns[:, int(np.argmax(np.einsum("ij,ij->j", columns, columns)))]
    half_turn: NDArray[np.float64] = np.pi * longest / np.sqrt(longest @ longest)
    return half_turn

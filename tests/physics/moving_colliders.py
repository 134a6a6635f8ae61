"""Scenes of a body that a keyed mesh collider strikes, carries or throws, each with what its ledger counts."""

import numpy as np

from solver.colliders.motion import rotation_matrix
from solver.scene import Surface
from tests.physics.collider_ledger import ColliderLedger, meeting
from tests.surfaces import box, moved, sphere, surface

FRAMES = 24
RATE = 24.0


def times() -> np.ndarray:
    """Those of the samples (k,), one a frame, from the frame before the first on [s]."""
    return np.arange(-1, FRAMES) / RATE


def placed(ways: np.ndarray) -> np.ndarray:
    """Transforms (k, 4, 4) to places (k, 3)."""
    transforms = np.tile(np.eye(4), (len(ways), 1, 1))
    transforms[:, :3, 3] = ways
    return transforms


def turning(speed: float, axis=(0.0, 1.0, 0.0), place=(0.0, 0.0, 0.0)) -> np.ndarray:
    """Transforms (k, 4, 4) of what turns at a speed [rad/s] about an axis through a place."""
    transforms = placed(np.tile(np.array(place), (len(times()), 1)))
    transforms[:, :3, :3] = [rotation_matrix(speed * time * np.array(axis)) for time in times()]
    return transforms


def gear(teeth: int = 10, root: float = 0.4, tip: float = 0.55, length: float = 0.8) -> Surface:
    """A wheel about the y axis with teeth, each a third of its pitch wide at the tip [m]."""
    steps = (np.arange(teeth)[:, None] + np.array([0.0, 0.15, 0.45, 0.6])).ravel() * 2.0 * np.pi / teeth
    radii = np.tile([root, tip, tip, root], teeth)
    rim = np.stack([radii * np.cos(steps), 0.0 * steps, radii * np.sin(steps)], axis=1)
    count, side = len(rim), np.array([0.0, 0.5 * length, 0.0])
    points = np.concatenate([rim - side, rim + side, [-side, side]])
    i, j = np.arange(count), (np.arange(count) + 1) % count
    middle = np.full(count, 2 * count)
    faces = [(i, i + count, j), (j, i + count, j + count), (j, middle, i), (i + count, middle + 1, j + count)]
    return surface(points, np.concatenate([np.stack(face, axis=1) for face in faces]))


def cup(radius: float = 0.5, height: float = 0.5, wall: float = 0.06, around: int = 24) -> Surface:
    """A beaker with a floor and walls of a thickness, open at its top; its middle is the origin [m]."""
    angle = np.arange(around) * 2.0 * np.pi / around
    circle = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    half, inner = np.array([0.0, 0.0, 0.5 * height]), radius - wall
    floor = np.array([0.0, 0.0, wall])
    rings = [radius * circle - half, radius * circle + half, inner * circle + half, inner * circle - half + floor]
    points = np.concatenate([*rings, [-half, floor - half]])
    i, j = np.arange(around), (np.arange(around) + 1) % around
    faces = [(0 * i + 4 * around, j, i), (3 * around + i, 3 * around + j, 0 * i + 4 * around + 1)]
    for k in range(3):
        a, b = k * around, (k + 1) * around
        faces += [(a + i, a + j, b + j), (a + i, b + j, b + i)]
    return surface(points, np.concatenate([np.stack(face, axis=1) for face in faces]))


def fist(friction: float, speed: float = 30.0) -> ColliderLedger:
    """A ball of 0.2 m at 30 m/s strikes one of rubber off its middle, that stands still without weight."""
    ways = np.array([[-0.6, 0.05, 0.08]]) + np.maximum(times(), 0.0)[:, None] * [speed, 0.0, 0.0]
    return meeting(sphere(8, 0.3), sphere(8, 0.2), placed(ways), friction)


def stopping_fist(friction: float) -> ColliderLedger:
    """The same with a box at 10 m/s, that stops at once after three frames."""
    ways = np.array([[-0.8, 0.0, 0.0]]) + np.clip(times(), 0.0, 3.0 / RATE)[:, None] * [10.0, 0.0, 0.0]
    return meeting(sphere(8, 0.3), box((0.4, 0.5, 0.6)), placed(ways), friction)


def shaken_cup(friction: float) -> ColliderLedger:
    """A beaker that goes to and fro by 0.2 m three times a second, with a ball in it."""
    ways = 0.2 * np.sin(6.0 * np.pi * times())[:, None] * np.array([[1.0, 0.0, 0.3]])
    return meeting(moved(sphere(8, 0.22), (0.0, 0.0, 0.1)), cup(), placed(ways), friction, gravity=9.81)


def turning_gear(friction: float) -> ColliderLedger:
    """A gear that turns at 8 rad/s; a ball falls onto it."""
    return meeting(moved(sphere(8, 0.25), (0.1, 0.0, 0.9)), gear(), turning(8.0), friction, gravity=9.81)


def paddle(friction: float) -> ColliderLedger:
    """A plank swings around at 12 rad/s and hits a block that comes at it."""
    plank = moved(box((1.0, 0.6, 0.1)), (0.5, 0.0, 0.0))
    return meeting(
        moved(box((0.4, 0.4, 0.4)), (0.7, 0.0, -0.55)), plank, turning(12.0), friction, velocity=(0.0, 0.0, 1.0)
    )


def tumbler(friction: float) -> ColliderLedger:
    """A beaker lies on its side and turns about its axis at 6 rad/s while it moves on at 1 m/s; a block tumbles in it."""
    transforms = turning(6.0)
    on_its_side = rotation_matrix(np.array([0.5 * np.pi, 0.0, 0.0]))
    transforms[:, :3, :3] = transforms[:, :3, :3] @ on_its_side
    transforms[:, 0, 3] = times()
    return meeting(box((0.35, 0.25, 0.3)), cup(0.6, 1.0), transforms, friction, gravity=9.81)


SCENES = {
    "fist": fist, "stopping fist": stopping_fist, "shaken cup": shaken_cup, "turning gear": turning_gear, "paddle": paddle,
    "tumbler": tumbler,
}  # fmt: skip

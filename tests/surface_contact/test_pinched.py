"""Jaws that close on bodies which touch each other, or that are held, until there is no room: nothing blows up, nothing crosses
what it did not, the jaws give way, and it is said where."""

import numpy as np
import pytest

from solver.pins.pin import Pin
from solver.scene import Collider
from tests.surface_contact.artists import simulated
from tests.surface_contact.watch import Watch
from tests.surfaces import box, sphere, surface

GUM = {"density": 1000.0, "young_modulus": 5e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "flow_rate": 0.0, "damping": 5.0}
RADIUS, FRAMES = 0.2, 16
WEIGHTLESS = (0.0, 0.0, 0.0)


def jaws(height, thick):
    """Two plates so thick [m], or sheets, around a height [m]: they close in frames 2 to 8, 0.1 m too far, then open."""
    colliders = []
    for side in (-1.0, 1.0):
        transforms = np.tile(np.eye(4), (101, 1, 1))
        transforms[:, 2, 3] = side * np.interp(np.arange(101), [2, 8, 9, 13], [0.5 * height + 0.01, -0.05, -0.05, 0.5 * height])
        plate = box((2.0, 2.0, thick), (0.0, 0.0, 0.5 * side * thick)) if thick else sheet()
        name = "Upper Jaw" if side > 0 else "Lower Jaw"
        colliders.append(Collider(name, name, "mesh", transforms, plate, two_sided=not thick))
    return colliders


def sheet():
    """A square of two triangles, two metres wide."""
    corners = np.array([(x, y, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    return surface(corners, [(0, 1, 2), (0, 2, 3)])


def told(run, watch=None):
    """Bake the whole; the frames and sentences that say that there is no room."""
    said = []
    for frame in range(1, FRAMES + 1):
        said += [(frame, sentence) for sentence in run.advance().warnings if "no room" in sentence]
        positions = run.state.positions
        assert np.isfinite(positions).all() and np.abs(run.state.velocities).max() < 20.0
        assert np.abs(positions).max() < 6.0 * RADIUS
        assert watch is None or not watch.crosses(run)
    return said


@pytest.mark.parametrize("thick", [0.5, 0.0], ids=["plates", "sheets"])
def test_jaws_close_on_two_bodies_that_touch(thick):
    balls = [sphere(8, RADIUS, (0.0, 0.0, 0.21)), sphere(8, RADIUS, (0.05, 0.03, -0.21))]
    run = simulated(balls, 4, "all", jaws(0.82, thick), GUM, WEIGHTLESS)
    said = told(run, Watch(run))
    assert said and all(4 <= frame <= 10 and "Jaw'" in text and f", frame {frame}: " in text for frame, text in said)
    assert all("near (" in text for _, text in said)


def test_jaws_close_on_what_a_pin_holds():
    """It is held at its side, without give."""
    ball = sphere(8, RADIUS)
    side = np.flatnonzero(ball.positions[:, 0] > 0.9 * RADIUS).astype(np.int32)
    pin = Pin("pin", side, np.ones(len(side)), ball.positions[side][None])
    run = simulated([ball], 4, "bodies", jaws(2.0 * RADIUS, 0.5), GUM, WEIGHTLESS, pins=(pin,))
    said = told(run)
    assert said and "'Body 0', near (" in said[0][1]

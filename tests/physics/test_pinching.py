"""Colliders that close on a body until there is no room: nothing blows up, the colliders give way, and it is said where."""

from dataclasses import replace

import numpy as np
import pytest

from solver.colliders import build
from solver.scene import Collider, Settings
from solver.simulate import Simulation
from tests.physics.scenes import ball_mesh, make_scene
from tests.surfaces import box

ELASTIC = {"density": 1000.0, "young_modulus": 5e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "damping": 5.0}
DOUGH = ELASTIC | {"young_modulus": 2e4, "yield_stress": 200.0, "flow_rate": 20.0}
RADIUS = 0.3
FRAMES = 18


def jaws(gap):
    """Two thick plates that close within frames 2 to 9 to a gap [m], negative where they overlap, and open until 15."""
    colliders = []
    for side in (-1.0, 1.0):
        transforms = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
        ways = np.interp(np.arange(FRAMES + 1), [2, 9, 11, 15], [RADIUS + 0.01, 0.5 * gap, 0.5 * gap, RADIUS + 0.01])
        transforms[:, 2, 3] = side * (0.25 + ways)
        name = "Upper Jaw" if side > 0 else "Lower Jaw"
        colliders.append(Collider(name, name, "mesh", transforms, box((2.0, 2.0, 0.5))))
    return colliders


@pytest.mark.parametrize("goo", [ELASTIC, DOUGH])
@pytest.mark.parametrize(("gap", "told"), [(0.12, False), (0.0, True), (-0.1, True)])
def test_jaws_close_on_a_ball(goo, gap, told):
    scene, *rest = make_scene([ball_mesh(5, RADIUS)], [goo], frames=FRAMES, gravity=(0.0, 0.0, 0.0))
    scene = replace(scene, colliders=tuple(jaws(gap)))
    simulation = Simulation(scene, *rest, fields=[build(item, Settings(frame_end=FRAMES)) for item in scene.colliders])
    said = []
    for frame in range(1, FRAMES + 1):
        said += [(frame, sentence) for sentence in simulation.advance().warnings if "no room" in sentence]
        positions, speeds = simulation.state.positions, np.abs(simulation.state.velocities)
        assert np.isfinite(positions).all() and speeds.max() < 10.0
        assert np.abs(positions).max() < 3.0 * RADIUS
        if frame == 10:  # the middle is where both give way alike
            assert np.abs(positions[:, 2]).max() < max(0.5 * gap, 0.0) + 0.01
    assert bool(said) == told
    if told:
        (frame, sentence), = said
        assert 8 <= frame <= 11 and "'Body 0', near (" in sentence and f"frame {frame}: '" in sentence and "Jaw'" in sentence
        assert sentence.body == "Body 0" and f"'Body 0', {sentence.place}, frame" in sentence
        assert ("gives way by" if gap < 0.0 else "100 % of its tets are flat") in sentence
    if goo is ELASTIC and not told:
        assert np.ptp(simulation.state.positions[:, 2]) > 1.2 * RADIUS, "it springs back"

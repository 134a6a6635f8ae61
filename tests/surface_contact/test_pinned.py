"""Contact of bodies beside pins and force fields."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from solver.force_fields.field import ForceField
from solver.jit import use_threads
from solver.pins.pin import Pin
from solver.simulate import Simulation
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, make_scene
from tests.surface_contact.watch import Watch

RUBBER = {"young_modulus": 1e5, "poisson_ratio": 0.4, "yield_stress": 1e9, "density": 1000.0, "damping": 5.0}
FRAMES = 24


def pressed(stiffness=0.0, blows=False):
    """A ball under a block whose top is pinned and goes down by 0.25 m, and up again; `blows`: a vortex turns both."""
    meshes = [ball_mesh(4, 0.4, (0.5, 0.5, 0.41)), box_mesh((4, 4, 2), (1.0, 1.0, 0.5), (0.0, 0.0, 0.84))]
    scene, *rest = make_scene(meshes, [RUBBER] * 2, frames=FRAMES, body_contact="all", threads=1)
    top = np.flatnonzero(meshes[1].positions[:, 2] > 1.33)
    down = 0.25 * np.sin(np.pi * np.clip(np.arange(-1, FRAMES) / (FRAMES - 1), 0.0, 1.0))
    targets = meshes[1].positions[top] - down[:, None, None] * np.array([0.0, 0.0, 1.0])
    springs = {"stiffness": stiffness, "damping": 2.0 * np.sqrt(stiffness)} if stiffness else {}
    pin = Pin("pin", top.astype(np.int32), np.ones(len(top)), targets, **springs)
    fields, weights = (), {}
    if blows:
        frame = np.eye(4)
        frame[:2, 3] = 0.5
        fields, weights = (ForceField("v", "Vortex", "VORTEX", frame[None], {"strength": 5.0}),), {"v": 1.0}
    ball, block = (replace(body, field_weights=weights) for body in scene.bodies)
    scene = replace(scene, bodies=(ball, replace(block, pins=(pin,))), force_fields=fields)
    return Simulation(scene, *rest, fields=[PlaneField()]), top, targets


@pytest.mark.parametrize("stiffness", [0.0, 1e4])
def test_a_pinned_block_presses_a_ball_and_neither_lets_go(stiffness):
    run, top, targets = pressed(stiffness)
    watch, ball, least = Watch(run), slice(0, run.ranges.nodes[1]), np.inf
    for frame in range(FRAMES):
        run.advance()
        assert not watch.crosses(run)
        held = run.state.positions[run.ranges.nodes[1] :][top]
        assert np.abs(held - targets[frame + 1]).max() < (0.1 if stiffness else 1e-9)
        least = min(least, np.ptp(run.state.positions[ball, 2]))
    assert least < 0.65 and np.ptp(run.state.positions[ball, 2]) > least + 0.1


def test_one_and_two_threads_give_the_same_bytes():
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        run, _, _ = pressed(1e4, blows=True)
        run.pace.hold(threads)
        for _ in range(12):
            run.advance()
        ends.append(run.checkpoint())
    use_threads(1)
    for name in ends[0]:
        assert ends[0][name].tobytes() == ends[1][name].tobytes(), name

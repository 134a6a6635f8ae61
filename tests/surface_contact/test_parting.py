"""Bodies that start in each other go apart, at a bounded speed, and collide from then on."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from solver.contact.surfaces.parting import SWING
from solver.jit import use_threads
from solver.pins.pin import Pin
from solver.simulate import Simulation
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, make_scene, momentum
from tests.surface_contact.test_bodies import FAR, RUBBER, simulation
from tests.surface_contact.watch import Watch


def balls(young=1e5, cells=4, away=0.25, **settings):
    """Two balls of radius 0.5, half in each other."""
    meshes = [ball_mesh(cells, 0.5, (-away, 0.0, 0.0)), ball_mesh(cells, 0.5, (away, 0.03, 0.02))]
    return simulation(meshes, "bodies", {**RUBBER, "young_modulus": young}, **FAR, **settings)


def centers(run):
    """Centres of mass (b, 3) and their velocities."""
    ends, state = run.ranges.nodes, run.state
    own = [slice(a, b) for a, b in zip(ends, ends[1:], strict=False)]
    weights = [state.masses[each, None] / state.masses[each].sum() for each in own]
    return tuple(
        np.array([(weight * field[each]).sum(axis=0) for weight, each in zip(weights, own, strict=True)])
        for field in (state.positions, state.velocities)
    )


def parted(run, frames):
    """Advance and see that nothing crosses once they collide; the frame from which on they do, and the fastest that they went."""
    watch, since, fastest = Watch(run, own=False), None, 0.0
    for frame in range(frames):
        inverted = run.advance().statistics["inverted"]
        if not run.surfaces.left_out:
            since = frame if since is None else since
            assert not watch.crosses(run), frame
        velocity = centers(run)[1]
        fastest = max(fastest, float(np.linalg.norm(velocity[1] - velocity[0])))
    assert inverted == 0
    return since, fastest


@pytest.mark.parametrize(
    ("young", "cells", "substep"), [(1e3, 4, 1 / 96), (1e5, 4, 1 / 24), (1e5, 4, 1 / 192), (1e5, 7, 1 / 96), (1e7, 4, 1 / 96)]
)
def test_overlapping_balls_part_at_a_bounded_speed(young, cells, substep):
    """Half in each other: never faster than the swing, twice where they spring; momentum stays; and nothing crosses after."""
    run = balls(young, cells, maximum_substep=substep)
    assert run.surfaces.left_out == [(0, 1)]
    since, fastest = parted(run, 30)
    assert since is not None and 8 < since < 26
    assert fastest < 2.0 * SWING / np.e * 0.6
    linear, _ = momentum(run)
    assert np.abs(linear).max() < 1e-8 * run.state.masses.sum() * fastest


@pytest.mark.parametrize("substep", [1 / 24, 1 / 192])
def test_stiff_balls_part_as_a_critically_damped_swing(substep):
    """x = (D + m) (1 + w t) exp(-w t) - m is what is left of a depth D."""
    run = balls(1e8, 4, maximum_substep=substep)
    begun, depth = np.diff(centers(run)[0], axis=0)[0], run.surfaces.parting[0].regions[0].depth
    for frame in range(1, 9):
        run.advance()
        time = (frame - 1) / 24.0
        gone = np.linalg.norm(np.diff(centers(run)[0], axis=0)[0] - begun)
        left = (1.0 + SWING * time) * np.exp(-SWING * time)
        assert gone == pytest.approx((1.0 - left) * depth, abs=0.03 * depth)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ball_mesh(4, 0.5), ball_mesh(4, 0.25)),
        (box_mesh((3, 3, 3)), box_mesh((3, 3, 3))),
        (ball_mesh(5, 0.5), box_mesh((3, 3, 1), (0.2, 0.2, 0.06), (0.05, 0.1, 0.2))),
        (box_mesh((6, 6, 2), (1.0, 1.0, 0.2)), box_mesh((2, 2, 12), (0.12, 0.12, 1.2), (0.55, 0.53, -0.5))),
    ],
    ids=["concentric", "the same", "a coin in jelly", "a rod through a plate"],
)
def test_what_lies_wholly_in_the_other_leaves_too(first, second):
    since, fastest = parted(simulation([first, second], "bodies", RUBBER, **FAR), 30)
    assert since is not None and fastest < 3.0


def test_bodies_that_only_touch_collide_after_a_moment():
    run = simulation([box_mesh((3, 3, 3)), box_mesh((3, 3, 3), origin=(0.3, 0.2, 1.0))], **FAR)
    assert not run.advance().warnings
    assert parted(run, 6)[0] < 4


def test_a_stack_that_overlaps_rises_and_stays():
    meshes = [box_mesh((3, 3, 3), (0.5, 0.5, 0.5), (0.05 * k, 0.03 * k, 0.35 * k)) for k in range(3)]
    run = simulation(meshes, "bodies", {**RUBBER, "young_modulus": 3e6, "damping": 20.0}, [PlaneField()])
    since, fastest = parted(run, 40)
    assert since < 24 and fastest < 1.0
    assert np.abs(centers(run)[0][:, 2] - (0.25, 0.75, 1.25)).max() < 0.02 and np.abs(run.state.velocities).max() < 0.3


def pinned(frames):
    """Two boxes that overlap by a fifth, held by their far sides."""
    meshes = [box_mesh((4, 4, 4)), box_mesh((4, 4, 4), origin=(0.8, 0.1, 0.05))]
    scene, *rest = make_scene(meshes, [RUBBER] * 2, frames=frames, body_contact="bodies", threads=1, frames_per_second=12.0, **FAR)
    bodies = []
    for body, mesh, side in zip(scene.bodies, meshes, (0.0, 1.8), strict=True):
        held = np.flatnonzero(np.abs(mesh.positions[:, 0] - side) < 1e-6)
        pin = Pin("pin", held.astype(np.int32), np.ones(len(held)), mesh.positions[held][None])
        bodies.append(replace(body, pins=(pin,)))
    return Simulation(replace(scene, bodies=tuple(bodies)), *rest, fields=[])


def test_pinned_bodies_give_way_to_each_other():
    run = pinned(24)
    since, _ = parted(run, 24)
    assert since is not None


def test_what_cannot_part_is_named_and_bounded():
    """Two boxes in the same place whose nodes are all pinned."""
    run = pinned(40)
    mesh = box_mesh((2, 2, 2))
    scene, *rest = make_scene([mesh] * 2, [RUBBER] * 2, frames=40, body_contact="bodies", threads=1, frames_per_second=12.0, **FAR)
    pin = Pin("pin", np.arange(27, dtype=np.int32), np.ones(27), mesh.positions[None])
    run = Simulation(replace(scene, bodies=tuple(replace(body, pins=(pin,)) for body in scene.bodies)), *rest, fields=[])
    told = [message for _ in range(40) for message in run.advance().warnings]
    assert len(told) == 3 and "led apart" in told[0]
    assert all("'Body 0' and 'Body 1', near (0.5, 0.5, 0.5)" in each and "still overlap" in each for each in told[1:])
    assert np.abs(run.state.velocities).max() < 1e-6


def test_a_bake_goes_on_from_a_checkpoint_amid_parting_to_the_same_bytes():
    run, resumed = balls(), balls()
    for frame in range(24):
        run.advance()
        if frame == 5:
            kept = run.checkpoint()
            assert len(kept["parting"]) == 1
    resumed.restore(kept)
    for _ in range(18):
        resumed.advance()
    assert not run.surfaces.left_out
    assert resumed.state.positions.tobytes() == run.state.positions.tobytes()
    apart = run.checkpoint()
    resumed.restore(kept)
    resumed.restore(apart)
    assert not resumed.surfaces.left_out


def test_one_and_two_threads_give_the_same_bytes():
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        run = balls()
        run.pace.hold(threads)
        for _ in range(20):
            run.advance()
        ends.append(run.checkpoint())
    use_threads(1)
    for name in ends[0]:
        assert ends[0][name].tobytes() == ends[1][name].tobytes(), name

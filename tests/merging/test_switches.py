"""Merge and Tear Below keyed over time, and bodies that never merge with each other.

The control of topology that the paper has not (claim B34).
"""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import prepare
from solver.cache.archive import pack, unpack
from solver.errors import SceneError
from solver.job import read_job, scene_hash, write_job
from solver.merging.acting import allowed
from solver.scene import Scene, validated
from solver.simulate import Simulation
from solver.tetmesh.manifold import components
from tests.surfaces import sphere
from tests.tearing import shapes as tearing

from .shapes import ball, body, pair, started


def keyed(scene: Scene, **switches) -> Scene:
    return validated(replace(scene, bodies=tuple(replace(one, switches=switches) for one in scene.bodies)))


def steps_of(rate: float, frames: int, on: float, until: float = np.inf) -> np.ndarray:
    """1 from a time [s] on until another, at so many frames."""
    times = np.arange(frames) / rate
    return ((times >= on) & (times < until)).astype(float)


def merged_at(simulation: Simulation, frames: int) -> list[int]:
    """The frames, from 0 on, of which each has fewer bodies than the one before."""
    counts = []
    for _ in range(frames):
        simulation.advance()
        counts.append(len(simulation.scene.bodies))
    return [k for k in range(1, frames) if counts[k] < counts[k - 1]]


def test_switched_off_before_they_meet_they_collide():
    scene = keyed(pair(frames=8), merging=steps_of(24.0, 8, 0.0, 0.02))
    simulation = started(scene)
    assert simulation.surfaces is None or not simulation.surfaces.bodies
    assert merged_at(simulation, 8) == [] and simulation.surfaces.bodies == [(0, 1)]
    (a, b), x = simulation.ranges.nodes[:2], simulation.state.positions
    assert x[a:b, 0].max() < x[b:, 0].min() + 0.1 * scene.bodies[0].element_size
    speeds = [simulation.state.velocities[own, 0].mean() for own in (slice(a, b), slice(b, None))]
    assert speeds[0] < 0.4 and speeds[1] > -0.4  # they have pushed each other


@pytest.mark.parametrize("rate", [24.0, 48.0])
def test_switched_on_they_merge_at_that_time(rate):
    """Bodies that lie in each other from the start become one in the step after 3.5/24 s, at any frame rate."""
    scene = pair(frames=8)
    still = {"velocity": (0.0, 0.0, 0.0)}
    near = tuple(replace(one, surface=ball(side * 0.75), **still) for one, side in zip(scene.bodies, (-1, 1), strict=True))
    frames = int(8 * rate / 24.0)
    settings = replace(scene.settings, frames_per_second=rate, frame_end=frames)
    times = np.arange(frames) / rate * 24.0
    scene = keyed(replace(scene, bodies=near, settings=settings), merging=np.clip(times - 3.0, 0.0, 1.0))
    made = merged_at(started(scene), frames)
    assert len(made) == 1 and 3.5 < made[0] / rate * 24.0 <= 4.5  # bodies being led apart meanwhile take steps of 1/96 s


def test_a_bake_goes_on_from_after_the_switch_with_the_same_bytes():
    scene = keyed(pair(frames=8), merging=steps_of(24.0, 8, 0.0, 0.02))
    prepared = prepare(scene)
    whole, resumed = started(scene, prepared), started(scene, prepared)
    for _ in range(4):
        whole.advance()
    assert not whole.bound[6].any()  # neither merges, and nothing keeps apart
    resumed.restore(unpack(pack(whole.checkpoint())))
    for _ in range(3):
        expected, found = whole.advance().bodies, resumed.advance().bodies
        assert [one.positions.tobytes() for one in expected] == [one.positions.tobytes() for one in found]


def test_tears_from_the_time_that_is_keyed():
    """The dumbbell that tears at 0.15 m does so no sooner than that is its tear thickness, and as then without keys."""
    shot = tearing.scene()
    prepared = prepare(shot)[0]

    def torn_at(switches) -> int:
        own = validated(replace(shot, bodies=(replace(shot.bodies[0], switches=switches),)))
        simulation = tearing.pulled(own, prepared=prepared)
        for frame in range(12):
            if simulation.advance().changes:
                assert components(simulation.state.tets).any()
                return frame
        return 12

    first = torn_at({})
    assert first < 5
    assert torn_at({"tear_thickness": np.full(12, 0.15)}) == first
    later = np.where(np.arange(12) > first + 2, 0.15, 0.0)
    assert first + 2 <= torn_at({"tear_thickness": later}) < 12
    assert torn_at({"tear_thickness": np.zeros(12)}) == 12


def test_never_merge():
    """Of three of one group two keep apart: they collide; and what one of them has taken in keeps apart as well."""
    left, right = pair(frames=8).bodies
    behind = body("Behind", sphere(14, 0.18, (-0.52, 0.0, 0.0)), 7, velocity=(2.0, 0.0, 0.0), merge_group=1)
    apart = replace(pair(frames=8), bodies=(right, behind, replace(left, apart_from=("right",))))
    simulation = started(validated(apart))
    assert merged_at(simulation, 8) and [one.name for one in simulation.scene.bodies] == ["Right", "Behind"]
    assert set(simulation.surfaces.bodies) == {(0, 1)}
    positions, (a, b, _) = simulation.state.positions, simulation.ranges.nodes
    assert positions[b:, 0].max() < positions[a:b, 0].min() + 0.1 * left.element_size


@pytest.mark.parametrize(("on", "until", "bodies"), [(0.0, 0.02, [1]), (0.02, 1.0, [2]), (0.2, 1.0, [1])])
def test_kept_apart_for_a_time(on, until, bodies):
    """Two that keep apart do not merge while the switch is on, merge once it is off, and what has merged by then stays so."""
    left, right = pair(frames=8).bodies
    left = replace(left, apart_from=("right",), switches={"keep_apart": steps_of(24.0, 8, on, until)})
    scene = validated(replace(pair(frames=8), bodies=(left, right)))
    simulation = started(scene)
    assert bool(merged_at(simulation, 8)) == (bodies == [1]) and len(simulation.scene.bodies) == bodies[0]
    assert simulation.bound[6][0, 1] == (until == 1.0)
    if bodies == [2]:
        assert simulation.surfaces.bodies == [(0, 1)]


def test_no_third_body_joins_two_that_keep_apart():
    left, right = pair(frames=8).bodies
    third = replace(left, uid="third")
    bodies = (replace(left, apart_from=("right",)), right, third)
    assert allowed([(0, 1), (0, 2), (1, 2)], bodies) == [(0, 2)]
    assert allowed([(0, 0), (1, 2)], bodies) == [(0, 0), (1, 2)]


def test_what_cannot_be_is_refused():
    scene = pair()
    wrong = (
        ({"apart_from": ("nobody",)}, "no other body"),
        ({"apart_from": ("left",)}, "no other body"),
        ({"switches": {"merging": np.full(3, 1.0)}}, "animation of Merge"),
        ({"switches": {"tear_thickness": np.full(8, -1.0)}}, "animation of Tear Below"),
        ({"switches": {"keep_apart": np.full(8, 2.0)}}, "animation of Keep Apart"),
        ({"switches": {"merge_group": np.ones(8)}}, "cannot change over time"),
    )
    for change, word in wrong:
        with pytest.raises(SceneError, match=word):
            validated(replace(scene, bodies=(replace(scene.bodies[0], **change), scene.bodies[1])))


def test_switches_go_through_a_job_and_count_from_where_they_change(tmp_path):
    scene = keyed(pair(frames=8), merging=steps_of(24.0, 8, 0.0, 0.2), tear_thickness=np.zeros(8))
    scene = validated(replace(scene, bodies=(replace(scene.bodies[0], apart_from=("right",)), scene.bodies[1])))
    write_job(scene, tmp_path)
    again = validated(read_job(tmp_path))
    assert again.bodies[0].switches["merging"].tolist() == [1, 1, 1, 1, 1, 0, 0, 0] and again.bodies[0].apart_from == ("right",)
    assert scene_hash(again, 8) == scene_hash(scene, 8)
    still = validated(replace(scene, bodies=tuple(replace(one, switches={}) for one in scene.bodies)))
    assert scene_hash(still, 5) == scene_hash(scene, 5) and scene_hash(still, 6) != scene_hash(scene, 6)

"""What a body has goes on in what it has merged into: its keys, its rise, its fibres, its pins and its goal."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from solver.bake import bake
from solver.cache import FrameStore
from solver.checkpoint import checkpoint_of, restore
from solver.errors import Cancelled, SceneError
from solver.fem.momentum import disturbed
from solver.pins.pin import Pin
from solver.remesh.carrying_over import with_first_material
from solver.scene import Scene, validated
from solver.simulate import Simulation
from solver.slots import ACTIVATION, FIBRE_STIFFNESS, FIBRE_TENSION, MATERIAL_ROWS, MU
from solver.state import Ranges, material_rows

from .shapes import pair, started, until_merged


def test_what_is_keyed_goes_on_in_the_part_that_it_was_of():
    """The left ball stiffens and rises, and its fibres pull ever harder; the right one's pull at half.

    After 16 frames each new tet still goes by one of both, and a bake that is resumed by the same.
    """
    shot = pair(frames=16)
    left, right = (replace(one, fibres=np.array([1.0, 0.0, 0.0]), fibre_tension=500.0) for one in shot.bodies)
    stiff = left.material.values["young_modulus"] * np.linspace(1.0, 3.0, 16)
    left = replace(left, keys={"young_modulus": stiff}, rise=np.full(1, 0.3), activation=np.linspace(0.0, 1.0, 16))
    shot = validated(replace(shot, bodies=(left, replace(right, activation=np.full(1, 0.5)))))
    simulation = started(shot)
    had = [float(simulation.state.volumes[simulation.state.origin == k].sum()) for k in range(2)]
    until_merged(simulation)
    while simulation.frame < 16:
        frame = simulation.advance()
    state, late, place = simulation.state, (frame.number - 1) / 24.0, 24.0 * simulation.clock.time
    assert len(simulation.scene.bodies) == 1 and set(state.origin) == {0.0, 1.0}
    grown = [float(state.volumes[state.origin == k].sum()) for k in range(2)]
    assert grown == pytest.approx([had[0] * np.exp(0.3 * late), had[1]], rel=0.05)
    pulls = np.array([place / 15.0, 0.5])
    for k, one in enumerate(shot.bodies):
        own = state.origin == k
        assert state.material[MU, own] == pytest.approx(material_rows(one.at(place), 1)[MU, 0], rel=1e-6)
        assert simulation.space.tiles.unpack(ACTIVATION, 1, len(own))[own, 0] == pytest.approx(pulls[k], rel=1e-3)
    side = state.positions[state.tets].mean(axis=1)[:, 0]
    assert side[state.origin == 0.0].mean() < 0.0 < side[state.origin == 1.0].mean()
    again = started(shot)
    restore(again, checkpoint_of(simulation))
    one, other = simulation.advance().bodies[0].positions, again.advance().bodies[0].positions
    assert one.tobytes() == other.tobytes()


def test_new_tets_begin_with_the_first_material_of_the_body_that_they_are_of(two):
    """What keys write is taken back in the goo that has them, and nowhere else: what is sized by it follows it from there."""
    left, right = two.bodies
    bodies = (replace(left, keys={"young_modulus": np.linspace(1e4, 3e4, 8)}), right)
    state = started(two).state
    state = replace(state, material=np.random.default_rng(3).uniform(1.0, 2.0, (MATERIAL_ROWS, len(state.tets))))
    new, first = with_first_material(state, bodies), material_rows(left, 1)
    keyed, fibres = state.origin == 0.0, [FIBRE_STIFFNESS, FIBRE_TENSION]
    rest = np.setdiff1d(np.arange(MATERIAL_ROWS), fibres)
    assert 0 < keyed.sum() < len(keyed) and (new.material[rest][:, keyed] == first[rest]).all()
    assert (new.material[:, ~keyed] == state.material[:, ~keyed]).all()
    assert (new.material[fibres] == state.material[fibres]).all()
    assert with_first_material(state, two.bodies) is state


def holding(scene: Scene) -> Scene:
    """The pair with a firm pin on the left ball, which hangs on it, and springs on the right one, which begin with frame 5."""
    left, right = scene.bodies
    far = [np.flatnonzero(np.abs(body.surface.positions[:, 0]) > 0.29) for body in (left, right)]
    firm = Pin("pin", far[0], np.ones(len(far[0])), left.surface.positions[far[0]][None])
    sought, begins = right.surface.positions[far[1]] + [0.1, 0.0, 0.0], (np.arange(scene.settings.frame_end) >= 4).astype(float)
    soft = Pin("goal positions", far[1], np.ones(len(far[1])), sought[None], stiffness=2000.0, damping=20.0, strength=begins)
    return validated(replace(scene, bodies=(replace(left, pins=(firm,), velocity=(0.0,) * 3), replace(right, pins=(soft,)))))


def without_pins(scene: Scene) -> Scene:
    """The same with pins that hold nothing."""
    idle = [replace(body, pins=tuple(replace(pin, strength=np.zeros(1)) for pin in body.pins)) for body in scene.bodies]
    return replace(scene, bodies=tuple(idle))


def pinned(simulation: Simulation, frame, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the vertices of the pin of a body of the scene are in a frame, and where they are to be."""
    bodies = simulation.whole.bodies
    (own,), start = bodies[body].pins, sum(len(one.surface.positions) for one in bodies[:body])
    which, there = simulation.remeshed.bearings[0].left(own, start)
    return (frame.bodies[0].positions + frame.bodies[0].origin)[there], own.targets[0][which]


def test_pins_of_both_hold_what_has_merged(two, prepared, tmp_path, monkeypatch):
    """The firm one but for what overlapped, which moves all that is seen out; springs as much mass as before.

    And a bake resumes with the same bytes.
    """
    scene = holding(replace(two, settings=replace(two.settings, frame_end=12)))
    simulation, free = (started(s, prepared) for s in (scene, without_pins(scene)))
    masses = [grip.weights @ simulation.state.masses[grip.nodes] for grip in simulation.pins.grips]
    until_merged(simulation), until_merged(free)
    while simulation.frame < 12:
        frame, other = simulation.advance(), free.advance()
        has, sought = pinned(simulation, frame, 0)
        assert len(has) > 10 and np.abs(has - sought).max() < 2e-3 * scene.bodies[0].element_size
    assert len(simulation.scene.bodies) == 1 and [grip.uid for grip in simulation.pins.grips] == ["left", "right"]
    grip = simulation.pins.grips[1]
    assert grip.weights @ simulation.state.masses[grip.nodes] == pytest.approx(masses[1], rel=1e-6)
    (has, sought), (went, _) = (pinned(run, one, 1) for run, one in ((simulation, frame), (free, other)))
    assert np.abs(has - sought)[:, 0].mean() < 0.5 * np.abs(went - sought)[:, 0].mean()
    monkeypatch.setattr("solver.bake.prepare", lambda scene, report=None: prepared)
    ends, done = [], [0]
    for folder, last in (("whole", 12), ("stopped", 7)):
        with suppress(Cancelled):
            bake(
                scene, tmp_path / folder, stop=lambda last=last: last < 12 and done[-1] >= last,
                report=lambda event: done.append(event.get("frame", done[-1])),
            )  # fmt: skip
        if done[-1] < 12:
            bake(scene, tmp_path / folder, resume=True)
        with FrameStore.open(tmp_path / folder) as store:
            ends.append(store.read_body_frame(12, "left").positions.tobytes())
        done.append(0)
    assert ends[0] == ends[1]


def test_what_has_a_goal_flows_into_it_as_a_part_of_what_has_merged():
    """The left ball is to be twice as tall: that half of the whole becomes taller, the other one does not."""
    heights = []
    for rate in (0.0, 4.0):
        scene = pair(frames=30)
        left, right = scene.bodies
        tall = left.surface.positions * [0.8, 0.8, 2.0]
        scene = replace(scene, bodies=(replace(left, goal=tall, goal_rate=rate, velocity=(0.2, 0.0, 0.0)), right))
        simulation = started(validated(scene))
        until_merged(simulation)
        while simulation.frame < 30:
            simulation.advance()
        state = simulation.state
        led = np.unique(state.tets[state.goal_rate >= 0.0])
        assert 0.4 < state.volumes[state.goal_rate >= 0.0].sum() / state.volumes.sum() < 0.7
        heights.append([np.ptp(state.positions[own, 2]) for own in (led, np.setdiff1d(state.tets, led))])
    (low, still), (high, other) = heights
    assert high > 1.5 * low and other == pytest.approx(still, rel=0.2)


def test_a_goal_does_not_merge_with_what_gets_its_volume_back(two):
    left, right = two.bodies
    broken = replace(two, bodies=(replace(left, goal=left.surface.positions, goal_rate=1.0), replace(right, volume_rate=1.0)))
    with pytest.raises(SceneError, match="may merge with 'Right'"):
        validated(broken)


def test_what_may_turn_a_body_are_its_pins_and_those_of_all_in_it_but_the_drag_of_its_own_material():
    left, right = pair().bodies
    drag = {"mass_damping": np.ones(1)}
    pinned = (Pin("pin", np.arange(3), np.ones(3), np.zeros((1, 3, 3))),)
    ranges, hosts = Ranges(np.array([0, 5]), np.array([0, 2])), np.array([1, 1])  # the right one has taken in the left one
    for bodies, turned in (
        ((left, right), False), ((replace(left, keys=drag), right), False), ((left, replace(right, keys=drag)), True),
        ((replace(left, pins=pinned), right), True), ((left, replace(right, pins=pinned)), True),
    ):  # fmt: skip
        assert disturbed(bodies, hosts, ranges).tolist() == [turned] * 5

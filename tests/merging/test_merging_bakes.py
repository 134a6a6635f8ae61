"""Balls that fly into each other: pieces of one body, and bodies of one merge group."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from solver.bake import bake, prepare
from solver.cache import FrameStore
from solver.checkpoint import checkpoint_of, restore
from solver.errors import Cancelled, SceneError
from solver.geometry.edge_crossings import crossing_pairs, pairs_of_shells
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.geometry.self_crossing import crossing_faces
from solver.materials import Material
from solver.pins.pin import Pin
from solver.remesh.carrying_over import with_first_material
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from solver.slots import ACTIVATION, FIBRE_STIFFNESS, FIBRE_TENSION, MATERIAL_ROWS, MU
from solver.state import material_rows
from solver.tearing.cut_topology import cut_topology
from solver.tetmesh.manifold import components
from solver.tetmesh.quality import tet_volumes
from tests.remesh.shapes import is_manifold, mesh_of
from tests.surfaces import box, sphere
from tests.tearing.shapes import Watched, record_of, sums

from .shapes import body, pair, pile, started, two_pieces


@pytest.fixture(scope="module")
def two() -> Scene:
    return pair()


@pytest.fixture(scope="module")
def prepared(two):
    return prepare(two)


def until_merged(simulation: Simulation):
    """The first frame with a change of a surface."""
    for _ in range(8):
        frame = simulation.advance()
        if frame.changes:
            return frame
    raise AssertionError("nothing has merged")


def check_merged(simulation: Watched, change, volume: float, element: float) -> None:
    """One closed piece, with all that there was before, seen where it was seen."""
    mesh = mesh_of(simulation.state)
    assert not components(mesh.tets).any() and is_manifold(mesh) and not len(crossing_pairs(mesh.hull))
    assert tet_volumes(mesh.positions, mesh.tets).sum() == pytest.approx(simulation.state.volumes.sum(), rel=0.01)
    for had, has in zip(simulation.had, simulation.has, strict=True):
        assert np.abs(np.subtract(has, had)).max() < 1e-10
    cut = change.cut
    assert unpaired_edges(cut.triangles) == 0 and not len(crossing_faces(cut.positions, cut.triangles))
    assert signed_volumes(cut.positions, cut.triangles).sum() == pytest.approx(volume, rel=5e-3)
    was = np.concatenate([frame.positions + frame.origin for frame in simulation.was])
    shown = simulation.shown[0].positions + simulation.shown[0].origin
    assert 0 < len(was) - len(cut.kept) < 0.05 * len(was)
    assert np.abs(shown[: len(cut.kept)] - was[cut.kept]).max() < 0.02 * element


def test_two_bodies_become_one(two, prepared):
    simulation = started(two, prepared, Watched)
    volume = sum(float(signed_volumes(body.surface.positions, body.surface.triangles).sum()) for body in two.bodies)
    frame = until_merged(simulation)
    first, second, *creases = frame.changes
    assert (first.uid, first.topology, first.taken) == ("left", 1, (("right", 0),))
    assert (second.uid, second.topology, second.cut) == ("right", 1, None)
    assert [body.uid for body in frame.bodies] == ["left", "right"]
    assert [body.topology for body in frame.bodies] == [1 + len(creases), 1]
    last = [change.cut for change in (first, *creases)][-1]
    assert len(frame.bodies[0].positions) == len(last.positions) and not len(frame.bodies[1].positions)
    check_merged(simulation, first, volume, two.bodies[0].element_size)
    later = [simulation.advance() for _ in range(2)][-1]
    assert not any(change.taken for change in later.changes) and len(later.bodies) == 2
    assert np.isfinite(later.bodies[0].positions).all()


def test_what_meets_in_a_fast_blow_merges_too(two, prepared):
    """Two thirds of a ball in one step: what they overlapped by is pressed together, and comes out again."""
    fast = tuple(replace(one, velocity=(12.0 * one.velocity[0], 0.0, 0.0)) for one in two.bodies)
    simulation = started(validated(replace(two, bodies=fast)), prepared, Watched)
    until_merged(simulation)
    for _ in range(5):
        frame = simulation.advance()
    mesh = mesh_of(simulation.state)
    assert not components(mesh.tets).any() and np.isfinite(frame.bodies[0].positions).all()
    assert tet_volumes(mesh.positions, mesh.tets).sum() == pytest.approx(simulation.state.volumes.sum(), rel=0.02)
    (mass, rest, *moving), (mass_left, rest_left, *left) = simulation.had, simulation.has
    assert abs(mass_left - mass) < 1e-10 and abs(rest_left / rest - 1.0) < 2e-3  # closing creases, what is seen keeps its own
    for had, has in zip(moving, left, strict=True):
        assert np.abs(np.subtract(has, had)).max() < 1e-10


def seen_volume(simulation: Simulation) -> float:
    """Of all bodies that are still their own [m^3]."""
    shown = (simulation.present.seen(int(host)) for host in np.unique(simulation.present.hosts))
    return sum(float(signed_volumes(each.positions, each.triangles).sum()) for each in shown)


@pytest.mark.parametrize("speed", [1.5, 3.0])
def test_what_bodies_have_sunk_into_each_other_comes_back(speed):
    """Balls of slime, a small hand's width each, that merge with some 2 % of their volume in each other."""
    goo = Material("viscoplastic", {"young_modulus": 3500.0, "poisson_ratio": 0.46, "yield_stress": 15.0, "flow_rate": 5.0})
    options = {"resolution": 8, "remeshing": "wholesale", "merging": True, "merge_group": 1}
    bodies = tuple(
        Body(name, name, sphere(24, 0.05, (0.09 * side, 0.0, 0.0)), goo, velocity=(-speed * side, 0.0, 0.0), **options)
        for name, side in (("Left", -1.0), ("Right", 1.0))
    )
    simulation = started(validated(Scene(bodies, (), Settings(frame_end=25, gravity=(0.0, 0.0, 0.0), threads=1))))
    volume, share = seen_volume(simulation), []
    for _ in range(25):
        simulation.advance()
        share.append(seen_volume(simulation) / volume)
    assert len(np.unique(simulation.present.hosts)) == 1 and min(share) < 0.985
    assert share[-5:] == pytest.approx([1.0] * 5, abs=4e-3)


def test_pieces_of_one_body_become_one():
    shot = two_pieces()
    simulation = started(shot, kind=Watched)
    surface = shot.bodies[0].surface
    volume = float(signed_volumes(surface.positions, surface.triangles).sum())
    (change,) = until_merged(simulation).changes
    assert (change.uid, change.topology, change.taken) == ("both", 1, ())
    check_merged(simulation, change, volume, shot.bodies[0].element_size)


def test_a_merge_does_not_push_older_creases_through_each_other():
    """Growing what has merged would, by 133 faces: a third ball's share of the growth closes the crease of two others."""
    shot = pile()
    simulation, merges = started(shot), 0
    volume = seen_volume(simulation)
    for _ in range(10):
        frame = simulation.advance()
        for change in frame.changes:
            merges += len(change.taken)
            assert change.cut is None or not len(pairs_of_shells(change.cut.positions, change.cut.triangles))
    assert merges == 4 and len(simulation.scene.bodies) == 1
    (body,) = (body for body in frame.bodies if len(body.positions))
    seen, triangles = body.positions + body.origin, simulation.bound[2][0]
    assert not len(crossing_faces(seen.astype(np.float64), triangles))
    assert signed_volumes(seen, triangles).sum() == pytest.approx(volume, rel=0.01)


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


def test_what_has_merged_keeps_its_spin(two, prepared):
    simulation = started(two, prepared)
    spin = sums(simulation)[3]
    until_merged(simulation)
    for _ in range(4):
        simulation.advance()
    assert np.abs(sums(simulation)[3] - spin).max() < 1e-6 * np.abs(spin).max()


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


def test_a_third_body_keeps_its_pins(two):
    """It has another number from the merge on, and goes on about as if the others were not there."""
    block = box((0.2, 0.2, 0.2), (0.0, 1.0, 0.0))
    low = np.flatnonzero(block.positions[:, 2] < 0.0)
    targets = block.positions[low] + np.array([0.0, 0.0, 0.02]) * np.arange(9)[:, None, None]
    pins = tuple(
        Pin(name, chosen, np.ones(len(chosen)), targets[:, own], stiffness=give)
        for name, chosen, own, give in (("firm", low[:2], slice(2), 0.0), ("soft", low[2:], slice(2, 4), 2000.0))
    )
    third = body("Third", block, 4, merging=False, pins=pins)
    shot = validated(replace(two, bodies=(*two.bodies, third)))
    alone = started(validated(replace(two, bodies=(third,))), spread=False)
    simulation = started(shot)
    while len(simulation.scene.bodies) > 2:
        frame, other = simulation.advance(), alone.advance()
    for _ in range(2):
        frame, other = simulation.advance(), alone.advance()
    assert [item.name for item in simulation.scene.bodies] == ["Left", "Third"]
    lifted = frame.bodies[2].positions + frame.bodies[2].origin
    off = np.abs(lifted - other.bodies[0].positions - other.bodies[0].origin)
    # what sways on the pins does so in other steps
    assert off[low[:2]].max() < 1e-6 and off.max() < 0.02 * 0.2
    assert lifted[low[:2], 2].min() > block.positions[low[:2], 2].max() + 0.2 * 0.2


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


@pytest.mark.parametrize("groups", [{"merge_group": 0}, {"merging": False}])
def test_what_is_not_to_merge_bounces_off(groups, prepared):
    simulation = started(pair(**groups), prepared)
    for _ in range(8):
        frame = simulation.advance()
        assert not frame.changes
    left, right = (body.positions + body.origin for body in frame.bodies)
    assert left[:, 0].max() < right[:, 0].min() + 0.01 and components(simulation.state.tets).max() == 1


def test_pieces_that_are_not_to_merge_stay_apart_through_remeshes():
    """However deep they are in each other: tets, momentum and surface of each are its own."""
    simulation = started(two_pieces(merging=False))
    for _ in range(4):
        simulation.advance()
    state = simulation.state
    side = components(state.tets)
    assert side.max() == 1 and np.ptp(state.positions[:, 0]) < 0.6
    simulation.remeshing.due = lambda *_: [0]
    had = sorted(tuple(part) for part in momenta(simulation))
    simulation._remesh()
    has = sorted(tuple(part) for part in momenta(simulation))
    assert len(has) == 2 and np.abs(np.subtract(has, had)).max() < 1e-10 and not simulation.cuts


def momenta(simulation: Simulation) -> list[np.ndarray]:
    """Of each piece."""
    state = simulation.state
    piece = components(state.tets)
    return [state.masses[own] @ state.velocities[own] for own in (np.unique(state.tets[piece == k]) for k in range(2))]


def test_a_bake_goes_on_with_the_same_bytes_and_all_that_lies_on_both(two, prepared, tmp_path, monkeypatch):
    monkeypatch.setattr("solver.bake.prepare", lambda scene, report=None: prepared)
    records = {
        "left": record_of(two.bodies[0].surface),
        "right": replace(record_of(two.bodies[1].surface), materials=("two", "other"), inner_slot=-1, active_uv="map"),
    }

    def frames(folder, last=8, **options):
        bake(validated(replace(two, settings=replace(two.settings, frame_end=last))), folder, topologies=records, **options)
        with FrameStore.open(folder) as store:
            return [[store.read_body_frame(number, uid) for number in store.frames()] for uid in ("left", "right")], store

    (left, right), store = frames(tmp_path / "whole")
    merged = next(number for number, frame in enumerate(left) if frame.topology)
    assert [len(frame.positions) for frame in right[merged:]] == [0] * (8 - merged) and list(store.damage()) == []
    record, gone = store.read_topology("left", left[merged].topology), store.read_topology("right", 1)
    assert record.vertex_count == len(left[merged].positions) and (gone.vertex_count, gone.face_count) == (0, 0)
    assert record.materials == ("one", "two", "inside", "other") and set(np.unique(record.material_index)) == {0, 1, 3}
    # the map of a corner of either ball is its place at rest, seen from above
    layers = {layer.name: layer.values for layer in record.attributes}
    assert np.abs(record.uv_layers["map"] - layers["corner"][:, :2]).max() < 1e-6
    assert np.abs(layers["place"][record.corner_vertices] - layers["corner"]).max() < 0.3
    for last in (merged, merged + 2):
        frames(tmp_path / f"{last}", last)
        (resumed, empty), _ = frames(tmp_path / f"{last}", resume=True)
        assert [a.positions.tobytes() for a in resumed] == [a.positions.tobytes() for a in left]
        assert [len(frame.positions) for frame in empty] == [len(frame.positions) for frame in right]


def test_the_seam_takes_nothing_from_elsewhere(two, prepared):
    """Faces that the seam does not meet keep their UVs to the last bit, what is left of others lies in theirs."""
    simulation = started(two, prepared, Watched)
    cut = until_merged(simulation).changes[0].cut
    places = np.concatenate([body.surface.positions for body in two.bodies])
    old = record_of(replace(two.bodies[0].surface, positions=places, triangles=cut.old_triangles))
    new = cut_topology(old, cut)
    whole = np.repeat(cut.whole, 3)
    rows = (3 * cut.origin[cut.whole][:, None] + np.arange(3)).ravel()
    assert new.uv_layers["map"][whole].tobytes() == old.uv_layers["map"][rows].tobytes() and (~whole).sum() > 20
    corners = places[cut.old_triangles[cut.origin]]
    low, high = corners.min(axis=1)[:, None, :2] - 1e-6, corners.max(axis=1)[:, None, :2] + 1e-6
    maps = new.uv_layers["map"].reshape(-1, 3, 2)
    assert ((maps >= low) & (maps <= high)).all()


def test_a_goal_does_not_merge_with_what_gets_its_volume_back(two):
    left, right = two.bodies
    broken = replace(two, bodies=(replace(left, goal=left.surface.positions, goal_rate=1.0), replace(right, volume_rate=1.0)))
    with pytest.raises(SceneError, match="may merge with 'Right'"):
        validated(broken)


@pytest.mark.parametrize(
    "change, word",
    [({"merge_group": 99}, "outside"), ({"apart_from": ("nobody",)}, "no other body")],
)
def test_what_cannot_merge_is_refused(two, change, word):
    broken = replace(two, bodies=(replace(two.bodies[0], **change), two.bodies[1]))
    with pytest.raises(SceneError, match=word):
        validated(broken)

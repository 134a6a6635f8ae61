"""Balls that fly into each other: pieces of one body, and bodies of one merge group."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import bake
from solver.cache import FrameStore
from solver.errors import SceneError
from solver.geometry.edge_crossings import crossing_pairs, pairs_of_shells
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.geometry.self_crossing import crossing_faces
from solver.materials import Material
from solver.pins.pin import Pin
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tearing.cut_topology import cut_topology
from solver.tetmesh.manifold import components
from solver.tetmesh.quality import tet_volumes
from tests.remesh.shapes import is_manifold, mesh_of
from tests.surfaces import box, sphere
from tests.tearing.shapes import Watched, record_of, sums

from .shapes import body, pair, pile, started, two_pieces, until_merged


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


def test_what_has_merged_keeps_its_spin(two, prepared):
    simulation = started(two, prepared)
    spin = sums(simulation)[3]
    until_merged(simulation)
    for _ in range(4):
        simulation.advance()
    assert np.abs(sums(simulation)[3] - spin).max() < 1e-6 * np.abs(spin).max()


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


@pytest.mark.parametrize(
    "change, word",
    [({"merge_group": 99}, "outside"), ({"apart_from": ("nobody",)}, "no other body")],
)
def test_what_cannot_merge_is_refused(two, change, word):
    broken = replace(two, bodies=(replace(two.bodies[0], **change), two.bodies[1]))
    with pytest.raises(SceneError, match=word):
        validated(broken)

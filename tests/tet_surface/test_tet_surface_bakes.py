"""Bodies of which the tets' own surface is seen: dropped, torn, merged, pinned, cached and gone on with."""

from dataclasses import replace
from pathlib import Path

import ipctk
import numpy as np
import pytest

from solver.bake import bake, prepare
from solver.cache import FrameStore
from solver.embedding import evaluate
from solver.errors import Cancelled, SceneError
from solver.geometry.edge_crossings import crossing_pairs
from solver.geometry.edges import connected, unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.job import read_job, write_job
from solver.pins.pin import Pin
from solver.presets import load_preset
from solver.remesh import remeshing
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from solver.tearing.renewal import renewed_body
from solver.tet_surface.record import laid_topology
from solver.tetmesh.quality import tet_volumes
from tests.merging.shapes import pair
from tests.surfaces import sphere, stored
from tests.tearing.shapes import Watched, pulled, record_of
from tests.tearing.shapes import scene as dumbbell

PRESETS = Path(__file__).parents[2] / "presets"
GROUND = Collider("ground", "Ground", "plane", np.eye(4)[None])


def drop(frames: int = 21, threads: int = 1, **options) -> Scene:
    """A ball of soft dough that falls onto the ground, with new tets every now and then."""
    goo = load_preset(PRESETS / "dough.toml")
    soft = {"yield_stress": 20.0, "hardening_modulus": 0.0, "young_modulus": 4000.0, "flow_rate": 100.0}
    material = replace(goo.material, values={**goo.material.values, **soft})
    body = Body(
        "b", "Goo", sphere(10, 0.25, (0.0, 0.0, 0.27)), material, goo.real_size, resolution=6, velocity=(0.0, 0.0, -3.0),
        **{"remeshing": "wholesale", "seen": "tets", **options},
    )  # fmt: skip
    return validated(Scene((body,), (GROUND,), Settings(frame_end=frames, worst_condition=2.5, threads=threads)))


def surfaces(folder: Path, uid: str) -> list[Surface]:
    """What is seen of a body at each frame [m]."""
    store, found = FrameStore.open(folder), []
    for number in store.frames():
        frame = store.read_body_frame(number, uid)
        triangles = store.read_topology(uid, frame.topology).corner_vertices.reshape(-1, 3)
        found.append(Surface(frame.positions.astype(np.float64) + frame.origin, triangles))
    return found


def crossing(part: Surface) -> bool:
    collision = ipctk.CollisionMesh(part.positions, ipctk.edges(part.triangles), part.triangles)
    return bool(ipctk.has_intersections(collision, part.positions))


def volume(part: Surface) -> float:
    return float(signed_volumes(part.positions, part.triangles).sum())


def shells(part: Surface) -> int:
    ends = np.stack([part.triangles, np.roll(part.triangles, -1, axis=1)]).reshape(2, -1)
    return len(np.unique(connected(ends, len(part.positions))[part.triangles]))


def started(shot: Scene, kind: type[Simulation] = Simulation) -> Simulation:
    made = prepare(shot)
    scene = replace(shot, bodies=tuple(item.body for item in made))
    return kind(scene, [item.mesh for item in made], [item.surface for item in made], [item.contacts for item in made])


@pytest.fixture(scope="module")
def baked(tmp_path_factory) -> Path:
    """The drop; its surface has UVs, a group, colours and two materials."""
    folder, shot = tmp_path_factory.mktemp("drop"), drop()
    bake(shot, folder, topologies={"b": record_of(shot.bodies[0].surface)})
    return folder


def test_what_is_seen_is_closed_whole_and_on_the_ground_at_every_frame(baked):
    shot, seen = drop(), surfaces(baked, "b")
    store, element, first = FrameStore.open(baked), shot.bodies[0].element_size, volume(shot.bodies[0].surface)
    topologies = [store.read_body_frame(number, "b").topology for number in store.frames()]
    assert topologies[0] == 0 and topologies[-1] >= 2
    for part in seen:
        assert not unpaired_edges(part.triangles) and not crossing(part) and shells(part) == 1
        assert part.positions[:, 2].min() > -0.02 * element
    assert volume(seen[0]) == pytest.approx(first, rel=1e-5)
    assert seen[-1].positions[:, 2].max() < 0.35 and seen[-1].positions[:, 2].min() < 0.02 * element


def test_all_that_lies_on_the_mesh_goes_along(baked):
    """Each record tells places of the first frame; new tets mix them only by what a face of the surface is across."""
    store, shot = FrameStore.open(baked), drop()
    first, seen = store.read_topology("b", 0), surfaces(baked, "b")[0]
    named = {layer.name: layer.values for layer in first.attributes}
    element = shot.bodies[0].element_size
    assert np.abs(named["place"] - seen.positions).max() < 0.1 * element
    places = first.uv_layers["map"] - seen.positions[first.corner_vertices][:, :2]
    assert np.abs(places).max() < 0.15 * element
    last = store.read_topology("b", store.read_body_frame(21, "b").topology)
    assert last.materials == first.materials == ("one", "two", "inside") and set(last.material_index) == {0, 1}
    assert not len(last.sharp_faces) and not len(last.corner_normals)
    mixed = {layer.name: layer.values for layer in last.attributes}["place"]
    ball = shot.bodies[0].surface
    off = closest_points(triangle_tree(ball.positions, ball.triangles), mixed.astype(np.float64)).distance
    assert off.max() < 0.15 * element  # what was on the ball is still of the ball


def test_no_corner_takes_its_uvs_from_across_a_seam():
    """Two maps of one ball, far apart: no face spans both."""
    shot = drop()
    ball, (item,) = shot.bodies[0].surface, prepare(shot)
    record = record_of(ball)
    left = ball.positions[ball.triangles].mean(axis=1)[:, 0] < 0.0
    uv = record.uv_layers["map"] + np.where(np.repeat(left, 3), 100.0, 0.0)[:, None].astype(np.float32)
    made = laid_topology(replace(record, uv_layers={"map": uv}), item.cut)
    told = made.uv_layers["map"][:, 0].reshape(-1, 3) > 50.0
    assert (told.all(axis=1) | ~told.any(axis=1)).all() and told.any() and not told.all()


class Jumping(Simulation):
    """Notes how far what is seen lies from what was seen before, either way, when it gets new tets [m]."""

    def kept(self) -> float:
        """The volume that is seen over that at first, but for what tets are squeezed by."""
        squeezed = tet_volumes(self.state.positions, self.state.tets).sum() / self.state.volumes.sum()
        return float(volume(self._seen()) / volume(self.scene.bodies[0].surface) / squeezed)

    def _remesh(self) -> int:
        jumps = self.__dict__.setdefault("jumps", [])
        before, place, done = self._seen(), len(self.cuts), super()._remesh()
        if len(self.cuts) > place:
            after = self._seen()
            trees = [triangle_tree(part.positions, part.triangles) for part in (before, after)]
            both = zip(trees, (after, before), strict=True)
            jumps.append(max(closest_points(tree, part.positions).distance.max() for tree, part in both))
        return done

    def _seen(self) -> Surface:
        return Surface(evaluate(self.bound[0][0], self.state.tets, self.state.positions), self.bound[2][0])


def test_a_remesh_is_hardly_seen_and_volume_is_kept():
    simulation, kept = started(drop(), Jumping), []
    for _ in range(21):
        simulation.advance()
        kept.append(simulation.kept())
    assert kept == pytest.approx([1.0] * 21, abs=5e-3) and kept[-1] == pytest.approx(1.0, abs=1e-3), kept
    jumps = np.array(simulation.jumps) / simulation.scene.bodies[0].element_size
    assert len(jumps) >= 2 and jumps.max() < 0.1, jumps


def test_the_same_bytes_on_two_threads_and_when_it_is_gone_on_with(baked, tmp_path):
    shot, asked = drop(), []
    topologies = {"b": record_of(shot.bodies[0].surface)}

    def stop() -> bool:
        asked.append(None)
        return len(asked) > 12

    with pytest.raises(Cancelled):
        bake(drop(threads=2), tmp_path, topologies=topologies, stop=stop)
    assert 2 < len(FrameStore.open(tmp_path).frames()) < 21
    bake(drop(threads=2), tmp_path, topologies=topologies, resume=True)
    one, two = FrameStore.open(baked), FrameStore.open(tmp_path)
    for number in range(1, 22):
        first, second = (store.read_body_frame(number, "b") for store in (one, two))
        assert first.topology == second.topology and first.positions.tobytes() == second.positions.tobytes()


@pytest.mark.parametrize("speed", [6.0, 6.1])
def test_it_tears_without_a_cut(speed):
    """Nothing is laid that passes through itself, nor does anything later as torn ends spring back, which are laid narrowly."""
    shot = dumbbell(seen="tets")
    (made,) = prepare(shot)
    simulation = pulled(replace(shot, bodies=(made.body,)), speed, prepared=made, kind=Watched)
    for _ in range(12):
        body = simulation.advance().bodies[0]
        part = Surface(body.positions.astype(np.float64) + body.origin, simulation.bound[2][0])
        assert not len(crossing_pairs(triangle_tree(part.positions, part.triangles)))
    laid = simulation.shown[0]
    assert not crossing(Surface(laid.positions.astype(np.float64) + laid.origin, part.triangles)) and not crossing(part)
    assert shells(part) >= 2 and not unpaired_edges(part.triangles)
    assert volume(part) == pytest.approx(volume(shot.bodies[0].surface), rel=0.02)


def test_two_bodies_become_one_closed_surface(tmp_path):
    shot = pair(frames=6, seen="tets")
    bake(shot, tmp_path, topologies={body.uid: record_of(body.surface) for body in shot.bodies})
    left, right = (surfaces(tmp_path, uid)[-1] for uid in ("left", "right"))
    whole, gone = (left, right) if len(left.triangles) else (right, left)
    assert not len(gone.triangles) and shells(whole) == 1 and not unpaired_edges(whole.triangles) and not crossing(whole)
    assert volume(whole) == pytest.approx(sum(volume(body.surface) for body in shot.bodies), rel=0.03)
    assert np.ptp(whole.positions[:, 0]) > 0.4


def test_tets_that_reach_out_of_fins_do_not_blow_up_what_merges():
    """New ones fill what is seen, and not what the old ones did: they have less room, and no more pressure for that."""
    shot, fish = pair(frames=6, seen="tets"), stored("fish")
    places = [0.3 * fish.positions + [x, 0.0, 0.0] for x in (-0.08, 0.08)]
    bodies = [replace(body, surface=Surface(p, fish.triangles)) for body, p in zip(shot.bodies, places, strict=True)]
    fall = replace(shot.settings, gravity=(0.0, 0.0, -9.81))
    simulation = started(validated(replace(shot, bodies=tuple(bodies), colliders=(GROUND,), settings=fall)))
    seen, mass = [], simulation.state.masses.sum()
    for _ in range(6):
        frame = simulation.advance()
        parts = zip(np.unique(simulation.present.hosts), simulation.bound[2], strict=True)
        seen.append(sum(volume(Surface(frame.bodies[k].positions.astype(np.float64), own)) for k, own in parts))
    assert len(simulation.bound[2]) == 1 and max(seen) < 1.002 * seen[0]
    state = simulation.state
    assert state.masses.sum() == pytest.approx(mass, rel=1e-12)
    assert state.volumes.sum() == pytest.approx(state.wanted.sum(), rel=0.03)


@pytest.mark.parametrize("stiffness", [0.0, 4000.0])
def test_pins_hold_it_through_new_tets(stiffness):
    shot = drop(frames=10)
    ball = shot.bodies[0].surface
    vertices = np.flatnonzero(ball.positions[:, 2] > 0.45).astype(np.int32)
    targets = ball.positions[None, vertices]
    pin = Pin("Pin", vertices, np.ones(len(vertices)), targets=targets, stiffness=stiffness, damping=20.0)
    body = replace(shot.bodies[0], pins=(pin,), velocity=(0.0, 0.0, 0.0), seen="tets")
    settings = replace(shot.settings, gravity=(0.0, 0.0, -30.0), worst_condition=2.0)
    simulation = started(validated(replace(shot, bodies=(body,), colliders=(), settings=settings)))
    for _ in range(10):
        frame = simulation.advance().bodies[0]
    assert simulation.remeshing.counts[0] >= 2 and np.ptp(frame.positions[:, 2]) > 1.0  # it runs down from where it is held
    top = float(frame.positions[:, 2].max() + frame.origin[2])
    assert top == pytest.approx(0.519, abs=0.004 if stiffness == 0.0 else 0.02)


def test_the_job_knows_it_and_a_wrong_word_is_refused(tmp_path):
    shot = drop(remeshing="off")
    write_job(shot, tmp_path)
    assert read_job(tmp_path).bodies[0].seen == "tets" and not shot.bodies[0].changes_topology
    with pytest.raises(SceneError, match="no surface 'both'"):
        drop(seen="both")


def test_without_remeshing_its_faces_stay(tmp_path):
    bake(drop(frames=3, remeshing="off"), tmp_path)
    store = FrameStore.open(tmp_path)
    assert {store.read_body_frame(number, "b").topology for number in store.frames()} == {0}


def test_tets_that_overlap_unseen_leave_no_slit(monkeypatch):
    """Where nothing seen is folded new tets are joined; so it is asked of what is seen before each remesh."""
    asked = []

    def told(body, *rest):
        made = renewed_body(body, *rest)
        asked.append((made.laid, len(made.cuts)))
        return made

    monkeypatch.setattr(remeshing, "renewed_body", told)
    simulation = started(drop())
    for _ in range(10):
        simulation.advance()
    assert asked and set(asked) == {(True, 1)}

"""A dumbbell pulled apart: it tears, its surface is cut once, cache and resume go on with it (B19)."""

from dataclasses import replace

import ipctk
import numpy as np
import pytest

from solver.bake import bake, prepare
from solver.cache import FrameStore
from solver.errors import SceneError
from solver.geometry.edges import connected, unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.job import scene_hash
from solver.moment import Snapshot
from solver.preflight import preflight
from solver.scene import Scene, validated
from solver.simulate import Simulation
from solver.tearing.cut_topology import cut_topology
from solver.tetmesh.manifold import components
from tests.surfaces import flipped, with_holes

from .shapes import Watched, check_kept, dumbbell, pulled, record_of, scene


@pytest.fixture(scope="module")
def shot() -> Scene:
    return scene()


@pytest.fixture(scope="module")
def prepared(shot):
    return prepare(shot)[0]


def momentum(simulation) -> np.ndarray:
    return (simulation.state.masses[:, None] * simulation.state.velocities).sum(axis=0)


def shells(cut) -> int:
    """How many connected parts a cut surface has."""
    ends = np.stack([cut.triangles, np.roll(cut.triangles, -1, axis=1)]).reshape(2, -1)
    return len(np.unique(connected(ends, len(cut.positions))[cut.triangles]))


def crossing(positions, triangles) -> bool:
    places = positions.astype(np.float64)
    return bool(ipctk.has_intersections(ipctk.CollisionMesh(places, ipctk.edges(triangles), triangles), places))


def test_it_tears_and_keeps_what_it_had(shot, prepared):
    simulation = pulled(shot, prepared=prepared, kind=Watched)
    seen, before = shot.bodies[0].surface, prepared.surface
    begun, had = signed_volumes(seen.positions, seen.triangles).sum(), momentum(simulation)
    changes = []
    for _ in range(12):
        frame = simulation.advance()
        changes += frame.changes
        body = frame.bodies[0]
        assert body.topology == len(changes)
        if frame.changes:
            cut = frame.changes[0].cut
            assert frame.changes[0].uid == "b" and unpaired_edges(cut.triangles) == 0
            assert len(body.positions) == len(cut.positions) and not crossing(body.positions, cut.triangles)
    assert len(changes) == 1 and components(simulation.state.tets).max() + 1 == shells(cut) >= 2
    check_kept(simulation, shrinks=True)
    now = signed_volumes(body.positions.astype(np.float64), cut.triangles).sum()
    assert now == pytest.approx(begun, rel=0.002)
    assert len(before.tets) < len(body.positions)
    size = np.abs(simulation.state.masses[:, None] * simulation.state.velocities).sum()
    assert np.abs(momentum(simulation) - had).max() < 1e-5 * size
    assert np.ptp(body.positions[:, 0]) > 1.5 and np.ptp(body.positions[:, 1]) < 0.6  # apart, and no vertex left behind


class Jumping(Simulation):
    """Gets new tets in every step; notes how far vertices that stay jump at each, and how far those away from a seam."""

    def __init__(self, *arguments, **options):
        self.jumps, self.drifts, self.bodies_due = [], [], []
        super().__init__(*arguments, **options)
        self.remeshing.due = lambda *_: self.bodies_due

    def _remesh(self):
        before, cuts = self.output.frame(Snapshot.of(self.state))[0].positions, len(self.cuts)
        done = super()._remesh()
        if done:
            now = self.output.frame(Snapshot.of(self.state))[0].positions
            cut = self.cuts[-1].cut if len(self.cuts) > cuts else None
            kept = np.arange(len(before)) if cut is None else cut.kept
            moved = np.abs(now[: len(kept)] - before[kept]).max(axis=1)
            away = np.ones(len(kept), dtype=bool)
            if cut is not None:
                seam = np.unique(cut.triangles[~cut.whole])
                away[seam[seam < len(kept)]] = False
            self.jumps.append(float(moved.max()))
            self.drifts.append(float(moved[away].max()))
        return done


def test_a_checker_through_twenty_remeshes_and_a_split(shot, prepared):
    """What is seen jumps nowhere, all jumps together move no UV by 1 %, and the checker lies where it lay on what is left."""
    simulation = pulled(shot, prepared=prepared, kind=Jumping)
    record, names = record_of(shot.bodies[0].surface), np.arange(len(prepared.surface.tets))
    while len(simulation.jumps) < 21:
        frame = simulation.advance()
        simulation.bodies_due = [0]
        for change in frame.changes:
            record, names = cut_topology(record, change.cut), names[change.cut.kept[change.cut.kept < len(names)]]
    element = shot.bodies[0].element_size
    assert components(simulation.state.tets).max() >= 1 and frame.bodies[0].topology >= 1
    assert max(simulation.jumps) < 0.02 * element and sum(simulation.drifts) < 0.01 * element
    triangles = simulation.bound[2][0]
    assert unpaired_edges(triangles) == 0 and not crossing(frame.bodies[0].positions, triangles)
    assert record.vertex_count == len(frame.bodies[0].positions) and len(names) > 1000
    # the map of a corner of the old surface is that of its vertex: its place at rest
    known = record.corner_vertices < len(names)
    known &= np.repeat(record.material_index != record.inner_slot, np.diff(record.face_offsets))
    places = shot.bodies[0].surface.positions[names[record.corner_vertices[known]]]
    assert np.abs(record.uv_layers["map"][known] - places[:, :2]).max() < 1e-6


def test_a_bake_writes_the_record_once_and_goes_on(shot, prepared, tmp_path, monkeypatch):
    """With the same bytes, whether it is stopped before or after the cut."""
    monkeypatch.setattr("solver.bake.start", lambda scene, *_: pulled(scene, prepared=prepared))
    monkeypatch.setattr("solver.bake.prepare", lambda scene, report=None: [prepared])
    record = record_of(shot.bodies[0].surface)

    def frames(folder, last=12, **options):
        bake(scene(last), folder, topologies={"b": record}, **options)
        with FrameStore.open(folder) as store:
            return [store.read_body_frame(number, "b") for number in store.frames()], store

    whole, store = frames(tmp_path / "whole")
    torn = [frame.topology for frame in whole].index(1)
    assert 2 <= torn < 10 and [frame.topology for frame in whole[torn:]] == [1] * (12 - torn)
    assert sorted(path.name for path in (tmp_path / "whole").glob("topology*")) == [
        "topology_b_000000.dollop.npz", "topology_b_000001.dollop.npz",
    ]  # fmt: skip
    cut = store.read_topology("b", 1)
    assert cut.vertex_count == len(whole[torn].positions) and list(store.damage()) == []
    assert set(np.unique(cut.material_index)) == {0, 1, 2}
    for last in (torn, torn + 2):
        frames(tmp_path / f"{last}", last)
        resumed, _ = frames(tmp_path / f"{last}", resume=True)
        assert [a.positions.tobytes() for a in resumed] == [a.positions.tobytes() for a in whole]
        name = "topology_b_000001.dollop.npz"
        assert (tmp_path / f"{last}" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_without_a_tear_thickness_nothing_is_cut(prepared):
    simulation = pulled(scene(tear=0.0), prepared=prepared)
    for _ in range(8):
        frame = simulation.advance()
        assert not frame.changes and frame.bodies[0].topology == 0


@pytest.mark.parametrize("wreck", [with_holes(dumbbell()), flipped(dumbbell())])
def test_an_open_surface_tears_on_a_closed_copy(wreck, tmp_path, monkeypatch):
    """From the first frame on what is seen is closed; a bake that is gone on with knows the scene by what the artist made."""
    shot = scene(12)
    broken = validated(replace(shot, bodies=(replace(shot.bodies[0], surface=wreck),)))
    assert not any(finding.severity == "error" for finding in preflight(broken))
    monkeypatch.setattr("solver.bake.start", lambda scene, *_: pulled(scene))
    bake(broken, tmp_path, topologies={"b": record_of(wreck)})
    bake(broken, tmp_path, topologies={"b": record_of(wreck)}, resume=True)
    with FrameStore.open(tmp_path) as store:
        first, last = (store.read_body_frame(number, "b") for number in (1, 12))
        assert store.manifest["scene_hash"] == scene_hash(broken, 12)
        for frame in (first, last):
            record = store.read_topology("b", frame.topology)
            triangles = record.corner_vertices.reshape(-1, 3)
            assert unpaired_edges(triangles) == 0 and record.vertex_count == len(frame.positions)
        assert last.topology == 1 and first.topology == 0


def test_a_thickness_below_nothing_is_refused():
    shot = scene()
    with pytest.raises(SceneError, match="tear thickness"):
        validated(replace(shot, bodies=(replace(shot.bodies[0], tear_thickness=-1.0),)))

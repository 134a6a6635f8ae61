"""What the cache has of changes is replayed from the first record: it is the surface that the bake went on with."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.bake import bake, prepare
from solver.cache import FrameStore
from solver.cache.topology import SurfaceTopology, to_arrays
from solver.refining.borders import with_borders
from solver.scene import Scene
from solver.simulate import Simulation
from solver.topology.surface_record import record_after
from tests.merging.shapes import pair
from tests.refining.shapes import pulled
from tests.tearing.shapes import record_of
from tests.tet_surface.test_tet_surface_bakes import drop


@pytest.mark.parametrize("shot", [pair(frames=5), pulled(10), drop(8)], ids=["merged", "refined", "laid"])
def test_the_cache_replays_every_change_to_the_surface_that_was_baked(shot: Scene, tmp_path: Path):
    firsts = {body.uid: record_of(body.surface) for body in shot.bodies}
    bake(shot, tmp_path, topologies=firsts)
    made = prepare(with_borders(shot, firsts))
    run = Simulation(
        replace(shot, bodies=tuple(one.body for one in made)),
        [one.mesh for one in made], [one.surface for one in made], [one.contacts for one in made],
    )  # fmt: skip
    with FrameStore.open(tmp_path) as store:
        known = {(uid, 0): store.read_topology(uid, 0) for uid in firsts}
        changes = 0
        for number in store.frames():
            frame = run.advance()
            for change in frame.changes:
                known[change.uid, change.topology] = record_after(change, lambda uid, topology: known[uid, topology])
                assert same(known[change.uid, change.topology], store.read_topology(change.uid, change.topology))
                changes += 1
            for body in frame.bodies:
                baked = store.read_body_frame(number, body.uid)
                assert baked.topology == body.topology and baked.positions.tobytes() == body.positions.tobytes()
                assert known[body.uid, body.topology].vertex_count == len(body.positions)
            for body, triangles in zip(run.scene.bodies, run.present.triangles, strict=True):
                topology = next(each.topology for each in frame.bodies if each.uid == body.uid)
                assert (known[body.uid, topology].corner_vertices.reshape(-1, 3) == triangles).all()
    assert changes >= 1


def same(one: SurfaceTopology, other: SurfaceTopology) -> bool:
    """Whether two records hold the same bytes."""
    parts = [to_arrays(each) for each in (one, other)]
    return parts[0].keys() == parts[1].keys() and all(
        np.asarray(values).tobytes() == np.asarray(parts[1][name]).tobytes() for name, values in parts[0].items()
    )

"""What a frame costs when the artist scrubs."""

import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.blender


def baked_grid(scene: "bpy.types.Scene", side: int, folder: Path) -> int:
    """A grid of side x side vertices with twelve random frames, playing; returns how many vertices it has."""
    from dollop.operators.bridge import playback
    from dollop.operators.bridge.result_mesh import read_topology
    from dollop.solver.cache import FrameStore, versions
    from dollop.solver.frame import BodyFrame, Frame

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=side - 1, y_subdivisions=side - 1)
    source = bpy.context.object
    source.dollop.is_body, source.dollop.uid = True, "body-1"
    scene.dollop.uid, scene.dollop.cache_path = "scene-1", str(folder)
    topology = read_topology(source, scene)
    count = topology.vertex_count
    bodies = [{"uid": "body-1", "name": "Grid", "vertices": count}]
    content = {"frames_per_second": 24.0, "frame_start": 1, "frame_end": 12, "bodies": bodies, "versions": versions("0")}
    random = np.random.default_rng(1)
    with FrameStore.create(folder, content) as store:
        store.write_topology("body-1", 0, topology)
        for number in range(1, 13):
            vectors, scalars = random.random((2, count, 3), np.float32), random.random((2, count), np.float32)
            attributes = {"velocity": vectors[1], "plastic_strain": scalars[0], "stress": scalars[1]}
            store.write_frame(Frame(number, (BodyFrame("body-1", np.zeros(3), vectors[0], attributes),)))
    assert playback.show_results(scene) is None
    return count


def calls_of_a_frame(scene: "bpy.types.Scene") -> int:
    """How many functions, Python's own and C's, are called to show a frame whose like was shown before."""
    from dollop.operators.bridge import playback

    calls = 0

    def count(_: Any, event: str, __: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    for scene.frame_current in (3, 4):
        assert playback.play(scene) is None
    scene.frame_current = 5
    sys.setprofile(count)
    try:
        failure = playback.play(scene)
    finally:
        sys.setprofile(None)
    assert failure is None
    return calls


def test_what_scrubbing_calls_does_not_grow_with_the_mesh(scene: "bpy.types.Scene", tmp_path: Path) -> None:
    """Vertices are handed on in bulk: a loop over them, anywhere on the way, would take a second for a hundred thousand."""
    small = baked_grid(scene, 4, tmp_path / "small")
    calls = calls_of_a_frame(scene)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    large = baked_grid(bpy.context.scene, 60, tmp_path / "large")
    assert large > 200 * small and calls_of_a_frame(bpy.context.scene) <= calls + 8


def test_scrubbing_time_is_printed(scene: "bpy.types.Scene", tmp_path: Path) -> None:
    from dollop.operators.bridge import playback

    count = baked_grid(scene, 224, tmp_path)
    times = []
    for number in [*range(1, 13), *range(12, 0, -1)]:
        scene.frame_current = number  # without the handlers: Dollop's own time alone
        begin = time.perf_counter()
        assert playback.play(scene) is None
        times.append(1000 * (time.perf_counter() - begin))
    print(f"\nscrubbing {count} vertices: median {np.median(times):.1f} ms, worst {max(times):.1f} ms (limit 15, not asserted)")

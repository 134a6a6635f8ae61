"""Synthetic bakes: no solver runs, so every coordinate is known."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

FIRST, LAST, RATE = 1, 6, 24.0
ORIGIN = np.array([0.25, -0.5, 1.0])


def close(actual: np.ndarray, expected: np.ndarray, tolerance: float = 1e-5) -> None:
    assert actual.shape == expected.shape
    assert np.abs(actual - expected).max() <= tolerance


@dataclass
class Bake:
    """A scene with a body and its cache. surface(frame) → (positions, velocity, triangles) relative to the origin."""

    scene: Any
    source: Any
    store: Any
    surface: Callable[[int], tuple[np.ndarray, np.ndarray, np.ndarray]]

    @property
    def result(self) -> Any:
        return next(item for item in self.scene.objects if item.get("dollop_result_of") == "body-1")

    def shown(self) -> np.ndarray:
        positions = np.empty(3 * len(self.result.data.vertices), np.float32)
        self.result.data.vertices.foreach_get("co", positions)
        return positions.reshape(-1, 3)

    def attribute(self, name: str) -> np.ndarray:
        layer = self.result.data.attributes[name].data
        width, member = (3, "vector") if name == "velocity" else (1, "value")
        values = np.empty(width * len(layer), np.float32)
        layer.foreach_get(member, values)
        return values.reshape(-1, width) if width > 1 else values


def strain(count: int, frame: int) -> np.ndarray:
    return np.linspace(0, 1, count, dtype=np.float32) * np.float32(frame)


def growing_surface(frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A sheet of (frame + 2)^2 vertices that climbs: another topology and another vertex count every frame."""
    side = frame + 2
    line = np.linspace(-1, 1, side, dtype=np.float32)
    x, y = np.meshgrid(line, line, indexing="ij")
    positions = np.stack([x, y, np.full_like(x, 0.1 * frame)], axis=-1).reshape(-1, 3)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1)
    triangles = np.concatenate(
        [np.stack([corner, corner + side, corner + 1], 1), np.stack([corner + 1, corner + side, corner + side + 1], 1)]
    ).astype(np.int32)
    velocity = np.tile(np.float32([0, 0, 0.1 * RATE]), (len(positions), 1))
    return positions, velocity, triangles


def write_bake(
    folder: Path, surface: Callable[[int], Any], topologies: dict[int, Any], topology_of: Callable[[int], int]
) -> Any:
    """Write frames FIRST to LAST of body-1 and return the store, opened for playing."""
    from dollop.solver.cache import FrameStore, versions
    from dollop.solver.frame import BodyFrame, Frame

    bodies = [{"uid": "body-1", "name": "Sheet/😀", "vertices": len(surface(FIRST)[0])}]
    content = {"frames_per_second": RATE, "frame_start": FIRST, "frame_end": LAST, "bodies": bodies, "versions": versions("0")}
    with FrameStore.create(folder, content) as store:
        for identifier, topology in topologies.items():
            store.write_topology("body-1", identifier, topology)
        for number in range(FIRST, LAST + 1):
            positions, velocity, _ = surface(number)
            attributes = {
                "velocity": velocity,
                "plastic_strain": strain(len(positions), number),
                "stress": 1000 * strain(len(positions), number),
            }
            store.write_frame(Frame(number, (BodyFrame("body-1", ORIGIN, positions, attributes, topology_of(number)),)))
    return FrameStore.open(folder)


def _body(scene: Any, folder: Path) -> Any:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
    source = bpy.context.object
    source.name = "Sheet/😀"
    source.dollop.is_body, source.dollop.uid = True, "body-1"
    scene.dollop.uid, scene.dollop.cache_path = "scene-1", str(folder)
    return source


@pytest.fixture
def changing(scene: Any, tmp_path: Path) -> Bake:
    """A bake whose topology and vertex count change every frame."""
    from dollop.operators.bridge.playback import show_results
    from dollop.solver.cache import topology_of_triangles

    source = _body(scene, tmp_path / "cache")
    surfaces = {number: growing_surface(number) for number in range(FIRST, LAST + 1)}
    topologies = {n - FIRST: topology_of_triangles(triangles, len(p)) for n, (p, _, triangles) in surfaces.items()}
    store = write_bake(tmp_path / "cache", growing_surface, topologies, lambda number: number - FIRST)
    scene.frame_set(FIRST)
    assert show_results(scene) is None
    return Bake(scene, source, store, growing_surface)


@pytest.fixture
def constant(scene: Any, tmp_path: Path) -> Bake:
    """A bake of the grid itself, twisting as it climbs."""
    from dollop.operators.bridge.playback import show_results
    from dollop.operators.bridge.result_mesh import read_topology

    source = _body(scene, tmp_path / "cache")
    scene.view_layers[0].update()
    topology = read_topology(source, scene)
    rest = np.empty(3 * topology.vertex_count, np.float32)
    source.data.vertices.foreach_get("co", rest)
    rest = rest.reshape(-1, 3)

    def twisting_surface(frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        angle = np.float32(0.2 * frame) * rest[:, 0]
        y, z = rest[:, 1] * np.cos(angle), rest[:, 1] * np.sin(angle) + np.float32(0.1 * frame)
        velocity = np.stack([0 * z, -z, y], axis=1) * np.float32(0.2 * RATE)
        return np.stack([rest[:, 0], y, z], axis=1).astype(np.float32), velocity, np.zeros((0, 3), np.int32)

    store = write_bake(tmp_path / "cache", twisting_surface, {0: topology}, lambda number: 0)
    scene.frame_set(FIRST)
    assert show_results(scene) is None
    return Bake(scene, source, store, twisting_surface)

"""Bodies that tear: two lumps on a neck."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from solver.bake import PreparedBody, prepare
from solver.cache.topology import NamedArray, SurfaceTopology, VertexGroups
from solver.moment import Snapshot
from solver.presets import load_preset
from solver.scene import Body, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from tests.surfaces import sphere, surface

DOUGH = Path(__file__).parents[2] / "presets" / "dough.toml"


def dumbbell(rings: int = 28, neck: float = 0.09) -> Surface:
    """A metre long along x, its lumps 0.4 m across, its neck of a radius [m]."""
    globe = sphere(rings)
    z, turned = globe.positions[:, 2], globe.positions[:, :2]
    along = 0.5 - np.round(np.arccos(np.clip(z, -1.0, 1.0)) / np.pi * rings) / rings
    lump = 0.2 * np.sqrt(np.maximum(0.0, 1.0 - ((np.abs(along) - 0.3) / 0.2) ** 2)) * (np.abs(along) > 0.2)
    radius = np.maximum(lump, neck * (np.abs(along) < 0.35))
    around = turned / np.maximum(np.sqrt((turned**2).sum(axis=1, keepdims=True)), 1e-9) * radius[:, None]
    around[np.abs(along) == 0.5] = 0.0
    return surface(np.concatenate([along[:, None], around], axis=1), globe.triangles)


def scene(frames: int = 12, resolution: int = 12, tear: float = 0.15, **options) -> Scene:
    """A dumbbell of soft dough in free flight."""
    goo = load_preset(DOUGH)
    material = replace(goo.material, values={**goo.material.values, "yield_stress": 20.0, "hardening_modulus": 0.0})
    body = Body(
        "b", "Gum", dumbbell(), material, goo.real_size, resolution=resolution, remeshing="wholesale", tear_thickness=tear,
        **options,
    )  # fmt: skip
    settings = Settings(frame_end=frames, worst_condition=2.5, gravity=(0.0, 0.0, 0.0), threads=1)
    return validated(Scene((body,), (), settings))


def pulled(
    shot: Scene, speed: float = 6.0, prepared: PreparedBody | None = None, kind: type[Simulation] = Simulation
) -> Simulation:
    """The dumbbell with its lumps flying apart, each at a speed [m/s]."""
    made = prepared or prepare(shot)[0]
    simulation = kind(shot, [made.mesh], [made.surface], [made.contacts], fields=[])
    velocities = np.zeros_like(simulation.state.positions)
    velocities[:, 0] = speed * np.tanh(simulation.state.positions[:, 0] / 0.15)
    simulation.state.velocities, simulation.state.previous_velocities = velocities, velocities.copy()
    return simulation


def sums(simulation: Simulation) -> list[np.ndarray]:
    """Mass, rest volume, momentum and spin."""
    state = simulation.state
    spin = (state.masses[:, None] * np.cross(state.positions, state.velocities)).sum(axis=0)
    return [state.masses.sum(), state.volumes.sum(), state.masses @ state.velocities, spin]


class Watched(Simulation):
    """Keeps what it has just before and just after a cut or a merge, and what is seen then."""

    def _look_at_meshes(self, effort, shown=False):
        had, seen, count = sums(self), self.output.frame(Snapshot.of(self.state)), len(self.cuts)
        super()._look_at_meshes(effort, shown)
        if len(self.cuts) > count:
            self.had, self.has = had, sums(self)
            self.was, self.shown = seen, self.output.frame(Snapshot.of(self.state))


def check_kept(simulation: Watched, shrinks: bool = False) -> None:
    """Mass, rest volume, momentum and spin went over to rounding of what the parts of the body have of each.

    shrinks: the rest volume may be less, where more would be seen else.
    """
    state = simulation.state
    speeds, arms = np.linalg.norm(state.velocities, axis=1), np.linalg.norm(state.positions, axis=1)
    sizes = [state.masses.sum(), state.volumes.sum(), state.masses @ speeds, state.masses @ (speeds * arms)]
    for number, (had, has, size) in enumerate(zip(simulation.had, simulation.has, sizes, strict=True)):
        if shrinks and number == 1:
            assert 0.5 * size < has < had * (1.0 + 1e-12)
            continue
        assert np.abs(np.subtract(has, had)).max() < 1e-10 * size


def record_of(part: Surface) -> SurfaceTopology:
    """A record of a surface on which everything tells the place that it belongs to; faces are numbered, edges marked."""
    count, triangles = len(part.positions), part.triangles
    ends = np.unique(np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1), axis=0)
    keys = ends[:, 0] * count + ends[:, 1]
    sides = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
    places, corners = part.positions.astype(np.float32), part.positions[triangles.ravel()].astype(np.float32)
    attributes = (
        NamedArray("place", "POINT", "FLOAT_VECTOR", places),
        NamedArray("corner", "CORNER", "FLOAT_VECTOR", corners),
        NamedArray("number", "FACE", "INT", np.arange(len(triangles), dtype=np.int32)),
        NamedArray("end", "EDGE", "INT", ends[:, 0].astype(np.int32)),
    )
    groups = VertexGroups(("x",), np.arange(count + 1, dtype=np.int32), np.zeros(count, np.int32), places[:, 0].copy())
    return SurfaceTopology(
        count, np.arange(len(triangles) + 1, dtype=np.int32) * np.int32(3), triangles.ravel().copy(),
        material_index=(np.arange(len(triangles)) % 2).astype(np.int32),
        edges=ends.astype(np.int32), corner_edges=np.searchsorted(keys, sides[:, 0] * count + sides[:, 1]).astype(np.int32),
        uv_layers={"map": np.ascontiguousarray(corners[:, :2])}, attributes=attributes, vertex_groups=groups,
        materials=("one", "two", "inside"), inner_slot=2,
    )  # fmt: skip

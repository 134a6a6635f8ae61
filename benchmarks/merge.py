"""What merging costs: two balls beside a frame of the same bake, or a pile of balls that becomes one
(Bargteil 2007, figure 6, claim B31).

    NUMBA_NUM_THREADS=1 python benchmarks/merge.py [RESOLUTION]          elements across each of two balls, 20 unless told
    python benchmarks/merge.py --pile 3 13 --frames 48 --store FOLDER    3x3, 2x2 and 1 ball of 13 elements each fall

Process time; of the pile wall time too, frame by frame. Kernels are compiled before. With --store the tets' and the artist's
surface of the last frame go to FOLDER as .npz (tools/blender can draw them), and what crosses itself is counted.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from solver.bake import prepare
from solver.frame import Frame
from solver.geometry.edge_crossings import pairs_of_shells
from solver.geometry.measures import signed_volumes
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tetmesh.manifold import components
from solver.tetmesh.quality import tet_volumes
from tests.surfaces import sphere

GOO = Material("viscoplastic", {"young_modulus": 5e4, "yield_stress": 500.0, "flow_rate": 40.0, "damping": 20.0})
SOFT = Material("viscoplastic", {"young_modulus": 2e4, "yield_stress": 60.0, "flow_rate": 40.0, "damping": 10.0})


def two(resolution: int) -> Scene:
    """Two balls of 1 m that fly at each other at 2 m/s, 10 cm apart."""
    bodies = tuple(
        Body(
            name, name, sphere(40, 0.5, (0.55 * side, 0.0, 0.0)), GOO, resolution=resolution, velocity=(-side, 0.0, 0.0),
            remeshing="wholesale", merging=True, merge_group=1,
        )
        for name, side in (("left", -1.0), ("right", 1.0))
    )  # fmt: skip
    return validated(Scene(bodies, (), Settings(1, 12, gravity=(0.0, 0.0, 0.0), threads=1)))


def pile(layers: int, resolution: int, frames: int, threads: int) -> Scene:
    """A pyramid of balls of 0.4 m, a little apart, above the ground: layers x layers below, one on top."""
    bodies = []
    for layer in range(layers):
        side = layers - layer
        for i in range(side):
            for j in range(side):
                place = 0.42 * (i - 0.5 * (side - 1)), 0.42 * (j - 0.5 * (side - 1)), 0.22 + 0.40 * layer
                name = f"ball {len(bodies)}"
                bodies.append(Body(
                    name, name, sphere(24, 0.2, place), SOFT, resolution=resolution, velocity=(0.0, 0.0, -1.0),
                    remeshing="wholesale", merging=True, merge_group=1,
                ))  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    return validated(Scene(tuple(bodies), (ground,), Settings(1, frames, threads=threads)))


def started(shot: Scene) -> Simulation:
    """The simulation of a scene at its first frame."""
    made = prepare(shot)
    parts = [m.mesh for m in made], [m.surface for m in made], [m.contacts for m in made]
    return Simulation(shot, *parts, fields=None if shot.colliders else [])


def measure_two(resolution: int) -> None:
    """Bake once for the kernels and once for the clock."""
    for size in (8, resolution):
        simulation = started(two(size))
        plain, merging, watching = [], [], []
        for _ in range(12):
            begun = process_time()
            simulation.watch.met(simulation.state.positions, simulation.remeshing.waits)
            watched = process_time()
            frame = simulation.advance()
            watching.append(watched - begun)
            (merging if frame.changes else plain).append(process_time() - watched)
    print(f"{len(simulation.state.tets)} tets after the merge")
    print(f"frame with it {sum(merging):.2f} s, median of the others {np.median(plain):.2f} s")
    print(f"look for what touches, a step: {1e3 * max(watching):.1f} ms at most")


def measure_pile(layers: int, resolution: int, frames: int, threads: int, store: Path | None) -> None:
    """Bake a small pile for the kernels and the one asked for by the clock, frame by frame."""
    warm = started(pile(2, 5, 8, threads))
    for _ in range(8):
        warm.advance()
    begun, spent = perf_counter(), process_time()
    shot = pile(layers, resolution, frames, threads)
    simulation = started(shot)
    had = float(simulation.state.volumes.sum())
    tets = len(simulation.state.tets)
    print(f"{len(shot.bodies)} balls, {tets} tets, ready after {perf_counter() - begun:.1f} s", flush=True)
    seconds = remeshing = 0.0
    for _ in range(frames):
        wall, process = perf_counter(), process_time()
        frame = simulation.advance()
        seconds, remeshing = seconds + frame.statistics["seconds"], remeshing + frame.statistics["remeshing"]
        bodies = len(simulation.ranges.tets) - 1
        print(
            f"{frame.number:3d}: {bodies:2d} bodies, {len(simulation.state.tets):6d} tets, "
            f"{int(frame.statistics['remeshes']):2d} remeshes, {int(frame.statistics['substeps']):2d} steps, "
            f"{perf_counter() - wall:6.2f} s wall, {process_time() - process:6.2f} s process{_crossings(frame)}",
            flush=True,
        )
    print(f"all: {perf_counter() - begun:.0f} s wall, {process_time() - spent:.0f} s process")
    print(f"of the frames' wall time {100.0 * remeshing / seconds:.0f} % is remeshing (in the paper 13 %, claim B31)")
    mesh = float(tet_volumes(simulation.state.positions, simulation.state.tets).sum())
    pieces = int(components(simulation.state.tets).max()) + 1
    print(f"volume of the tets {mesh / had:.4f} of the first, {pieces} piece(s)")
    if store is not None:
        _store(simulation, frame, store, mesh)


def _crossings(frame: Frame) -> str:
    """What has changed, and the warnings of a frame."""
    return "".join(f"; {warning}" for warning in frame.warnings)


def _store(simulation: Simulation, frame: Frame, folder: Path, volume: float) -> None:
    """Keep what is seen at the end, and say how much of it crosses itself."""
    folder.mkdir(parents=True, exist_ok=True)
    places = np.unique(simulation.bound[5])
    for k, place in enumerate(places.tolist()):
        body = frame.bodies[place]
        positions, triangles = body.positions + body.origin, simulation.bound[2][k]
        np.savez(folder / f"{place}.npz", positions=positions, triangles=triangles)
        seen = float(signed_volumes(positions, triangles).sum())
        crossing = np.unique(pairs_of_shells(np.asarray(positions, dtype=np.float64), triangles))
        print(f"body {place}: {len(triangles)} faces seen, {len(crossing)} cross, seen volume {seen / volume:.4f} of all tets'")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("resolution", nargs="?", type=int, default=20)
    parser.add_argument("--pile", nargs=2, type=int, metavar=("LAYERS", "RESOLUTION"))
    parser.add_argument("--frames", type=int, default=48)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    if options.pile:
        measure_pile(*options.pile, options.frames, options.threads, options.store)
    else:
        measure_two(options.resolution)


if __name__ == "__main__":
    main()

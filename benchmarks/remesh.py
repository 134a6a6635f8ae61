"""What a wholesale remesh of one body takes, part by part: new tets, exact overlap, state, surface and contact points, tables.

    python benchmarks/remesh.py [--element 0.05] [--threads 1] [--repeats 3] [--bake]

A ball of radius 0.5 m, sheared and flattened, is remeshed at its old cell size; the default cell gives some 50k tets. Medians
of process time and of wall time, compiled before the first is timed; the parts share what they ask of a mesh. With --bake
it is a ball thrown on the ground that gets new tets in every other frame: all that a remesh takes, beside the other frames.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tools")]

from environment import development_venv, run_environment

GRADIENT = ((1.3, 0.8, 0.0), (0.0, 1.1, 0.0), (0.0, 0.2, 0.7))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--element", type=float, default=0.05, help="edge of a lattice cell [m]")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--bake", action="store_true", help="within a bake, beside its frames")
    options = parser.parse_args()
    python = development_venv("cp311")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), str(options.threads))
    threads["OPENBLAS_NUM_THREADS"] = "1"  # as in a bake: its threads spin
    if Path(sys.executable) != python or os.environ.get("NUMBA_NUM_THREADS") != str(options.threads):
        return subprocess.call([str(python), __file__, *sys.argv[1:]], env={**run_environment(), **threads})
    if options.bake:
        measure_bake(4.0 * options.element, options.threads, 6, quiet=True)
        measure_bake(options.element, options.threads, 4 + 2 * options.repeats)
    else:
        measure(4.0 * options.element, 1, quiet=True)
        measure(options.element, options.repeats)
    return 0


def measure(element: float, repeats: int, quiet: bool = False) -> None:
    """Print what each part takes for a ball of cells of `element` [m]."""
    import numpy as np

    from solver.embedding import bind_surface
    from solver.fem.workspace import Workspace
    from solver.lookup import Lookup
    from solver.materials import Material
    from solver.remesh.lattice_frame import LatticeFrame
    from solver.remesh.record import mesh_change
    from solver.remesh.restuffing import lattice_turn, restuffed_sheets
    from solver.remesh.transfer import transferred
    from solver.scene import Body, Surface
    from solver.state import build_state
    from solver.tetmesh.cage import cage
    from solver.tetmesh.mesh import TetMesh

    ball = globe(0.5)
    filled = cage(ball, element)
    state, _ = build_state((Body("b", "Ball", ball, Material("viscoplastic", {"young_modulus": 1e5})),), [filled])
    state.positions = state.positions @ np.array(GRADIENT).T
    seen = Surface(ball.positions @ np.array(GRADIENT).T, ball.triangles)
    taken: dict[str, list[tuple[float, float]]] = {}
    for _ in range(repeats):
        watch = Watch(taken)
        old = TetMesh(state.positions, state.tets)  # a mesh keeps what has been asked of it: each round has its own
        frame = LatticeFrame(lattice_turn(1), old.middle)
        here, points = frame.mesh(old), frame.points(seen.positions)
        new = restuffed_sheets(here, element, seen=Surface(points, seen.triangles))[0]
        watch.lap("new tets")
        change = mesh_change(here, new).in_world(old, frame)
        watch.lap("overlap and nodes")
        after = transferred(state, change, 0.01)
        watch.lap("state")
        bind_surface(seen, new, 0.5 * element, Lookup.about(new, points))
        watch.lap("surface and contacts")
        Workspace.of(after)
        watch.lap("tables")
    if quiet:
        return
    print(f"{len(old.tets)} to {len(new.tets)} tets, {len(change.sources)} pairs, {len(ball.positions)} vertices")
    rows = {name: tuple(map(statistics.median, zip(*laps, strict=True))) for name, laps in taken.items()}
    for name, (process, wall) in {**rows, "all": tuple(map(sum, zip(*rows.values(), strict=True)))}.items():
        print(f"{name:20}{1e3 * process:9.0f} ms process {1e3 * wall:9.0f} ms wall")


def measure_bake(element: float, threads: int, frames: int, quiet: bool = False) -> None:
    """Print what remeshes take in a bake, and what its frames do: medians from the third frame on."""
    import numpy as np

    from solver.bake import prepare
    from solver.materials import Material
    from solver.scene import Body, Collider, Scene, Settings, validated
    from solver.simulate import Simulation

    laps: dict[str, list[tuple[float, float]]] = {}

    class Forced(Simulation):
        due = False

        def _remesh(self) -> int:
            watch, due, self.due = Watch(laps), self.due, False
            self.remeshing.due = lambda *_: [0] if due else []
            done = super()._remesh()
            watch.lap("remesh" if due else "looking")
            return done

    values = {"young_modulus": 1e5, "yield_stress": 500.0, "flow_rate": 40.0, "damping": 20.0}
    ball = globe(0.5)
    lifted = type(ball)(ball.positions + np.array([0.0, 0.0, 0.52]), ball.triangles)
    body = Body(
        "b", "Ball", lifted, Material("viscoplastic", values), resolution=round(1.0 / element), velocity=(0.0, 0.0, -2.0),
        remeshing="wholesale",
    )  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    shot = validated(Scene((body,), (ground,), Settings(1, frames, threads=threads)))
    (made,) = prepare(shot)
    simulation = Forced(shot, [made.mesh], [made.surface], [made.contacts])
    for frame in range(frames):
        simulation.due = frame > 2 and frame % 2 == 1
        kind, watch = "frame with one" if simulation.due else "frame without", Watch(laps)
        simulation.advance()
        if frame > 1:
            watch.lap(kind)
    if quiet:
        return
    medians = {name: tuple(map(statistics.median, zip(*rows, strict=True))) for name, rows in laps.items()}
    print(f"{len(simulation.state.tets)} tets, {threads} thread(s)")
    for name in ("remesh", "frame with one", "frame without"):
        process, wall = medians[name]
        print(f"{name:20}{1e3 * process:9.0f} ms process {1e3 * wall:9.0f} ms wall")
    ratios = [one / other for one, other in zip(medians["remesh"], medians["frame without"], strict=True)]
    print(f"a remesh is {ratios[0]:.2f} frames by process time, {ratios[1]:.2f} by wall time")


class Watch:
    """Adds the process and wall time of one part after another [s] to the laps of their names."""

    def __init__(self, laps: dict[str, list[tuple[float, float]]]) -> None:
        self.laps, self.process, self.wall = laps, time.process_time(), time.perf_counter()

    def lap(self, name: str) -> None:
        process, wall = time.process_time(), time.perf_counter()
        self.laps.setdefault(name, []).append((process - self.process, wall - self.wall))
        self.process, self.wall = process, wall


def globe(radius: float) -> Any:
    """An artist's ball: an icosahedron divided five times, 10k vertices."""
    import numpy as np

    from solver.scene import Surface

    g = 0.5 * (1.0 + 5.0**0.5)
    points = np.array([(s, t * g, 0.0) for s in (-1, 1) for t in (-1, 1)] + [(0.0, s, t * g) for s in (-1, 1) for t in (-1, 1)]
                      + [(t * g, 0.0, s) for s in (-1, 1) for t in (-1, 1)])  # fmt: skip
    near = (np.linalg.norm(points[:, None] - points[None], axis=2) - 2.0).__abs__() < 1e-9
    faces = [(a, b, c) for a in range(12) for b in range(a) for c in range(b) if near[a, b] and near[b, c] and near[a, c]]
    triangles = np.array(faces)
    for _ in range(5):
        ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
        edges, which = np.unique(ends, axis=0, return_inverse=True)
        middles = which.reshape(-1, 3) + len(points)
        points = np.concatenate([points, points[edges].mean(axis=1)])
        (a, b, c), (ab, bc, ca) = triangles.T, middles.T
        quarters = (a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)
        triangles = np.concatenate([np.stack(corners, axis=1) for corners in quarters])
    points *= radius / np.linalg.norm(points, axis=1, keepdims=True)
    x = points[triangles]
    inward = np.einsum("ti,ti->t", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), x.mean(axis=1)) < 0.0
    triangles[inward] = triangles[inward][:, [0, 2, 1]]
    return Surface(points, triangles.astype(np.int32))


if __name__ == "__main__":
    sys.exit(main())

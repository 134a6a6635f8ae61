"""What a merge of two bodies costs, beside a frame of the same bake: process time in one thread, kernels compiled before.

    NUMBA_NUM_THREADS=1 python benchmarks/merge.py [RESOLUTION]     elements across each ball, 20 unless told
"""

import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from solver.bake import prepare
from solver.materials import Material
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surfaces import sphere

GOO = Material("viscoplastic", {"young_modulus": 5e4, "yield_stress": 500.0, "flow_rate": 40.0, "damping": 20.0})


def scene(resolution: int) -> Scene:
    """Two balls of 1 m that fly at each other at 2 m/s, 10 cm apart."""
    bodies = tuple(
        Body(
            name, name, sphere(40, 0.5, (0.55 * side, 0.0, 0.0)), GOO, resolution=resolution, velocity=(-side, 0.0, 0.0),
            remeshing="wholesale", merging=True, merge_group=1,
        )
        for name, side in (("left", -1.0), ("right", 1.0))
    )  # fmt: skip
    return validated(Scene(bodies, (), Settings(1, 12, gravity=(0.0, 0.0, 0.0), threads=1)))


def main() -> None:
    """Bake once for the kernels and once for the clock."""
    for resolution in (8, int(sys.argv[1]) if len(sys.argv) > 1 else 20):
        shot = scene(resolution)
        made = prepare(shot)
        simulation = Simulation(shot, [m.mesh for m in made], [m.surface for m in made], [m.contacts for m in made], fields=[])
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


if __name__ == "__main__":
    main()

"""Draft beside the default model: process time a step and a frame on one thread, the benchmark's ball in flight and in contact.

python benchmarks/draft.py [--cells 9 14.5] [--frames 24]     # about 5k and 20k tets; needs Dollop's own environment only
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ["NUMBA_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


import numpy as np
from scene import DENSITY, GRAVITY, HEIGHT, POISSON, RADIUS, SPEED, YOUNG, sphere

from solver.bake import prepare
from solver.dynamics import Dynamics, start
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated

ELASTIC = {"density": DENSITY, "young_modulus": YOUNG, "poisson_ratio": POISSON, "flow_rate": 0.0}
MODELS = {
    "draft": Material("draft", ELASTIC),
    "draft, creeping": Material("draft", ELASTIC | {"flow_rate": 5.0, "yield_strain": 0.02}),
    "viscoplastic": Material("viscoplastic", ELASTIC | {"yield_stress": 1e12}),
    "viscoplastic, creeping": Material("viscoplastic", ELASTIC | {"flow_rate": 5.0, "yield_stress": 2e3}),
}


def ball(material: Material, cells: float) -> tuple[Dynamics, int]:
    """The ball thrown at the ground, filled with so many cells across as a bake fills it; its number of tets."""
    points, triangles = sphere(5)
    surface = Surface(RADIUS * points + (0.0, 0.0, RADIUS + HEIGHT), triangles)
    body = Body("ball", "Ball", surface, material, resolution=round(cells), velocity=(0.0, 0.0, -SPEED))
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    scene = validated(Scene((body,), (ground,), Settings(1, 1000, 24.0, (0.0, 0.0, -GRAVITY), threads=1)))
    (item,) = prepare(scene)
    return start(scene, [item.mesh], [item.surface], [item.contacts]), len(item.mesh.tets)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", nargs="*", type=int, default=[9, 15], help="cells across the ball: 9 are about 5k tets")
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--models", nargs="*", choices=list(MODELS), default=list(MODELS))
    options = parser.parse_args()
    print(f"{'model':24s} {'tets':>7s} {'ms a step':>10s} {'ms a frame':>11s} {'steps a frame':>14s}")
    for name in options.models:
        warm, _ = ball(MODELS[name], 6)
        for _ in range(8):
            warm.advance()
        for cells in options.cells:
            run, tets = ball(MODELS[name], cells)
            run.advance()
            seconds, steps = [], []
            for _ in range(options.frames):
                started = time.process_time()
                frame = run.advance()
                seconds.append(time.process_time() - started)
                steps.append(frame.statistics["substeps"])
            each, frames = 1e3 * np.median(np.array(seconds) / np.array(steps)), 1e3 * np.median(seconds)
            print(f"{name:24s} {tets:7d} {each:10.2f} {frames:11.1f} {np.mean(steps):14.1f}", flush=True)


if __name__ == "__main__":
    main()

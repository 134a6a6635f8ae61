"""What many bodies cost: balls of dough in a block that falls on the ground and on each other, by their number.

    python benchmarks/crowd.py [BODIES ...]        4, 16 and 64 unless told

Process time of one thread in 14 frames, Newton's iterations in them, and that time by iteration and body: it would not change
if all that an iteration does were in proportion to the bodies.
"""

import os
import sys
import time
from pathlib import Path

os.environ["NUMBA_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from solver.bake import prepare
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surfaces import sphere

ROOT = Path(__file__).parents[1]
RADIUS, APART, SHAKEN, FRAMES, WARM = 0.1, 0.23, 0.02, 16, 2


def crowd(count: int) -> Simulation:
    """So many balls, ready to fall."""
    rng, bodies, side = np.random.default_rng(1), list[Body](), int(np.ceil(count ** (1.0 / 3.0)))
    goo = load_preset(ROOT / "presets" / "dough.toml").material
    for k in range(count):
        place = APART * np.array([k % side, k // side % side, k // side**2]) + [0.0, 0.0, 1.2 * RADIUS]
        place[:2] += SHAKEN * rng.uniform(-1.0, 1.0, 2)
        bodies.append(Body(f"b{k}", f"Ball {k}", sphere(12, RADIUS, place), goo, resolution=6))
    ground = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.4)
    scene = validated(Scene(tuple(bodies), (ground,), Settings(1, FRAMES, 24.0, threads=1, body_contact="all")))
    made = prepare(scene)
    return Simulation(scene, *([getattr(each, name) for each in made] for name in ("mesh", "surface", "contacts")))


def main() -> int:
    counts = [int(word) for word in sys.argv[1:]] or [4, 16, 64]
    for count in [min(counts), *counts]:  # the first compiles
        run, spent, iterations = crowd(count), 0.0, 0.0
        for frame in range(FRAMES):
            begun, statistics = time.process_time(), run.advance().statistics
            if frame >= WARM:
                spent, iterations = spent + time.process_time() - begun, iterations + statistics["newton_iterations"]
        told = f"{iterations:4.0f} iterations, {1e3 * spent / iterations / count:.2f} ms an iteration and body"
        print(f"{count:4} bodies, {len(run.state.tets):7} tets: {spent:7.1f} s, {told}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What twenty times the tets cost: process time a frame of the thrown ball on one thread, two sizes by turns, frame by frame.

    python benchmarks/growth.py [--cells 11.4 31] [--rounds 2] [--substep 0.05]

Steps are as long at both sizes. Needs Dollop's own environment only; see benchmarks/README.md.
"""

import os

os.environ["NUMBA_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import scene
from dollop_ball import simulation
from scene import FRAMES, Ball, load_mesh, make_mesh


def balls(cells: list[float], folder: Path) -> list[Ball]:
    """The ball of the benchmark with so many cells across."""
    found = []
    for count in cells:
        scene.RESOLUTION["own"] = count  # type: ignore[assignment]
        make_mesh("own", folder / "ball.npz")
        found.append(load_mesh(folder / "ball.npz"))
    return found


def timed(each: list[Ball], substep: float) -> tuple[np.ndarray, np.ndarray]:
    """Process time (balls, FRAMES) of frames [s], by turns, and effort (balls, 3): steps, Newton and CG iterations a frame."""
    runs = [simulation(ball, "stable_neo_hookean", 1, substep) for ball in each]
    seconds, effort = np.zeros((len(runs), FRAMES + 1)), np.zeros((len(runs), 3))
    for frame in range(FRAMES + 1):
        for k, run in enumerate(runs):
            started = time.process_time()
            statistics = run.advance().statistics
            seconds[k, frame] = time.process_time() - started
            effort[k] += [statistics.get(name, 0.0) for name in ("substeps", "newton_iterations", "linear_iterations")]
    return seconds[:, 1:], effort / FRAMES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", nargs=2, type=float, default=[11.4, 31.0], help="across the ball, fewer first")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--substep", type=float, default=1.0 / 20.0, help="[s]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        each = balls(options.cells, Path(folder))
    timed(each[:1], options.substep)  # compiles, or loads what was compiled
    rounds = [timed(each, options.substep) for _ in range(options.rounds)]
    least = np.min([seconds for seconds, _ in rounds], axis=0).mean(axis=1)
    for ball, mean, (steps, newton, linear) in zip(each, least, rounds[0][1], strict=True):
        print(f"{len(ball.tets)} tets: {1e3 * mean:.1f} ms a frame; {steps:.2f} steps, {newton:.1f} Newton, {linear:.0f} CG")
    ratios = [seconds.sum(axis=1)[1] / seconds.sum(axis=1)[0] for seconds, _ in rounds]
    tets = len(each[1].tets) / len(each[0].tets)
    print(f"{tets:.1f} times the tets: {least[1] / least[0]:.1f} times the time by each frame's least; by rounds", end=" ")
    print(", ".join(f"{ratio:.1f}" for ratio in ratios))


if __name__ == "__main__":
    main()

"""How many iterations conjugate gradients take on the ball, by size, stiffness and preconditioner.

    python benchmarks/iterations.py --sizes 5k 50k 200k

The system is that of a default step on the ball at rest; the load is gravity, noise as large, and a push on the lowest
tenth of it as large as the ball's weight. Each number is iterations to the tolerance that Newton asks for, with 3x3
diagonal blocks alone and with aggregates and the coarse level as Dollop chooses it.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tools")]

from environment import CACHE, development_venv, run_environment

SIZES = ("5k", "50k", "200k")
YOUNGS = (1e4, 1e5, 1e6, 1e7, 1e8)  # [Pa]
MOST = 5000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["5k", "50k"], choices=SIZES)
    options = parser.parse_args()
    os.environ.update(run_environment())
    python = development_venv("cp311")
    if Path(sys.executable) != python:
        return subprocess.call([str(python), str(Path(__file__).resolve()), *sys.argv[1:]])
    from scene import load_mesh, make_mesh

    print("| tets | blocks alone, E = " + " | ".join(f"{young:.0e}" for young in YOUNGS) + " | as chosen | | | | |")
    print("|---" * (1 + 2 * len(YOUNGS)) + "|")
    for size in options.sizes:
        mesh = CACHE / "benchmarks" / f"ball_{size}.npz"
        if not mesh.exists():
            make_mesh(size, mesh)
        counts = [iterations(load_mesh(mesh), young) for young in YOUNGS]
        cells = [str(pair[level]) for level in range(2) for pair in counts]
        print(f"| {size} | " + " | ".join(cells) + " |", flush=True)
    return 0


def iterations(ball, young: float) -> tuple[int, int]:  # type: ignore[no-untyped-def]
    """Iterations with one level, and with what Dollop chooses."""
    import numpy as np
    from dollop_ball import simulation
    from scene import GRAVITY

    from solver.fem.assembly import spread_inertia
    from solver.fem.newton import LINEAR_TOLERANCE, ImplicitStep

    run = simulation(ball, "stable_neo_hookean", 1, None, young)
    state, space, step = run.state, run.space, run.clock.step
    past = run.integrator.extrapolate(state, run.gravity, step, step, np.zeros(len(state.positions), bool))
    problem = ImplicitStep(state, space, run.contacts, run.damping, past, step)
    problem.evaluate(state.positions)
    problem.stiffen(state.positions, -1.0)
    spread_inertia(problem.inertia, space.diagonal)
    weight = GRAVITY * state.masses[:, None]
    load = weight * ([0.0, 0.0, -1.0] + np.random.default_rng(1).normal(size=(len(weight), 3)))
    lowest = state.positions[:, 2] < np.quantile(state.positions[:, 2], 0.1)
    load[lowest, 2] += weight.sum() / lowest.sum()
    counts = []
    for levels in (1, 3):
        space.linear.assemble(problem.filling, space.diagonal, levels=levels)
        counts.append(space.linear.solve(load, LINEAR_TOLERANCE, MOST))
    return counts[0], counts[1]


if __name__ == "__main__":
    sys.exit(main())

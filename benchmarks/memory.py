"""Memory of a bake in kB a tet above the idle worker, with each kind of damping.

    python benchmarks/memory.py                      the ball of 50k tets
    python benchmarks/memory.py --sizes 50k 200k --damping none rotated

A viscoplastic ball, all of it flowing, is thrown on a ground with friction 0.3. Idle is the same process after the ball of 5k
tets has been baked in it. Linux only.
"""

import argparse
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tools")]

from ball import FOLDER

from environment import development_venv, run_environment

SIZES = ("5k", "50k", "200k")
DAMPING: dict[str, dict[str, float]] = {
    "none": {}, "internal": {"damping": 1.0}, "rayleigh": {"stiffness_damping": 1e-3, "mass_damping": 0.1},
    "rotated": {"rotated_damping": 1e-3},
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["50k"], choices=SIZES)
    parser.add_argument("--damping", nargs="+", default=list(DAMPING), choices=tuple(DAMPING))
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--here", action="store_true", help="measure one of each in this process")
    options = parser.parse_args()
    if options.here:
        measure(options.sizes[0], options.damping[0], options.frames)
        return 0
    for size in options.sizes:
        for damping in options.damping:  # each in a process of its own
            chosen = ["--sizes", size, "--damping", damping, "--frames", str(options.frames), "--here"]
            command = [str(development_venv("cp311")), __file__, *chosen]
            subprocess.run(command, env={**os.environ, **run_environment()}, check=True)
    return 0


def measure(size: str, damping: str, frames: int) -> None:
    """Print what the bake of one ball holds."""
    from scene import load_mesh, make_mesh

    for name in ("5k", size):
        if not (FOLDER / f"ball_{name}.npz").exists():
            make_mesh(name, FOLDER / f"ball_{name}.npz")
    run = ball_of_goo(load_mesh(FOLDER / "ball_5k.npz"), damping)
    for _ in range(frames + 1):
        run.advance()
    del run
    gc.collect()
    idle, ball = resident()[0], load_mesh(FOLDER / f"ball_{size}.npz")
    run = ball_of_goo(ball, damping)
    for _ in range(frames + 1):
        run.advance()
    tets = len(ball.tets)
    held, most = ((own - idle) / tets / 1e3 for own in resident())
    print(f"{size} {damping:9} idle {idle / 1e6:.0f} MB, {held:.2f} kB a tet, at most {most:.2f}")


def ball_of_goo(ball: Any, damping: str) -> Any:
    """The simulation of a ball that flows everywhere, above the ground."""
    import numpy as np
    from dollop_ball import node_binding
    from scene import DENSITY, FRAME_RATE, GRAVITY, POISSON, SPEED, YOUNG

    from solver.materials import Material
    from solver.scene import Body, Collider, Scene, Settings, Surface, validated
    from solver.simulate import Simulation
    from solver.tetmesh.mesh import TetMesh

    values = {"density": DENSITY, "young_modulus": YOUNG, "poisson_ratio": POISSON, "flow_rate": 5.0, "yield_stress": 1.0}
    options = {} if damping == "none" else {"damping_model": damping}
    goo = Material("viscoplastic", values | DAMPING[damping], options)
    body = Body("ball", "Ball", Surface(ball.positions, ball.boundary), goo, velocity=(0.0, 0.0, -SPEED))
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.3)
    scene = validated(Scene((body,), (ground,), Settings(1, 1000, FRAME_RATE, (0.0, 0.0, -GRAVITY), 1)))
    shown, touching = (node_binding(ball.tets, nodes) for nodes in (np.arange(len(ball.positions)), np.unique(ball.boundary)))
    return Simulation(scene, [TetMesh(ball.positions, ball.tets)], [shown], [touching])


def resident() -> tuple[int, int]:
    """What the process holds, and the most that it has held [bytes]."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(1024 * int(lines[name].split()[0]) for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


if __name__ == "__main__":
    sys.exit(main())

"""The peer: newton's SolverVBD on the same tets. Runs in the peers' environment; benchmarks/ball.py starts it.

Energy (newton 1.8.0, vbd/particle_vbd_kernels.py, evaluate_volumetric_neo_hookean_force_and_hessian), per rest volume:
mu/2 (|F|^2 - 3) + l/2 (J - a)^2 with l = lambda + mu and a = 1 + mu/l, mu and lambda Lame's: Smith 2018 eq 13.
Contact: every particle pushes off a plane with ke (radius - height), a spring; no damping, no friction here.
"""

import argparse
import os
import time
from pathlib import Path

import newton
import numpy as np
import warp as wp
from scene import DENSITY, FRAME_RATE, GRAVITY, LAMBDA, MU, SPEED, Ball, load_mesh


class NewtonBall:
    """newton's model of the ball and its time loop."""

    def __init__(self, ball: Ball, steps: int, iterations: int, spring: float, clearance: float) -> None:
        builder = newton.ModelBuilder(gravity=wp.vec3(0.0, 0.0, -GRAVITY))
        builder.add_ground_plane()
        builder.add_soft_mesh(
            pos=wp.vec3(0.0), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0, 0.0, -SPEED),
            vertices=[wp.vec3(*p) for p in ball.positions], indices=ball.tets.ravel().tolist(),
            density=DENSITY, k_mu=MU, k_lambda=LAMBDA, k_damp=0.0, particle_radius=clearance,
        )  # fmt: skip
        builder.color()
        self.model = builder.finalize()
        self.model.soft_contact_ke, self.model.soft_contact_kd, self.model.soft_contact_mu = spring, 0.0, 0.0
        self.model.shape_material_ke.fill_(spring)  # newton takes the mean of both sides
        self.model.shape_material_kd.fill_(0.0)
        self.model.shape_material_mu.fill_(0.0)
        self.solver = newton.solvers.SolverVBD(self.model, iterations=iterations, particle_enable_self_contact=False)
        self.state, self.next = self.model.state(), self.model.state()
        self.control = self.model.control()
        self.pipeline = newton.CollisionPipeline(self.model)
        self.contacts = self.pipeline.contacts()
        self.steps = steps

    def advance(self) -> None:
        """One frame."""
        for _ in range(self.steps):
            self.state.clear_forces()
            self.pipeline.collide(self.state, self.contacts)
            self.solver.step(self.state, self.next, self.control, self.contacts, 1.0 / (FRAME_RATE * self.steps))
            self.state, self.next = self.next, self.state


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mesh", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--frames", type=int, required=True)
    parser.add_argument("--steps", type=int, default=10, help="a frame")
    parser.add_argument("--iterations", type=int, default=10, help="of VBD a step")
    parser.add_argument("--spring", type=float, required=True, help="[N/m]")
    parser.add_argument("--clearance", type=float, required=True, help="[m]")
    options = parser.parse_args()
    wp.init()
    wp.set_device("cpu")
    ball = load_mesh(options.mesh)
    started = time.process_time()
    NewtonBall(ball, options.steps, options.iterations, options.spring, options.clearance).advance()
    first_use = time.process_time() - started
    run = NewtonBall(ball, options.steps, options.iterations, options.spring, options.clearance)
    masses = run.model.particle_mass.numpy()
    np.testing.assert_allclose(masses, ball.masses, rtol=1e-4)
    positions, seconds = [run.state.particle_q.numpy().copy()], []
    for _ in range(options.frames):
        started = time.process_time()
        run.advance()
        seconds.append(time.process_time() - started)
        positions.append(run.state.particle_q.numpy().copy())
    threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else "?"
    versions = [f"newton {newton.__version__}", f"warp-lang {wp.__version__}", f"threads {threads}"]
    np.savez(
        options.out, positions=np.array(positions), seconds=np.array(seconds), first_use=first_use, versions=np.array(versions)
    )


if __name__ == "__main__":
    main()

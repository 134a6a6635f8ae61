"""Dollop on the ball. Runs in Dollop's development environment; benchmarks/ball.py starts it. All that it needs of the
solver stands in `simulation` and `contact_law`."""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scene import DENSITY, FRAME_RATE, GRAVITY, POISSON, SPEED, YOUNG, Array, Ball, load_mesh

from solver.contact.points import REACH
from solver.embedding import Binding
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from solver.tetmesh.mesh import TetMesh

# The reference's name of an energy (reference.py): the options of Dollop's material that give it.
MODELS = {"stable_neo_hookean": {"elastic_law": "stable_neo_hookean"}, "corotated": {"elastic_law": "corotated"}}


def node_binding(tets: np.ndarray, nodes: np.ndarray) -> Binding:
    """Each of `nodes` as a corner of one of its tets."""
    holder = np.empty(int(tets.max()) + 1, dtype=np.int64)
    holder[tets.ravel()] = np.arange(tets.size)
    corner = holder[nodes]
    weights = np.zeros((len(nodes), 4))
    weights[np.arange(len(nodes)), corner % 4] = 1.0
    return Binding((corner // 4).astype(np.int32), weights)


def simulation(
    ball: Ball, model: str, threads: int, substep: float | None, young: float = YOUNG, integrator: str | None = None
) -> Simulation:
    """The ball above Dollop's ground plane; every node is shown, every surface node touches."""
    values = {"density": DENSITY, "young_modulus": young, "poisson_ratio": POISSON, "flow_rate": 0.0, "yield_stress": 1e12}
    surface = Surface(ball.positions, ball.boundary)
    body = Body("ball", "Ball", surface, Material("viscoplastic", values, MODELS[model]), velocity=(0.0, 0.0, -SPEED))
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.0)
    step = {} if substep is None else {"maximum_substep": substep}
    scheme = {} if integrator is None else {"integrator": integrator}
    settings = Settings(1, 1000, FRAME_RATE, (0.0, 0.0, -GRAVITY), threads, **step, **scheme)
    scene = validated(Scene((body,), (ground,), settings))
    shown = node_binding(ball.tets, np.arange(len(ball.positions)))
    touching = node_binding(ball.tets, np.unique(ball.boundary))
    return Simulation(scene, [TetMesh(ball.positions, ball.tets)], [shown], [touching])


def contact_law(run: Simulation, nodes: int) -> tuple[Array, float]:
    """Stiffness (nodes,) [N/m] and reach [m] of the ground's barrier at every node."""
    points = run.contacts.points
    stiffness = np.zeros(nodes)
    np.add.at(stiffness, points.nodes.ravel(), points.stiffness.repeat(4) * points.weights.ravel())
    return stiffness, float(REACH * points.size[0])


def positions(frame: object) -> Array:
    """Node positions (n, 3) of a frame."""
    shown = frame.bodies[0]  # type: ignore[attr-defined]
    placed: Array = shown.positions + shown.origin
    return placed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mesh", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--frames", type=int, required=True)
    parser.add_argument("--model", choices=tuple(MODELS), required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--substep", type=float, help="[s]; Dollop's default without it")
    parser.add_argument("--integrator", help="a file of solver/integrators; Dollop's default without it")
    options = parser.parse_args()
    ball = load_mesh(options.mesh)
    started = time.process_time()
    choices = {"substep": options.substep, "integrator": options.integrator}
    first = simulation(ball, options.model, options.threads, **choices)
    first.advance()
    first.advance()
    first_use = time.process_time() - started
    run = simulation(ball, options.model, options.threads, **choices)
    np.testing.assert_allclose(run.state.masses, ball.masses, rtol=1e-12)
    stiffness, reach = contact_law(run, len(ball.positions))
    shown, seconds, wall, effort = [positions(run.advance())], [], [], []
    for _ in range(options.frames):
        started, clock = time.process_time(), time.perf_counter()
        frame = run.advance()
        seconds.append(time.process_time() - started)
        wall.append(time.perf_counter() - clock)
        shown.append(positions(frame))
        effort.append([frame.statistics.get(name, np.nan) for name in ("substeps", "newton_iterations", "linear_iterations")])
    np.savez(
        options.out, positions=np.array(shown), seconds=np.array(seconds), wall=np.array(wall), first_use=first_use,
        effort=np.array(effort), stiffness=stiffness, reach=reach, versions=np.array([f"numpy {np.__version__}"]),
    )  # fmt: skip


if __name__ == "__main__":
    main()

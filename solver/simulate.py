"""The loop: frame by frame, step by step, phase by phase.

Time runs on the simulation's own grid of seconds (Settings.maximum_substep and its halves), not on the frame rate;
a frame that falls between two steps is interpolated from both, so the motion is the same at any frame rate.
"""

from collections.abc import Iterator
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from .contact.contacts import ColliderField, Contacts, gather_points
from .embedding import Binding
from .errors import StepError
from .fem import tile
from .fem.commit import MOST_FLOW, commit_flow, largest_flow
from .fem.newton import ImplicitStep, Outcome, Workspace
from .fem.time_step import Clock, multistep_targets, multistep_velocities, starting_history
from .frame import BodyFrame, Frame
from .jit import use_threads
from .scene import Scene
from .state import State, build_state
from .tetmesh.mesh import TetMesh

Array = NDArray[np.float64]

STEP_TOLERANCE = 3e-4  # correction at which Newton stops, in element sizes
MOST_ACCELERATION = 1.5  # of gravity, that the first guess of a step carries on
MOST_STRETCH = 1.5  # an edge may change by this factor in a step


class Simulation:
    """Bodies moving through time; see the module's text.

    meshes, surfaces and contacts hold one item a body. `fields` replaces the colliders built from the scene.
    """

    def __init__(
        self,
        scene: Scene,
        meshes: list[TetMesh],
        surfaces: list[Binding],
        contacts: list[Binding],
        fields: list[ColliderField] | None = None,
    ) -> None:
        settings = scene.settings
        use_threads(settings.threads)
        self.scene, self.surfaces = scene, surfaces
        self.gravity = np.asarray(settings.gravity, dtype=np.float64)
        self.state, self.ranges = build_state(scene.bodies, meshes)
        self.origins = [0.5 * (body.surface.positions.min(axis=0) + body.surface.positions.max(axis=0)) for body in scene.bodies]
        self.space = Workspace.of(self.state)
        points = gather_points(
            self.state, self.ranges, contacts, [body.extent for body in scene.bodies], float(np.linalg.norm(self.gravity))
        )
        self.contacts = Contacts(points, _build_fields(scene) if fields is None else fields)
        self.clock = Clock(settings.maximum_substep)
        self.element_size = float((self.state.volumes.mean() * 6.0 * np.sqrt(2.0)) ** (1.0 / 3.0))
        self.frame = settings.frame_start - 1
        self.touching = np.zeros(len(self.state.positions), dtype=bool)
        self.struck = self.touching
        starting_history(self.state, self.gravity, self.clock.step)

    def advance(self) -> Frame:
        """Simulate to the next frame; the first call returns the rest state at `frame_start`."""
        started = perf_counter()
        self.frame += 1
        target = (self.frame - self.scene.settings.frame_start) / self.scene.settings.frames_per_second
        effort = {"substeps": 0.0, "newton_iterations": 0.0, "linear_iterations": 0.0, "contacts": 0.0, "rejected": 0.0}
        while self.clock.time < target * (1.0 - 1e-12):
            self._substep(effort)
        effort["seconds"] = perf_counter() - started
        bodies = tuple(self._body_frame(body) for body in range(len(self.scene.bodies)))
        return Frame(self.frame, bodies, effort)

    def _substep(self, effort: dict[str, float]) -> None:
        """One accepted step; a refused one is backed up and halved (Bargteil section 5)."""
        while True:
            step = self.clock.step
            outcome = self._solve(step)
            effort["newton_iterations"] += outcome.iterations
            effort["linear_iterations"] += outcome.linear_iterations
            refusal = self._refusal(outcome)
            if not refusal:
                break
            effort["rejected"] += 1
            if not self.clock.halve():
                raise StepError(
                    f"The step could not be solved ({refusal}).",
                    body=self.scene.bodies[0].name,
                    frame=self.frame,
                    remedy="Raise the resolution or lower the stiffness.",
                )
        self._accept(outcome, step)
        effort["substeps"] += 1
        effort["contacts"] = float(len(outcome.entries.level))

    def _solve(self, step: float) -> Outcome:
        state = self.state
        guess = self._guess(step)
        self.contacts.begin_step(state.positions, guess, self.clock.time + step, step)
        self.struck = self.touching | self.contacts.linearize(guess).pressed_nodes(guess, len(guess))
        targets, effective = multistep_targets(state, self.gravity, step, self.clock.previous_step, self.struck)
        problem = ImplicitStep(state, self.space, self.contacts, targets, state.masses / effective**2, step)
        return problem.minimize(guess, STEP_TOLERANCE * self.element_size)

    def _guess(self, step: float) -> Array:
        """Where the nodes go if they keep speeding up as they do, but not as they did in a blow."""
        state = self.state
        acceleration = (state.velocities - state.previous_velocities) / self.clock.previous_step
        size = np.sqrt((acceleration**2).sum(axis=1, keepdims=True))
        most = MOST_ACCELERATION * np.linalg.norm(self.gravity)
        acceleration *= np.minimum(1.0, most / np.maximum(size, 1e-300))
        return state.positions + step * state.velocities + 0.5 * step**2 * acceleration

    def _refusal(self, outcome: Outcome) -> str:
        """Why the step must be halved, or an empty string."""
        if not np.isfinite(outcome.positions).all():
            return "not finite"
        if not outcome.converged:
            return "no convergence"
        if largest_flow(self.space.tiles) > MOST_FLOW:
            return "too much flow in one step"
        return ""

    def _accept(self, outcome: Outcome, step: float) -> None:
        state = self.state
        commit_flow(state, self.space.tiles, step)
        velocities = multistep_velocities(state, outcome.positions, step, self.clock.previous_step, self.struck)
        self.touching = outcome.entries.pressed_nodes(outcome.positions, len(velocities))
        state.previous_positions, state.positions = state.positions, outcome.positions
        state.previous_velocities, state.velocities = state.velocities, velocities
        self.clock.tick(step)

    def _body_frame(self, body: int) -> BodyFrame:
        state, binding = self.state, self.surfaces[body]
        first = self.ranges.tets[body]
        nodes = state.tets[binding.tets + first]
        origin = self.origins[body]
        positions = np.einsum("ka,kax->kx", binding.weights, state.positions[nodes] - origin)
        velocity = np.einsum("ka,kax->kx", binding.weights, state.velocities[nodes])
        attributes = {
            "velocity": velocity.astype(np.float32),
            "plastic_strain": self._smoothed(state.plastic_strain, nodes, binding),
            "stress": self._smoothed(tile.unpack(self.space.tiles, tile.MEASURE, 1, len(state.tets))[:, 0], nodes, binding),
        }
        return BodyFrame(self.scene.bodies[body].uid, origin, positions.astype(np.float32), attributes)

    def _smoothed(self, values: Array, nodes: NDArray[np.int32], binding: Binding) -> NDArray[np.float32]:
        """Tet values (m,) averaged by volume to nodes, then to the binding's points, never below zero."""
        state = self.state
        weight = np.repeat(state.volumes, 4)
        total = np.bincount(state.tets.ravel(), np.repeat(values, 4) * weight, minlength=len(state.positions))
        share = np.bincount(state.tets.ravel(), weight, minlength=len(state.positions))
        at_points = np.einsum("ka,ka->k", binding.weights, (total / share)[nodes])
        return np.maximum(at_points, 0.0).astype(np.float32)


def _build_fields(scene: Scene) -> list[ColliderField]:
    from .colliders import build

    return [build(collider, scene.settings) for collider in scene.colliders]


def simulate(
    scene: Scene, meshes: list[TetMesh], surfaces: list[Binding], contacts: list[Binding], fields: list[ColliderField] | None = None
) -> Iterator[Frame]:
    """Yield every frame of the scene's range."""
    simulation = Simulation(scene, meshes, surfaces, contacts, fields)
    for _ in range(scene.settings.frame_start, scene.settings.frame_end + 1):
        yield simulation.advance()


__all__ = ["Simulation", "State", "simulate"]

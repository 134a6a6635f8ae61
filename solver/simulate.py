"""The loop: frame by frame, step by step, phase by phase.

Time runs on the simulation's own grid of seconds (Settings.maximum_substep and its halves), not on the frame rate;
a frame that falls between two steps is interpolated from both, so the motion is the same at any frame rate.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from .checkpoint import KeptShapes, checkpoint_of, restore
from .colliders import Field, build_all
from .colliders.solidity import against_gravity
from .contact.contacts import Contacts
from .contact.edges.bodies import edge_contacts
from .contact.points import gather_points, meeting
from .contact.surfaces.bodies import told_of_overlaps, touching_bodies
from .contact.surfaces.known_reach import KnownReach
from .embedding import Binding
from .errors import Cancelled
from .fem.attempt import Attempt
from .fem.clock import Clock
from .fem.commit import commit_flow
from .fem.damping import Damping
from .fem.energy_ledger import EnergyLedger
from .fem.explicit_step import elastic_forces, explicit_step
from .fem.first_guess import first_guess
from .fem.momentum import alone, balance_momentum, company, disturbed, gone_on, keep_spin
from .fem.newton import ImplicitStep, Outcome
from .fem.rise import rise
from .fem.step_control import CALM, RESTLESS, calmed, farthest_jumps, is_drastic, surprise
from .fem.volume_control import VolumeControl
from .fem.workspace import Unknowns, Workspace
from .force_fields.acting import ForceFields
from .frame import Frame, TopologyChange
from .geometry.chunks import side_by_side
from .geometry.inside_out import count_inverted
from .integrators import backward_euler, integrators, start_in_free_flight
from .jit.pace import Pace
from .keyed import KeyedSettings
from .merging.acting import acting_scene
from .merging.joining import element_sizes, living
from .merging.watch import Watch
from .moment import Snapshot, between
from .output import SurfaceOutput, with_gone
from .pinched import PinchReports
from .pins.holding import Holding
from .remesh.discretization import Discretization, at_rest
from .remesh.exchange import renew
from .remesh.remeshing import WorstCondition, begun
from .scene import Scene
from .state import element_size
from .step_failure import step_failure
from .step_length import bound_step, calmest, refused
from .tetmesh.mesh import TetMesh
from .worn import WornReports

Array = NDArray[np.float64]

EFFORT = (  # of a frame; "remeshing" [s] is what it takes to look for new tets and surfaces, and to make them
    "substeps", "rejected", "rough", "newton_iterations", "linear_iterations", "contacts", "remeshes", "remeshing",
)  # fmt: skip
REMAINDER = 0.05  # element sizes by which a balance of forces may leave bodies to be moved as a whole


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
        fields: list[Field] | None = None,
    ) -> None:
        settings = scene.settings
        self.whole, self._rest = scene, (meshes, surfaces, contacts)
        self.remeshed: Discretization | None = None
        self.integrator = integrators()[settings.integrator]
        self.fields = build_all(scene) if fields is None else fields
        first = at_rest(scene.bodies, *self._rest)
        self.pace = Pace(settings.threads, len(first.state.positions))
        self.first_pins: Holding | None = None
        self.settle(first)
        self.first_pins = self.pins
        self.pins.start(self.state)
        self.gravity = self.keyed.gravity(0.0)
        self.clock = Clock(settings.maximum_substep, calmest(self, settings.maximum_substep))
        self.frame, self.shapes = settings.frame_start - 1, KeptShapes()
        self.worn, self.remeshing, self.worst = WornReports(len(scene.bodies)), begun(scene, first), WorstCondition()
        self.cuts: tuple[TopologyChange, ...] = ()  # since the last frame
        self.news: tuple[str, ...] = ()
        start_in_free_flight(self.state, self.force_fields.at_rest(self.gravity, self.state), self.clock.step)
        self.before = Snapshot.of(self.state)

    def settle(self, mesh: Discretization, remeshed: bool = False, unknowns: Unknowns | None = None) -> None:
        """Take over meshes and build all that hangs on them, but for their unknowns if these are at hand; kept for checkpoints
        where they are not those of the start.

        From then on `scene` has only those bodies that have not become part of another.
        """
        self.scene = scene = living(self.whole, mesh.hosts)
        settings = scene.settings
        self.state, self.ranges, self.bound = mesh.state, mesh.ranges, mesh.bound
        acting = acting_scene(self.whole, mesh.hosts, mesh.merging)
        seen, extents = mesh.coverings(), [body.extent for body in scene.bodies]
        heaviest = settings.strongest_gravity
        (self.space, self.output), self.remeshed, (self.volume_control, points) = side_by_side(
            lambda: self._with_output(mesh, Workspace.of(self.state, unknowns)),
            lambda: mesh.kept() if remeshed else None,
            lambda: (
                VolumeControl(scene, mesh, seen),
                gather_points(self.state, self.ranges, mesh.contacts, mesh.tables, extents, heaviest, seen),
            ),
        )
        self.space.linear.pace = self.pace
        meets = meeting(scene, points.tets, self.ranges, len(self.fields))
        self.contacts = Contacts(points, self.fields, not self.integrator.explicit, meets)
        self.contacts.edges = edge_contacts(
            self.contacts, self.state, self.ranges, scene.bodies, mesh.surfaces, mesh.triangles
        )  # fmt: skip
        self.pins = Holding(scene, self.state, self.ranges, mesh.bearings, mesh.surfaces, self.fields, self.first_pins)
        self.force_fields = ForceFields(scene, self.ranges, self.state.masses)
        self.disturbed = disturbed(scene.bodies, self.ranges)
        self.damping = Damping(extents, self.ranges, self.state)
        self.damping.set_materials([body.scaled_material() for body in scene.bodies])
        self.keyed = KeyedSettings(scene, self.ranges, self.state, self.space, self.contacts)
        self.element_size = element_size(self.state.volumes)
        self.farthest = farthest_jumps(extents, self.element_size)
        self.finest = min(element_size(self.state.volumes[a:b]) for a, b in pairwise(self.ranges.tets.tolist()))
        known = KnownReach(mesh.reaches) if len(mesh.reaches) else None
        self.surfaces = touching_bodies(acting, self.state, self.ranges, mesh.surfaces, mesh.triangles, known)
        self.watch = Watch(acting, element_sizes(self.whole, mesh.hosts), self.state, self.ranges)
        # Ends of steps in a row, 2 standing for more, at which a node was in contact
        self.touching = np.zeros(len(self.state.positions), dtype=np.int64)
        self.company, self.ledger = alone(len(scene.bodies)), EnergyLedger(self.ranges)
        self.met = np.zeros(len(self.state.positions), dtype=bool)  # whether a node pushed another at the step's start
        self.pressing = np.zeros_like(self.state.positions)  # force on the contacts at the end of the last step [N]
        self.pinched = PinchReports(points, self.ranges)
        self.contacts.begin(self.state.positions, None if remeshed else against_gravity(settings))

    def _with_output(self, mesh: Discretization, space: Workspace) -> tuple[Workspace, SurfaceOutput]:
        """The workspace, and what gives frames of the bodies that are still their own."""
        topologies = mesh.topologies[np.unique(mesh.hosts)]
        return space, SurfaceOutput(self.scene.bodies, mesh.surfaces, self.state, self.ranges, space.pattern, topologies)

    def advance(self, should_stop: Callable[[], bool] = lambda: False) -> Frame:
        """Simulate to the next frame; the first call returns the rest state at `frame_start`.

        `should_stop` is asked before each attempt at a step; Cancelled leaves the frame unfinished, so go on from a
        checkpoint. Raises StepError when even the smallest step fails; the state is then still that of the last good step.
        """
        started = perf_counter()
        self.frame += 1
        target = (self.frame - self.scene.settings.frame_start) / self.scene.settings.frames_per_second
        effort = dict.fromkeys(EFFORT, 0.0)
        while self.clock.time < target - 1e-9 * self.clock.largest:
            self._step(effort, should_stop)
        late = self.clock.time - target
        on_time = late <= 1e-9 * self.clock.largest
        if on_time and effort["substeps"]:
            self._look_at_meshes(effort, shown=True)
        moment = Snapshot.of(self.state)
        if not on_time:
            moment = between(self.before, moment, 1.0 - late / self.clock.previous_step, self.clock.previous_step, self.ranges)
            if self.surfaces is not None:
                moment.positions = self.surfaces.reachable(self.before.positions, moment.positions)
        bodies = with_gone(self.output.frame(moment), self.whole, self.bound[4])
        effort |= self.remeshing.report(self.worst.of(self.state, self.space.tiles))
        effort |= {"inverted": count_inverted(self.state.positions, self.state.tets), "seconds": perf_counter() - started}
        worn = self.worn.messages(self.frame, self.scene, self.state.worn, self.ranges)
        warnings = (*worn, *self.pinched.messages(self.frame, self.scene), *self.news)
        warnings += tuple(told_of_overlaps(self.scene, self.surfaces, self.frame, self.state.positions))
        changes, self.cuts, self.news = self.cuts, (), ()
        return Frame(self.frame, bodies, effort, warnings, changes)

    def checkpoint(self) -> dict[str, NDArray[np.generic]]:
        """Everything needed to go on with the bytes of an uninterrupted run."""
        return checkpoint_of(self)

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to a checkpoint of the same scene."""
        restore(self, arrays)

    def _step(self, effort: dict[str, float], should_stop: Callable[[], bool]) -> None:
        """One accepted step; a refused one is backed up and halved."""
        self.pace.set()
        self._look_at_meshes(effort)
        bound_step(self)
        calm = self.ledger.nobody()
        while True:
            if should_stop():
                raise Cancelled("The bake was stopped; its frames are kept.", remedy="Resume goes on from here.")
            attempt = self._solve(self.clock.step, calm)
            outcome = attempt.outcome
            effort["newton_iterations"] += outcome.iterations
            effort["linear_iterations"] += outcome.linear_iterations
            drastic = is_drastic(outcome.positions, self.state.positions, self.space.pattern)
            rough, reason, calmed = drastic or not outcome.converged, refused(self, attempt, drastic), calm
            if not reason:
                attempt = self._calm(attempt) if rough else attempt
                calmed = self.ledger.judged(self, attempt, calm)
                if calmed is calm and self.ledger.lossy(calm, rough, self.clock):
                    reason = "energy was lost"
            if not reason and calmed is calm:
                break
            effort["rejected"] += 1
            calm = self.ledger.nobody() if reason else calmed
            if reason and not self.clock.halve():
                raise step_failure(
                    self.scene, self.state, self.ranges, self.contacts, outcome, reason, self.clock.step, self.frame
                )
        effort["rough"] += rough
        self._accept(attempt)
        self.ledger.end_step(attempt, calm)
        effort["substeps"] += 1
        effort["contacts"] = float(len(outcome.entries.level))

    def _look_at_meshes(self, effort: dict[str, float], shown: bool = False) -> None:
        """New tets for bodies that want some, or with `shown` for what a frame would show, and how long that takes."""
        begun = perf_counter()
        effort["remeshes"] += renew(self, shown=True) if shown else self._remesh()
        effort["remeshing"] += perf_counter() - begun

    def _remesh(self) -> int:
        """Give new tets to bodies that want some; how many."""
        return renew(self)

    def _solve(self, step: float, calm: NDArray[np.bool_]) -> Attempt:
        """The balance of inertia, elasticity, flow, contact and friction at the end of a step that bodies (b,) take calmly."""
        state = self.state
        self.keyed.apply(self.clock.time + step, self.damping)
        # The middle of a step that takes the forces of its start and its end alike
        self.gravity = self.keyed.gravity(self.clock.time + (0.5 * step if self.integrator.explicit else step))
        self.held = self.pins.begin_step(state.positions, self.clock.time, step)
        if self.integrator.explicit:
            return self._solve_explicitly(step)
        guess = first_guess(state, step, self.clock.previous_step)
        self.held.put(guess)
        pull = self.force_fields.act_ahead(self.gravity, state.positions, guess, step, self.clock.time + step, self.held)
        self.contacts.begin_step(state.positions, guess, self.clock.time + step, step)
        entries = self.contacts.linearize(guess)
        pressed = entries.pressed_nodes(guess, len(guess))
        struck = (pressed | (self.touching > 0)) & ~(pressed & (self.touching > 1))  # what goes on being in contact is not
        calmly = np.repeat(calm, np.diff(self.ranges.nodes))
        past = self.integrator.extrapolate(state, pull, step, self.clock.previous_step, struck | calmly)
        if self.surfaces is not None:
            self.surfaces.begin_step(state.positions)
            self.surfaces.lead_apart(state, self.ranges, past, step)
        problem = ImplicitStep(state, self.space, self.contacts, self.damping, past, step, self.surfaces, self.held)
        problem.patient = self.clock.patient
        outcome = problem.minimize(guess, self.pressing, entries, self.element_size, self.ranges)
        while outcome.converged and self.contacts.wake(outcome.positions, ended=True):
            outcome = problem.minimize_on(outcome, self.element_size, self.ranges)
        outcome.sunk = self.contacts.too_deep(outcome.positions)
        touched = self._touched(outcome)
        together = None if self.surfaces is None else self.surfaces.touching(outcome.positions)
        left = balance_momentum(outcome.positions, problem.outer, problem.inertia, self.ranges, touched, together)
        outcome.converged &= left < REMAINDER * self.element_size
        ahead, velocities = surprise(outcome.positions, guess, self.finest), past.velocities(outcome.positions)
        recent = gone_on(self.company, together)
        spun = keep_spin(state, outcome.positions, velocities, self.ranges, touched | self.disturbed, company(recent))
        if calm.any():
            past.onward = np.where(struck[:, None], 0.0, (velocities - state.velocities) / step)
        pins = self.held.held, problem.holding, self.held.dragging(velocities)
        return Attempt(outcome, past, velocities, state.elastic_forces, pull, ahead, spun, recent, *pins)

    def _solve_explicitly(self, step: float) -> Attempt:
        """The same where the elastic forces are those of the step's start."""
        state = self.state
        struck = np.zeros(len(self.touching), dtype=bool)
        middle = state.positions + 0.5 * step * state.velocities
        pull = self.force_fields.act(self.gravity, middle, state.velocities, self.clock.time + 0.5 * step, self.held)
        past = self.integrator.extrapolate(state, pull, step, self.clock.previous_step, struck)
        self.contacts.begin_step(state.positions, past.targets, self.clock.time + step, step)
        problem = ImplicitStep(state, self.space, self.contacts, self.damping, past, step, restraint=self.held)
        outcome, velocities, forces = explicit_step(problem, pull, self.pressing)
        return Attempt(outcome, past, self.held.damped(velocities, state.masses, step), forces, pull)

    def _calm(self, attempt: Attempt) -> Attempt:
        """A rough step made harmless: bounded, with backward Euler's velocities now and in the next step.

        What nothing but gravity and each other acts on keeps its momentum and spin.
        """
        outcome, step = attempt.outcome, self.clock.step
        everywhere = np.ones(len(outcome.positions), dtype=bool)
        positions = calmed(outcome.positions, self.state, self.gravity, step)
        self.held.put(positions)
        past = backward_euler.extrapolate(self.state, attempt.pull, step, step, everywhere)
        problem = ImplicitStep(self.state, self.space, self.contacts, self.damping, past, step, restraint=self.held)
        touched = self._touched(outcome)
        together = None if attempt.company is None else company(attempt.company)
        balance_momentum(positions, problem.outer, problem.inertia, self.ranges, touched, together)
        velocities = past.velocities(positions)
        velocities = keep_spin(self.state, positions, velocities, self.ranges, touched | self.disturbed, together)
        if self.surfaces is not None:  # a step cut short, not one in which all become slower
            positions = self.surfaces.reachable(self.state.positions, positions)
        # What pressed on the contacts where the solve has ended says nothing of here
        outcome = replace(outcome, positions=positions, gradient=np.zeros_like(positions), rough=True)
        forces = elastic_forces(problem, positions)
        return Attempt(outcome, past, velocities, forces, attempt.pull, company=attempt.company)

    def _touched(self, outcome: Outcome) -> NDArray[np.bool_]:
        """Which nodes (n,) colliders press on or pins hold at the end of a step."""
        touched = outcome.entries.pressed_nodes(outcome.positions, len(outcome.positions))
        touched[self.held.held] = True
        return touched

    def _accept(self, attempt: Attempt) -> None:
        """Make the step's flow, positions and velocities the state."""
        state, outcome = self.state, attempt.outcome
        self.before = Snapshot.of(state)  # a step makes all of these anew
        commit_flow(state, self.space.tiles, self.clock.step, outcome.positions)
        rise(state, self.space.tiles, self.ranges, self.keyed.rise(self.clock.time + 0.5 * self.clock.step), self.clock.step)
        self.volume_control.act(state, self.space, outcome.positions, self.clock.step, self.damping.lags())
        if self.integrator.remember is not None:
            self.integrator.remember(state, attempt.past, attempt.velocities, self.clock.step)
        state.previous_positions, state.positions = state.positions, outcome.positions
        state.previous_velocities, state.velocities = state.velocities, attempt.moving
        self.company = self.company if attempt.company is None else attempt.company
        state.elastic_forces = attempt.elastic_forces
        self.pressing = -outcome.gradient
        self.touching = np.where(attempt.pressed, np.minimum(self.touching + 1, 2), 0)
        if outcome.rough:
            self.touching[:] = 1
        self.contacts.end_step(state.positions, outcome.entries)
        self.pinched.note(outcome.entries, state.positions)
        if self.surfaces is not None:
            self.surfaces.end_step(state.positions)
        self.pins.end_step(state.positions)
        self.clock.tick(calm=attempt.surprise < CALM, restless=not attempt.surprise < RESTLESS)

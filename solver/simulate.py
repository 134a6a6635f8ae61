"""The loop: frame by frame, step by step, phase by phase.

Time runs on the simulation's own grid of seconds (Settings.maximum_substep and its halves), not on the frame rate;
a frame that falls between two steps is drawn between both, out of colliders, so the motion is the same at any frame rate.
"""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .attempts import explicit_attempt, harmless
from .checkpoint import KeptShapes, checkpoint_of, restore
from .colliders import Field, build_all
from .contact.contacts import Contacts
from .contact.surfaces.bodies import told_of_overlaps
from .contact.surfaces.surface_contact import SurfaceContact
from .embedding import Binding
from .errors import Cancelled
from .fem.attempt import Attempt
from .fem.clock import Clock
from .fem.commit import commit_flow
from .fem.convergence import swept
from .fem.damping import Damping
from .fem.energy_ledger import EnergyLedger
from .fem.first_guess import first_guess
from .fem.momentum import balance_momentum, company, gone_on, keep_spin
from .fem.newton import ImplicitStep, Outcome
from .fem.righting import right
from .fem.rise import rise
from .fem.step_control import CALM, RESTLESS, is_drastic, surprise
from .fem.volume_control import VolumeControl
from .fem.workspace import Workspace
from .force_fields.acting import ForceFields
from .frame import Frame, SurfaceChange
from .integrators import integrators, start_in_free_flight
from .jit.pace import Pace
from .keyed import KeyedSettings
from .merging.acting import any_may_merge
from .merging.drawn_apart import drawn_apart
from .merging.watch import Watch
from .moment import Snapshot, moment_at_end, moment_between
from .output import SurfaceOutput, with_gone
from .pinched import PinchReports
from .pins.holding import Holding
from .remesh.condition import WorstCondition
from .remesh.discretization import Discretization, at_rest
from .remesh.exchange import follow, renew
from .remesh.remeshing import begun
from .scene import Scene
from .state import Ranges, State
from .step_failure import step_failure
from .step_length import bound_step, calmest, longest_step, refused
from .tetmesh.mesh import TetMesh
from .topology.consumer import Ready
from .topology.replay import NOTHING, settle
from .turned import TurnedReports
from .worn import WornReports

Array = NDArray[np.float64]

EFFORT = (  # of a frame; "remeshing" [s] is what it takes to look for new tets and surfaces, and to make them
    "substeps", "rejected", "rough", "newton_iterations", "linear_iterations", "contacts", "remeshes", "remeshing",
)  # fmt: skip


class Simulation:
    """Bodies moving through time; see the module's text.

    meshes, surfaces and contacts hold one item a body. `fields` replaces the colliders built from the scene. Whoever puts nodes
    elsewhere gives `state` a new array of positions: contact knows where they are by the array.

    What lies on meshes is built by topology/consumers.py, where what is not plain here is explained.
    """

    scene: Scene  # without the bodies that have become part of another
    whole: Scene
    state: State
    ranges: Ranges
    bound: tuple[Any, ...]  # of `present`
    space: Workspace
    output: SurfaceOutput
    volume_control: VolumeControl
    contacts: Contacts
    pins: Holding
    force_fields: ForceFields
    disturbed: NDArray[np.bool_]
    damping: Damping
    keyed: KeyedSettings
    element_size: float
    farthest: Array
    finest: float
    surfaces: SurfaceContact | None
    watch: Watch
    touching: NDArray[np.int64]
    company: NDArray[np.int64]
    ledger: EnergyLedger
    met: NDArray[np.bool_]
    pressing: Array
    pinched: PinchReports
    turned: TurnedReports
    worn: WornReports

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
        longest = longest_step(settings, self.fields, self.pins, any_may_merge(scene.bodies))
        self.clock = Clock(longest, calmest(self, longest))
        self.frame, self.shapes = settings.frame_start - 1, KeptShapes()
        self.remeshing, self.worst = begun(scene, first), WorstCondition()
        self.cuts: tuple[SurfaceChange, ...] = ()  # since the last frame
        self.news: tuple[str, ...] = ()
        start_in_free_flight(self.state, self.force_fields.at_rest(self.gravity, self.state), self.clock.step)
        self.before = Snapshot.of(self.state)

    def settle(self, mesh: Discretization, remeshed: bool = False, ready: Ready = NOTHING) -> None:
        """Take over meshes and build all that hangs on them, but for what is ready; kept for checkpoints where they are not
        those of the start.

        From then on `scene` has only those bodies that have not become part of another (topology/replay.py).
        """
        settle(self, mesh, remeshed, ready)

    @property
    def present(self) -> Discretization:
        """The meshes and what is bound to them, now."""
        return Discretization(self.state, self.ranges, *self.bound)

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
        moment = moment_at_end(self) if on_time else moment_between(self, late)
        shown = drawn_apart(self.output.frame(moment), self.present.triangles, self.remeshing.sizes, self.remeshing.creases)
        bodies = with_gone(shown, self.whole, self.present.topologies)
        effort |= self.remeshing.report(self.worst.of(self.state, self.space.tiles))
        mesh = self.state.positions, self.state.tets, self.ranges
        effort |= {"inverted": self.turned.look(*mesh, self.state.volumes), "seconds": perf_counter() - started}
        worn = self.worn.messages(self.frame, self.scene, self.state.worn, self.ranges)
        turned = self.turned.messages(self.frame, self.scene, *mesh)
        warnings = (*worn, *turned, *self.pinched.messages(self.frame, self.scene, self.turned.flat), *self.news)
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
            if outcome.converged and self._follow(outcome.positions, effort):
                continue
            drastic = is_drastic(outcome.positions, self.state.positions, self.space.pattern)
            rough, reason, calmed = drastic or not outcome.converged, refused(self, attempt, drastic), calm
            if not reason:
                attempt = harmless(self, attempt) if rough else attempt
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
        self._accept(self.ledger.without_gain(self, attempt) if rough else attempt)
        self.ledger.end_step(attempt, calm)
        effort["substeps"] += 1
        effort["contacts"] = float(len(outcome.entries.level))

    def _look_at_meshes(self, effort: dict[str, float], shown: bool = False) -> None:
        """New tets for bodies that want some, or with `shown` for what a frame would show, and how long that takes."""
        begun = perf_counter()
        effort["remeshes"] += renew(self, shown=True) if shown else self._remesh()
        effort["remeshing"] += perf_counter() - begun

    def _follow(self, positions: Array, effort: dict[str, float]) -> bool:
        """Whether what is seen has got points of its own in contact, as it would bend off what carries it at (n, 3)."""
        begun = perf_counter()
        followed = follow(self, positions)
        effort["remeshing"] += perf_counter() - begun
        return followed

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
            return explicit_attempt(self, step)
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
        touched = self.touched(outcome)
        together = None if self.surfaces is None else self.surfaces.touching(outcome.positions)
        balanced = balance_momentum(outcome.positions, problem.outer, problem.inertia, self.ranges, touched, together)
        outcome.positions, left = balanced
        outcome.converged &= left < swept(step) * self.element_size
        ahead, velocities = surprise(outcome.positions, guess, self.finest), past.velocities(outcome.positions)
        recent = gone_on(self.company, together)
        spun = keep_spin(state, outcome.positions, velocities, self.ranges, touched | self.disturbed, company(recent))
        if calm.any():
            past.onward = np.where(struck[:, None], 0.0, (velocities - state.velocities) / step)
        pins = self.held.held, problem.holding, self.held.dragging(velocities)
        return Attempt(outcome, past, velocities, state.elastic_forces, pull, ahead, spun, recent, *pins)

    def touched(self, outcome: Outcome) -> NDArray[np.bool_]:
        """Which nodes (n,) colliders press on or pins hold at the end of a step."""
        touched = outcome.entries.pressed_nodes(outcome.positions, len(outcome.positions))
        touched[self.held.held] = True
        return touched

    def _accept(self, attempt: Attempt) -> None:
        """Make the step's flow, positions and velocities the state."""
        state, outcome = self.state, attempt.outcome
        self.before = Snapshot.of(state)  # a step makes all of these anew
        commit_flow(state, self.space.tiles, self.clock.step, outcome.positions)
        rise(state, self.space.tiles, self.keyed.rise(self.clock.time + 0.5 * self.clock.step), self.clock.step)
        self.volume_control.act(state, self.space, outcome.positions, self.clock.step, self.damping.lags())
        if self.integrator.remember is not None:
            self.integrator.remember(state, attempt.past, attempt.velocities, self.clock.step)
        state.previous_positions, state.positions = state.positions, outcome.positions
        state.previous_velocities, state.velocities = state.velocities, attempt.moving
        self.company = self.company if attempt.company is None else attempt.company
        state.elastic_forces = attempt.elastic_forces
        if not self.integrator.explicit and (self.turned.frames.any() or state.flattened.any()):
            right(state, self.space.tiles, self.clock.step)
        self.pressing = -outcome.gradient
        self.touching = np.where(attempt.pressed, np.minimum(self.touching + 1, 2), 0)
        if outcome.rough:
            self.touching[:] = 1
        self.contacts.end_step(state.positions, outcome.entries)
        self.pinched.note(outcome.entries, state.positions)
        if self.surfaces is not None:
            self.surfaces.end_step(state.positions)
        self.pins.end_step(state.positions)
        calm, restless = attempt.surprise < CALM, not attempt.surprise < RESTLESS
        self.clock.tick(calm=calm, restless=restless, rough=outcome.sunk or not outcome.converged)

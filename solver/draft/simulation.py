"""A body of the draft model moving through time, in steps of one length."""

from collections.abc import Callable, Mapping
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..colliders import Field
from ..colliders.solidity import against_gravity
from ..contact.contacts import Contacts
from ..contact.edges.bodies import edge_contacts
from ..contact.points import gather_points, meeting
from ..embedding import Binding, evaluate
from ..errors import Cancelled, StepError
from ..fem.tile import pack, unpack
from ..filling import Covering
from ..force_fields.acting import ForceFields
from ..frame import Frame
from ..jit.pace import Pace
from ..materials import stress_scale
from ..moment import Snapshot, between
from ..output import SurfaceOutput
from ..pins.bearing import Bearing
from ..pins.holding import Holding
from ..scene import Scene
from ..surface import Surface
from ..tetmesh.mesh import TetMesh
from .keyed import KeyedBody
from .slots import PLASTIC
from .state import DraftState, build_draft_state
from .step import STEP, DraftWorkspace, measure, solve_step

Array = NDArray[np.float64]


class DraftSimulation:
    """One body of the draft model; what solver/dynamics.py expects of dynamics.

    meshes, surfaces and contacts hold its one item; fields the scene's colliders.
    """

    def __init__(
        self, scene: Scene, meshes: list[TetMesh], surfaces: list[Binding], contacts: list[Binding], fields: list[Field]
    ) -> None:
        settings, (self.body,) = scene.settings, scene.bodies
        self.settings = settings
        self.state, self.ranges = build_draft_state(scene.bodies, meshes)
        self.space = DraftWorkspace.of(self.state)
        self.pace = self.space.linear.pace = Pace(settings.threads, len(self.state.positions))
        self.output = SurfaceOutput(scene.bodies, surfaces, self.state, self.ranges, self.space.pattern)
        tables, extents = [mesh.topology for mesh in meshes], [self.body.extent]
        seen = Surface(evaluate(surfaces[0], self.state.tets, self.state.positions), self.body.surface.triangles)
        coverings = [Covering(TetMesh.of(self.state.positions, tables[0]), seen)]
        gravity, scales = settings.strongest_gravity, [stress_scale(self.body.size_ratio)]
        points = gather_points(self.state, self.ranges, contacts, tables, extents, scales, gravity, coverings)
        self.contacts = Contacts(points, fields, meets=meeting(scene, points.tets, self.ranges, len(fields)))
        triangles = [self.body.surface.triangles]
        self.contacts.edges = edge_contacts(self.contacts, self.state, self.ranges, scene.bodies, surfaces, triangles)
        bearings = Bearing.at_rest([body.surface for body in scene.bodies], meshes)
        hosts = np.arange(len(scene.bodies))
        self.pins = Holding(scene, hosts, self.state, self.ranges, bearings, surfaces, fields)
        self.force_fields = ForceFields(scene, self.ranges, self.state.masses)
        self.keyed = KeyedBody(self.body, self.state, self.space, self.contacts, settings)
        self.step, self.steps = min(STEP, settings.maximum_substep), 0
        self.frame = settings.frame_start - 1
        self.pressing = np.zeros_like(self.state.positions)  # force on the contacts at the end of the last step [N]
        self.acceleration = np.tile(self.keyed.gravity(0.0), (len(self.pressing), 1))  # in the last step [m/s^2]
        self.contacts.begin(self.state.positions, against_gravity(settings))
        measure(self.state, self.space, 0.0)
        self.before = Snapshot.kept(self.state)

    @property
    def time(self) -> float:
        """Seconds since the first frame."""
        return self.steps * self.step

    def advance(self, should_stop: Callable[[], bool] = lambda: False) -> Frame:
        """Simulate to the next frame; the first call returns the rest state at `frame_start`.

        `should_stop` is asked before each step; Cancelled leaves the frame unfinished, so go on from a checkpoint. Raises
        StepError when a position is no number any more; the state is then that of the step before.
        """
        started, begun, touching, iterations = perf_counter(), self.steps, 0, 0
        self.frame += 1
        target = (self.frame - self.settings.frame_start) / self.settings.frames_per_second
        while self.time < target - 1e-9 * self.step:
            if should_stop():
                raise Cancelled("The bake was stopped; its frames are kept.", remedy="Resume goes on from here.")
            touching, spent = self._step()
            iterations += spent
        moment = Snapshot.of(self.state)
        late = self.time - target
        if late > 1e-9 * self.step:
            moment = between(self.before, moment, 1.0 - late / self.step, self.step, self.ranges)
        effort = {"substeps": self.steps - begun, "linear_iterations": iterations, "contacts": touching}
        statistics = {name: float(count) for name, count in effort.items()}
        bodies = self.output.frame(moment)
        return Frame(self.frame, bodies, statistics | {"seconds": perf_counter() - started})

    def checkpoint(self) -> dict[str, NDArray[np.generic]]:
        """Everything needed to go on with the bytes of an uninterrupted run."""
        self.state.plastic = unpack(self.space.tiles, PLASTIC, 6, len(self.state.tets))
        before = {f"before_{name}": value for name, value in vars(self.before).items()}
        return {
            **self.state.arrays(),
            **before,
            "steps": np.array(self.steps),
            "frame": np.array(self.frame),
            "pressing": self.pressing.copy(),
            "acceleration": self.acceleration.copy(),
            **self.contacts.arrays(),
            "anchors": self.pins.arrays(),
        }

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to a checkpoint of the same scene."""
        floats = {name: np.asarray(value, dtype=np.float64) for name, value in arrays.items()}
        self.state = DraftState.from_arrays({name: floats[name] for name in vars(self.state)} | {"tets": self.state.tets})
        self.before = Snapshot(**{name: floats[f"before_{name}"].copy() for name in vars(self.before)})
        self.steps, self.frame = int(floats["steps"]), int(floats["frame"])
        self.pressing, self.acceleration = floats["pressing"].copy(), floats["acceleration"].copy()
        self.contacts.restore(arrays)
        pack(self.space.tiles, PLASTIC, self.state.plastic)
        self.keyed.restart(self.state)
        self.pins.restore(floats["anchors"])
        measure(self.state, self.space, 0.0)

    def _step(self) -> tuple[int, int]:
        """One step; returns the number of contacts in reach and of iterations."""
        self.pace.set()
        state, end = self.state, (self.steps + 1) * self.step
        self.keyed.apply(end)
        gravity, restraint = self.keyed.gravity(end), self.pins.begin_step(state.positions, self.time, self.step)
        ahead = state.positions + self.step * state.velocities
        gravity = self.force_fields.act(gravity, ahead, state.velocities, end, restraint)
        positions, entries, iterations = solve_step(
            state, self.space, self.ranges, self.contacts, self.pressing, self.acceleration, gravity, end, self.step, restraint,
        )  # fmt: skip
        if not np.isfinite(positions).all():
            raise self._failure(positions)
        self.before = Snapshot.kept(state)
        velocities = (positions - state.positions) / self.step
        self.acceleration = (velocities - state.velocities) / self.step
        state.positions, state.velocities = positions, velocities
        self.pressing = np.zeros_like(positions)
        entries.add_gradient(positions, self.pressing)
        self.contacts.end_step(positions, entries)
        self.contacts.wake(positions)
        self.pins.end_step(positions)
        measure(state, self.space, self.step)
        self.steps += 1
        return len(entries.level), iterations

    def _failure(self, positions: Array) -> StepError:
        node = int(np.flatnonzero(~np.isfinite(positions).all(axis=1))[0])
        x, y, z = self.state.positions[node]
        return StepError(
            "The motion could not be computed: a position is no number any more.",
            body=self.body.name,
            place=f"near ({x:.3g}, {y:.3g}, {z:.3g})",
            frame=self.frame,
            remedy="Bake it with a lower stiffness, or a collider that moves more slowly.",
        )

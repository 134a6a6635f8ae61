"""The force fields of a scene at work on its bodies."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..colliders.motion import Motion
from ..fem.restraint import Restraint
from ..scene import Scene
from ..state import Ranges, Solids
from .field import ForceField
from .kinds import kinds
from .seen import Push, look

Array = NDArray[np.float64]

FLOWLESS = {"HARMONIC", "DRAG"}  # they take no share in the air's flow


class ForceFields:
    """What acts on nodes, field by field; nodes of bodies on which none acts are not looked at."""

    def __init__(self, scene: Scene, ranges: Ranges, masses: Array) -> None:
        self.masses, self.frames_per_second = masses, scene.settings.frames_per_second
        self.acting: list[tuple[ForceField, Motion, slice, float]] = []
        for one in scene.force_fields:
            motion = Motion(one.transforms, scene.settings)
            for body, (a, b) in zip(scene.bodies, pairwise(ranges.nodes.tolist()), strict=True):
                weight = body.field_weights.get(one.uid, 0.0)
                if weight != 0.0:
                    self.acting.append((one, motion, slice(a, b), weight))

    @property
    def still(self) -> bool:
        """Whether no field ever changes."""
        return all(one.still for one, _, _, _ in self.acting)

    def at_rest(self, gravity: Array, state: Solids) -> Array:
        """Gravity (3,) and all that fields do at the first frame, (n, 3) or gravity itself [m/s^2]."""
        if not self.acting:
            return gravity
        restraint = Restraint(len(self.masses))
        pull = self.act(gravity, state.positions, state.velocities, 0.0, restraint)
        return pull + restraint.accelerations(state.positions, state.velocities, self.masses)

    def act(self, gravity: Array, positions: Array, velocities: Array, time: float, restraint: Restraint) -> Array:
        """Gravity (3,) and what fields add to it, (n, 3) or gravity itself [m/s^2]; drag and springs go to the restraint.

        Positions and velocities (n, 3) are those at a time [s] since the first frame, as well as they are known.
        """
        if not self.acting:
            return gravity
        pull = np.tile(gravity, (len(positions), 1))
        for one, motion, nodes, weight in self.acting:
            pose = motion.pose(time)
            axis = (pose.rotation @ pose.stretch)[:, 2]
            place, unit = time * self.frames_per_second, axis / np.linalg.norm(axis)
            seen = look(one, place, pose.translation, unit, positions[nodes], velocities[nodes], weight)
            done: Push = kinds()[one.kind].push(seen)
            pull[nodes] += done.acceleration
            drag = np.zeros(len(seen.distance)) if done.drag is None else done.drag
            if one.kind not in FLOWLESS:
                drag = drag + seen.falloff * max(seen.number("flow"), 0.0)
            restraint.add_drag(nodes, self.masses[nodes] * drag)
            if done.springs is not None:
                stiffness = self.masses[nodes] * done.springs
                restraint.add_springs(nodes, stiffness, stiffness[:, None] * done.centers)
        return pull

    def act_ahead(
        self, gravity: Array, start: Array, positions: Array, step: float, time: float, restraint: Restraint
    ) -> Array:  # fmt: skip
        """The same at the end of a step [s] that begins at start (n, 3)."""
        return self.act(gravity, positions, (positions - start) / step, time, restraint) if self.acting else gravity

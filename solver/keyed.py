"""What the artist keys over time: one value a frame, linear between frames, put where the solver reads it at every step.

Keyed are a body's material (`Body.keys`), how far its fibres are activated, how fast it rises, and gravity; whether it merges
and tears (`Body.switches`) is asked for where new tets are due (remesh/exchange.py). Flow stays what it
is: a modulus that changes changes the stress that a strain means, not the shape that the goo has flowed to.
"""

import numpy as np
from numpy.typing import NDArray

from .contact.contacts import Contacts
from .contact.points import contact_modulus
from .fem.damping import Damping
from .fem.surface_tension import SurfaceTension
from .fem.workspace import Workspace, node_modulus
from .keyframes import at_frame
from .materials import Material
from .painted import painted_rows
from .scene import Body, Scene
from .slots import (
    FIBRE_STIFFNESS,
    FIBRE_TENSION,
    HARDENING,
    LAMBDA,
    MINIMUM_YIELD,
    MU,
    NODAL_BULK,
    SURFACE_TENSION,
    YIELD,
    YIELD_STRESS,
)
from .state import Ranges, State, material_rows

Array = NDArray[np.float64]

_OF_FIBRES = [FIBRE_STIFFNESS, FIBRE_TENSION]  # thinned out tet by tet (fem/fibre_field.py), and not keyed


class KeyedSettings:
    """Writes what is keyed into the arrays that a step reads; what does not change is not touched."""

    def __init__(self, scene: Scene, ranges: Ranges, state: State, space: Workspace, contacts: Contacts) -> None:
        self.scene, self.ranges = scene, ranges
        self.state, self.space, self.contacts = state, space, contacts
        self.applied: list[Material | None] = [body.material for body in scene.bodies]
        keys = scene.settings.gravity_keys
        self.gravities: Array = np.array([scene.settings.gravity]) if keys is None else keys
        # What is sized by a body's modulus follows it from here, whatever flow does meanwhile: a resumed bake sees the same.
        self.firmness, self.contact_stiffness = space.firmness.copy(), contacts.points.stiffness.copy()
        strongest = scene.settings.strongest_gravity
        self.weights = [
            float(state.density[a]) * strongest * body.extent for a, body in zip(ranges.tets[:-1], scene.bodies, strict=True)
        ]
        self.shared = True  # whether others have the state's material too (remesh/discretization.py, checkpoint.py)
        self.owners = np.searchsorted(ranges.tets, contacts.points.tets, side="right") - 1

    @property
    def still(self) -> bool:
        """Whether nothing is keyed, and nothing rises."""
        bodies = self.scene.bodies
        changing = any(body.keys or body.switches or np.ptp(body.activation) > 0.0 or body.rise.any() for body in bodies)
        return len(self.gravities) == 1 and not changing

    def gravity(self, time: float) -> Array:
        """Gravity (3,) at a time [s] since the first frame [m/s^2]."""
        return np.asarray(at_frame(self.gravities, self.place(time)), dtype=np.float64)

    def rise(self, time: float) -> Array:
        """How fast the volume of each body (b,) grows at a time [s] since the first frame [1/s]."""
        return np.array([float(at_frame(body.rise, self.place(time))) for body in self.scene.bodies])

    def restart(self, state: State) -> None:
        """Work on the state of a checkpoint, and write all that is keyed into it next time."""
        self.state = state
        self.space.tiles.set_materials(state.material)
        self.applied = [None if body.keys else body.material for body in self.scene.bodies]

    def apply(self, time: float, damping: Damping) -> None:
        """Let fibres and materials be those of a time [s] since the first frame."""
        place, tiles = self.place(time), self.space.tiles
        if tiles.fibred.any():
            pull = np.array([float(at_frame(body.activation, place)) for body in self.scene.bodies])
            tiles.activate(np.repeat(pull, np.diff(self.ranges.tets)))
        bodies = [body.at(place) for body in self.scene.bodies]
        changed = [k for k, body in enumerate(bodies) if body.material != self.applied[k]]
        for k in changed:
            self._write(k, bodies[k])
            self.applied[k] = bodies[k].material
        if changed:
            damping.set_materials([body.scaled_material() for body in bodies])

    def place(self, time: float) -> float:
        """A time [s] since the first frame, in frames."""
        return time * self.scene.settings.frames_per_second

    def _write(self, index: int, body: Body) -> None:
        """Make a body's material that of `body`."""
        state, tiles = self.state, self.space.tiles
        own, first = slice(*self.ranges.tets[index : index + 2]), int(self.ranges.tets[index])
        column = material_rows(body, 1)
        wanted = painted_rows(column, state.painted[own]) if body.painted else column
        different = (wanted != state.material[:, own if body.painted else slice(first, first + 1)]).any(axis=1)
        different[_OF_FIBRES] = False
        if different.any():
            state.material, self.shared = state.material.copy() if self.shared else state.material, False
            for row in np.flatnonzero(different):
                state.material[row, own] = wanted[row]
            tiles.set_materials(state.material)
            if different[SURFACE_TENSION] and self.space.tension is None:
                self.space.tension = SurfaceTension.of(state, self.space.linear.layout)
        hard = state.material[YIELD_STRESS, own] + state.material[HARDENING, own] * state.hardening[own]
        state.yield_stress[own] = np.maximum(hard, state.material[MINIMUM_YIELD, own])
        tiles.pack(YIELD, state.yield_stress)
        if self.applied[index] is None or different[[MU, LAMBDA, NODAL_BULK]].any():
            self._firm_up(index, column)

    def _firm_up(self, index: int, column: Array) -> None:
        """Let what the first material's modulus has sized follow that of column (MATERIAL_ROWS, 1)."""
        first = material_rows(self.scene.bodies[index], 1)
        nodes, points = slice(*self.ranges.nodes[index : index + 2]), self.owners == index
        now, then = (node_modulus(rows) + rows[NODAL_BULK] / 3.0 for rows in (column, first))
        self.space.firmness[nodes] = self.firmness[nodes] * (now / then)
        stiffness = self.contacts.points.stiffness
        weight = self.weights[index]
        stiffness[points] = self.contact_stiffness[points] * (contact_modulus(column, weight) / contact_modulus(first, weight))

"""What the artist keys over time: one value a frame, linear between frames, put where the solver reads it at every step.

Keyed are a body's material (`Body.keys`), how far its fibres are activated, how fast it rises, and gravity; whether it merges
and tears (`Body.switches`) is asked for where new tets are due (remesh/exchange.py). Flow stays what it
is: a modulus that changes changes the stress that a strain means, not the shape that the goo has flowed to.
"""

from functools import cached_property

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
Places = slice | NDArray[np.int64]

_OF_FIBRES = [FIBRE_STIFFNESS, FIBRE_TENSION]  # thinned out tet by tet (fem/fibre_field.py), and not keyed


class KeyedSettings:
    """Writes what is keyed into the arrays that a step reads; what does not change is not touched.

    Bodies that have become one go on by their own keys: a tet by those of the body that its goo is of (`State.origin`).
    """

    def __init__(
        self, scene: Scene, hosts: NDArray[np.int64], ranges: Ranges, state: State, space: Workspace, contacts: Contacts
    ) -> None:
        """scene: with all of its bodies; hosts (b,) says which of them each one is a part of by now."""
        self.scene, self.living = scene, [scene.bodies[k] for k in np.unique(hosts)]
        self.state, self.space, self.contacts = state, space, contacts
        self.applied: list[Material | None] = [body.material for body in scene.bodies]
        keys = scene.settings.gravity_keys
        self.gravities: Array = np.array([scene.settings.gravity]) if keys is None else keys
        # What is sized by a body's modulus follows it from here, whatever flow does meanwhile: a resumed bake sees the same.
        self.firmness, self.contact_stiffness = space.firmness.copy(), contacts.points.stiffness.copy()
        strongest, self.hosts = scene.settings.strongest_gravity, np.unique(hosts, return_inverse=True)[1]
        self.weights = [
            float(state.density[a]) * strongest * body.extent for a, body in zip(ranges.tets[:-1], self.living, strict=True)
        ]
        self.shared = True  # whether others have the state's material too (remesh/discretization.py, checkpoint.py)

    @cached_property
    def origin(self) -> NDArray[np.int64]:
        """The body of the scene (m,) whose goo each tet is of."""
        return self.state.origin.astype(np.int64)

    @cached_property
    def parts(self) -> list[tuple[Places, Places, Places]]:
        """Of each body of the scene its tets, their nodes, each of one body only, and the contact points that they carry."""
        of_nodes = np.zeros(len(self.state.positions), dtype=np.int64)
        of_nodes[self.state.tets] = self.origin[:, None]
        several = (self.origin, of_nodes, self.origin[self.contacts.points.tets])
        return list(zip(*(_places(names, len(self.scene.bodies)) for names in several), strict=True))

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
        """How fast the goo of each body (b,) of the scene grows at a time [s] since the first frame [1/s]."""
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
            tiles.activate(pull[self.origin])
        bodies = [body.at(place) for body in self.scene.bodies]
        changed = [k for k, body in enumerate(bodies) if body.material != self.applied[k]]
        for k in changed:
            self._write(k, bodies[k])
            self.applied[k] = bodies[k].material
        if changed:
            damping.set_materials([body.at(place).scaled_material() for body in self.living])

    def place(self, time: float) -> float:
        """A time [s] since the first frame, in frames."""
        return time * self.scene.settings.frames_per_second

    def _write(self, index: int, body: Body) -> None:
        """Make the material of a body's goo that of `body`."""
        state, tiles, own = self.state, self.space.tiles, self.parts[index][0]
        column, painted = material_rows(body, 1), state.painted[own]
        if not len(painted):
            return
        varies = bool((painted != 1.0).any())
        wanted, has = painted_rows(column, painted) if varies else column, state.material[:, own]
        different = (wanted != (has if varies else has[:, :1])).any(axis=1)
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
        _, nodes, points = self.parts[index]
        now, then = (node_modulus(rows) + rows[NODAL_BULK] / 3.0 for rows in (column, first))
        self.space.firmness[nodes] = self.firmness[nodes] * (now / then)
        stiffness = self.contacts.points.stiffness
        weight = self.weights[self.hosts[index]]
        stiffness[points] = self.contact_stiffness[points] * (contact_modulus(column, weight) / contact_modulus(first, weight))


def _places(names: NDArray[np.int64], count: int) -> list[Places]:
    """Where (k,) each of so many names stands among some (n,); a slice where that is in one row."""
    order = np.argsort(names, kind="stable")
    parts = np.split(order, np.searchsorted(names[order], np.arange(1, count)))
    in_rows = [len(part) > 0 and int(part[-1] - part[0]) == len(part) - 1 for part in parts]
    return [slice(int(part[0]), int(part[-1]) + 1) if row else part for part, row in zip(parts, in_rows, strict=True)]

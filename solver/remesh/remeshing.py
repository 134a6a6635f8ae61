"""Wholesale remeshing during a bake: which bodies are due, and the meshes that they get (Bargteil 2007, section 4)."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..embedding import bind, contact_samples, evaluate
from ..errors import MeshingError
from ..frame import TopologyChange
from ..materials import complete
from ..scene import Body, Scene, Surface
from ..state import Ranges, State, material_rows
from ..tearing.renewal import cut_where_torn, restuffed_apart
from ..tetmesh.mesh import TetMesh
from .condition import conditions
from .discretization import Discretization
from .drawing_in import drawn_in
from .record import MeshChange, mesh_change
from .restuffing import lattice_turn, restuffed
from .transfer import OF_FIBRES, body_state, joined_states, transferred

Array = NDArray[np.float64]

WORSENED = 1.5  # times what a new mesh had to begin with: from then on the next one is due


@dataclass(frozen=True)
class Renewed:
    """What a remesh gives: new meshes, the record of each body's change, and where surfaces were cut."""

    mesh: Discretization
    changes: dict[int, MeshChange]
    cuts: tuple[TopologyChange, ...]


class Remeshing:
    """Remembers for each body (b,) how worn out its mesh was when it was new, and how many it has had.

    A body is due when its worst basis matrix exceeds the scene's `worst_condition`, and WORSENED times what that was after
    the last remesh: where goo is strongly stretched while it is remeshed, no new mesh is better at once.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.wholesale = np.array([body.remeshing == "wholesale" for body in scene.bodies])
        self.fresh: Array = np.zeros(len(scene.bodies))
        self.counts: NDArray[np.int64] = np.zeros(len(scene.bodies), dtype=np.int64)

    def due(self, state: State, ranges: Ranges) -> list[int]:
        """The bodies that want a new mesh."""
        if not self.wholesale.any():
            return []
        worst = worst_conditions(state, ranges)
        bound = np.maximum(self.scene.settings.worst_condition, WORSENED * self.fresh)
        return [int(body) for body in np.flatnonzero(self.wholesale & (worst > bound))]

    def renewed(self, present: Discretization, bodies: list[int], step: float) -> "Renewed":
        """The discretization with new meshes for some bodies; step [s] is the last one taken.

        The other bodies keep every array.
        """
        everybody = enumerate(self.scene.bodies)
        states = [_with_first_material(body_state(present.state, present.ranges, k), body) for k, body in everybody]
        surfaces, contacts, triangles = list(present.surfaces), list(present.contacts), list(present.triangles)
        bearings, topologies, changes, cuts = list(present.bearings), present.topologies.copy(), {}, []
        for index in bodies:
            body, old = self.scene.bodies[index], present.mesh(index)
            try:
                self.counts[index] += 1
                change = mesh_change(old, self._new_mesh(body, old, lattice_turn(int(self.counts[index]))))
            except MeshingError as error:
                raise MeshingError(error.message, body=body.name, remedy=error.remedy) from None
            states[index] = transferred(states[index], change, step, _counts_flow(body))
            seen = Surface(evaluate(surfaces[index], old.tets, old.positions), triangles[index])
            spacing = 0.5 * body.element_size / body.contact_detail
            changes[index] = change
            if body.tear_thickness == 0.0:
                seen = drawn_in(seen, change.new, body.element_size)
                surfaces[index], contacts[index] = bind(change.new, seen.positions), contact_samples(seen, change.new, spacing)
                bearings[index] = bearings[index].renewed(change.new, seen, None)
                continue
            torn = cut_where_torn(old, change.new, seen, body.element_size, spacing)
            surfaces[index], contacts[index], triangles[index] = torn.surface, torn.contacts, torn.triangles
            kept = None
            if torn.cut is not None:
                seen, kept = Surface(torn.cut.positions, torn.triangles), torn.cut.kept
                topologies[index] += 1
                cuts.append(TopologyChange(body.uid, int(topologies[index]), torn.cut))
            bearings[index] = bearings[index].renewed(change.new, seen, kept)
        state, ranges = joined_states(states)
        return Renewed(Discretization(state, ranges, surfaces, contacts, triangles, bearings, topologies), changes, tuple(cuts))

    def _new_mesh(self, body: Body, old: TetMesh, turn: Array) -> TetMesh:
        """The body's next mesh, on a lattice that is turned so; in pieces where it has become too thin."""
        if body.tear_thickness == 0.0:
            return restuffed(old, body.element_size, turn)
        return restuffed_apart(old, body.tear_thickness, body.element_size, turn)

    def note(self, bodies: list[int], state: State, ranges: Ranges) -> None:
        """Take in how worn out bodies are that have just got a new mesh, or were refused one."""
        self.fresh[bodies] = worst_conditions(state, ranges)[bodies]


def _counts_flow(body: Body) -> bool:
    """Whether it matters how far the body has flowed before it got new tets."""
    limited = "plastic_limit" in body.keys or complete(body.material).values.get("plastic_limit", 0.0) > 0.0
    return limited or body.goal is not None


def _with_first_material(state: State, body: Body) -> State:
    """The body's state with the material that its keys begin with: what firmness is sized by (solver/keyed.py).

    What is keyed is written into the arrays again before the next step.
    """
    if not body.keys:
        return state
    rows = np.repeat(material_rows(body, 1), len(state.tets), axis=1)
    rows[OF_FIBRES] = state.material[OF_FIBRES]
    return replace(state, material=rows)


def worst_conditions(state: State, ranges: Ranges) -> Array:
    """The largest condition number (b,) of each body's basis matrices."""
    every = conditions(state.rest_shape_inverse)
    return np.array([every[a:b].max() for a, b in pairwise(ranges.tets.tolist())])


def touching_handed_on(touching: NDArray[np.int64], old: Ranges, changes: dict[int, MeshChange]) -> NDArray[np.int64]:
    """For how long each new node (n',) has been in contact, from the old nodes' (n,)."""
    parts = []
    for body, (a, b) in enumerate(pairwise(old.nodes.tolist())):
        own = touching[a:b]
        parts.append(own[changes[body].nearest()] if body in changes else own)
    return np.concatenate(parts)

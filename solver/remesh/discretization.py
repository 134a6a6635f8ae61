"""What every table of a simulation is built from, so that a checkpoint can have them built again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contact.surfaces.known_reach import Rest
from ..embedding import Binding, Spread, evaluate
from ..fem.fibre_field import set_fibres
from ..fem.goal import set_goals
from ..fem.seen_volume import SeenVolume, show
from ..filling import Covering
from ..geometry.orientation import turned_outwards
from ..merging.acting import merging_at
from ..painted import set_painted
from ..pins.bearing import Bearing
from ..refining.grain import Grain
from ..scene import Body
from ..state import Ranges, State, build_state
from ..surface import Surface
from ..tetmesh.mesh import TetMesh, Topology

PREFIX = "mesh."
# Arrays of a state in which steps write (fem/commit.py, fem/volume_exchange.py, keyed.py); of all others they make new ones
CHANGED_IN_PLACE = (
    "volumes", "density", "rest_shape_inverse", "plastic_deformation", "plastic_strain", "hardening", "yield_stress",
    "flow_stress", "worn",
)  # fmt: skip


@dataclass
class Discretization:
    """Meshes and what is bound to them; surfaces, contacts, triangles, bearings and topologies hold one item a body.

    triangles (t, 3) join the points of a surface, counter-clockwise seen from outside. topologies and hosts are of all bodies
    of the scene: how often the surface has changed (frame.SurfaceChange), and as part of which body each goes on
    (solver/merging), most of them as their own;
    merging (b, 2) says of all of them which merge: these do not collide; and which keep apart from those that they name.
    grains, one a body, are how fine the surfaces were at the start.
    tables are how each body's tets hang together, made where they are not known.
    covered are the coverings, where they are at hand. rest is where surfaces that collide are free of it; None: as of state.
    state is that at which the tables were, or are to be, built: rest shapes size firmness, positions number the unknowns.
    """

    state: State
    ranges: Ranges
    surfaces: list[Binding]
    contacts: list[Binding]
    triangles: list[NDArray[np.int32]]
    bearings: list[Bearing]
    topologies: NDArray[np.int64]
    hosts: NDArray[np.int64]
    merging: NDArray[np.bool_]
    grains: list[Grain]
    tables: tuple[Topology, ...] = ()
    covered: tuple[Covering, ...] = ()
    rest: Rest | None = None

    def __post_init__(self) -> None:
        if not self.tables:
            first, ends = self.ranges.nodes[:-1], pairwise(self.ranges.tets.tolist())
            own = (self.state.tets[a:b] - start for start, (a, b) in zip(first, ends, strict=True))
            self.tables = tuple(Topology(tets.astype(np.int32)) for tets in own)

    @property
    def bound(self) -> tuple[Any, ...]:
        """All but the state and its ranges, in order."""
        own = self.surfaces, self.contacts, self.triangles, self.bearings
        return *own, self.topologies, self.hosts, self.merging, self.grains, self.tables

    def mesh(self, body: int) -> TetMesh:
        """One body's mesh as it lies."""
        a, b = self.ranges.nodes[body : body + 2]
        return TetMesh.of(self.state.positions[a:b], self.tables[body])

    def seen(self, body: int) -> Surface:
        """What is seen of one body."""
        mesh = self.mesh(body)
        return Surface(evaluate(self.surfaces[body], mesh.tets, mesh.positions), self.triangles[body])

    def coverings(self) -> Sequence[Covering]:
        """What is seen of each body about its mesh."""
        return self.covered or [Covering(self.mesh(body), self.seen(body)) for body in range(len(self.surfaces))]

    def kept(self) -> "Discretization":
        """The same with what steps change in place in arrays of its own: it stays as it is."""
        return replace(self, state=kept_state(self.state), covered=())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name, for a checkpoint; no copies, so of one that is `kept`."""
        arrays = {f"state.{name}": values for name, values in vars(self.state).items()}
        arrays |= {"nodes": self.ranges.nodes, "tets": self.ranges.tets, "topologies": self.topologies}
        arrays |= {"hosts": self.hosts, "merging": self.merging}
        arrays |= {} if self.rest is None else self.rest.arrays()
        arrays |= {f"triangles.{body}": triangles for body, triangles in enumerate(self.triangles)}
        for body, bearing in enumerate(self.bearings):
            arrays |= {f"bearing.{body}.{name}": values for name, values in vars(bearing).items()}
            arrays |= {f"grain.{body}.{name}": values for name, values in vars(self.grains[body]).items()}
        for kind, bindings in (("surface", self.surfaces), ("contact", self.contacts)):
            for body, binding in enumerate(bindings):
                arrays |= {f"{kind}.{body}.{name}": values for name, values in _of_binding(binding).items()}
        return {PREFIX + name: values for name, values in arrays.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "Discretization | None":
        """That of a checkpoint; None where it holds none."""
        own = {name.removeprefix(PREFIX): values for name, values in arrays.items() if name.startswith(PREFIX)}
        if not own:
            return None
        ranges = Ranges(own["nodes"].astype(np.int64), own["tets"].astype(np.int64))
        bodies = range(len(ranges.nodes) - 1)
        surfaces, contacts = ([_binding(own, f"{kind}.{body}.") for body in bodies] for kind in ("surface", "contact"))
        triangles = [own[f"triangles.{body}"] for body in bodies]
        bearings = [Bearing(**_after(own, f"bearing.{body}.")) for body in bodies]
        state = State.from_arrays(_after(own, "state."))
        topologies, hosts = (own[name].astype(np.int64) for name in ("topologies", "hosts"))
        merging = own["merging"].astype(bool)
        grains = [Grain(**_after(own, f"grain.{body}.")) for body in bodies]
        of_scene = topologies, hosts, merging, grains
        return cls(state, ranges, surfaces, contacts, triangles, bearings, *of_scene, rest=Rest.from_arrays(own))


def kept_state(state: State, **copies: NDArray[np.float64]) -> State:
    """The same with what steps change in place in arrays of its own, of which some copies may be at hand. Its material is to be
    shared (keyed.py)."""
    own: dict[str, Any] = {name: getattr(state, name).copy() for name in CHANGED_IN_PLACE if name not in copies}
    return replace(state, **(own | copies))


def at_rest(
    bodies: tuple[Body, ...], meshes: list[TetMesh], surfaces: list[Binding], contacts: list[Binding]
) -> Discretization:
    """The bodies as they were filled with tets."""
    state, ranges = build_state(bodies, meshes)
    set_goals(state, ranges, bodies, surfaces)
    set_fibres(state, ranges, bodies, surfaces)
    set_painted(state, ranges, bodies, surfaces)
    triangles = [turned_outwards(body.surface.positions, body.surface.triangles) for body in bodies]
    pieces = [mesh.piece for mesh in meshes]
    show(state, SeenVolume(ranges, state.tets, surfaces, triangles, pieces), state.volumes)
    bearings = Bearing.at_rest([body.surface for body in bodies], meshes)
    topologies, hosts = np.zeros(len(bodies), dtype=np.int64), np.arange(len(bodies))
    merging = merging_at(bodies, 0.0)
    tables = tuple(mesh.topology for mesh in meshes)
    grains = [Grain.at_rest(body) for body in bodies]
    return Discretization(state, ranges, surfaces, contacts, triangles, bearings, topologies, hosts, merging, grains, tables)


def _after(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}


def _of_binding(binding: Binding) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"tets": binding.tets, "weights": binding.weights}
    if binding.standby is not None:
        arrays["standby"] = binding.standby
    if binding.spread is not None:
        arrays |= {f"spread.{name}": values for name, values in vars(binding.spread).items()}
    return arrays


def _binding(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Binding:
    own = _after(arrays, prefix)
    spread = _after(own, "spread.")
    standby = own["standby"].astype(bool) if "standby" in own else None
    return Binding(own["tets"], own["weights"], Spread(**spread) if spread else None, standby)

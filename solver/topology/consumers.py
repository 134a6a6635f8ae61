"""All of a simulation that lies on its meshes: how each is built on new ones, and what it hands on.

A new one is a line of CONSUMERS. What remembers nothing is only built; what remembers tells it before the old meshes are gone,
and takes it up again by the record of the change (change.py), whoever has made that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..colliders.solidity import against_gravity
from ..contact.contacts import Contacts
from ..contact.edges.bodies import edge_contacts
from ..contact.points import ContactPoints, meeting
from ..contact.surfaces.bodies import touching_bodies
from ..contact.surfaces.known_reach import KnownReach
from ..contact.surfaces.surface_contact import SurfaceContact
from ..fem.damping import Damping
from ..fem.energy_ledger import EnergyLedger
from ..fem.momentum import alone, disturbed, gone_over
from ..fem.step_control import farthest_jumps
from ..force_fields.acting import ForceFields
from ..keyed import KeyedSettings
from ..merging.acting import acting_scene
from ..merging.joining import element_sizes
from ..merging.watch import Watch
from ..pinched import PinchReports
from ..pins.holding import Holding
from ..remesh.contact_memory import handed_on
from ..state import element_size
from ..worn import WornReports
from .change import TopologyChange

if TYPE_CHECKING:
    from ..remesh.discretization import Discretization
    from ..simulate import Simulation


@dataclass(frozen=True)
class Ground:
    """What consumers are built on.

    mesh     : the meshes and what is bound to them; points: those of contact with colliders
    remeshed : whether these are not the meshes of the start, so that what was known is handed on, or restored
    """

    mesh: "Discretization"
    points: ContactPoints
    remeshed: bool


def _nothing(now: "Simulation") -> None:
    """What one tells that remembers nothing."""


@dataclass(frozen=True)
class Consumer:
    """Something that lies on meshes.

    name   : the simulation's attribute, which build(simulation, ground) gives
    told   : what the old one knows, read off the simulation before it has other meshes
    replay : (simulation, what was told, change) lets the new one know it; None: it is only built anew
    """

    name: str
    build: Callable[["Simulation", Ground], Any]
    told: Callable[["Simulation"], Any] = _nothing
    replay: Callable[["Simulation", Any, TopologyChange], None] | None = None


def _contacts(now: "Simulation", ground: Ground) -> Contacts:
    scene, points, mesh = now.scene, ground.points, ground.mesh
    meets = meeting(scene, points.tets, now.ranges, len(now.fields))
    contacts = Contacts(points, now.fields, not now.integrator.explicit, meets)
    contacts.edges = edge_contacts(contacts, now.state, now.ranges, scene.bodies, mesh.surfaces, mesh.triangles)
    contacts.begin(now.state.positions, None if ground.remeshed else against_gravity(scene.settings))
    return contacts


def _contacts_told(now: "Simulation") -> Any:
    return now.contacts, now.contacts.points.positions(now.state.positions), now.contacts.points.bodies


def _contacts_replay(now: "Simulation", told: Any, change: TopologyChange) -> None:
    """By place: points of contact are chosen anew on new tets."""
    old, places, owners = told
    points = now.contacts.points
    here = points.positions(now.state.positions)
    now.contacts.restore(handed_on(old, places, change.into[owners], now.contacts, here, points.bodies))


def _pins(now: "Simulation", ground: Ground) -> Holding:
    mesh = ground.mesh
    return Holding(now.scene, now.state, now.ranges, mesh.bearings, mesh.surfaces, now.fields, now.first_pins)


def _pins_replay(now: "Simulation", told: Any, change: TopologyChange) -> None:
    old, before = told
    now.pins.hand_on(old, before, now.state.positions, change.nodes)


def _damping(now: "Simulation", ground: Ground) -> Damping:
    damping = Damping([body.extent for body in now.scene.bodies], now.ranges, now.state)
    damping.set_materials([body.scaled_material() for body in now.scene.bodies])
    return damping


def _surfaces(now: "Simulation", ground: Ground) -> SurfaceContact | None:
    mesh = ground.mesh
    known = KnownReach(mesh.reaches) if len(mesh.reaches) else None
    acting = acting_scene(now.whole, mesh.hosts, mesh.merging)
    return touching_bodies(acting, now.state, now.ranges, mesh.surfaces, mesh.triangles, known)


def _friction_told(now: "Simulation") -> Any:
    return None if now.surfaces is None else now.surfaces.held.renumbered()


def _friction_replay(now: "Simulation", told: Any, change: TopologyChange) -> None:
    """By place: what sticks is known where it is, as points of a new surface have other numbers."""
    if now.surfaces is not None and told is not None:
        now.surfaces.held = told


def _watch(now: "Simulation", ground: Ground) -> Watch:
    mesh = ground.mesh
    acting = acting_scene(now.whole, mesh.hosts, mesh.merging)
    return Watch(acting, element_sizes(now.whole, mesh.hosts), now.state, now.ranges)


def _touching(now: "Simulation", ground: Ground) -> NDArray[np.int64]:
    """Ends of steps in a row (n,), 2 standing for more, at which a node was in contact."""
    return np.zeros(len(now.state.positions), dtype=np.int64)


def _touching_replay(now: "Simulation", told: Any, change: TopologyChange) -> None:
    now.touching = told[change.nodes.main()]


def _worn_replay(now: "Simulation", told: Any, change: TopologyChange) -> None:
    now.worn.last = told[change.firsts]


def _company_replay(now: "Simulation", told: Any, change: TopologyChange) -> None:
    now.company = gone_over(told, change.into)


def _met(now: "Simulation", ground: Ground) -> NDArray[np.bool_]:
    """Whether a node (n,) pushed another at the step's start."""
    return np.zeros(len(now.state.positions), dtype=bool)


def _pressing(now: "Simulation", ground: Ground) -> NDArray[np.float64]:
    """Force (n, 3) on the contacts at the end of the last step [N]."""
    return np.zeros_like(now.state.positions)


def _finest(now: "Simulation", ground: Ground) -> float:
    return min(element_size(now.state.volumes[a:b]) for a, b in pairwise(now.ranges.tets.tolist()))


def _farthest(now: "Simulation", ground: Ground) -> NDArray[np.float64]:
    return farthest_jumps([body.extent for body in now.scene.bodies], element_size(now.state.volumes))


CONSUMERS: tuple[Consumer, ...] = (
    Consumer("contacts", _contacts, _contacts_told, _contacts_replay),
    Consumer("pins", _pins, lambda now: (now.pins, now.state.positions), _pins_replay),
    Consumer("force_fields", lambda now, _: ForceFields(now.scene, now.ranges, now.state.masses)),
    Consumer("disturbed", lambda now, _: disturbed(now.scene.bodies, now.ranges)),
    Consumer("damping", _damping),
    Consumer(
        "keyed", lambda now, _: KeyedSettings(now.scene, now.ranges, now.state, now.space, now.contacts),
        replay=lambda now, _, change: now.keyed.restart(now.state),
    ),
    Consumer("element_size", lambda now, _: element_size(now.state.volumes)),
    Consumer("farthest", _farthest),
    Consumer("finest", _finest),
    Consumer("surfaces", _surfaces, _friction_told, _friction_replay),
    Consumer("watch", _watch),
    Consumer("touching", _touching, lambda now: now.touching, _touching_replay),
    Consumer("company", lambda now, _: alone(len(now.scene.bodies)), lambda now: now.company, _company_replay),
    Consumer(
        "ledger", lambda now, _: EnergyLedger(now.ranges), lambda now: now.ledger,
        lambda now, old, change: now.ledger.take_over(old, change.into),
    ),
    Consumer("met", _met),
    Consumer("pressing", _pressing),
    Consumer("pinched", lambda now, ground: PinchReports(ground.points, now.ranges)),
    Consumer("worn", lambda now, _: WornReports(len(now.scene.bodies)), lambda now: now.worn.last, _worn_replay),
)  # fmt: skip

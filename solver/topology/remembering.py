"""The consumers that remember something of bodies, nodes, pins or places, and how each takes a change up."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..colliders.solidity import against_gravity
from ..contact.beneath import beneath_again
from ..contact.contacts import CRUSHED_DEPTH, SUNK, TOO_DEEP, Contacts
from ..contact.edges.bodies import edge_contacts
from ..contact.points import meeting
from ..contact.surfaces.bodies import touching_bodies
from ..contact.surfaces.fresh_pairs import Told
from ..contact.surfaces.friction import Held
from ..contact.surfaces.passing_on import begin_fresh, kept, restore, told_by
from ..contact.surfaces.surface_contact import SurfaceContact
from ..fem.energy_ledger import EnergyLedger
from ..fem.momentum import alone, gone_over
from ..merging.acting import acting_scene
from ..pinched import PinchReports
from ..pins.holding import Holding
from ..remesh.contact_memory import come, handed_on
from ..turned import TurnedReports
from ..worn import WornReports
from .change import TopologyChange
from .consumer import Arrays, Consumer, Ground, Values

if TYPE_CHECKING:
    from ..simulate import Simulation

Array = NDArray[np.float64]


class Touching(Values):
    """Ends of steps in a row (n,), 2 standing for more, at which a node was in contact: as the node that it has most of."""

    def __init__(self) -> None:
        super().__init__("touching", np.int64, lambda now: np.zeros(len(now.state.positions), dtype=np.int64))

    def replay(self, now: "Simulation", told: Any, change: TopologyChange) -> None:
        now.touching = told[change.nodes.main()]


class Company(Values):
    """With whom each body hangs together in the last steps (fem/momentum.py)."""

    def __init__(self) -> None:
        super().__init__("company", np.int64, lambda now: alone(len(now.scene.bodies)))

    def replay(self, now: "Simulation", told: Any, change: TopologyChange) -> None:
        now.company = gone_over(told, change.into)


class Pressing(Values):
    """Force (n, 3) on the contacts at the end of the last step [N]: a first guess, which begins anew."""

    def __init__(self) -> None:
        super().__init__("pressing", np.float64, lambda now: np.zeros_like(now.state.positions))


class Ledger(Consumer):
    """What bodies owe in energy: who is made of several owes what these did."""

    name = "ledger"

    def build(self, now: "Simulation", ground: Ground) -> EnergyLedger:
        return EnergyLedger(now.ranges)

    def told(self, now: "Simulation") -> EnergyLedger:
        return now.ledger

    def replay(self, now: "Simulation", told: EnergyLedger, change: TopologyChange) -> None:
        now.ledger.take_over(told, change.into)

    def kept(self, now: "Simulation") -> Arrays:
        return {"credit": now.ledger.credit.copy()}

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        now.ledger.credit = np.array(arrays["credit"], dtype=np.float64)


class ColliderContacts(Consumer):
    """What points know of colliders goes over by place, as points are chosen anew on new tets."""

    name = "contacts"

    def build(self, now: "Simulation", ground: Ground) -> Contacts:
        scene, points, mesh = now.scene, ground.points, ground.mesh
        meets = meeting(scene, points.tets, now.ranges, len(now.fields))
        contacts = Contacts(points, now.fields, not now.integrator.explicit, meets)
        contacts.edges = edge_contacts(contacts, now.state, now.ranges, scene.bodies, mesh.surfaces, mesh.triangles)
        contacts.begin(now.state.positions, None if ground.remeshed else against_gravity(scene.settings))
        return contacts

    def told(self, now: "Simulation") -> tuple[Contacts, Array]:
        return now.contacts, now.contacts.points.positions(now.state.positions)

    def replay(self, now: "Simulation", told: tuple[Contacts, Array], change: TopologyChange) -> None:
        (old, places), points = told, now.contacts.points
        here = points.positions(now.state.positions)
        bodies = change.into[old.points.bodies]
        now.contacts.restore(handed_on(old, places, bodies, now.contacts, here, points.bodies))
        for c, field in enumerate(now.fields):
            if field.beneath is not None and old.behind[c].any():
                deep, new = TOO_DEEP * now.element_size, (here, points.bodies, now.contacts.behind[c])
                now.contacts.behind[c] = beneath_again(field, now.clock.time, deep, (places, bodies, old.behind[c]), new)
        # Of a body that gets new tets they push at once: let out at each remesh, it would sink bit by bit. But where a crease,
        # a seam or a cut has come to lie so deep that it would be shot out
        staying = np.logical_and.reduceat(change.nodes.same >= 0, now.ranges.nodes[:-1])[points.bodies]
        for asked, least in ((points.standby & staying, SUNK), (~staying, CRUSHED_DEPTH)):
            if asked.any():
                now.contacts.take_in(come(places, here, points, asked), now.state.positions, now.clock.time, least)

    def kept(self, now: "Simulation") -> Arrays:
        return now.contacts.arrays()

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        now.contacts.restore(arrays)


class BodyContacts(Consumer):
    """Bodies against each other: built anew from what is seen; what sticks goes over by place, and so does how far pairs reach
    (`rest` of the meshes)."""

    name = "surfaces"

    def build(self, now: "Simulation", ground: Ground) -> SurfaceContact | None:
        if ground.surfaces is not None:
            return ground.surfaces
        mesh = ground.mesh
        acting = acting_scene(now.whole, mesh.hosts, mesh.merging)
        return touching_bodies(acting, now.state, now.ranges, mesh.surfaces, mesh.triangles, mesh.rest)

    def told(self, now: "Simulation") -> tuple[Held, dict[tuple[int, int], Told]] | None:
        if now.surfaces is None:
            return None
        refines = any(body.refines for body in now.scene.bodies)
        return now.surfaces.held.renumbered(), told_by(now.surfaces, now.state.positions) if refines else {}

    def replay(self, now: "Simulation", told: tuple[Held, dict[tuple[int, int], Told]] | None, change: TopologyChange) -> None:
        if now.surfaces is not None and told is not None:
            now.surfaces.held, pairs = told
            if pairs:
                begin_fresh(now.surfaces, pairs, change.into, now.state.positions)

    def kept(self, now: "Simulation") -> Arrays:
        if now.surfaces is None:
            return {"parting": np.zeros((0, 4))}
        return now.surfaces.held.arrays() | {"parting": now.surfaces.progress} | kept(now.surfaces)

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        if now.surfaces is not None:
            now.surfaces.held = Held.from_arrays(arrays)
            parting = np.array(arrays["parting"], dtype=np.float64)
            now.surfaces.part_on(parting, now.surfaces.carried.places(now.state.positions))
            restore(now.surfaces, arrays)


class Worn(Consumer):
    """When it was last said of bodies that they are worn."""

    name = "worn"

    def build(self, now: "Simulation", ground: Ground) -> WornReports:
        return WornReports(len(now.scene.bodies))

    def told(self, now: "Simulation") -> NDArray[np.int64]:
        return now.worn.last

    def replay(self, now: "Simulation", told: NDArray[np.int64], change: TopologyChange) -> None:
        now.worn.last = told[change.firsts]

    def kept(self, now: "Simulation") -> Arrays:
        return {"reported": now.worn.last.copy()}

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        now.worn.last = np.array(arrays["reported"], dtype=np.int64)


class Turned(Consumer):
    """For how many frames bodies have been inside out somewhere."""

    name = "turned"

    def build(self, now: "Simulation", ground: Ground) -> TurnedReports:
        return TurnedReports(len(now.scene.bodies))

    def told(self, now: "Simulation") -> NDArray[np.int64]:
        return now.turned.frames

    def replay(self, now: "Simulation", told: NDArray[np.int64], change: TopologyChange) -> None:
        now.turned.frames = told[change.firsts]

    def kept(self, now: "Simulation") -> Arrays:
        return {"turned": now.turned.frames.copy()}

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        now.turned.frames = np.array(arrays["turned"], dtype=np.int64)


class Pinched(Consumer):
    """When it was last said of bodies that colliders pinch them; said anew after a change."""

    name = "pinched"

    def build(self, now: "Simulation", ground: Ground) -> PinchReports:
        return PinchReports(ground.points, now.ranges)

    def kept(self, now: "Simulation") -> Arrays:
        return {"pinched": np.stack([now.pinched.last, now.pinched.flat])}

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        now.pinched.last, now.pinched.flat = np.array(arrays["pinched"], dtype=np.int64)


class Pins(Consumer):
    """Anchors stay as far from their nodes as they were, and those of nodes that stay where they were."""

    name = "pins"

    def build(self, now: "Simulation", ground: Ground) -> Holding:
        mesh = ground.mesh
        return Holding(
            now.whole, mesh.hosts, now.state, now.ranges, mesh.bearings, mesh.surfaces, now.fields, now.first_pins
        )

    def told(self, now: "Simulation") -> tuple[Holding, Array]:
        return now.pins, now.state.positions

    def replay(self, now: "Simulation", told: tuple[Holding, Array], change: TopologyChange) -> None:
        now.pins.hand_on(*told, now.state.positions, change.nodes)

    def kept(self, now: "Simulation") -> Arrays:
        return {"anchors": now.pins.arrays()}

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        now.pins.restore(np.array(arrays["anchors"], dtype=np.float64))

"""All of a simulation that lies on its meshes, in the order in which it is built; a new one is a line here."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..fem.damping import Damping
from ..fem.momentum import disturbed
from ..fem.step_control import farthest_jumps
from ..force_fields.acting import ForceFields
from ..keyed import KeyedSettings
from ..merging.acting import acting_scene
from ..merging.joining import element_sizes
from ..merging.watch import Watch
from ..state import element_size
from .change import TopologyChange
from .consumer import Built, Consumer, Ground
from .remembering import BodyContacts, ColliderContacts, Company, Ledger, Pinched, Pins, Pressing, Touching, Turned, Worn

if TYPE_CHECKING:
    from ..simulate import Simulation

Array = NDArray[np.float64]


def _met(now: "Simulation", ground: Ground) -> NDArray[np.bool_]:
    """Whether a node (n,) pushed another at the step's start."""
    return np.zeros(len(now.state.positions), dtype=bool)


def _damping(now: "Simulation", ground: Ground) -> Damping:
    damping = Damping([body.extent for body in now.scene.bodies], now.ranges, now.state)
    damping.set_materials([body.scaled_material() for body in now.scene.bodies])
    return damping


class Keyed(Consumer):
    """What the artist keys is written anew into the new state, and into that of a checkpoint."""

    name = "keyed"

    def build(self, now: "Simulation", ground: Ground) -> KeyedSettings:
        return KeyedSettings(now.whole, ground.mesh.hosts, now.ranges, now.state, now.space, now.contacts)

    def replay(self, now: "Simulation", told: None, change: TopologyChange) -> None:
        now.keyed.restart(now.state)


def _finest(now: "Simulation", ground: Ground) -> float:
    return min(element_size(now.state.volumes[a:b]) for a, b in pairwise(now.ranges.tets.tolist()))


def _farthest(now: "Simulation", ground: Ground) -> Array:
    return farthest_jumps([body.extent for body in now.scene.bodies], element_size(now.state.volumes))


def _watch(now: "Simulation", ground: Ground) -> Watch:
    mesh = ground.mesh
    acting = acting_scene(now.whole, mesh.hosts, mesh.merging)
    return Watch(acting, element_sizes(now.whole, mesh.hosts), now.state, now.ranges)


CONSUMERS: tuple[Consumer, ...] = (
    Touching(),
    Company(),
    Ledger(),
    Built("met", _met),
    Pressing(),
    ColliderContacts(),
    BodyContacts(),
    Worn(),
    Turned(),
    Pinched(),
    Pins(),
    Built("force_fields", lambda now, _: ForceFields(now.scene, now.ranges, now.state.masses)),
    Built("disturbed", lambda now, ground: disturbed(now.whole.bodies, ground.mesh.hosts, now.ranges)),
    Built("damping", _damping),
    Keyed(),  # after contacts, whose stiffness it keys
    Built("element_size", lambda now, _: element_size(now.state.volumes)),
    Built("farthest", _farthest),
    Built("finest", _finest),
    Built("watch", _watch),
)

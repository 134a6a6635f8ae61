"""What lies on meshes: built on them, told by the record of a change, and kept by checkpoints."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..contact.points import ContactPoints
from .change import TopologyChange

if TYPE_CHECKING:
    from ..contact.surfaces.surface_contact import SurfaceContact
    from ..fem.workspace import Unknowns
    from ..remesh.discretization import Discretization
    from ..simulate import Simulation

Arrays = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True)
class Ready:
    """What of new meshes has been made before they are taken over: their unknowns, and the contact of what is seen of them."""

    unknowns: "Unknowns | None" = None
    surfaces: "SurfaceContact | None" = None


@dataclass(frozen=True)
class Ground:
    """What consumers are built on.

    mesh     : the meshes and what is bound to them; points: those of contact with colliders
    remeshed : whether these are not the meshes of the start, so that what was known is handed on, or restored
    surfaces : the contact of what is seen, if it has been made
    """

    mesh: "Discretization"
    points: ContactPoints
    remeshed: bool
    surfaces: "SurfaceContact | None" = None


class Consumer:
    """Something that lies on a simulation's meshes, by the `name` of the simulation's attribute.

    One that remembers nothing is only built anew.
    """

    name: str

    def build(self, now: "Simulation", ground: Ground) -> Any:
        """What becomes the attribute on new meshes, before it knows anything."""
        raise NotImplementedError

    def told(self, now: "Simulation") -> Any:
        """What the old one knows, read off the simulation before it has other meshes."""

    def replay(self, now: "Simulation", told: Any, change: TopologyChange) -> None:
        """Let the new one know what was told, by the record of the change, whoever has made that."""

    def kept(self, now: "Simulation") -> Arrays:
        """What a checkpoint has of it, by name."""
        return {}

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        """Take back what was kept, from all that a checkpoint has."""


@dataclass
class Built(Consumer):
    """One that remembers nothing: what `made` (simulation, ground) gives."""

    name: str
    made: Callable[["Simulation", Ground], Any]

    def build(self, now: "Simulation", ground: Ground) -> Any:
        return self.made(now, ground)


class Values(Consumer):
    """An array of its own name and `kind` of number, which begins with what `first` (simulation) says."""

    def __init__(self, name: str, kind: type, first: Callable[["Simulation"], NDArray[Any]]) -> None:
        self.name, self.kind, self.first = name, kind, first

    def build(self, now: "Simulation", ground: Ground) -> NDArray[Any]:
        return self.first(now)

    def told(self, now: "Simulation") -> NDArray[Any]:
        """The old array."""
        values: NDArray[Any] = getattr(now, self.name)
        return values

    def kept(self, now: "Simulation") -> Arrays:
        return {self.name: self.told(now).copy()}

    def restore(self, now: "Simulation", arrays: Arrays) -> None:
        setattr(now, self.name, np.array(arrays[self.name], dtype=self.kind))

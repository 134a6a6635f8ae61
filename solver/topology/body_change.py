"""What a producer says of one body, and the discretization that comes of it: the half of the door that needs no simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ..embedding import Binding
from ..frame import SurfaceChange
from ..pins.bearing import Bearing
from ..surface import Surface
from ..tetmesh.mesh import TetMesh
from .change import TetChange

if TYPE_CHECKING:
    from ..remesh.discretization import Discretization
    from ..tearing.surface_cut import SurfaceCut


class NewTets(TetChange, Protocol):
    """New tets of a body, and the mesh that it has with them."""

    @property
    def new(self) -> TetMesh:
        """The whole mesh, as it lies."""


@dataclass(frozen=True)
class BodyChange:
    """One body's part of a change.

    seen              : what is seen of it, after its cuts
    surface, contacts : the bindings of that and of contact points to its tets; contacts None: they stay
    cuts              : how its surface was cut, sewn, refined or laid anew, one after another
    tets              : its new tets; None: they stay
    """

    seen: Surface
    surface: Binding
    contacts: Binding | None = None
    cuts: tuple["SurfaceCut", ...] = ()
    tets: NewTets | None = None

    def bearing(self, old: Bearing) -> Bearing:
        """What pins lie on: where all nodes are new as all lies now, else as it lay when the nodes were new that stay."""
        if self.tets is not None and not (self.tets.nodes.same >= 0).any():
            for cut in self.cuts:
                old = old.named(cut)
            return old.renewed(self.tets.new, self.seen)
        for cut in self.cuts:
            old = old.after(cut)
        return old if self.tets is None else old.on(self.tets.nodes.carried(old.nodes), self.tets.new.tets)


def replaced(
    present: "Discretization", bodies: Mapping[int, BodyChange], places: Sequence[int], uids: Sequence[str]
) -> tuple["Discretization", tuple[SurfaceChange, ...]]:
    """Return the discretization with some bodies changed, but for its state and ranges, and the changes of what is seen.

    places (b,) are the bodies' in the scene, where topologies are counted, uids (b,) their names.
    """
    surfaces, contacts, triangles = list(present.surfaces), list(present.contacts), list(present.triangles)
    bearings, grains, tables = list(present.bearings), list(present.grains), list(present.tables)
    topologies, changes = present.topologies.copy(), []
    for index, body in bodies.items():
        surfaces[index], triangles[index], bearings[index] = body.surface, body.seen.triangles, body.bearing(bearings[index])
        contacts[index] = contacts[index] if body.contacts is None else body.contacts
        tables[index] = tables[index] if body.tets is None else body.tets.new.topology
        for cut in body.cuts:
            grains[index] = grains[index].after(cut, seams=body.tets is not None)
            topologies[places[index]] += 1
            changes.append(SurfaceChange(uids[index], int(topologies[places[index]]), cut))
    result = replace(present, surfaces=surfaces, contacts=contacts, triangles=triangles, bearings=bearings, grains=grains)
    return replace(result, tables=tuple(tables), topologies=topologies), tuple(changes)

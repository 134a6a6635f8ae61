"""What a body is on new tets."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, evaluate
from ..filling import Covering
from ..remesh.record import MeshChange
from ..surface import Surface
from ..topology.body_change import BodyChange
from .surface_cut import SurfaceCut

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RenewedBody:
    """A body on its new mesh: the change, the bindings of its surface, as it is seen, and of contact points, how it was cut.

    shown     : (p',) the share of what is to be seen of each new piece that is, where the surface is that of its tets
    apart     : whether some pieces touch that should have merged, and are still apart
    sewn      : whether some pieces have merged, or creases closed: what they overlapped by is no longer there twice
    fragments : how many pieces vanished at a tear, being too small, and their volume together [m^3]
    creased   : whether the first of the cuts has closed creases
    laid      : whether the cut has laid the surface anew on the tets' own, in no more pieces than before
    outside   : how far outside the new tets the farthest lies that is seen [m]
    folded    : whether it has folded onto itself, and its sides have tets of their own
    crossing  : (k, 3) where faces that were sewn, or where creases closed, pass through others that they did not before [m]
    """

    change: MeshChange
    surface: Binding
    contacts: Binding
    seen: Surface
    cuts: tuple[SurfaceCut, ...]
    shown: Array | None = None
    apart: bool = False
    sewn: bool = False
    fragments: tuple[int, float] = (0, 0.0)
    creased: bool = False
    laid: bool = False
    outside: float = 0.0
    folded: bool = False
    crossing: Array = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def cut(self) -> bool:
        """Whether its surface has been cut or sewn, and not only creases of it closed."""
        return len(self.cuts) > self.creased

    @cached_property
    def covering(self) -> Covering:
        """What is seen about the new tets, to the last bit as a bake that is resumed finds it."""
        mesh = self.change.new
        return Covering(mesh, Surface(evaluate(self.surface, mesh.tets, mesh.positions), self.seen.triangles))

    @property
    def record(self) -> BodyChange:
        """The change by itself."""
        return BodyChange(self.seen, self.surface, self.contacts, self.cuts, self.change)

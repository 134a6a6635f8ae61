"""A torn body's remesh: tets for each of its pieces, its surface cut between them, and bound to each apart."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding
from ..errors import MeshingError
from ..remesh.restuffing import restuffed
from ..surface import Surface
from ..tetmesh.compaction import compacted
from ..tetmesh.manifold import components
from ..tetmesh.mesh import TetMesh
from .cutter import cutter
from .pieces import Pieces
from .surface_cut import SurfaceCut, cut_surface
from .thin import torn


@dataclass(frozen=True)
class TornSurface:
    """A surface bound to a mesh in pieces: its binding, that of its contact points, its triangles, the cut if it had one."""

    surface: Binding
    contacts: Binding
    triangles: NDArray[np.int32]
    cut: SurfaceCut | None


def restuffed_apart(old: TetMesh, thickness: float, element_size: float, turn: NDArray[np.float64]) -> TetMesh:
    """Return new tets for an old mesh (remesh.restuffing), less what is thinner than its tear thickness [m].

    Pieces stay pieces, however near they are; none is fitted to the steps that old tets make where it has torn. One that is
    thinner than new tets would be keeps its old ones.
    """
    left = torn(old, thickness, element_size)
    piece = components(left.tets)
    count = int(piece.max()) + 1
    parts = []
    for k in range(count):
        part = compacted(left.positions, left.tets[piece == k])
        try:
            parts.append(restuffed(part, element_size, turn, fit=False))
        except MeshingError:
            if count == 1:
                raise
            parts.append(part)
    first = np.cumsum([0, *(len(part.positions) for part in parts)])
    tets = np.concatenate([part.tets + start for part, start in zip(parts, first[:-1], strict=True)])
    return TetMesh(np.concatenate([part.positions for part in parts]), tets.astype(np.int32))


def cut_where_torn(old: TetMesh, new: TetMesh, seen: Surface, element_size: float, spacing: float) -> TornSurface:
    """Return the surface seen on an old mesh on its new one; spacing [m] is that of the points that carry contact."""
    solid = cutter(old, new, element_size)
    cut = None if solid is None else cut_surface(seen, solid)
    if cut is not None:
        seen = Surface(cut.positions, cut.triangles)
    pieces = Pieces(new)
    owners = pieces.owners(seen, element_size)
    return TornSurface(pieces.bound(seen, owners), pieces.contacts(seen, owners, spacing), seen.triangles, cut)

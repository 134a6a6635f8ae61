"""Bodies of which the tets' own surface is seen: what they begin with, laid on the artist's mesh."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import unpaired_edges
from ..geometry.measures import signed_volumes
from ..geometry.orientation import oriented
from ..geometry.triangle_tree import triangle_tree
from ..scene import Body
from ..surface import Surface
from ..tearing.at_start import on_copy
from ..tearing.surface_cut import SurfaceCut
from ..tetmesh.mesh import TetMesh
from .laying import Laid, laid_surface
from .record import laid_cut

COARSE = 12  # elements across a body below which its surface is parted twice, and not once
ABOUT = 0.1  # share of what tets fill by which the volume of the artist's mesh may differ for it to be what it encloses


def laid_body(body: Body, mesh: TetMesh) -> tuple[Body, Laid, SurfaceCut]:
    """Return a body on the surface of its first tets, that, and the change of the artist's mesh to it."""
    old = body.surface
    faces = oriented(old.positions - mesh.middle, old.triangles)
    outwards = Surface(old.positions, faces.triangles)
    wanted = _enclosed(outwards, mesh)
    laid = laid_surface(mesh, outwards, times(body), body.element_size, contact_spacing(body, body.element_size), wanted)
    cut = laid_cut(old, triangle_tree(old.positions, faces.triangles), faces.source, laid.surface)
    laid = laid.as_in(cut.triangles)
    return on_copy(body, cut), laid, cut


def times(body: Body) -> int:
    """How often each triangle of a body's boundary is parted in four."""
    return 2 if body.resolution < COARSE else 1


def contact_spacing(body: Body, element_size: float) -> float:
    """How far apart points of a body are that carry contact [m]."""
    return 0.5 * element_size / body.contact_detail


def _enclosed(outwards: Surface, mesh: TetMesh) -> NDArray[np.float64] | None:
    """The volume (1,) [m^3] that a surface encloses; None where it is open, crosses itself or is in pieces."""
    volume, filled = float(signed_volumes(outwards.positions, outwards.triangles).sum()), float(mesh.volumes.sum())
    if mesh.piece.any() or unpaired_edges(outwards.triangles) or abs(volume - filled) > ABOUT * filled:
        return None
    return np.array([volume])

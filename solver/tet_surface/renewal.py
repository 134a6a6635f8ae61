"""A body's surface on new tets, as far as what was seen of it tells: laid on that, with its volume."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.triangle_tree import triangle_tree
from ..remesh.record import MeshChange
from ..remesh.seen_share import Lineage, handed_on, share_shown
from ..scene import Body
from ..surface import Surface
from ..tearing.surface_cut import SurfaceCut
from .bodies import contact_spacing, times
from .laying import Laid, laid_surface
from .record import laid_cut

Array = NDArray[np.float64]


def relaid(
    body: Body, element_size: float, change: MeshChange, seen: Surface, carrying: NDArray[np.int32]
) -> tuple[Laid, SurfaceCut, Array]:
    """Return the surface of a body's new tets of a size [m], the change to it of what was seen, and the share (p',) of what is
    to be seen of each new piece that it encloses.

    carrying (n,) names the old tet that carries each of its vertices.
    """
    wanted = handed_on(Lineage(change), seen, carrying)
    laid = laid_surface(change.new, seen, times(body), element_size, contact_spacing(body, element_size), wanted)
    cut = laid_cut(seen, triangle_tree(seen.positions, seen.triangles), np.arange(len(seen.triangles)), laid.surface)
    return laid.as_in(cut.triangles), cut, share_shown(change, wanted, laid.surface, laid.bound.tets)

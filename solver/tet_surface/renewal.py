"""A body's surface on new tets, as far as what was seen of it tells: laid on that, with its volume."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix

from ..geometry.measures import signed_volumes
from ..geometry.triangle_tree import triangle_tree
from ..remesh.record import MeshChange
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
    wanted = handed_on(change, seen, carrying)
    laid = laid_surface(change.new, seen, times(body), element_size, contact_spacing(body, element_size), wanted)
    cut = laid_cut(seen, triangle_tree(seen.positions, seen.triangles), np.arange(len(seen.triangles)), laid.surface)
    piece = change.new.piece[laid.bound.tets[laid.surface.triangles[:, 0]]]
    has = np.bincount(piece, signed_volumes(laid.surface.positions, laid.surface.triangles), len(wanted))
    shown = np.divide(has, wanted, out=np.ones(len(wanted)), where=(has > 0.0) & (wanted > 0.0))
    return laid.as_in(cut.triangles), cut, shown


def handed_on(change: MeshChange, seen: Surface, carrying: NDArray[np.int32]) -> Array:
    """Return the volume (p',) that is to be seen of each new piece [m^3].

    What was seen of an old piece goes to the new ones as they share its tets: so the sum is kept, whatever merges or tears.
    """
    old, new = change.old.piece, change.new.piece
    had = np.bincount(
        old[carrying[seen.triangles[:, 0]]], signed_volumes(seen.positions, seen.triangles), int(old.max()) + 1
    )
    had = np.where(had > 0.0, had, change.old.piece_volumes)  # of what shares a shell with others nothing is seen by itself
    sources, targets = change.pairs()
    shape = len(had), int(new.max()) + 1
    shared = coo_matrix((change.volumes, (old[sources], new[targets])), shape=shape).toarray()
    total = shared.sum(axis=1)
    wanted: Array = (had / np.where(total > 0.0, total, 1.0)) @ shared
    return wanted

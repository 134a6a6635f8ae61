"""What is seen of a body that merges, where it passes through itself: creases are closed, and what still does then is united.

A crease that closes may leave two shells of one, as where bulges meet around a neck. Nothing keeps them apart then, and they
are no pieces that could merge. And some fold too deep to be closed by a band: they are united with themselves.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.edge_crossings import piercing_pairs
from ..geometry.edges import connected
from ..geometry.measures import signed_volumes
from ..surface import Surface
from ..tearing.pieces import voted
from ..tearing.seams import grown, sew, sew_to_itself
from ..tearing.surface_cut import SurfaceCut
from .closing import creases_closed

Array = NDArray[np.float64]

CROWDED = 500  # pairs of faces in each other from which on no band is tried: that takes long then, and leaves some for a union


def unfolded(seen: Surface, soon: Array, pieces: NDArray[np.int32], element_size: float) -> list[SurfaceCut]:
    """The changes, one after the other, of what is seen where it passes through itself, or will with vertices `soon` (n, 3).

    pieces (n,) are those of the tets that carry its vertices; element_size [m] is that of the tets.
    """
    cuts = list[SurfaceCut]()
    through = _through_themselves(seen, pieces)
    closed = None if len(through) > CROWDED else creases_closed(seen, soon, element_size)
    if closed is not None:
        seam = np.unique(closed.triangles[~closed.whole]).astype(np.int64)
        if len(seam):
            had = float(signed_volumes(seen.positions, seen.triangles).sum())
            closed = replace(closed, positions=grown(closed, closed.triangles, had, seam, element_size))
        cuts, seen, pieces = [closed], Surface(closed.positions, closed.triangles), closed.carried_as(pieces)
        through = _through_themselves(seen, pieces)
    for piece in np.unique(through):
        united = self_united(seen, voted(seen, pieces)[seen.triangles[:, 0]] == piece, element_size)
        if united is not None:
            cuts, seen, pieces = [*cuts, united], Surface(united.positions, united.triangles), united.carried_as(pieces)
    return cuts


def _through_themselves(seen: Surface, pieces: NDArray[np.int32]) -> NDArray[np.int32]:
    """The piece (k,) of each pair of faces of one that pass through each other, given those (n,) of vertices."""
    pairs, owner = piercing_pairs(seen.positions, seen.triangles), voted(seen, pieces)[seen.triangles[:, 0]]
    return np.asarray(owner[pairs[:, 0]][owner[pairs[:, 0]] == owner[pairs[:, 1]]])


def self_united(seen: Surface, own: NDArray[np.bool_], element_size: float) -> SurfaceCut | None:
    """Return a surface's change where its own triangles (t,) pass through each other; None where none do, or where no union
    leaves fewer that do.

    Shells of theirs that pass through others become one with these, and one that passes through itself one with itself.
    element_size [m] is that of the tets.
    """
    pairs = piercing_pairs(seen.positions, seen.triangles)
    pairs = pairs[own[pairs].all(axis=1)]
    if not len(pairs):
        return None
    ends = np.stack([seen.triangles, np.roll(seen.triangles, -1, axis=1)]).reshape(2, -1)
    shells = connected(ends, len(seen.positions))[seen.triangles[:, 0]]
    part = np.full(len(shells), -1, dtype=np.int32)
    for number, shell in enumerate(np.unique(shells[pairs])):
        part[shells == shell] = number
    folded = (shells[pairs[:, 0]] == shells[pairs[:, 1]]).any()
    made = sew_to_itself(seen, part >= 0, element_size) if folded else sew(seen, part, element_size)
    return None if made is None or len(made[1]) >= len(np.unique(pairs)) else made[0]

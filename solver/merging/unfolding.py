"""What is seen of a body that merges, where it passes through itself: creases are closed, shells of one piece of tets united.

A crease that closes may leave two shells of one, as where bulges meet around a neck. Nothing keeps them apart then, and they
are no pieces that could merge.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.edge_crossings import piercing_pairs
from ..geometry.edges import connected
from ..geometry.measures import signed_volumes
from ..surface import Surface
from ..tearing.pieces import voted
from ..tearing.seams import grown, sew
from ..tearing.surface_cut import SurfaceCut
from .closing import creases_closed

Array = NDArray[np.float64]


def unfolded(seen: Surface, soon: Array, pieces: NDArray[np.int32], element_size: float) -> list[SurfaceCut]:
    """The changes, one after the other, of what is seen where it passes through itself, or will with vertices `soon` (n, 3).

    pieces (n,) are those of the tets that carry its vertices; element_size [m] is that of the tets.
    """
    cuts = list[SurfaceCut]()
    closed = creases_closed(seen, soon, element_size)
    if closed is not None:
        seam = np.unique(closed.triangles[~closed.whole]).astype(np.int64)
        if len(seam):
            had = float(signed_volumes(seen.positions, seen.triangles).sum())
            closed = replace(closed, positions=grown(closed, closed.triangles, had, seam, element_size))
        cuts, seen, pieces = [closed], Surface(closed.positions, closed.triangles), closed.carried_as(pieces)
    united = shells_united(seen, voted(seen, pieces)[seen.triangles[:, 0]], element_size)
    return cuts if united is None else [*cuts, united]


def shells_united(seen: Surface, pieces: NDArray[np.int32], element_size: float) -> SurfaceCut | None:
    """Return a surface's change where shells of one of the pieces (t,) of its triangles pass through each other; None where
    none do, or where they would pass through themselves at the seam. Of several pieces it is that with most such pairs.

    element_size [m] is that of the tets.
    """
    pairs = piercing_pairs(seen.positions, seen.triangles)
    ends = np.stack([seen.triangles, np.roll(seen.triangles, -1, axis=1)]).reshape(2, -1)
    shells = connected(ends, len(seen.positions))[seen.triangles[:, 0]]
    pairs = pairs[(shells[pairs[:, 0]] != shells[pairs[:, 1]]) & (pieces[pairs[:, 0]] == pieces[pairs[:, 1]])]
    if not len(pairs):
        return None
    pairs = pairs[pieces[pairs[:, 0]] == np.bincount(pieces[pairs[:, 0]]).argmax()]
    part = np.full(len(shells), -1, dtype=np.int32)
    for number, shell in enumerate(np.unique(shells[pairs])):
        part[shells == shell] = number
    made = sew(seen, part, element_size)
    return None if made is None or len(made[1]) else made[0]

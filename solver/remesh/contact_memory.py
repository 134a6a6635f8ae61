"""What contact points know of colliders, handed on to the points of a new mesh: each takes what the nearest old one knew."""

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..contact.contacts import Contacts

Array = NDArray[np.float64]


def handed_on(
    old: Contacts, old_places: Array, old_owners: NDArray[np.int64], new: Contacts, places: Array, owners: NDArray[np.int64]
) -> dict[str, NDArray[np.generic]]:
    """Contacts.arrays() for the new points at places (k', 3), of the bodies owners (k',), from the old ones'.

    Points on a surface ask those on the same body's surface, points inside those inside.
    """
    source = np.zeros(len(places), dtype=np.int64)
    for body in np.unique(owners):
        for inside in (False, True):
            theirs = np.flatnonzero((old_owners == body) & (old.points.inside == inside))
            mine = np.flatnonzero((owners == body) & (new.points.inside == inside))
            if len(mine) and not len(theirs):
                theirs = np.flatnonzero(old_owners == body)
            if len(mine):
                source[mine] = theirs[cKDTree(old_places[theirs]).query(places[mine], workers=numba.get_num_threads())[1]]
    known = old.of_points()
    del known["awake"]  # they are seen anew
    edges = {} if old.edges is None else old.edges.of_places()
    return {"awake": new.awake, **edges, **{name: values[:, source] for name, values in known.items()}}

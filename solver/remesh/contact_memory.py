"""What contact points know of colliders, handed on to the points of a new mesh: each takes what the nearest old one knew."""

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..contact.contacts import Contacts
from ..contact.points import ContactPoints
from ..geometry.measures import bounding_box, within_box

Array = NDArray[np.float64]

SAME = 1e-6  # element sizes within which a point is one that was there
NEAR = 2.0  # element sizes within which a point takes over what another knew


def handed_on(
    old: Contacts, old_places: Array, old_owners: NDArray[np.int64], new: Contacts, places: Array, owners: NDArray[np.int64]
) -> dict[str, NDArray[np.generic]]:
    """Contacts.arrays() for the new points at places (k', 3), of the bodies owners (k',), from the old ones'.

    Points on a surface ask those on the same body's surface, points inside those inside. One that none is near begins anew.
    """
    known = old.of_points()
    del known["awake"]  # they are seen anew
    source, near = np.zeros(len(places), dtype=np.int64), np.zeros(len(places), dtype=bool)
    knowing = np.zeros(len(old_places), dtype=bool)
    for values in known.values():
        for row in np.moveaxis(values, 1, -1).reshape(-1, len(old_places)) if values.any() else ():
            knowing |= row != 0
    for body in np.unique(owners):
        for inside in (False, True):
            theirs = np.flatnonzero((old_owners == body) & (old.points.inside == inside))
            mine = np.flatnonzero((owners == body) & (new.points.inside == inside))
            if len(mine) and not len(theirs):
                theirs = np.flatnonzero(old_owners == body)
            some = old_places[theirs[knowing[theirs]]]
            if len(mine) and len(some):
                reach = NEAR * float(new.points.size[mine[0]])
                lower, upper = bounding_box(some)
                mine = mine[within_box(places[mine], lower - reach, upper + reach)]
                theirs = theirs[within_box(old_places[theirs], lower - 2.0 * reach, upper + 2.0 * reach)]
                distance, nearest = cKDTree(old_places[theirs]).query(places[mine], workers=numba.get_num_threads())
                found = distance < reach
                source[mine[found]], near[mine[found]] = theirs[nearest[found]], True
    edges = {} if old.edges is None else old.edges.of_places()
    own, taken = np.flatnonzero(near), dict[str, NDArray[np.generic]]()
    for name, values in known.items():
        taken[name] = np.zeros((len(values), len(places), *values.shape[2:]), values.dtype)
        taken[name][:, own] = values[:, source[own]]
    return {"awake": new.awake, **old.leading.arrays(), **edges, **taken}


def come(old_places: Array, places: Array, points: ContactPoints, asked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Those of the points asked (k',), at places (k', 3), that were not among the old ones at their places (k, 3)."""
    own = np.flatnonzero(asked)
    if not len(own) or not len(old_places):
        return own
    distance, _ = cKDTree(old_places).query(places[own], distance_upper_bound=SAME * float(points.size.max()))
    fresh: NDArray[np.int64] = own[~(distance <= SAME * points.size[own])]
    return fresh

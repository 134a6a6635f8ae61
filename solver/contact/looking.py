"""What points see of a collider."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..colliders import Field

if TYPE_CHECKING:
    from .contacts import Contacts
    from .entries import Entries

Array = NDArray[np.float64]

DEEP = 0.015  # element sizes that a point is in a collider
OFF = 1.5  # times what its planes say: in a hollow the edge is further away than either face


def query(field: Field, points: Array, time: float, margin: float, beneath: bool = False) -> tuple[Array, Array, Array]:
    """Distance (k,), normal (k, 3), velocity (k, 3) of a collider at points (k, 3); of a ground also from beneath."""
    distance, (normal, velocity) = np.empty(len(points)), np.empty((2, len(points), 3))
    ask = field.beneath if beneath else field.query
    assert ask is not None  # only grounds are asked from beneath
    if len(points):
        ask(np.ascontiguousarray(points), time, margin, distance, normal, velocity)
    return distance, normal, velocity


def distances(field: Field, points: Array, time: float) -> Array:
    """How far (k,) [m] points (k, 3) are from a collider at a time [s]; negative inside."""
    return query(field, points, time, np.inf)[0]


def depths(field: Field, points: Array, time: float) -> Array:
    """How deep (k,) [m] points (k, 3) lie in a collider at a time [s]; 0 outside."""
    distance = distances(field, points, time)
    return np.where(np.isfinite(distance), np.maximum(-distance, 0.0), 0.0)


def astray(contacts: "Contacts", positions: Array, entries: "Entries") -> bool:
    """Whether planes of entries hide how deep a point is in a collider at node positions (n, 3).

    So it is where a plane was that of another side of an edge. Asked are only points that their planes have in it.
    """
    points, count = contacts.points, len(entries.places) - len(entries.keys)
    depth = entries.depth(positions)[:count]
    sunk = np.flatnonzero(depth > 0.0)
    if not len(sunk):
        return False
    places, first, which = np.unique(entries.places[sunk], return_index=True, return_inverse=True)
    deepest = np.zeros(len(places))
    np.maximum.at(deepest, which.ravel(), depth[sunk])
    colliders, own = np.divmod(places, len(points.tets))
    here = entries.carriers.places(positions)[sunk[first]]
    for c in np.unique(colliders):
        some = np.flatnonzero(colliders == c)
        distance, _, _, _ = contacts.look(int(c), own[some], here[some])
        true = -distance - contacts.slack[c, own[some]]
        if ((true > DEEP * points.size[own[some]]) & (true > OFF * deepest[some])).any():
            return True
    return False

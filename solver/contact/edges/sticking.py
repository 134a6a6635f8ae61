"""Stickiness at the edges of colliders: which places hold on to a body, and the area that the stress acts on there.

The law is that of points (adhesion.py). The area of a contact is what lies of the collider's faces beside the edge, seen along
the normal of the contact: from there half-way to the contacts that stick to both sides on the edge, and across it as far as
the face belongs to it (colliders/sharp.py), or as it is no deeper than stickiness reaches, or for half the way between contact
points. So a bar thinner than the room between points bears its stickiness times its flat side, a blade what of its flanks is
as close to the goo as that. No edge is taken for thinner than half the range of stickiness; a tip alone holds nothing. What
points hold nearby is not held twice: their areas are taken off those of the edges around them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ...colliders import Field
from ..adhesion import RANGE

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

POINTS_APART = 0.4  # element sizes between contact points that always touch (embedding.contact_samples)
FARTHEST = 0.4  # element sizes that stickiness of edges reaches at most: contacts are looked for up to `meeting.FAR`
SAME = 0.25  # element sizes along a collider up to which a place that sticks is the same one in the next step
APART = 1.5  # element sizes between contacts on an edge up to which the body is in contact all the way, if not further
AROUND = 1.0  # element sizes from a point that sticks up to which what it holds is taken off edges


def sticking_range(extent: float, element: float) -> float:
    """How far [m] stickiness of edges holds on to a body of an extent [m] and tets of a size [m]."""
    return min(RANGE * extent, FARTHEST * element)


@dataclass
class Sticking:
    """Where edges of colliders hold on to bodies: places (s, 3) [m] on colliders (s,), by their numbers.

    Places, not pairs of edges: a body that slides along an edge, or gets another surface, goes on sticking there.
    """

    places: Array = field(default_factory=lambda: np.zeros((0, 3)))
    colliders: IntArray = field(default_factory=lambda: np.zeros(0, np.int32))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return {"stuck_places": self.places.copy(), "stuck_colliders": self.colliders.copy()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Sticking":
        """That of a checkpoint; nothing sticks where it says nothing of it."""
        if "stuck_places" not in arrays:
            return cls()
        return cls(np.array(arrays["stuck_places"], np.float64), np.array(arrays["stuck_colliders"], np.int32))

    def carried(self, fields: Sequence[Field], begun: float, time: float) -> "Sticking":
        """The same when the colliders have gone on from one time [s] to another."""
        places = self.places.copy()
        for number in np.unique(self.colliders).tolist():
            own = self.colliders == number
            places[own] = fields[number].carried(places[own], begun, time)
        return Sticking(places, self.colliders)

    def holds(self, number: int, places: Array, element: float) -> NDArray[np.bool_]:
        """Whether places (m, 3) on a collider by its number are such as stick, for a body of tets of a size [m]."""
        known = self.places[self.colliders == number]
        if not len(known) or not len(places):
            return np.zeros(len(places), dtype=bool)
        return np.isfinite(cKDTree(known).query(places, distance_upper_bound=SAME * element)[0])


def left_over(areas: Array, places: Array, points: Array, held: Array, element: float) -> Array:
    """Of areas (m,) [m^2] at places (m, 3) what is left when points (k, 3) nearby have taken theirs, held (k,) [m^2].

    Each takes from all around it the same share.
    """
    if not len(points):
        return areas
    near = cKDTree(places).query_ball_point(points, AROUND * element, return_sorted=True)
    contact = np.concatenate([np.asarray(own, dtype=np.int64) for own in near])
    point = np.repeat(np.arange(len(points)), [len(own) for own in near])
    share = held / np.maximum(np.bincount(point, areas[contact], len(points)), 1e-300)
    left: Array = areas * np.maximum(1.0 - np.bincount(contact, share[point], len(areas)), 0.0)
    return left


def held_areas(
    met: Array, normal: Array, keys: IntArray, ends: IntArray, corners: Array, inwards: Array, widths: Array, reach: float,
    element: float, longest: float,
) -> Array:  # fmt: skip
    """The areas (m,) [m^2] that contacts hold, all of which stick and are of one body and one collider.

    met, normal (m, 3), keys (m, 4) as in Crossings; of the collider ends (e, 2) of its edges, corners (v, 3), inwards (e, 2, 3)
    unit vectors along the faces to both sides of an edge, widths (e, 2) [m] of what belongs to it; reach [m] of stickiness.
    Contacts on an edge further apart than APART and the longest edge of the body [m] have no face of it between them.
    """
    edge, contact = _stations(keys, ends)
    start = corners[ends[edge, 0]]
    way = corners[ends[edge, 1]] - start
    length = np.sqrt((way**2).sum(axis=1))
    along = np.einsum("ki,ki->k", met[contact] - start, way) / np.maximum(length, 1e-300)
    order = np.lexsort((contact, along, edge))
    edge, contact, along = edge[order], contact[order], along[order]
    between = np.diff(along)
    between[(np.diff(edge) != 0) | (between > max(longest, APART * element))] = 0.0
    half = 0.5 * (np.append(between, 0.0) + np.append(0.0, between))
    across = _width(normal[contact], way[order], inwards[edge], widths[edge], reach, element)
    return np.asarray(np.bincount(contact, half * across, len(met)), dtype=np.float64)


def _stations(keys: IntArray, ends: IntArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Contacts as they lie on edges (e, 2) of a collider: edges (s,), contacts (s,); a corner lies on all that end there."""
    corner = keys[:, 3] < 0
    at = np.full(int(ends.max()) + 1, -1, dtype=np.int64)
    at[keys[corner, 2]] = np.flatnonzero(corner)
    ending, _ = np.nonzero(at[ends] >= 0)
    contacts = at[ends]
    crossing = np.flatnonzero(~corner)
    return (
        np.concatenate([keys[crossing, 2].astype(np.int64), ending]),
        np.concatenate([crossing, contacts[contacts >= 0]]),
    )  # fmt: skip


def _width(normal: Array, way: Array, inwards: Array, widths: Array, reach: float, element: float) -> Array:
    """How wide (s,) [m] edges along ways (s, 3) are, seen along normals (s, 3) from the body."""
    sideways = np.cross(way, normal)
    sideways /= np.maximum(np.sqrt((sideways**2).sum(axis=1)), 1e-300)[:, None]
    low, high = np.zeros(len(way)), np.zeros(len(way))
    for side in range(2):
        falls = -np.einsum("ki,ki->k", inwards[:, side], normal)
        far = np.minimum(widths[:, side], reach / np.maximum(falls, 1e-9))
        seen = np.einsum("ki,ki->k", inwards[:, side], sideways) * np.minimum(far, 0.5 * POINTS_APART * element)
        low, high = np.minimum(low, seen), np.maximum(high, seen)
    return np.maximum(high - low, 0.5 * reach)

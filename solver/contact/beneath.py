"""Open grounds, solid below for a little way: which points are beneath one, having come round its rim or from deeper down.

Beside the rim, of a hole or of the edge of a table, there is no ground; under it there is, as seen from above. What comes in
from there would be lifted by the whole of its depth at once, and shot away: it belongs beneath, where nothing jumps.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..colliders import Field
from .looking import depths, query
from .passage import Seen

Array = NDArray[np.float64]
Points = tuple[Array, NDArray[np.int64], NDArray[np.bool_]]  # places (k, 3) [m], the bodies (k,) that have them, who is beneath

ON = 1e-6  # element sizes from a face, up to which a place lies on it


def are_beside(above: Array, below: Array, size: Array | float) -> NDArray[np.bool_]:
    """Which points (k,) are beside the rim of a ground, by its distances (k,) as seen from above and from below [m].

    On its face, to within ON element sizes (k,) [m], both are next to nothing; in the thickness that rounds a rim below it.
    """
    return np.isfinite(above) & (above == below) & (np.abs(above) > ON * size)


def are_sunk(field: Field, places: Array, bodies: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which points of bodies (k,), at places (k, 3), lie under a ground at the start and do not belong there, at any depth.

    What is deeper than the ground is solid does, but for what is beside its rim.
    """
    above, below, _ = _from_both(field, 0.0, np.inf, places)
    held = np.isfinite(above) & (above != below)
    return _under(above, below) & np.isin(bodies, np.unique(bodies[held]))


def belong_beneath(
    above: Array, below: Array, behind: NDArray[np.bool_], sunk: NDArray[np.bool_]
) -> NDArray[np.bool_]:  # fmt: skip
    """Which points (k,) belong beneath a ground, by its distances (k,) as seen from above and from below [m].

    Those that did (behind), as long as they are near and not beside its rim, where both distances are one; and what comes from
    deeper than the ground is solid, but for what is there from the start and to be lifted out (sunk).
    """
    near = np.isfinite(below) & (above != below)
    return near & (behind | (np.isinf(above) & ~sunk))


def come_in(near: Array, sunk: NDArray[np.bool_], slack: Array, free: Array) -> Array:
    """The slack (k,) [m] of points with distances (k,) to a ground [m]: those sunk in it that had none and are deeper than
    `free` (k,) [m] have come up from deeper than it is solid, and are let out from where they are."""
    return np.where(sunk & (slack == 0.0) & (near < -free), -near, slack)


def beneath_again(field: Field, time: float, deep: float, old: Points, new: Points) -> NDArray[np.bool_]:
    """Which of new points belong beneath a ground, as those of a body that has got new tets or faces.

    What lies more than `deep` [m] in it does as the nearest old point there did: the nearest of all may lie on the far side of
    a thin wall.
    """
    (places, bodies, belonged), (here, owners, behind) = old, new
    behind = behind.copy()
    doubtful = np.flatnonzero(~behind & (depths(field, here, time) > deep))
    known = np.flatnonzero(belonged | (depths(field, places, time) > deep)) if len(doubtful) else doubtful
    for body in np.unique(owners[doubtful]):
        mine, theirs = doubtful[owners[doubtful] == body], known[bodies[known] == body]
        if len(theirs):
            behind[mine] = belonged[theirs[cKDTree(places[theirs]).query(here[mine])[1]]]
    return behind


def by_sides(behind: NDArray[np.bool_], look: Callable[[NDArray[np.int64], bool], Seen]) -> Seen:
    """What points (k,) see of a ground, those behind it from beneath: look asks for some of them, by index, from one side."""
    seen = np.empty(len(behind)), np.empty((len(behind), 3)), np.empty((len(behind), 3))
    for side in (False, True):
        own = np.flatnonzero(behind == side)
        for column, values in zip(seen, look(own, side), strict=True):
            column[own] = values
    return seen


def come_round(field: Field, time: float, reach: float, begun: Array, here: Array) -> NDArray[np.bool_]:
    """Which points, beside the rim of a ground at places begun (k, 3), have come under it at places here (k, 3), at a time [s].

    Not those that have gone through its face, from above.
    """
    above, below, way = _from_both(field, time, reach, here)
    round_it = _under(above, below)
    some = np.flatnonzero(round_it)
    over_it, under = above[some], below[some]
    under = np.where(np.isinf(over_it), under, 0.5 * (under - over_it))  # the face itself, without its thickness
    before = ((begun[some] - here[some]) * way[some]).sum(axis=1) + under  # beneath the plane of the face, at first
    over = np.flatnonzero(before < 0.0)
    if len(over):
        ahead = (before[over] / (before[over] - under[over]))[:, None] * (here - begun)[some[over]]
        passed = _from_both(field, time, reach, begun[some[over]] + ahead)
        round_it[some[over]] = are_beside(*passed[:2], reach)
    return round_it


def _under(above: Array, below: Array) -> NDArray[np.bool_]:
    return np.isfinite(below) & (above != below) & (np.isinf(above) | (above < 0.0))


def _from_both(field: Field, time: float, reach: float, places: Array) -> tuple[Array, Array, Array]:
    """A ground's distance (k,) [m] at places (k, 3) as seen from above and from below, and the way (k, 3) out below."""
    above, _, _ = query(field, places, time, reach)
    below, way, _ = query(field, places, time, reach, beneath=True)
    return above, below, way

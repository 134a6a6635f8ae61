"""How far what is seen lies outside of new tets: which of it further than it may, and what stuffing has lost around there.

Stuffing loses what is thin between the points of its lattice. Where that leaves something seen outside, points of the lattice
next to all of the lost part are taken for inside (restuffing.py), and the boundary is fitted to what is seen: so it is held.
What is too much is taken back from the boundary, and counts as filled only as far as it is seen (solver/filling.py).
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import connected
from ..geometry.sampling import surface_points
from ..geometry.triangle_tree import closest_points
from ..lookup import Lookup
from ..surface import Surface
from ..tetmesh.mesh import TetMesh

Array = NDArray[np.float64]

LEFT = 0.25  # element sizes outside new tets up to which what is seen may be left
OWN = 0.5  # and outside of old ones, to be asked for: what is further out than that has hung on them from the outside before
MOST_LOST = 0.01  # of what is seen of a body that may not tear that may be left behind: then it keeps the tets that it has
THIN = 0.3  # element sizes outside of tets that are not fitted to what is seen, from which on these have lost a part of it
APART = 0.5  # element sizes between places all over such a part


def farther(old: TetMesh, look: Lookup, element_size: float, most: float) -> NDArray[np.int64]:
    """Which points (j,) lie more than `most` element sizes outside new tets, and further than outside of the old ones.

    But for those that lay more than OWN outside of these.
    """
    before, which = _before(old, look, most * element_size)
    return which[(look.closest.distance[which] > before) & (before <= OWN * element_size)]


def share_lost(old: TetMesh, look: Lookup, element_size: float) -> float:
    """The share of points that are left behind: further out than LEFT, and by half as much more than outside the old tets."""
    before, which = _before(old, look, LEFT * element_size)
    lost = look.closest.distance[which] > before + 0.5 * LEFT * element_size
    return float(lost.sum() / len(look.points))


def lost_parts(plain: TetMesh, seen: Surface, which: NDArray[np.int64], element_size: float) -> Array:
    """Places (p, 3) all over those parts of what is seen that some vertices (j,) are of, and `plain` new tets have lost."""
    look = Lookup.about(plain, seen.positions)
    lost = (look.tets < 0) & (look.closest.distance > THIN * element_size)
    lost[which] = True
    sides = np.stack([seen.triangles, np.roll(seen.triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    part = connected(sides[lost[sides].all(axis=1)].T, len(lost))
    own = lost & np.isin(part, part[which])
    return surface_points(Surface(seen.positions, seen.triangles[own[seen.triangles].any(axis=1)]), APART * element_size)


def _before(old: TetMesh, look: Lookup, far: float) -> tuple[Array, NDArray[np.int64]]:
    """How far points (j,) lie outside of old tets [m], and which: those further than `far` [m] outside of new ones."""
    which = np.flatnonzero((look.tets < 0) & (look.closest.distance > far))
    if not len(which):
        return np.zeros(0), which
    points = np.ascontiguousarray(look.points[which])
    return np.where(old.located(points)[0] < 0, closest_points(old.hull, points).distance, 0.0), which

"""What is seen far outside of new tets is drawn in to them, a little at each remesh so that nothing is seen to jump.

Parts thinner than an element vanish at a remesh, and leave vertices behind that no tet is near. Outside, a vertex goes with the
stretch of the tets next to it: from remesh to remesh its distance would grow with every stretch that they have had, to a spike.
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.triangle_tree import closest_points
from ..lookup import Lookup
from ..surface import Surface
from ..tetmesh.mesh import TetMesh

FARTHEST = 2.0  # element sizes outside up to which a vertex stays where it is
FAR = 0.25  # element sizes outside its tets where what is seen is left behind
AT_ONCE = 0.01  # element sizes by which it is drawn in at most


def drawn_in(seen: Surface, look: Lookup, turn: NDArray[np.float64], element_size: float) -> Surface:
    """Return the surface with vertices that are far outside a mesh moved towards it; itself where there are none.

    look: its vertices about the mesh, in a frame whose axes in the world are the columns of turn (3, 3).
    """
    here, found, farthest = look.mesh, look.closest, FARTHEST * element_size
    far = np.flatnonzero((look.tets < 0) & (found.distance > farthest))
    if not len(far):
        return seen
    corners, points = here.positions[here.faces.boundary[found.triangle[far]]], look.points[far]
    feet = np.einsum("ki,kid->kd", found.weights[far], corners)
    positions = seen.positions.copy()
    nearer = np.maximum(farthest, found.distance[far] - AT_ONCE * element_size)
    positions[far] += (feet - points + (points - feet) * (nearer / found.distance[far])[:, None]) @ turn.T
    return Surface(positions, seen.triangles)


def left_behind(old: TetMesh, look: Lookup, element_size: float) -> float:
    """Return the share of points, looked up in new tets, that lie FAR outside these, and further than outside the old ones."""
    distance = look.closest.distance
    far = np.flatnonzero((look.tets < 0) & (distance > FAR * element_size))
    if not len(far):
        return 0.0
    before = np.where(old.located(look.points[far])[0] < 0, closest_points(old.hull, look.points[far]).distance, 0.0)
    return float((distance[far] > before + 0.5 * FAR * element_size).sum() / len(distance))

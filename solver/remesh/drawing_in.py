"""What is seen far outside of new tets is drawn in to them, a little at each remesh so that nothing is seen to jump.

Parts thinner than an element vanish at a remesh, and leave vertices behind that no tet is near. Outside, a vertex goes with the
stretch of the tets next to it: from remesh to remesh its distance would grow with every stretch that they have had, to a spike.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import MeshingError
from ..geometry.triangle_tree import closest_points
from ..lookup import Lookup
from ..surface import Surface
from ..tetmesh.mesh import TetMesh

if TYPE_CHECKING:
    from ..scene import Body
    from .unfused import OfSheets

FARTHEST = 2.0  # element sizes outside up to which a vertex stays where it is
FAR = 0.25  # element sizes outside its tets where what is seen is left behind,
FURTHER = 0.5 * FAR  # if it was so much less far outside before
AT_ONCE = 0.01  # element sizes by which it is drawn in at most


class Refused(MeshingError):
    """New tets that another lattice may do better than: the body keeps its own for now."""


class LeftOutside(Refused):
    """Something seen would be left behind outside new tets."""


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


def outside(look: Lookup) -> NDArray[np.float64]:
    """Return how far outside its mesh each point (k,) lies [m]; 0 within."""
    return np.where(look.tets < 0, look.closest.distance, 0.0)


def left_behind(old: TetMesh, look: Lookup, element_size: float) -> tuple[float, float]:
    """Return how far outside new tets [m] the farthest of some points, looked up there, is left behind, and what share is.

    Left behind is what lies FAR outside, and FURTHER than outside the old ones.
    """
    distance = outside(look)
    far = np.flatnonzero(distance > FAR * element_size)
    if not len(far):
        return 0.0, 0.0
    before = np.where(old.located(look.points[far])[0] < 0, closest_points(old.hull, look.points[far]).distance, 0.0)
    left = distance[far][distance[far] > before + FURTHER * element_size]
    return float(left.max(initial=0.0)), len(left) / len(distance)


def refuse(body: "Body", farthest: float, sheets: "OfSheets | None", insist: bool) -> None:
    """Refuse new tets that something seen is left behind so far outside of [m], but for those who insist.

    Those of a folded body, of sheets, and of the variational remesher are not fitted to what is seen, and others would leave as
    much.
    """
    if farthest > 0.0 and sheets is None and body.remesher == "stuffing" and not insist:
        raise LeftOutside("Something seen would be left outside its new tets.", remedy="Raise the Resolution.")

"""What is seen far outside of new tets is drawn in to them, a little at each remesh so that nothing is seen to jump.

Parts thinner than an element vanish at a remesh, and leave vertices behind that no tet is near. Outside, a vertex goes with the
stretch of the tets next to it: from remesh to remesh its distance would grow with every stretch that they have had, to a spike.
"""

import numpy as np

from ..geometry.triangle_tree import closest_points
from ..surface import Surface
from ..tetmesh.mesh import TetMesh

FARTHEST = 2.0  # element sizes outside up to which a vertex stays where it is
AT_ONCE = 0.01  # element sizes by which it is drawn in at most


def drawn_in(seen: Surface, mesh: TetMesh, element_size: float) -> Surface:
    """Return the surface with vertices that are far outside a mesh moved towards it; itself where there are none."""
    here, points, farthest = mesh.centred, np.ascontiguousarray(seen.positions - mesh.middle), FARTHEST * element_size
    outside = np.flatnonzero(here.located(points)[0] < 0)
    found = closest_points(here.hull, points[outside])
    far = np.flatnonzero(found.distance > farthest)
    if not len(far):
        return seen
    corners = here.positions[here.faces.boundary[found.triangle[far]]]
    feet = np.einsum("ki,kid->kd", found.weights[far], corners)
    positions = seen.positions.copy()
    distance = found.distance[far]
    nearer = np.maximum(farthest, distance - AT_ONCE * element_size)
    positions[outside[far]] = feet + mesh.middle + (points[outside[far]] - feet) * (nearer / distance)[:, None]
    return Surface(positions, seen.triangles)

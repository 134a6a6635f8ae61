"""What a change of the mesh does to fields."""

import numpy as np
from numpy.typing import NDArray

from ..remesh.record import mesh_change
from ..tetmesh.mesh import TetMesh
from ..tetmesh.quality import tet_volumes
from .sample import checked

Array = NDArray[np.float64]


def shared_volume_average(
    values: Array, positions: Array, tets: NDArray[np.integer], new_positions: Array, new_tets: NDArray[np.integer]
) -> Array:
    """Values (m', k) of new tets (m', 4) from values (m, k) of old ones (m, 4), averaged over the volume that they share.

    positions (n, 3) and new_positions (n', 3) [m] are of the same moment. A new tet outside all old ones takes the value of the
    nearest (Bargteil 2007, section 4.3; B20, W18). Raises ValueError where an array has another shape or a tet no volume.
    Shared volumes are good to single precision.
    """
    old, new = (_mesh(*given) for given in (("", positions, tets), ("new_", new_positions, new_tets)))
    columns = checked("values", values, (len(old.tets), -1)).T
    return np.ascontiguousarray(mesh_change(old, new).averaged(list(columns)).T)


def _mesh(which: str, positions: Array, tets: NDArray[np.integer]) -> TetMesh:
    mesh = TetMesh(checked(f"{which}positions", positions, (-1, 3)), checked(f"{which}tets", tets, (-1, 4)).astype(np.int32))
    volumes = tet_volumes(mesh.positions, mesh.tets)
    if not (volumes > 0.0).all():
        raise ValueError(f"tet {int(np.argmin(volumes))} of {which}tets has no positive volume")
    return mesh

"""The remeshers that a body may have (scene.REMESHERS): old tets and a cell size in, new tets out.

What hangs on a mesh goes over by one record (record.py), which does not know where the new tets come from.
"""

import numpy as np
from numpy.typing import NDArray

from ..tetmesh.mesh import TetMesh


def remeshed(
    remesher: str, old: TetMesh, element_size: float, turn: NDArray[np.float64], fit: bool = True,
    seen: NDArray[np.float64] | None = None,
) -> TetMesh:  # fmt: skip
    """Return tets of cells of `element_size` [m] that fill what old ones do, by a remesher of scene.REMESHERS.

    turn (3, 3) rotates the lattice that they begin on; stuffing is fitted to what is seen too, points (k, 3).
    Vanished, or another MeshingError, where there can be none.
    """
    if remesher == "variational":
        from .variational.meshing import variational_mesh

        return variational_mesh(old, element_size, turn)
    from .restuffing import restuffed

    return restuffed(old, element_size, turn, fit, seen)

"""The remeshers that a body may have (scene.REMESHERS): old tets and a cell size in, new tets out.

What hangs on a mesh goes over by one record (record.py), which does not know where the new tets come from.
"""

import numpy as np
from numpy.typing import NDArray

from ..surface import Surface
from ..tetmesh.mesh import TetMesh
from .unfused import OfSheets


def remeshed(
    remesher: str, old: TetMesh, element_size: float, turn: NDArray[np.float64], fit: bool = True,
    seen: Surface | None = None,
) -> TetMesh:  # fmt: skip
    """The same as `remeshed_sheets` where parts of the body that touch or overlap become one."""
    return remeshed_sheets(remesher, old, element_size, turn, fit, fuse=True, seen=seen)[0]


def remeshed_sheets(
    remesher: str, old: TetMesh, element_size: float, turn: NDArray[np.float64], fit: bool = True, fuse: bool = False,
    seen: Surface | None = None,
) -> tuple[TetMesh, OfSheets | None]:  # fmt: skip
    """Return tets of cells of `element_size` [m] that fill what old ones do, by a remesher of scene.REMESHERS.

    turn (3, 3) rotates the lattice that they begin on; stuffing is fitted to what is seen too. Where the body
    is folded, and not to `fuse`, it is returned as well of which side of the fold new tets are; the variational remesher
    knows no sides. Vanished, or another MeshingError, where there can be none.
    """
    if remesher == "variational":
        from .variational.meshing import variational_mesh

        return variational_mesh(old, element_size, turn), None
    from .restuffing import restuffed_sheets

    return restuffed_sheets(old, element_size, turn, fit, fuse, seen)

"""The remeshers that a body may have (scene.REMESHERS): old tets and a cell size in, new tets out.

What hangs on a mesh goes over by one record (record.py), which does not know where the new tets come from.
"""

import numpy as np
from numpy.typing import NDArray

from ..surface import Surface
from ..tetmesh.mesh import TetMesh
from .lattice_frame import LatticeFrame
from .unfused import OfSheets


def remeshed(
    remesher: str, old: TetMesh, element_size: float, turn: NDArray[np.float64], fit: bool = True,
    seen: Surface | None = None,
) -> TetMesh:  # fmt: skip
    """The same as `remeshed_sheets` of a mesh in the world, where parts of the body that touch or overlap become one.

    turn (3, 3) rotates the lattice; what is seen lies in the world too.
    """
    frame = LatticeFrame(turn, old.middle)
    about = seen and Surface(frame.points(seen.positions), seen.triangles)
    return frame.in_world(remeshed_sheets(remesher, frame.mesh(old), element_size, fit, fuse=True, seen=about)[0])


def remeshed_sheets(
    remesher: str, old: TetMesh, element_size: float, fit: bool = True, fuse: bool = False,
    seen: Surface | None = None, filled: bool = False, joins: bool = False,
) -> tuple[TetMesh, OfSheets | None]:  # fmt: skip
    """Return tets of cells of `element_size` [m] that fill what old ones do, by a remesher of scene.REMESHERS.

    The old ones lie in the frame of the lattice that new ones begin on (lattice_frame.py); stuffing is fitted to what is seen
    too, and with `filled` to that alone. With `joins` pieces become one, padded where they are thin. Where the body is folded,
    and not to `fuse`, it is returned as well of which side of the fold new tets are; the variational remesher knows no sides,
    so such a body is stuffed. Vanished, or another MeshingError, where there can be none.
    """
    from .restuffing import folded, restuffed_sheets

    if remesher == "variational" and (fuse or not folded(old, element_size)):
        from .variational.meshing import variational_mesh

        return variational_mesh(old, element_size), None
    return restuffed_sheets(old, element_size, fit, fuse, seen, filled, joins)

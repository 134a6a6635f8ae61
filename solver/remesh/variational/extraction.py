"""Of Delaunay tets those that make the new mesh (Bargteil 2007, 4.2; claims B16 to B19)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...tetmesh.compaction import compacted
from ...tetmesh.manifold import manifold_tets
from ...tetmesh.mesh import TetMesh
from ...tetmesh.quality import tet_volumes
from ..overlap import overlaps
from .repair import made_manifold
from .shapes import without_bad_shapes
from .triangulation import Triangulation, triangulation

HALF = 0.5  # of a tet that the old mesh has to fill
FLAT = 1e-5  # of the cube of an element: what has less volume lies in one plane, and of its overlap only rounding is left


class Extracted(NamedTuple):
    """The mesh; how many badly shaped tets are gone, by class (5,) (shapes.NAMES); how many came or went to mend it."""

    mesh: TetMesh
    gone: NDArray[np.int64]
    mended: int


def extracted(mesh: TetMesh, old: TetMesh, element_size: float) -> Extracted:
    """Return what an old mesh fills of the tets of a convex one, its surface a closed manifold.

    1. Tets less than half of which overlap with the old mesh go. So parts that touch grow together, and thin ones tear (B19).
       Flat ones, as there are all over flat parts of the surface, go wherever they lie bare.
    2. Badly shaped tets go from the surface where their class says so (shapes.py).
    3. Tets come and go until the surface is manifold (repair.py).
    """
    whole = triangulation(mesh, filled_shares(mesh, old) >= HALF)
    _peel(whole, FLAT * element_size**3)
    gone = without_bad_shapes(mesh, whole, element_size)
    mended = made_manifold(mesh, whole)
    tets = manifold_tets(mesh.tets[whole.held[: len(mesh.tets)]])
    return Extracted(compacted(mesh.positions, tets), gone, mended)


def _peel(whole: Triangulation, flat_volume: float) -> None:
    """Let flat tets go that are bare, and those that lie bare then."""
    flat = np.flatnonzero(whole.volumes < flat_volume)
    whole.held[flat] = True
    while True:
        bare = flat[~whole.held[whole.neighbours[flat]].all(axis=1) & whole.held[flat]]
        if not len(bare):
            return
        whole.held[bare] = False


def filled_shares(mesh: TetMesh, old: TetMesh) -> NDArray[np.float64]:
    """Return the share (m,) of each tet of a mesh that lies in the tets of an old one."""
    start, _, volumes = overlaps(old, mesh)
    shared = np.bincount(np.repeat(np.arange(len(mesh.tets)), np.diff(start)), volumes, len(mesh.tets))
    own = np.abs(tet_volumes(mesh.positions, mesh.tets))
    shares: NDArray[np.float64] = shared / np.where(own > 0.0, own, 1.0)
    return shares

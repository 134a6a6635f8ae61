"""The second remesher: a new mesh for a deformed body by the paper's own method, to compare with stuffing (Bargteil 2007, 4).

    1. The boundary of the old mesh is sampled, its creases and corners are found, and sites are laid (sites.py).
    2. Sites and their Delaunay tets take turns in moving to their best places, near the boundary onto it (relaxation.py).
    3. What the old mesh fills is taken out of the tets, as a manifold (extraction.py).

Slivers that are left, "often a handful" in the paper, are flipped away as far as they can be, and each piece gets its volume
back.
"""

import numpy as np
from numpy.typing import NDArray

from ...tetmesh.compaction import compacted
from ...tetmesh.mesh import TetMesh
from ...tetmesh.slivers import without_slivers
from ..restuffing import Vanished, wanted_volumes, without_crumbs
from ..volume import with_volumes
from .extraction import extracted
from .relaxation import relaxed
from .shapes import without_bad_shapes
from .sites import first_sites, samples
from .triangulation import triangulation

Array = NDArray[np.float64]

ROUNDS = 3
FLIPPED = float(np.sin(np.radians(25.0)))  # sine of a dihedral angle below which what can be done to a tet is done


def variational_mesh(old: TetMesh, element_size: float) -> TetMesh:
    """Return tets of cells of `element_size` [m] that fill what the old ones do, with as much volume, by the paper's method.

    The old ones lie about the origin, and the lattice that sites inside begin on along the axes. The boundary is a closed
    manifold; its nodes lie on the old one, but for the little that gives each piece back its volume; creases and corners of
    the old one stay.
    Vanished when nothing is left.
    """
    surface = samples(old, element_size)
    delaunay = relaxed(old, first_sites(old, surface, element_size), surface)
    mesh = extracted(delaunay, old, element_size).mesh
    if not len(mesh.tets):
        raise Vanished("It has become thinner than its tets everywhere.", remedy="Raise the Resolution.")
    mesh = without_crumbs(_flipped(mesh, element_size))
    return with_volumes(mesh, *wanted_volumes(old, mesh), element_size)


def _flipped(mesh: TetMesh, element_size: float) -> TetMesh:
    """The mesh with flips in place of slivers, and without those of the surface that flips have made such as may go."""
    for _ in range(ROUNDS):
        mesh = compacted(*without_slivers(mesh.positions, mesh.tets, FLIPPED))
        whole = triangulation(mesh, np.ones(len(mesh.tets), dtype=bool))
        if not without_bad_shapes(mesh, whole, element_size, touching=False).any():
            break
        mesh = compacted(mesh.positions, mesh.tets[whole.held[: len(mesh.tets)]])
    return mesh

"""The Delaunay tets of some sites, by Qhull."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay

from ...tetmesh.mesh import TetMesh
from ...tetmesh.quality import tet_volumes

Array = NDArray[np.float64]


def delaunay(sites: Array) -> TetMesh:
    """Return the Delaunay tets of sites (n, 3), none turned inside out; where four sites are in one plane a tet may be flat.

    Source: Barber, Dobkin & Huhdanpaa 1996 (Qhull).
    """
    tets = Delaunay(sites).simplices.astype(np.int32)
    inverted = tet_volumes(sites, tets) < 0.0
    tets[inverted] = tets[inverted][:, [0, 1, 3, 2]]
    return TetMesh(sites, np.ascontiguousarray(tets))

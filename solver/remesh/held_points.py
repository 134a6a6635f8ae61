"""Which points of a lattice lie in some tets: each tet looks at the few points in its own box."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.tet_location import ON_FACE, weights_of
from ..jit import kernel
from ..tetmesh.lattice import centre, corner
from ..tetmesh.lattice_points import Lattice
from ..tetmesh.mesh import TetMesh


def mark_held(mesh: TetMesh, lattice: Lattice, aside: NDArray[np.float64], held: NDArray[np.bool_]) -> None:
    """Set held (n,) where a tet holds a lattice point moved `aside` (3,) [m], as geometry.tet_location says what holds one."""
    _mark(mesh.positions, mesh.tets, *mesh.boxes, lattice, aside, held)


@kernel
def _mark(positions, tets, lower, upper, lattice, aside, held):  # type: ignore[no-untyped-def]
    counts = np.array([lattice.nx, lattice.ny, lattice.nz])
    low, high = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.int64)
    for t in range(len(tets)):
        for kind in range(2):  # corners of cubes, and their centres
            for a in range(3):
                # A point that is outside by ON_FACE at most may lie outside the box by as much of its size
                slack = ON_FACE * (upper[t, a] - lower[t, a])
                origin = lattice.origin[a] + aside[a] + 0.5 * kind * lattice.size
                low[a] = max(int(np.ceil((lower[t, a] - slack - origin) / lattice.size)), 0)
                high[a] = min(int(np.floor((upper[t, a] + slack - origin) / lattice.size)), int(counts[a]) - kind)
            for i in range(low[0], high[0] + 1):
                x = lattice.origin[0] + lattice.size * (i + 0.5 * kind) + aside[0]
                for j in range(low[1], high[1] + 1):
                    y = lattice.origin[1] + lattice.size * (j + 0.5 * kind) + aside[1]
                    for k in range(low[2], high[2] + 1):
                        point = centre(lattice, i, j, k) if kind else corner(lattice, i, j, k)
                        if not held[point]:
                            z = lattice.origin[2] + lattice.size * (k + 0.5 * kind) + aside[2]
                            w0, w1, w2, w3 = weights_of(positions, tets, t, x, y, z)
                            held[point] = min(min(w0, w1), min(w2, w3)) >= -ON_FACE

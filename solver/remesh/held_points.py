"""Which points of a lattice lie in which tets: each tet looks at the few points in its own box."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tet_location import ON_FACE, weights_of
from ..jit import kernel
from ..tetmesh.lattice import centre, corner
from ..tetmesh.lattice_points import Lattice, point_count
from ..tetmesh.mesh import TetMesh


def held_points(
    mesh: TetMesh, lattice: Lattice, aside: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return begin (n + 1,) and tets (k,): those from begin[p] on hold point p of a lattice moved `aside` (3,) [m].

    By rising number, as geometry.tet_location says what holds a point.
    """
    parts = in_chunks(_held, len(mesh.tets), mesh.positions, mesh.tets, *mesh.boxes, lattice, aside)
    points, tets = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    begin = np.concatenate([[0], np.cumsum(np.bincount(points, minlength=point_count(lattice)))])
    return begin, tets[np.argsort(points, kind="stable")]


@kernel
def _held(first, last, positions, tets, lower, upper, lattice, aside):  # type: ignore[no-untyped-def]
    """Points (k,) and tets (k,) of some of the tets, tet after tet."""
    counts = np.array([lattice.nx, lattice.ny, lattice.nz])
    low, high = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.int64)
    points, holders, count = np.empty(last - first + 64, dtype=np.int64), np.empty(last - first + 64, dtype=np.int32), 0
    for t in range(first, last):
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
                        z = lattice.origin[2] + lattice.size * (k + 0.5 * kind) + aside[2]
                        w0, w1, w2, w3 = weights_of(positions, tets, t, x, y, z)
                        if not min(min(w0, w1), min(w2, w3)) >= -ON_FACE:
                            continue
                        if count == len(points):
                            points = np.concatenate((points, np.empty(count, dtype=np.int64)))
                            holders = np.concatenate((holders, np.empty(count, dtype=np.int32)))
                        points[count] = centre(lattice, i, j, k) if kind else corner(lattice, i, j, k)
                        holders[count] = t
                        count += 1
    return points[:count].copy(), holders[:count].copy()

"""All Delaunay tets of some sites, those that a new mesh holds and those it does not: what extraction asks of them.

Beyond the convex hull lie tets too, from each of its faces to one more vertex far away. They are never held; with them every
face has two sides, the tets around an edge close to a ring, and what is empty around a vertex hangs together as it should.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import inline, kernel
from ...tetmesh.boundary import face_table
from ...tetmesh.mesh import TetMesh
from ...tetmesh.quality import tet_volumes

Array = NDArray[np.float64]


class Triangulation(NamedTuple):
    """n sites and m tets, those beyond the hull last.

    tets       : (m, 4) int32; the far vertex is number n
    neighbours : (m, 4) int32, the tet across face i, opposite corner i; none is missing
    start      : (n + 2,) int64, incident[start[v]:start[v + 1]] are the tets around vertex v
    volumes    : (m,) [m^3]; inf beyond the hull
    held       : (m,) bool, whether the new mesh holds the tet; changed in place
    """

    tets: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    start: NDArray[np.int64]
    incident: NDArray[np.int32]
    volumes: Array
    held: NDArray[np.bool_]


def triangulation(mesh: TetMesh, held: NDArray[np.bool_]) -> Triangulation:
    """Return the triangulation of a convex mesh of which some tets (m,) are held."""
    hull, far = mesh.faces.boundary, len(mesh.positions)
    beyond = np.column_stack([hull, np.full(len(hull), far)])
    tets = np.ascontiguousarray(np.concatenate([mesh.tets, beyond]), dtype=np.int32)
    start = np.concatenate([[0], np.cumsum(np.bincount(tets.ravel(), minlength=far + 1))]).astype(np.int64)
    incident = (np.argsort(tets.ravel(), kind="stable") // 4).astype(np.int32)
    volumes = np.concatenate([np.abs(tet_volumes(mesh.positions, mesh.tets)), np.full(len(hull), np.inf)])
    held = np.concatenate([held, np.zeros(len(hull), dtype=bool)])
    return Triangulation(tets, face_table(tets).neighbours, start, incident, volumes, held)


@inline
def corner_of(tets, t, vertex):  # type: ignore[no-untyped-def]
    """Which corner (0 to 3) of a tet a vertex is; -1: none."""
    for k in range(4):
        if tets[t, k] == vertex:
            return k
    return -1


@kernel
def touches_surface(tets, start, incident, held, a, b):  # type: ignore[no-untyped-def]
    """Whether vertex a (b = a), or edge a-b, lies on the boundary of what is held: some tets around it are held, some not."""
    some, all_of_them = False, True
    for n in range(start[a], start[a + 1]):
        t = incident[n]
        if corner_of(tets, t, b) >= 0:
            some = some or held[t]
            all_of_them = all_of_them and held[t]
    return some and not all_of_them

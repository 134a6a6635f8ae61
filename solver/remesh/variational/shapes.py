"""Badly shaped tets by class, and which of them go from the boundary (Bargteil 2007, 4.2, figure 5; claim B17).

A dihedral angle is small where the unit normals of its two faces have an inner product below SMALL. The classes, named after
Cheng, Dey, Edelsbrunner, Facello & Teng 1999, say where the small angles lie; when a tet may go hangs on its class:

    sliver    four of them                      if two faces that share an edge with a large angle are on the surface
    cap       three, around one face            if that face is on the surface
    splinter  two, on edges that do not meet    if any face is on the surface
    wedge     one                               if a face beside it is on the surface

Three that are not around one face make a sliver. Two around a face make a cap or a sliver as the third angle around it is less
or more than 90 degrees. Two departures, for the surface's sake: a tet stays whose going would leave a dent deeper than
DEEPEST, for a tet with one angle of 35 degrees can be as deep as an element; and, unless it is very flat, one whose going would
leave the surface touching itself at a vertex or an edge. Very flat ones lie on each other, and go together; what touches then
is mended.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from ...tetmesh.boundary import FACES
from ...tetmesh.mesh import TetMesh
from ...tetmesh.quality import tet_volumes
from .triangulation import Triangulation, touches_surface

Array = NDArray[np.float64]

SMALL = -0.8  # inner product of normals, below which a dihedral angle is small: under 36.9 degrees
DEEPEST = 0.1  # of an element: how deep a dent may be that a tet leaves
FLATTEST = -0.985  # inner product of normals, below which a tet goes even if the surface touches itself then: under 10 degrees
GOOD, SLIVER, CAP, SPLINTER, WEDGE = range(5)
NAMES = ("good", "sliver", "cap", "splinter", "wedge")

EDGES = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])  # edge (i, j) is that of faces i and j
AROUND = (EDGES[None] == np.arange(4)[:, None, None]).any(axis=2)  # (4, 6) which edges each face has


class Shapes(NamedTuple):
    """Of each tet its class, and where it has to lie on the surface to go.

    kinds : (m,) int8, SLIVER and the others
    bases : (m, 4) bool, faces of which one has to; none of slivers
    large : (m, 6) bool, edges of slivers of which one has to, with both faces beside it
    """

    kinds: NDArray[np.int8]
    bases: NDArray[np.bool_]
    large: NDArray[np.bool_]


def normal_products(mesh: TetMesh) -> Array:
    """Return the inner products (m, 6) of unit outward normals of faces i and j, in the order of EDGES; -cos of their angle."""
    x = mesh.positions[mesh.tets]
    normals = np.stack([np.cross(x[:, b] - x[:, a], x[:, c] - x[:, a]) for a, b, c in FACES], axis=1)
    normals /= np.maximum(np.sqrt((normals**2).sum(axis=2, keepdims=True)), 1e-300)
    return np.stack([(normals[:, i] * normals[:, j]).sum(axis=1) for i, j in EDGES], axis=1)


def classified(products: Array) -> Shapes:
    """Return the classes of tets from the inner products (m, 6) of their normals; an angle is large if it is not acute."""
    small = products < SMALL
    count = small.sum(axis=1)
    around = small.astype(np.int64) @ AROUND.T  # small angles around each face
    fullest = around.argmax(axis=1)
    most = around[np.arange(len(around)), fullest]
    kinds = np.zeros(len(products), dtype=np.int8)
    kinds[count >= 3] = SLIVER
    kinds[(count == 3) & (most == 3)] = CAP
    kinds[(count == 2) & (most == 1)] = SPLINTER
    kinds[count == 1] = WEDGE
    rows = np.flatnonzero((count == 2) & (most == 2))
    third = AROUND[fullest[rows]] & ~small[rows]
    acute = products[rows][third] < 0.0
    kinds[rows] = np.where(acute, CAP, SLIVER)
    bases = np.zeros((len(products), 4), dtype=bool)
    caps = np.flatnonzero(kinds == CAP)
    bases[caps, fullest[caps]] = True
    bases[kinds == SPLINTER] = True
    bases[kinds == WEDGE] = around[kinds == WEDGE] > 0
    return Shapes(kinds, bases, (products > 0.0) & (kinds == SLIVER)[:, None])


def dents(mesh: TetMesh) -> tuple[Array, Array]:
    """Return how deep a dent (m, 4) [m] each tet leaves behind one bare face, and (m, 6) behind two, in the order of EDGES.

    The height of the corner opposite, and the distance between the edge of the two faces and the one opposite to it. Of three
    bare faces it is the height over the fourth.
    """
    x = mesh.positions[mesh.tets]
    volumes = 6.0 * np.abs(tet_volumes(mesh.positions, mesh.tets))
    areas = [np.cross(x[:, b] - x[:, a], x[:, c] - x[:, a]) for a, b, c in FACES]
    between = [np.cross(x[:, j] - x[:, i], x[:, b] - x[:, a]) for (i, j), (a, b) in zip(EDGES, EDGES[::-1], strict=True)]
    heights, gaps = (
        volumes[:, None] / np.maximum(np.sqrt((np.stack(vectors, axis=1) ** 2).sum(axis=2)), 1e-300)
        for vectors in (areas, between)
    )
    return heights, gaps


def without_bad_shapes(
    mesh: TetMesh, whole: Triangulation, element_size: float, touching: bool = True
) -> NDArray[np.int64]:
    """Let badly shaped tets of a triangulation go that may; how many of each class (5,) have gone.

    `touching` lets very flat ones go even if the surface then touches itself.
    """
    products = normal_products(mesh)
    kinds, bases, large = classified(products)
    heights, gaps = (depth <= DEEPEST * element_size for depth in dents(mesh))
    gone = np.zeros(5, dtype=np.int64)
    flattest = np.where(products.min(axis=1) < FLATTEST, kinds, GOOD).astype(np.int8)
    for bad, anyway in ((kinds, False), (flattest, True))[: 1 + touching]:
        while _let_go(*whole, bad, bases, large, heights, gaps, anyway, gone):
            pass
    return gone


@kernel
def _let_go(tets, neighbours, start, incident, volumes, held, kinds, bases, large, heights, gaps, touching, gone):  # type: ignore[no-untyped-def]
    """One cycle through the bad tets; return how many go. `touching` says whether the surface may come to touch itself."""
    count = 0
    for t in range(len(kinds)):
        if kinds[t] == GOOD or not held[t]:
            continue
        if not _may_go(neighbours, held, kinds, bases, large, t):
            continue
        if _leaves_surface(tets, neighbours, start, incident, held, heights, gaps, touching, t):
            held[t] = False
            gone[kinds[t]] += 1
            count += 1
    return count


@kernel
def _may_go(neighbours, held, kinds, bases, large, t):  # type: ignore[no-untyped-def]
    """The rules of the classes."""
    if kinds[t] != SLIVER:
        bare = False
        for face in range(4):
            bare = bare or (bases[t, face] and not held[neighbours[t, face]])
        return bare
    edge, both = 0, False
    for i in range(4):
        for j in range(i + 1, 4):
            both = both or (large[t, edge] and not held[neighbours[t, i]] and not held[neighbours[t, j]])
            edge += 1
    return both


@kernel
def _leaves_surface(tets, neighbours, start, incident, held, heights, gaps, touching, t):  # type: ignore[no-untyped-def]
    """Whether without a tet the surface has no deep dent, and does not touch itself: what is laid bare is not on it already."""
    bare, last, other, inner = 0, 0, 0, 0
    for face in range(4):
        if held[neighbours[t, face]]:
            inner = face
        else:
            bare, other, last = bare + 1, last, face
    if bare == 1:
        vertex = tets[t, last]  # opposite its one bare face
        return heights[t, last] and (touching or not touches_surface(tets, start, incident, held, vertex, vertex))
    if bare == 2:  # the edge that its two bare faces do not share
        shallow = gaps[t, other * (5 - other) // 2 + last - 1]
        return shallow and (touching or not touches_surface(tets, start, incident, held, tets[t, last], tets[t, other]))
    return bare == 3 and heights[t, inner]

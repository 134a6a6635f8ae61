"""Parts of a surface thinner than an element, as an ear, a tail or a cape, padded to about one: so they move with the rest."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..geometry.sampling import surface_points
from ..geometry.tet_location import locate
from ..geometry.triangle_tree import TriangleTree, closest_points, triangle_tree
from ..geometry.winding import WindingTree
from ..scene import Surface
from .boundary import face_table
from .compaction import compacted
from .crossings import crossings
from .cuts import find_cuts
from .lattice_points import Lattice, nearest_lattice_points
from .manifold import manifold_tets
from .mesh import TetMesh
from .stuffing import stuff

# How far outside the tets, in elements, a surface may lie before it is padded; less where a part would fall apart.
PADDED = (0.45, 0.2, 0.05)
SPACING = 0.5  # elements between the points at which a surface is looked at


def cut(
    tree: WindingTree,
    lattice: Lattice,
    points: NDArray[np.float64],
    inside: NDArray[np.bool_],
    padded: NDArray[np.bool_],
) -> TetMesh:
    """Return what a surface leaves of a lattice's tets, given which points (n,) are inside or only pad a thin part."""
    cuts = find_cuts(lattice, inside | padded)
    cut_points = crossings(tree, points[cuts.inner], points[cuts.outer], padded[cuts.inner])
    mesh = stuff(lattice, points.copy(), inside | padded, cuts, cut_points)
    tets = manifold_tets(mesh.tets, mesh.faces)
    return mesh if tets is mesh.tets else compacted(mesh.positions, tets)


def padded_cut(
    tree: WindingTree, lattice: Lattice, points: NDArray[np.float64], inside: NDArray[np.bool_], surface: TriangleTree,
    holds: Callable[[TetMesh], bool], alone: bool = False,
) -> TetMesh:  # fmt: skip
    """Return the same with what is thin of a surface padded, the more until the tets hold what they are to.

    alone: even where nothing is inside.
    """
    padded = np.zeros(len(points), dtype=bool)
    mesh = cut(tree, lattice, points, inside, padded)
    for distance in PADDED:
        thin = _thin_parts(surface, mesh, lattice.size, distance * lattice.size) if alone or len(mesh.tets) else points[:0]
        padded[nearest_lattice_points(lattice, thin)] = True
        padded &= ~inside
        if len(thin):
            mesh = cut(tree, lattice, points, inside, padded)
        if len(mesh.tets) and holds(mesh):
            break
    return mesh


def _thin_parts(surface: TriangleTree, mesh: TetMesh, element_size: float, distance: float) -> NDArray[np.float64]:
    """Return points of the surface that tets leave further outside than `distance`: thin parts, or sheets."""
    samples = surface_points(Surface(surface.positions, surface.triangles), SPACING * element_size)
    if not len(mesh.tets):
        return samples
    boundary = triangle_tree(mesh.positions, face_table(mesh.tets).boundary)
    far = np.flatnonzero(closest_points(boundary, samples, distance).triangle < 0)
    if not len(far):
        return np.empty((0, 3))
    return samples[far[locate(mesh.positions, mesh.tets, samples[far])[0] < 0]]

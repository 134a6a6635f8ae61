"""The lattice cage: tets around any triangles, closed or not, with the artist's mesh to be embedded in them."""

import numpy as np
from numpy.typing import NDArray

from ..errors import MeshingError
from ..geometry.orientation import Oriented, oriented
from ..geometry.triangle_tree import triangle_tree
from ..geometry.winding import WindingTree, winding_numbers, winding_tree
from ..scene import Surface
from .crossings import INSIDE, crossings
from .lattice import lattice_around, lattice_points, point_count
from .manifold import manifold_tets
from .mesh import TetMesh
from .pieces import without_crumbs
from .stuffing import find_cuts, stuff

MOST_POINTS = 40_000_000  # of the lattice; some 5 GB


def cage(surface: Surface, element_size: float) -> TetMesh:
    """Return the cage of cells of `element_size` [m] around whatever the surface encloses.

    Inside is where the generalised winding number exceeds 1/2, after the faces have been turned outwards
    (geometry.orientation): holes are closed smoothly, overlaps united, inner shells filled unless they are cavities.
    The cage's surface vertices lie on the artist's surface. All angles exceed 10 degrees, the boundary is manifold.

    Raises MeshingError when nothing is inside, or the lattice would not fit in memory.
    Source: Labelle & Shewchuk 2007 (stuffing); Jacobson 2013, Barill 2018 (winding number).
    """
    # Everything happens relative to the box's centre: far from the world's origin no digit is lost.
    middle = 0.5 * (surface.positions.min(axis=0) + surface.positions.max(axis=0))
    positions = surface.positions - middle
    faces = oriented(positions, surface.triangles)
    if not len(faces.triangles):
        raise MeshingError("Its faces have no area.", remedy="Give it a volume, for instance with a Solidify modifier.")
    tree = winding_tree(triangle_tree(positions, faces.triangles))
    mesh = _stuffed(tree, element_size)
    if not len(mesh.tets):
        raise _nothing_inside(positions, faces, element_size)
    mesh = without_crumbs(mesh, positions, faces)
    return TetMesh(mesh.positions + middle, mesh.tets)


def _stuffed(tree: WindingTree, element_size: float) -> TetMesh:
    positions = tree.surface.positions[np.unique(tree.surface.triangles)]
    lower, upper = positions.min(axis=0), positions.max(axis=0)
    lattice = lattice_around(lower, upper, element_size)
    if point_count(lattice) > MOST_POINTS:
        raise MeshingError(
            f"Elements of {element_size:.3g} m would need a lattice of {point_count(lattice) / 1e6:.0f} million points.",
            remedy="Lower the Resolution.",
        )
    points = lattice_points(lattice)
    inside = _inside(tree, points, lower, upper)
    cuts = find_cuts(lattice, inside)
    cut_points = crossings(tree, points[cuts.inner], points[cuts.outer])
    vertices, tets = stuff(lattice, points, inside, cuts, cut_points)
    tets = manifold_tets(tets)
    used, numbered = np.unique(tets, return_inverse=True)
    return TetMesh(vertices[used], numbered.reshape(-1, 4).astype(np.int32))


def _inside(
    tree: WindingTree, points: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which lattice points are inside; never one outside the box of the surface."""
    inside = ((points > lower) & (points < upper)).all(axis=1)
    candidates = np.flatnonzero(inside)
    inside[candidates] = winding_numbers(tree, points[candidates]) > INSIDE
    return inside


def _nothing_inside(positions: NDArray[np.float64], faces: Oriented, element_size: float) -> MeshingError:
    extents = np.ptp(positions[faces.triangles].reshape(-1, 3), axis=0)
    if extents.min() <= 1e-6 * extents.max():
        return MeshingError("It is flat: there is no volume to fill.", remedy="Give it one with a Solidify modifier.")
    if faces.edges.open_edges > 0.2 * len(faces.triangles):
        return MeshingError(
            "Its faces enclose no volume.", remedy="Close its holes, or thicken it with a Solidify modifier."
        )
    return MeshingError(
        f"It is thinner than one element ({element_size:.3g} m) everywhere.",
        remedy="Raise the Resolution, or thicken it with a Solidify modifier.",
    )

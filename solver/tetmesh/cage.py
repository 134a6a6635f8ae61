"""The lattice cage: tets around any triangles, closed or not, with the artist's mesh to be embedded in them."""

import numpy as np
from numpy.typing import NDArray

from ..errors import MeshingError
from ..geometry.measures import box_middle, within_box
from ..geometry.orientation import Oriented, oriented
from ..geometry.triangle_tree import triangle_tree
from ..geometry.winding import WindingTree, winding_numbers, winding_tree
from ..scene import Surface
from .crossings import INSIDE
from .lattice_points import lattice_around, lattice_points, point_count
from .mesh import TetMesh
from .padding import SPACING, padded_cut
from .pieces import splits_a_shell, without_crumbs

# Where a lattice point looks whether it is inside, in elements off its own place: faces of boxes go through lattice points, and
# the last digits of single precision, which differ with the scene's unit, are not to decide there.
ASIDE = (1.3e-4, 0.7e-4, 1.1e-4)
MOST_POINTS = 40_000_000  # of the lattice; some 5 GB


def cage(surface: Surface, element_size: float) -> TetMesh:
    """Return the cage of cells of `element_size` [m] around whatever the surface encloses.

    Inside is where the generalised winding number exceeds 1/2, after the faces have been turned outwards
    (geometry.orientation): holes are closed smoothly, overlaps united, inner shells filled unless they are cavities.
    The cage's surface vertices lie on the artist's surface, except around parts thinner than an element, which are
    padded to about one. All dihedral angles exceed 10 degrees, the boundary is manifold.

    Raises MeshingError when nothing is inside, or the lattice would not fit in memory.
    Source: Labelle & Shewchuk 2007 (stuffing); Jacobson 2013, Barill 2018 (winding number).
    """
    # Everything happens relative to the box's centre: far from the world's origin no digit is lost.
    middle = box_middle(surface.positions)
    positions = _rounded(surface.positions - middle)
    faces = oriented(positions, surface.triangles)
    if not len(faces.triangles):
        raise MeshingError("Its faces have no area.", remedy="Give it a volume, for instance with a Solidify modifier.")
    tree = winding_tree(triangle_tree(positions, faces.triangles))
    mesh = _stuffed(tree, faces, element_size)
    if not len(mesh.tets):
        raise _nothing_inside(positions, faces, element_size)
    mesh = without_crumbs(mesh, positions, faces, SPACING * element_size)
    return TetMesh(mesh.positions + middle, mesh.tets)


def _rounded(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions on a grid of about 1e-9 of the extent.

    What distance from the world's origin does to the last digits would otherwise decide ties, and give the same body
    other tets elsewhere. A power of two keeps round coordinates exact.
    """
    extent = float(np.ptp(positions, axis=0).max())
    grid = 2.0 ** (np.ceil(np.log2(extent)) - 30.0) if extent > 0.0 else 1.0
    rounded: NDArray[np.float64] = np.round(positions / grid) * grid
    return rounded


def _stuffed(tree: WindingTree, faces: Oriented, element_size: float) -> TetMesh:
    lattice = lattice_around(tree.surface.tree.lower[0], tree.surface.tree.upper[0], element_size)
    if point_count(lattice) > MOST_POINTS:
        raise MeshingError(
            f"Elements of {element_size:.3g} m would need a lattice of {point_count(lattice) / 1e6:.0f} million points.",
            remedy="Lower the Resolution.",
        )
    points = lattice_points(lattice)
    inside = _inside(tree, points, element_size)
    shells = tree.surface.positions, faces, SPACING * element_size
    return padded_cut(tree, lattice, points, inside, tree.surface, lambda mesh: not splits_a_shell(mesh, *shells))


def _inside(tree: WindingTree, points: NDArray[np.float64], size: float) -> NDArray[np.bool_]:
    """Return which lattice points are inside, looking ASIDE; never one outside the box of the surface, nor on it."""
    lower, upper = tree.surface.tree.lower[0], tree.surface.tree.upper[0]
    shift = size * np.array(ASIDE)
    inside = within_box(points, lower + shift, upper - shift)
    candidates = np.flatnonzero(inside)
    inside[candidates] = np.abs(winding_numbers(tree, points[candidates] + shift)) > INSIDE
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
        f"It is thinner than one tet ({element_size:.3g} m) everywhere.",
        remedy="Raise the Resolution, or thicken it with a Solidify modifier.",
    )

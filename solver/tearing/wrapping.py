"""A closed surface laid around whatever another one encloses, and where on that each of its corners lies.

Inside is where the generalised winding number exceeds 1/2 (Jacobson 2013), as for tets: holes are closed, what overlaps is one.
The new surface is that on which the distance to the old one, less than nothing inside, is zero on a grid.
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.measures import area_vectors, bounding_box, box_middle
from ..geometry.orientation import oriented
from ..geometry.triangle_tree import TriangleTree, closest_points, triangle_tree
from ..geometry.weights import clamped_weights
from ..geometry.winding import winding_numbers, winding_tree
from ..surface import Surface
from .booleans import INNER
from .isosurface import isosurface
from .surface_cut import Sources, SurfaceCut

Array = NDArray[np.float64]

MOST_PLACES = 2_000_000  # of the grid
AWAY = 1.0  # spacings from the old surface beyond which a face closes a hole


def wrapped(surface: Surface, spacing: float, charts: NDArray[np.int64] | None = None) -> SurfaceCut | None:
    """Return a surface's change to one around it with edges of about `spacing` [m]; None where it encloses nothing.

    A new face takes its values from the old triangle that its middle is nearest to, its corners from where they are nearest to
    if that is of the same chart (t,), and else from that triangle's own border: so no face spans a seam of the UV map.
    """
    middle = box_middle(surface.positions)
    positions = surface.positions - middle
    faces = oriented(positions, surface.triangles)
    if not len(faces.triangles):
        return None
    tree = triangle_tree(positions, faces.triangles)
    places, triangles = _around(tree, spacing)
    if not len(triangles):
        return None
    found = closest_points(tree, np.ascontiguousarray(places[triangles].mean(axis=1)))
    origin = np.where(found.distance > AWAY * spacing, INNER, faces.source[found.triangle]).astype(np.int64)
    order = np.argsort(np.where(origin == INNER, len(surface.triangles), origin), kind="stable")
    triangles, origin = triangles[order], origin[order]
    nearest = faces.source[found.triangle[order]]
    corners = _corners(surface, positions, tree, faces.source, places[triangles], nearest, charts)
    first = np.unique(triangles, return_index=True)[1]
    vertices = Sources(corners.triangles.reshape(-1)[first], corners.weights.reshape(-1, 3)[first])
    loose = np.setdiff1d(np.arange(len(positions)), surface.triangles).astype(np.int32)
    return SurfaceCut(
        loose, np.concatenate([surface.positions[loose], places + middle]), (triangles + len(loose)).astype(np.int32),
        surface.triangles, origin.astype(np.int32), np.zeros(len(triangles), dtype=bool), vertices, corners,
        float(np.sqrt((area_vectors(positions, surface.triangles) ** 2).sum(axis=1)).sum()),
    )  # fmt: skip


def _around(tree: TriangleTree, spacing: float) -> tuple[Array, NDArray[np.int32]]:
    """Vertices (n, 3) and triangles (k, 3) around what a surface encloses; every vertex is of some triangle."""
    lower, upper = bounding_box(tree.positions)
    spacing = max(spacing, float((np.prod(upper - lower + 4.0 * spacing) / MOST_PLACES) ** (1.0 / 3.0)))
    shape = tuple(np.ceil((upper - lower) / spacing).astype(int) + 5)
    origin = 0.5 * (lower + upper) - 0.5 * spacing * (np.array(shape) - 1.0)
    grid = origin + spacing * np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)
    inside = np.abs(winding_numbers(winding_tree(tree), grid)) > 0.5
    distance = np.minimum(closest_points(tree, grid, 2.0 * spacing).distance, 2.0 * spacing)
    vertices, triangles = isosurface(np.where(inside, distance, -distance).reshape(shape))
    return origin + spacing * vertices, triangles


def _corners(
    surface: Surface, positions: Array, tree: TriangleTree, source: NDArray[np.int64], places: Array,
    nearest: NDArray[np.int64], charts: NDArray[np.int64] | None,
) -> Sources:  # fmt: skip
    """The sources of corners at places (k, 3, 3), of faces that lie on old triangles `nearest` (k,)."""
    found = closest_points(tree, np.ascontiguousarray(places.reshape(-1, 3)))
    triangles, weights = source[found.triangle].reshape(-1, 3), found.weights.reshape(-1, 3, 3)
    # The tree's triangles may be turned: weights by the corners of the artist's own
    turned = (tree.triangles[found.triangle] != surface.triangles[source[found.triangle]]).any(axis=1).reshape(-1, 3)
    weights = np.where(turned[:, :, None], weights[:, :, [0, 2, 1]], weights)
    if charts is not None:
        other = charts[triangles] != charts[nearest][:, None]
        rows, own = np.nonzero(other)[0], positions[surface.triangles]
        weights[other] = clamped_weights(own[nearest[rows]], np.repeat(places[other][:, None], 3, axis=1))[:, 0]
        triangles = np.where(other, nearest[:, None], triangles)
    return Sources(triangles.astype(np.int32), weights)

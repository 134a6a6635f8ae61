"""Where what is seen is thin beside its tets, and what carries it there.

Its two sides lie in the same tets, and both some way below their boundary. Loop's weights of either side and a mean deformation
gradient say where each goes, but not that they stay apart: as a thin part bends or is pressed flat, a half of a tet's thickness
between them is soon lost, and contact would have to keep them from passing through each other against all that carries them. By
the weights of the tets that hold them nothing passes through itself unless a tet does. So thin parts go by these, as what an
artist's mesh has in tets does, thick ones by Loop's, which are smooth, and what lies between by both.

So does what is laid far more narrowly than Loop's surface is there, as at a torn end: with d between two vertices of it and L
between their places by Loop's weights, they come to be G L + F (d - L) apart, G being what the nodes about L do, and F the mean
gradient that carries offsets. Where d is a share of L, (G - F) L turns it round.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from ..geometry.measures import vertex_area_vectors

Array = NDArray[np.float64]

NARROW, WIDE = 0.3, 0.6  # shares of its width on Loop's surface that a triangle is laid with: the same
THIN, THICK = 0.5, 1.0  # element sizes: up to the one it goes by its tets alone, from the other on by Loop's weights alone
LEAST = 1e-60  # of a side's length and a triangle's height, whose fourth powers still are numbers [m]
OPPOSITE = -0.3  # cosine between the normals of vertices from which on they are of two sides
SPREAD, BLENDED = 2, 3  # rings of vertices that go with the thinnest of them, and rounds in which shares are evened after that


def thinness(places: Array, loop: Array, triangles: NDArray[np.int32], means: csr_matrix, element_size: float) -> Array:
    """Return how thin (k,) a closed surface is at its vertices (k, 3): 1 where it goes by its tets, 0 where by Loop's weights.

    loop (k, 3): where these put it; means (k, k) takes the mean over each vertex's neighbours; element_size [m].
    """
    across = thickness(places, vertex_area_vectors(places, triangles), THICK * element_size) / element_size
    thin: Array = np.clip((THICK - across) / (THICK - THIN), 0.0, 1.0)
    pressed = np.clip((WIDE - narrowness(loop, places, triangles)) / (WIDE - NARROW), 0.0, 1.0)
    np.maximum.at(thin, triangles, pressed[:, None])
    if not thin.any():
        return thin
    for _ in range(SPREAD):
        thin = np.maximum(thin, np.maximum.reduceat(thin[means.indices], means.indptr[:-1]))
    for _ in range(BLENDED):
        thin = 0.5 * (thin + means @ thin)
    return thin


def thickness(places: Array, normals: Array, most: float) -> Array:
    """Return how far (k,) [m] from each vertex (k, 3) of a surface the nearest of its other side is; inf: `most` or more."""
    found = np.full(len(places), np.inf)
    first, second = cKDTree(places).query_pairs(most, output_type="ndarray").T
    units = normals / np.maximum(np.sqrt((normals**2).sum(axis=1, keepdims=True)), 1e-300)
    way = places[second] - places[first]
    across = (units[first] * units[second]).sum(axis=1) < OPPOSITE
    across &= ((way * units[first]).sum(axis=1) < 0.0) & ((way * units[second]).sum(axis=1) > 0.0)
    first, second, away = first[across], second[across], np.sqrt((way[across] ** 2).sum(axis=1))
    np.minimum.at(found, first, away)
    np.minimum.at(found, second, away)
    return found


def narrowness(before: Array, after: Array, triangles: NDArray[np.int32]) -> Array:
    """Return by which share (t,) of its width each triangle is left, where it loses most, as its corners (k, 3) go from one
    place to another: the smaller singular value of that map in its plane."""
    (a, b, c), (d, e, f) = (_in_its_plane(places, triangles) for places in (before, after))
    along, across = d / a, f / c
    shear, area = (e - b * along) / c, along * across
    total = along**2 + shear**2 + across**2
    wider = np.sqrt(0.5 * (total + np.sqrt(np.maximum(total**2 - 4.0 * area**2, 0.0))))
    share: Array = area / np.maximum(wider, LEAST)
    return share


def _in_its_plane(places: Array, triangles: NDArray[np.int32]) -> tuple[Array, Array, Array]:
    """How long (t,) each triangle's first side is, and how far its third corner lies along that and beside it."""
    first, second = (places[triangles[:, k]] - places[triangles[:, 0]] for k in (1, 2))
    length = np.maximum(np.sqrt((first**2).sum(axis=1)), LEAST)
    ahead = (first * second).sum(axis=1) / length
    beside = np.sqrt(np.maximum((second**2).sum(axis=1) - ahead**2, 0.0))
    return length, ahead, np.maximum(beside, LEAST)

"""Where what is seen is thin beside its tets, and what carries it there.

Its two sides lie in the same tets, and both some way below their boundary. Loop's weights of either side and a mean deformation
gradient say where each goes, but not that they stay apart: as a thin part bends or is pressed flat, a half of a tet's thickness
between them is soon lost, and contact would have to keep them from passing through each other against all that carries them. By
the weights of the tets that hold them nothing passes through itself unless a tet does. So thin parts go by these, as what an
artist's mesh has in tets does, thick ones by Loop's, which are smooth, and what lies between by both.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

Array = NDArray[np.float64]

THIN, THICK = 0.5, 1.0  # element sizes: up to the one it goes by its tets alone, from the other on by Loop's weights alone
OPPOSITE = -0.3  # cosine between the normals of vertices from which on they are of two sides
SPREAD, BLENDED = 2, 3  # rings of vertices that go with the thinnest of them, and rounds in which shares are evened after that


def thinness(places: Array, normals: Array, means: csr_matrix, element_size: float) -> Array:
    """Return how thin (k,) a closed surface is at its vertices (k, 3): 1 where it goes by its tets, 0 where by Loop's weights.

    normals (k, 3), of any length; means (k, k) takes the mean over each vertex's neighbours; element_size [m].
    """
    across = thickness(places, normals, THICK * element_size) / element_size
    thin: Array = np.clip((THICK - across) / (THICK - THIN), 0.0, 1.0)
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

"""Sites moved until their Delaunay tets are well shaped, and drawn to the surface (Bargteil 2007, 4.1; claims B14, B15).

Inside, a site goes to where the tets around it interpolate best (Alliez, Cohen-Steiner, Yvinec & Desbrun 2005):

    x* = sum |T| c / sum |T|,     |T| the volume and c the circumcentre of each tet around it.

On the surface each sample of the old one looks for the site next to it, and a site goes to the mean of the samples that have
found it, weighted by area. That smooths; so, as in the paper, it is done only where it brings further sites to the surface.
Here such a site is put on the old surface itself after, not only near it.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ...geometry.triangle_tree import closest_points
from ...tetmesh.mesh import TetMesh
from .delaunay import delaunay
from .sites import Samples, Sites

Array = NDArray[np.float64]

EVENING = 4  # rounds in which the sites of the surface spread evenly, before any are moved inside
ROUNDS = 6


def relaxed(old: TetMesh, sites: Sites, surface: Samples) -> TetMesh:
    """Return the Delaunay tets of the sites where they come to lie."""
    for _ in range(EVENING):
        owned = _nearest(sites.positions[sites.on_surface], surface)
        moved = sites.positions.copy()
        moved[sites.on_surface] = _drawn(old, moved[sites.on_surface], surface, owned, sites.fixed[sites.on_surface])
        sites = sites._replace(positions=moved)
    for _ in range(ROUNDS):
        sites = snapped(old, sites, surface)
        inside = ~sites.on_surface[:, None]
        better = optimal_places(delaunay(sites.positions))
        sites = sites._replace(positions=np.where(inside, better, sites.positions))
    sites = snapped(old, sites, surface)
    return delaunay(sites.positions)


def snapped(old: TetMesh, sites: Sites, surface: Samples) -> Sites:
    """Return the sites, those that samples find next to them on the surface, if these are more than there were."""
    owner = _nearest(sites.positions, surface)
    found = np.zeros(len(sites.positions), dtype=bool)
    found[owner] = True
    if not (found & ~sites.on_surface).any():
        return sites
    positions = _drawn(old, sites.positions, surface, owner, sites.fixed)
    return sites._replace(positions=positions, on_surface=sites.on_surface | found)


def optimal_places(mesh: TetMesh) -> Array:
    """Return where each site (n, 3) interpolates best between the middles of the spheres around its tets.

    |T| (c - x0) = (|a|^2 b x c + |b|^2 c x a + |c|^2 a x b) / 12, a, b, c the edges from x0: no flat tet divides by nothing.
    """
    positions, tets = mesh.positions, mesh.tets
    x = positions[tets]
    a, b, c = (x[:, k] - x[:, 0] for k in (1, 2, 3))
    bc, ca, ab = np.cross(b, c), np.cross(c, a), np.cross(a, b)
    volumes = (a * bc).sum(axis=1, keepdims=True) / 6.0
    moments = sum((u * u).sum(axis=1, keepdims=True) * v for u, v in ((a, bc), (b, ca), (c, ab))) / 12.0 + volumes * x[:, 0]
    corners, count = tets.ravel(), len(positions)
    total = np.bincount(corners, np.repeat(volumes[:, 0], 4), count)
    sums = [np.bincount(corners, np.repeat(moments[:, axis], 4), count) for axis in range(3)]
    places: Array = np.stack(sums, axis=1) / np.where(total > 0.0, total, 1.0)[:, None]
    return np.where(total[:, None] > 0.0, places, positions)


def _nearest(positions: Array, surface: Samples) -> NDArray[np.int64]:
    """The site (k,) next to each sample."""
    return np.asarray(cKDTree(positions).query(surface.points)[1], dtype=np.int64)


def _drawn(old: TetMesh, positions: Array, surface: Samples, owner: NDArray[np.int64], fixed: NDArray[np.bool_]) -> Array:
    """Positions (n, 3) of sites, those that own samples moved to the old surface's point next to the mean of these."""
    area = np.bincount(owner, surface.areas, len(positions))
    moving = np.flatnonzero((area > 0.0) & ~fixed)
    sums = [np.bincount(owner, surface.areas * surface.points[:, axis], len(positions)) for axis in range(3)]
    means = np.ascontiguousarray((np.stack(sums, axis=1)[moving]) / area[moving, None])
    found = closest_points(old.hull, means)
    corners = old.positions[old.faces.boundary[found.triangle]]
    result = positions.copy()
    result[moving] = np.einsum("ki,kid->kd", found.weights, corners)
    return result

"""The first sites of a new mesh, and the old surface's samples that draw sites to it (Bargteil 2007, 4, steps 1 to 3; B14).

The sizing field is even: sites are as far apart as the nodes of a lattice of cells of one size. Corners and creases of the old
surface get sites of their own, then the rest of it; inside they are the points of a body-centred lattice.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.measures import area_vectors, bounding_box
from ...geometry.triangle_tree import closest_points
from ...jit import kernel
from ...tetmesh.lattice_points import lattice_around, lattice_points
from ...tetmesh.mesh import TetMesh
from ..features import Features, features

Array = NDArray[np.float64]

SPACING = 0.25  # of an element: of the surface's samples
CREASE = 0.75  # of an element: between sites along a crease at most
APART = 0.64  # of an element: sites of the surface from each other at least
SHARP_APART = 0.4  # of an element: those at corners and creases from each other
DEPTH = 0.55  # of an element: sites inside from the surface at least
BESIDE = 0.1  # of an element outside the surface where nothing may be, for it to be one
GOLDEN = 0.6180339887498949  # by whose multiples the surface is walked over evenly


class Sites(NamedTuple):
    """positions (n, 3) [m]; on_surface (n,); fixed (n,): on corners and creases."""

    positions: Array
    on_surface: NDArray[np.bool_]
    fixed: NDArray[np.bool_]


class Samples(NamedTuple):
    """points (k, 3) all over the old surface, and the area (k,) that each stands for [m^2]."""

    points: Array
    areas: Array


def samples(old: TetMesh, element_size: float) -> Samples:
    """Return samples of a mesh's boundary, but where another part of the mesh begins."""
    faces = old.faces.boundary
    corners, areas = old.positions[faces], area_vectors(old.positions, faces)
    longest = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2)).max(axis=1)
    parts = np.ceil(longest / (SPACING * element_size)).astype(np.int64)
    points, shares, normals = [], [], []
    for count in np.unique(parts):
        own = parts == count
        weights = _middles(int(count))
        points.append(np.einsum("pi,tid->tpd", weights, corners[own]).reshape(-1, 3))
        normals.append(np.repeat(areas[own], len(weights), axis=0) / len(weights))
    every, normal = np.concatenate(points), np.concatenate(normals)
    shares = np.sqrt((normal**2).sum(axis=1))
    beside = every + BESIDE * element_size * normal / np.maximum(shares, 1e-300)[:, None]
    outermost = (shares > 0.0) & (old.located(beside)[0] < 0)
    return Samples(every[outermost], shares[outermost])


def _middles(parts: int) -> Array:
    """Weights (parts^2, 3) of the middles of the triangles that one is divided into."""
    i, j = (index.ravel() for index in np.meshgrid(np.arange(parts), np.arange(parts), indexing="ij"))
    up, down = (i + j < parts), (i + j < parts - 1)
    places = np.concatenate([np.stack([i, j], axis=1)[up] + 1.0 / 3.0, np.stack([i, j], axis=1)[down] + 2.0 / 3.0])
    return np.column_stack([places, parts - places.sum(axis=1)]) / parts


def first_sites(old: TetMesh, surface: Samples, element_size: float) -> Sites:
    """Return the sites that relaxation begins with."""
    sharp = features(old, element_size)
    fixed = np.concatenate([sharp.corners, _along(sharp, CREASE * element_size)])
    fixed = fixed[_spread(np.empty((0, 3)), fixed, SHARP_APART * element_size)]
    order = np.argsort(np.arange(1, len(surface.points) + 1) * GOLDEN % 1.0, kind="stable")
    spread = surface.points[order][_spread(fixed, surface.points[order], APART * element_size)]
    lattice = lattice_around(*bounding_box(old.positions), element_size)
    inner = lattice_points(lattice)
    inner = inner[old.located(inner)[0] >= 0]
    inner = inner[closest_points(old.hull, inner, DEPTH * element_size).triangle < 0]
    counts = [len(fixed), len(spread), len(inner)]
    positions = np.ascontiguousarray(np.concatenate([fixed, spread, inner]))
    return Sites(positions, np.repeat([True, True, False], counts), np.repeat([True, False, False], counts))


def _along(sharp: Features, longest: float) -> Array:
    """Points (k, 3) along creases, evenly, and no further from each other than that; those at corners left out."""
    found = [np.empty((0, 3))]
    for chain in range(int(sharp.chains.max(initial=-1)) + 1):
        own = sharp.chains == chain
        starts, ends = sharp.starts[own], sharp.ends[own]
        lengths = np.sqrt(((ends - starts) ** 2).sum(axis=1))
        reached = np.concatenate([[0.0], np.cumsum(lengths)])
        around = bool((starts[0] == ends[-1]).all()) and not (sharp.corners == starts[0]).all(axis=1).any()
        count = max(int(np.ceil(reached[-1] / longest - 1e-6)), 3 if around else 1)
        ways = reached[-1] * np.arange(0 if around else 1, count) / count
        part = np.clip(np.searchsorted(reached, ways, side="right") - 1, 0, len(lengths) - 1)
        share = ((ways - reached[part]) / np.maximum(lengths[part], 1e-300))[:, None]
        found.append(starts[part] + share * (ends[part] - starts[part]))
    return np.concatenate(found)


def _spread(fixed: Array, points: Array, apart: float) -> NDArray[np.int64]:
    """Numbers of points (k, 3) chosen one after the other, each far enough from those before it and from fixed ones."""
    every = np.concatenate([fixed, points])
    if not len(every):
        return np.empty(0, dtype=np.int64)
    cells = np.floor((every - every.min(axis=0)) / apart).astype(np.int64)
    taken = np.zeros(len(every), dtype=np.bool_)
    buckets = 1 << max(len(every).bit_length(), 4)
    _take(every, cells, len(fixed), apart * apart, np.full(buckets, -1), np.full(len(every), -1), taken)
    return np.flatnonzero(taken[len(fixed) :])


@kernel
def _take(points, cells, fixed, apart2, heads, following, taken):  # type: ignore[no-untyped-def]
    """Mark the points that are taken; they hang in lists by their cell, some of which share a list."""
    mask = len(heads) - 1
    for p in range(len(points)):
        free = True
        for n in range(27):
            i, j, k = cells[p, 0] + n // 9 - 1, cells[p, 1] + n // 3 % 3 - 1, cells[p, 2] + n % 3 - 1
            q = heads[_bucket(i, j, k) & mask]
            while q >= 0 and free:
                d2 = 0.0
                for a in range(3):
                    d2 += (points[p, a] - points[q, a]) ** 2
                free = d2 >= apart2
                q = following[q]
        if free or p < fixed:
            bucket = _bucket(cells[p, 0], cells[p, 1], cells[p, 2]) & mask
            following[p], heads[bucket] = heads[bucket], p
            taken[p] = True


@kernel
def _bucket(i, j, k):  # type: ignore[no-untyped-def]
    return (i * 73856093) ^ (j * 19349663) ^ (k * 83492791)

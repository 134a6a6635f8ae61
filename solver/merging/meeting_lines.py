"""Where the looks of the two sides of a closed crease meet in the band between them: halfway, in a line.

A band's triangles have their side on one rim and their tip on the other in turns. Whole ones would let materials and textures
meet in teeth as long as the band is wide. Where a crease ends there is one border around it: its two rims are what is between
those corners of it that only one triangle has.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from ..geometry.edges import connected, edges_of
from ..geometry.splitting import middles, parts
from ..geometry.triangle_tree import closest_points, triangle_tree

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
IntArray = NDArray[np.int32]

BETWEEN = -1  # of what is next to no rim


class Halved(NamedTuple):
    """Bands cut halfway from rim to rim: ends (m, 2) are those between which each new vertex lies, numbered after all there
    are; triangles (k, 3), rim (k,) which one each is next to, and rims (n,) which each vertex is on, or BETWEEN."""

    ends: IntArray
    triangles: IntArray
    rim: Indices
    rims: Indices


def halved(bands: IntArray, count: int) -> Halved:
    """Cut the triangles of bands (k, 3), all of whose vertices, of `count`, lie on their borders."""
    edges = edges_of(bands)
    border = edges.vertices[edges.counts == 1]
    ends = np.bincount(bands.ravel(), minlength=count) == 1
    along = border[~ends[border].any(axis=1)].astype(np.int64)
    rims = np.full(count, BETWEEN, dtype=np.int64)
    rims[border] = connected(along.T, count)[border]
    rims[ends] = BETWEEN
    one, other = rims[edges.vertices].T
    from_rim_to_rim = (one != other) & (one != BETWEEN) & (other != BETWEEN)
    sides, added = middles(edges, from_rim_to_rim, count)
    owner, points = parts(sides >= 0)
    triangles = np.concatenate([bands, sides], axis=1)[owner[:, None], points].astype(np.int32)
    known = np.append(rims, np.full(len(added), BETWEEN))
    return Halved(edges.vertices[added], triangles, known[triangles].max(axis=1), rims)


def looks(positions: Array, gone: IntArray, made: Halved) -> Indices:
    """Return the triangle (k,) of those that go, (g, 3) of vertices (n, 3), that each of a band takes its look from.

    It is the closest one on its own side of the crease.
    """
    places = np.concatenate([positions, positions[made.ends].mean(axis=1)])[made.triangles].mean(axis=1)
    side, found = _sides(positions, gone, made.rims), np.empty(len(places), dtype=np.int64)
    for rim in np.unique(made.rim):
        mine = np.flatnonzero(side == rim)
        if not len(mine):
            mine = np.arange(len(gone))
        here = made.rim == rim
        tree = triangle_tree(positions, np.ascontiguousarray(gone[mine]))
        found[here] = mine[closest_points(tree, np.ascontiguousarray(places[here])).triangle]
    return found


def _sides(positions: Array, gone: IntArray, rims: Indices) -> Indices:
    """The rim (g,) that is nearest to each triangle that goes, along edges of such; BETWEEN where there is none."""
    used, numbered = np.unique(gone, return_inverse=True)
    numbered = numbered.reshape(-1, 3)
    ends = edges_of(numbered.astype(np.int32)).vertices
    steps = positions[used[ends[:, 1]]] - positions[used[ends[:, 0]]]
    length = np.maximum(np.sqrt((steps**2).sum(axis=1)), 1e-300)
    graph = csr_matrix((length, (ends[:, 0], ends[:, 1])), shape=(len(used), len(used)))
    starts = np.flatnonzero(rims[used] != BETWEEN)
    if not len(starts):
        return np.full(len(gone), BETWEEN)
    away, _, source = dijkstra(graph, directed=False, indices=starts, min_only=True, return_predecessors=True)
    reached = np.where(np.isfinite(away), rims[used[np.maximum(source, 0)]], BETWEEN)[numbered]
    nearest = away[numbered] == away[numbered].min(axis=1, keepdims=True)
    alike = (reached[:, :, None] == reached[:, None, :]) & nearest[:, None, :]  # two corners on a rim count more than one
    return reached[np.arange(len(gone)), np.where(nearest, alike.sum(axis=2), 0).argmax(axis=1)]

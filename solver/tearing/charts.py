"""The pieces of a UV map: faces across a seam lie apart in it."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..cache.topology import SurfaceTopology
from ..geometry.edges import edges_of
from .cut_topology import corners_of


def charts(record: SurfaceTopology, triangles: NDArray[np.int32]) -> NDArray[np.int64] | None:
    """Return the chart (t,) of each of a record's triangles, alike in all its UV layers; None where it has no UVs."""
    if not record.uv_layers:
        return None
    loops, edges = corners_of(record, triangles).loops, edges_of(triangles)
    first = edges.first[:-1][edges.counts == 2]
    sides = edges.order[first], edges.order[first + 1]
    ends = [[loops[side // 3, (side % 3 + k) % 3] for k in (0, 1)] for side in sides]
    joined = edges.forward[first] != edges.forward[first + 1]
    for uv in record.uv_layers.values():
        joined &= (uv[ends[0][0]] == uv[ends[1][1]]).all(axis=1) & (uv[ends[0][1]] == uv[ends[1][0]]).all(axis=1)
    left, right = (side[joined] // 3 for side in sides)
    graph = coo_matrix((np.ones(len(left)), (left, right)), shape=(len(triangles), len(triangles)))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)

"""What a surface that has been laid anew takes over from the one before it: everything, from where it lies on that.

A face is of the old triangle that its middle is nearest to, with its material. A corner takes UVs and colours from where it
is nearest to itself, if that is of the same piece of the UV map, and else from that triangle's own border: so no face spans a
seam.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..cache.topology import SurfaceTopology
from ..geometry.measures import area_vectors
from ..geometry.triangle_tree import TriangleTree, closest_points
from ..geometry.weights import clamped_weights
from ..surface import Surface
from ..tearing.charts import charts
from ..tearing.cut_topology import cut_topology
from ..tearing.surface_cut import Sources, SurfaceCut


def laid_cut(old: Surface, tree: TriangleTree, source: NDArray[np.int64], new: Surface) -> SurfaceCut:
    """Return the change from an old surface to a new one that has none of its vertices.

    tree: over the old triangles that may be lain on, each the one `source` (t,) of the surface's or that turned over.
    """
    middles = closest_points(tree, np.ascontiguousarray(new.positions[new.triangles].mean(axis=1)))
    origin = source[middles.triangle]
    order = np.argsort(origin, kind="stable")
    triangles, origin = new.triangles[order], origin[order]
    near = closest_points(tree, new.positions)
    turned = (tree.triangles[near.triangle] != old.triangles[source[near.triangle]]).any(axis=1)
    weights = np.where(turned[:, None], near.weights[:, [0, 2, 1]], near.weights)
    names = source[near.triangle].astype(np.int32)
    return SurfaceCut(
        np.zeros(0, dtype=np.int32), new.positions, triangles, old.triangles, origin.astype(np.int32),
        np.zeros(len(triangles), dtype=bool), Sources(names, weights), Sources(names[triangles], weights[triangles]),
        float(np.sqrt((area_vectors(old.positions, old.triangles) ** 2).sum(axis=1)).sum()), laid=old.positions,
    )  # fmt: skip


def laid_topology(old: SurfaceTopology, cut: SurfaceCut) -> SurfaceTopology:
    """Return the record after a surface has been laid anew; all its faces are smooth."""
    record = cut_topology(old, _within_charts(old, cut))
    none = record.corner_normals[:0]
    return replace(record, sharp_faces=record.sharp_faces[:0], corner_normals=none, rest_positions=none)


def _within_charts(old: SurfaceTopology, cut: SurfaceCut) -> SurfaceCut:
    """The cut with no corner that takes its values from another piece of the UV map than its face does."""
    chart = charts(old, cut.old_triangles)
    if chart is None or cut.laid is None:
        return cut
    corners, own = cut.corners, np.repeat(cut.origin[:, None], 3, axis=1)
    across = chart[corners.triangles] != chart[own]
    if not across.any():
        return cut
    rows = np.nonzero(across)[0]
    places = np.repeat(cut.positions[cut.triangles[across]][:, None], 3, axis=1)
    weights = corners.weights.copy()
    weights[across] = clamped_weights(cut.laid[cut.old_triangles[cut.origin[rows]]], places)[:, 0]
    return replace(cut, corners=Sources(np.where(across, own, corners.triangles), weights))

"""The topology record of a surface that has been cut: everything that lies on it goes over, face by face."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..cache.topology import NamedArray, SurfaceTopology, VertexGroups
from ..errors import CacheError
from .blend import Blend
from .booleans import INNER
from .flat_uvs import flat_coordinates, scale_of
from .surface_cut import Sources, SurfaceCut

Indices = NDArray[np.int64]

ON_EDGE = 1e-9  # weight in a triangle below which a vertex lies on the side across


@dataclass(frozen=True)
class Corners:
    """What joins a record to the triangles of its surface.

    face  : (t,) of each triangle
    loops : (t, 3) the corners of that face that are the triangle's
    """

    face: Indices
    loops: Indices

    @property
    def turned(self) -> NDArray[np.bool_]:
        """Whether each triangle (t,) goes round against its face, as it does where the artist's faces point inwards."""
        rising = self.loops < np.roll(self.loops, -1, axis=1)
        result: NDArray[np.bool_] = rising.sum(axis=1) == 1
        return result


@dataclass(frozen=True)
class Faces:
    """New faces: offsets (f + 1,) and vertices (c,) of their corners, what these come from, and the old face of each (f,)."""

    offsets: NDArray[np.int32]
    corner_vertices: NDArray[np.int32]
    corners: Blend
    sources: Indices


def cut_topology(old: SurfaceTopology, cut: SurfaceCut) -> SurfaceTopology:
    """Return the record after a cut; CacheError when the two do not fit.

    Faces of which nothing is missing stay as they are, in their order; of others what is left lies there in triangles. Those
    that close the cut come last: they lie in the record's inner slot, with UVs spread flat, on the scale of the rest.
    """
    own = corners_of(old, cut.old_triangles)
    cut = _wound_as_faces(cut, own)
    new = _laid_out(old, own, cut)
    inner = cut.triangles[cut.origin == INNER]
    flat = flat_coordinates(cut.positions, inner)
    between = old.corner_vertices[own.loops[cut.vertices.triangles]].astype(np.int64)
    points = Blend.after(cut.kept.astype(np.int64), between, cut.vertices.weights)
    edges, corner_edges, edge_sources = _edges(old, new.corner_vertices, new.offsets, cut)
    return replace(
        old,
        vertex_count=len(cut.positions),
        face_offsets=new.offsets,
        corner_vertices=new.corner_vertices,
        material_index=_materials(old, new.sources, len(inner)),
        sharp_faces=old.sharp_faces[new.sources] if len(old.sharp_faces) else old.sharp_faces,
        edges=edges,
        corner_edges=corner_edges,
        uv_layers={name: _with_flat(uv, new.corners.of(uv), flat, own, cut.area) for name, uv in old.uv_layers.items()},
        attributes=tuple(_attribute(layer, points, new, edge_sources) for layer in old.attributes),
        vertex_groups=old.vertex_groups and _groups(old.vertex_groups, points, len(cut.kept)),
        corner_normals=_normals(old.corner_normals, new.corners, len(inner)),
        rest_positions=points.of(old.rest_positions) if len(old.rest_positions) else old.rest_positions,
    )


def _wound_as_faces(cut: SurfaceCut, own: Corners) -> SurfaceCut:
    """The cut with its new triangles going round as the faces that they come from or lie at, not as the solver has them; but a
    surface laid anew has no other faces to fit to."""
    turned = own.turned[np.where(cut.origin != INNER, cut.origin, cut.corners.triangles[:, 0])]
    if cut.laid is not None or not turned.any():
        return cut
    order = np.where(turned[:, None], (0, 2, 1), (0, 1, 2))
    triangles, owners = (np.take_along_axis(each, order, axis=1) for each in (cut.triangles, cut.corners.triangles))
    weights = np.take_along_axis(cut.corners.weights, order[:, :, None], axis=1)
    return replace(cut, triangles=triangles, corners=Sources(owners, weights))


def _laid_out(old: SurfaceTopology, own: Corners, cut: SurfaceCut) -> Faces:
    """Return the new faces, in the order of the new triangles, as the next cut will look for them."""
    sizes = np.diff(old.face_offsets)
    complete = np.bincount(own.face[cut.origin[cut.whole]], minlength=old.face_count) == sizes - 2
    mine = cut.origin != INNER
    face = np.where(mine, own.face[cut.origin], own.face[cut.corners.triangles[:, 0]])
    stays = mine & complete[face]
    # Of the triangles that a complete face has, the first stands for it
    rows = np.flatnonzero(~(stays & np.roll(stays, 1) & (face == np.roll(face, 1)) & (np.arange(len(face)) > 0)))
    counts = np.where(stays[rows], sizes[face[rows]], 3)
    kept, pieces = np.repeat(stays[rows], counts), rows[~stays[rows]]
    loops = np.flatnonzero(np.repeat(complete, sizes))
    vertices = np.empty(len(kept), dtype=np.int32)
    vertices[kept], vertices[~kept] = _numbers(old, cut)[old.corner_vertices[loops]], cut.triangles[pieces].ravel()
    indices, weights = np.empty((len(kept), 3), dtype=np.int64), np.empty((len(kept), 3))
    indices[kept], weights[kept] = loops[:, None], (1.0, 0.0, 0.0)
    indices[~kept] = own.loops[cut.corners.triangles[pieces].ravel()]
    weights[~kept] = cut.corners.weights[pieces].reshape(-1, 3)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return Faces(offsets, vertices, Blend(indices, weights), face[rows])


def _numbers(old: SurfaceTopology, cut: SurfaceCut) -> NDArray[np.int32]:
    """The new number (n,) of each old vertex, -1 for one that is gone."""
    numbers = np.full(old.vertex_count, -1, dtype=np.int32)
    numbers[cut.kept] = np.arange(len(cut.kept), dtype=np.int32)
    return numbers if cut.weld is None else numbers[cut.weld]


def corners_of(old: SurfaceTopology, triangles: NDArray[np.int32]) -> Corners:
    """Return where triangles (t, 3) lie in a record: they follow the order of its faces, one of n corners having n - 2."""
    sizes = np.diff(old.face_offsets).astype(np.int64)
    face = np.repeat(np.arange(old.face_count), sizes - 2)
    fits = len(face) == len(triangles)
    if fits:
        keys = np.repeat(np.arange(old.face_count), sizes) * old.vertex_count + old.corner_vertices
        order = np.argsort(keys, kind="stable")
        wanted = face[:, None] * old.vertex_count + triangles
        loops = order[np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)]
        fits = bool((keys[loops] == wanted).all())
    if not fits:
        raise CacheError("A surface that has torn and its topology record do not fit together.", remedy="Bake again.")
    return Corners(face, loops)


def _materials(old: SurfaceTopology, faces: Indices, closing: int) -> NDArray[np.int32]:
    """The slots of the new faces, the last so many of which close the cut; empty where all are the first."""
    if not len(old.material_index) and old.inner_slot <= 0:
        return old.material_index
    every = old.material_index if len(old.material_index) else np.zeros(old.face_count, dtype=np.int32)
    slots = every[faces]
    if old.inner_slot >= 0:
        slots[len(slots) - closing :] = old.inner_slot
    return slots


def _attribute(layer: NamedArray, points: Blend, new: Faces, edges: Indices) -> NamedArray:
    """A layer on the new elements; edges that are neither old ones nor parts of them have zeros."""
    if layer.domain == "EDGE":
        values = layer.values[np.maximum(edges, 0)]
        values[edges < 0] = 0
    elif layer.domain == "FACE":
        values = layer.values[new.sources]
    else:
        values = (points if layer.domain == "POINT" else new.corners).of(layer.values)
    return replace(layer, values=values)


def _with_flat(
    old: NDArray[np.float32], new: NDArray[np.float32], flat: NDArray[np.float64], own: Corners, area: float
) -> NDArray[np.float32]:
    """The UVs of the new corners, those of the last ones replaced by flat coordinates (k, 2) [m] at the scale of the old."""
    if len(flat):
        new[len(new) - len(flat) :] = flat * scale_of(old[own.loops], area) + 0.5
    return new


def _normals(old: NDArray[np.float32], corners: Blend, closing: int) -> NDArray[np.float32]:
    """Custom normals (c, 3) of unit length, if there are any; zero, which asks for Blender's own, where faces close a cut."""
    if not len(old):
        return old
    normals: NDArray[np.float32] = corners.of(old)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    off = np.abs(length[:, 0] - 1.0) > 1e-6
    normals[off] /= np.maximum(length[off], 1e-30)
    normals[len(normals) - 3 * closing :] = 0.0
    return normals


def _groups(old: VertexGroups, points: Blend, kept: int) -> VertexGroups:
    """Weights of the vertices: of the first so many as they are, of the others mixed."""
    lengths = np.diff(old.offsets)[points.main[:kept]]
    ends = np.cumsum(lengths)
    entries = np.repeat(old.offsets[points.main[:kept]] - (ends - lengths), lengths) + np.arange(lengths.sum())
    groups = csr_matrix(
        (old.weights.astype(np.float64), old.groups, old.offsets), shape=(len(old.offsets) - 1, len(old.names))
    )
    new = len(points.main) - kept
    rows = np.repeat(np.arange(new), 3)
    mixing = csr_matrix((points.weights[kept:].ravel(), (rows, points.indices[kept:].ravel())), shape=(new, groups.shape[0]))
    mixed = csr_matrix(mixing @ groups)
    mixed.eliminate_zeros()
    mixed.sort_indices()
    offsets = np.concatenate([[0], ends, lengths.sum() + mixed.indptr[1:]])
    return VertexGroups(
        old.names,
        offsets.astype(np.int32),
        np.concatenate([old.groups[entries], mixed.indices]).astype(np.int32),
        np.concatenate([old.weights[entries], mixed.data]).astype(np.float32),
    )


def _edges(
    old: SurfaceTopology, corner_vertices: NDArray[np.int32], offsets: NDArray[np.int32], cut: SurfaceCut
) -> tuple[NDArray[np.int32], NDArray[np.int32], Indices]:
    """Edges (e, 2), the edge (c,) of each corner, and the old edge (e,) that each is, or is a part of, or -1.

    Old ones come first, in their order.
    """
    if not len(old.edges):
        return old.edges, old.corner_edges, np.zeros(0, dtype=np.int64)
    number = _numbers(old, cut)
    following = np.arange(len(corner_vertices)) + 1
    following[offsets[1:] - 1] = offsets[:-1]
    count = int(corner_vertices.max()) + 1
    ends = np.sort(np.stack([corner_vertices, corner_vertices[following]], axis=1), axis=1).astype(np.int64)
    keys, corner_edges = np.unique(ends[:, 0] * count + ends[:, 1], return_inverse=True)
    renumbered = np.sort(number[old.edges], axis=1).astype(np.int64)
    loose = np.ones(len(old.edges), dtype=bool)
    loose[old.corner_edges] = False
    some = (renumbered[:, 0] >= 0) & (renumbered[:, 0] != renumbered[:, 1])
    old_keys = np.where(some, renumbered[:, 0] * count + renumbered[:, 1], -1)
    staying = np.flatnonzero((np.isin(old_keys, keys) | loose) & (old_keys >= 0))
    staying = staying[np.sort(np.unique(old_keys[staying], return_index=True)[1])]  # welded, two edges may be one
    fresh = np.flatnonzero(~np.isin(keys, old_keys[staying]))
    place = np.empty(len(keys), dtype=np.int64)
    place[fresh] = len(staying) + np.arange(len(fresh))
    found = np.isin(old_keys[staying], keys)
    place[np.searchsorted(keys, old_keys[staying[found]])] = np.flatnonzero(found)
    parts = np.stack([keys[fresh] // count, keys[fresh] % count], axis=1)
    edges = np.concatenate([number[old.edges[staying]], parts])
    return (
        edges.astype(np.int32),
        place[corner_edges].astype(np.int32),
        np.concatenate([staying, _halved(old, parts, cut)]),
    )


def _halved(old: SurfaceTopology, parts: Indices, cut: SurfaceCut) -> Indices:
    """The old edge (k,) that new edges (k, 2) are parts of, as both of their ends lie on it; -1 where there is none."""
    names = np.arange(old.vertex_count, dtype=np.int64) if cut.weld is None else cut.weld.astype(np.int64)
    corners = names[cut.old_triangles[cut.vertices.triangles]]
    off = cut.vertices.weights < ON_EDGE
    # Between which two old vertices each new one lies; one that was there lies between itself and itself
    low, high = np.where(off, old.vertex_count, corners).min(axis=1), np.where(off, -1, corners).max(axis=1)
    inside = (~off).all(axis=1) & (low != high)
    low, high = np.where(inside, -1, low), np.where(inside, -2, high)
    kept = names[cut.kept]
    ends = np.stack([np.concatenate([kept, low]), np.concatenate([kept, high])], axis=1)[parts].reshape(-1, 4)
    least, most = ends.min(axis=1), ends.max(axis=1)
    along = (least >= 0) & ((ends == least[:, None]) | (ends == most[:, None])).all(axis=1)
    known = np.sort(names[old.edges], axis=1)
    keys, first = np.unique(known[:, 0] * old.vertex_count + known[:, 1], return_index=True)
    wanted = least * old.vertex_count + most
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(along & (keys[at] == wanted), first[at], -1)

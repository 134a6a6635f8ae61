"""What a change of a mesh says to everything that lies on it: one record of plain arrays, replayed field by field."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tet_location import ON_FACE, weights_of
from ..geometry.triangle_tree import closest_points
from ..jit import kernel
from ..tetmesh.mesh import TetMesh, joined_meshes
from ..tetmesh.quality import tet_volumes
from ..topology.parentage import Parentage
from .lattice_frame import LatticeFrame
from .overlap import overlaps
from .own_sheet import first_anchors, own_pairs, own_places
from .unfused import OfSheets

Array = NDArray[np.float64]

AT_ONCE = 4096  # rows of fields that are put together while they stay in the processor's cache


@dataclass(frozen=True)
class MeshChange:
    """From an old mesh to a new one of the same body; n, m old and n', m' new nodes and tets.

    old, new       : the two meshes, as they lie at the same moment
    start          : (m' + 1,) int64, new tet t shares volume with old tets sources[start[t]:start[t + 1]]
    sources        : (p,) int32; of a new tet outside all old ones the nearest
    volumes        : (p,) what they share [m^3]; of a new tet outside all old ones its own
    corners        : (n', 4) int32, the old nodes that each new node lies between, the nearest ones where it lies outside
    weights        : (n', 4) and its weights between them, none negative, summing to 1
    """

    old: TetMesh
    new: TetMesh
    start: NDArray[np.int64]
    sources: NDArray[np.int32]
    volumes: Array
    corners: NDArray[np.int32]
    weights: Array

    def averaged(self, columns: Sequence[Array]) -> Array:
        """Fields (k, m') of the new tets from k fields (m,) of the old, averaged over the volume that they share."""
        result = np.empty((len(columns), len(self.new.tets)))
        vary = [k for k, values in enumerate(columns) if (values != values[0]).any()]
        for k in range(len(columns)):
            if k not in vary:  # what is the same everywhere stays so
                result[k] = columns[k][0]
        if vary:
            rows = np.empty((len(self.old.tets), len(vary)))
            for first in range(0, len(rows), AT_ONCE):
                part = rows[first : first + AT_ONCE]
                for place, k in enumerate(vary):
                    part[:, place] = columns[k][first : first + AT_ONCE]
            pairs = self.start, self.sources, self.volumes
            in_chunks(_averaged, len(self.new.tets), *pairs, rows, np.array(vary), result)
        return result

    def in_world(self, old: TetMesh, frame: LatticeFrame) -> "MeshChange":
        """The same of meshes in the world, of which the old one is at hand, where this is of meshes in a frame."""
        return replace(self, old=old, new=frame.in_world(self.new))

    @property
    def nodes(self) -> Parentage:
        """The new nodes from the old ones: all are new."""
        return Parentage.between(len(self.old.positions), self.corners, self.weights)

    @property
    def shares(self) -> Parentage:
        """The new tets from the old ones: all are new."""
        count, lengths = len(self.new.tets), np.diff(self.start)
        sums = np.add.reduceat(self.volumes, self.start[:-1]) if count else np.zeros(0)
        same, sources = np.full(count, -1, dtype=np.int64), self.sources.astype(np.int64)
        return Parentage(len(self.old.tets), same, self.start, sources, self.volumes / np.repeat(sums, lengths))

    def pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The old and the new tet (p,), (p,) of each shared volume."""
        return self.sources, np.repeat(np.arange(len(self.new.tets)), np.diff(self.start))

    def carried(self, values: Array) -> Array:
        """Fields (n', k) at the new nodes from those at the old (n, k), linear within old tets."""
        result: Array = np.einsum("ni,nik->nk", self.weights, values[self.corners])
        return result

    def main(self) -> NDArray[np.int32]:
        """The old tet (m',) that each new one shares most volume with; of equals the first."""
        result = np.empty(len(self.new.tets), dtype=np.int32)
        in_chunks(_largest, len(result), self.start, self.sources, self.volumes, result)
        return result


@kernel
def _averaged(first, last, start, sources, volumes, rows, which, result):  # type: ignore[no-untyped-def]
    """Set columns first .. last - 1 of those of the result (k', m') that rows (m, k) are of, `which` (k,)."""
    width = rows.shape[1]
    sums = np.empty(width)
    for t in range(first, last):
        sums[:] = 0.0
        total = 0.0
        for p in range(start[t], start[t + 1]):
            source, volume = np.uint64(sources[p]), volumes[p]
            total += volume
            for k in range(np.uint64(width)):
                sums[k] += volume * rows[source, k]
        for k in range(width):
            result[which[k], t] = sums[k] / total


@kernel
def _largest(first, last, start, sources, volumes, result):  # type: ignore[no-untyped-def]
    for t in range(first, last):
        best, most = start[t], volumes[start[t]]
        for p in range(start[t] + 1, start[t + 1]):  # without branches, which nothing could foretell
            better = volumes[p] > most
            best, most = (p if better else best), max(most, volumes[p])
        result[t] = sources[best]


def mesh_change(old: TetMesh, new: TetMesh, of_sheets: OfSheets | None = None) -> MeshChange:
    """Return the record of a body's change from one mesh to another; of a folded one each sheet's by itself.

    Both lie about the origin, for far from it digits are lost; best with the new lattice along the axes.
    """
    start, sources, volumes = overlaps(old, new)
    if of_sheets is not None:
        start, sources, volumes = own_pairs(old, (start, sources, volumes), of_sheets)
    lonely = np.flatnonzero(np.diff(start) == 0)
    if len(lonely):
        nearest, _, _ = _nearest(old, new.positions[new.tets[lonely]].mean(axis=1))
        if of_sheets is not None:
            anchors = first_anchors(of_sheets)[lonely]
            nearest = np.where(anchors >= 0, anchors, nearest).astype(np.int32)
        sources = np.insert(sources, start[lonely], nearest)
        volumes = np.insert(volumes, start[lonely], np.abs(tet_volumes(new.positions, new.tets[lonely])))
        counts = np.diff(start)
        counts[lonely] = 1
        start = np.concatenate([[0], np.cumsum(counts)])
    if of_sheets is not None:
        corners, weights = own_places(old, new, start, sources)
    else:
        corners, weights = _between(old, new, start, sources)
    return MeshChange(old, new, start, sources, volumes, corners, weights)


def joined_changes(old: TetMesh, parts: list[tuple[NDArray[np.int64], MeshChange]]) -> MeshChange:
    """Return the record of a body's change from those of parts of it, each with the numbers (k,) of its old tets."""
    if len(parts) == 1 and len(parts[0][0]) == len(old.tets):
        return parts[0][1]
    nodes = [np.unique(old.tets[own]) for own, _ in parts]
    shares = np.cumsum([0, *(len(change.sources) for _, change in parts)])
    starts = [change.start[:-1] + first for (_, change), first in zip(parts, shares[:-1], strict=True)]
    return MeshChange(
        old,
        joined_meshes([change.new for _, change in parts]),
        np.concatenate([*starts, shares[-1:]]).astype(np.int64),
        np.concatenate([own[change.sources] for own, change in parts]).astype(np.int32),
        np.concatenate([change.volumes for _, change in parts]),
        np.concatenate([own[change.corners] for own, (_, change) in zip(nodes, parts, strict=True)]).astype(np.int32),
        np.concatenate([change.weights for _, change in parts]),
    )


def _between(
    mesh: TetMesh, new: TetMesh, start: NDArray[np.int64], sources: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Array]:
    """Nodes (n', 4) between which new ones lie, and weights (n', 4); those outside lie on the boundary next to them.

    One tet around a new node is enough to know the few that may hold it: those that it shares volume with.
    """
    count = len(new.positions)
    of, tets, weights = np.empty(count, dtype=np.int32), np.full(count, -1, dtype=np.int32), np.empty((count, 4))
    _last_tets(new.tets, of)
    in_chunks(_held, count, mesh.positions, mesh.tets, np.ascontiguousarray(new.positions), of, start, sources, tets, weights)
    others = np.flatnonzero(tets < 0)
    if len(others):
        tets[others], weights[others] = mesh.located(new.positions[others])
    corners = mesh.tets[tets]
    outside = np.flatnonzero(tets < 0)
    if len(outside):
        _, faces, shares = _nearest(mesh, new.positions[outside])
        corners[outside, :3], corners[outside, 3] = faces, faces[:, 0]
        weights[outside, :3], weights[outside, 3] = shares, 0.0
    weights = np.maximum(weights, 0.0)
    return corners, weights / weights.sum(axis=1, keepdims=True)


@kernel
def _last_tets(tets, of):  # type: ignore[no-untyped-def]
    """Set a tet (n,) of each node."""
    for t in range(len(tets)):
        for corner in range(4):
            of[tets[t, corner]] = t


@kernel
def _held(first, last, positions, tets, points, of, start, sources, found, weights):  # type: ignore[no-untyped-def]
    """Set which of the tets that share volume with a point's own holds it, the first by number, and its weights there."""
    for n in range(first, last):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        for k in range(start[of[n]], start[of[n] + 1]):
            t = sources[k]
            w0, w1, w2, w3 = weights_of(positions, tets, t, x, y, z)
            if min(min(w0, w1), min(w2, w3)) >= -ON_FACE and (found[n] < 0 or t < found[n]):
                found[n] = t
                weights[n, 0], weights[n, 1], weights[n, 2], weights[n, 3] = w0, w1, w2, w3


def _nearest(mesh: TetMesh, points: Array) -> tuple[NDArray[np.int32], NDArray[np.int32], Array]:
    """The boundary tet (k,), its face's nodes (k, 3) and weights (k, 3) that are nearest to points (k, 3)."""
    found = closest_points(mesh.hull, np.ascontiguousarray(points))
    return mesh.faces.tet[found.triangle], mesh.faces.boundary[found.triangle], found.weights

"""A manifold surface around the tets that are held (Bargteil 2007, 4.2, third step; claim B18).

A vertex is manifold if the tets around it that are held hang together by faces, and those that are not do too. Where either do
not, the smallest part changes sides. An edge is manifold if the ring of tets around it has at most one gap. Where it has more,
all but the largest gap are filled, or all but the largest row of held tets go: filled if what fills them is well shaped and no
larger than what would go. Edges come first: at their ends vertices are not manifold either, and would have their tets removed.
A tet that has changed sides does not come back; so this ends, by removing if need be.
"""

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from ...tetmesh.mesh import TetMesh
from .shapes import GOOD, classified, normal_products
from .triangulation import Triangulation, corner_of


def made_manifold(mesh: TetMesh, whole: Triangulation) -> int:
    """Hold other tets of a triangulation until their surface is manifold; how many have changed sides."""
    kinds = classified(normal_products(mesh)).kinds
    well_shaped = np.concatenate([kinds == GOOD, np.zeros(len(whole.tets) - len(kinds), dtype=bool)])
    considered = ~np.isfinite(whole.volumes)  # what lies beyond the hull never comes in
    room = int(np.diff(whole.start)[:-1].max())
    row = np.empty((4, room), dtype=np.int32)
    stamp = np.full(len(whole.tets), -1, dtype=np.int32)
    edges = _edges(mesh.tets)
    changed, before = 0, -1
    while changed != before:
        before = changed
        changed += _mend_edges(*whole, considered, well_shaped, edges, row, stamp)
        changed += _mend_vertices(*whole, considered, row, stamp)
    return changed


def _edges(tets: NDArray[np.int32]) -> NDArray[np.int32]:
    """Every edge (e, 2) of tets once, the smaller end first."""
    pairs = np.sort(np.concatenate([tets[:, [i, j]] for i in range(4) for j in range(i + 1, 4)]).astype(np.int64), axis=1)
    keys = np.unique(pairs[:, 0] * (int(tets.max()) + 1) + pairs[:, 1])
    return np.stack(np.divmod(keys, int(tets.max()) + 1), axis=1).astype(np.int32)


@kernel
def _gather(tets, start, incident, a, b, found):  # type: ignore[no-untyped-def]
    """List the tets around a vertex (b = a) or an edge; return how many."""
    count = 0
    for n in range(start[a], start[a + 1]):
        if corner_of(tets, incident[n], b) >= 0:
            found[count] = incident[n]
            count += 1
    return count


@kernel
def _groups(tets, neighbours, held, a, b, row, stamp, count, volumes, sizes):  # type: ignore[no-untyped-def]
    """Number (row[1]) the groups in which the tets row[0, :count] around a vertex or an edge hang together by faces.

    The faces hold the vertex or edge. Tets that are held hang together with such only, others with others. Sets the volume of
    each group; returns how many there are.
    """
    found, group, stack = row[0], row[1], row[2]
    for n in range(count):
        stamp[found[n]] = n
        group[n] = -1
    groups = 0
    for seed in range(count):
        if group[seed] >= 0:
            continue
        group[seed], stack[0], size = groups, seed, 1
        sizes[groups] = 0.0
        while size:
            size -= 1
            n = stack[size]
            t = found[n]
            sizes[groups] += volumes[t]
            for face in range(4):
                if tets[t, face] in (a, b):  # the face opposite to it
                    continue
                other = neighbours[t, face]
                k = stamp[other]
                if k >= 0 and group[k] < 0 and held[other] == held[t]:
                    group[k] = groups
                    stack[size] = k
                    size += 1
        groups += 1
    for n in range(count):
        stamp[found[n]] = -1
    return groups


@kernel
def _mend_vertices(tets, neighbours, start, incident, volumes, held, considered, row, stamp):  # type: ignore[no-untyped-def]
    """Mend every vertex once; return how many tets have changed sides."""
    sizes, owner, changed = np.empty(row.shape[1]), np.empty(row.shape[1], dtype=np.bool_), 0
    for v in range(len(start) - 2):
        again = True
        while again:
            again = False
            count = _gather(tets, start, incident, v, v, row[0])
            groups = _groups(tets, neighbours, held, v, v, row, stamp, count, volumes, sizes)
            if groups < 3:
                break
            for n in range(count):
                owner[row[1, n]] = held[row[0, n]]
            there = 0
            for g in range(groups):
                there += owner[g]
            smallest = -1  # of the sides that do not hang together
            for g in range(groups):
                torn = there > 1 if owner[g] else groups - there > 1
                if torn and (smallest < 0 or sizes[g] < sizes[smallest]):
                    smallest = g
            if not owner[smallest] and _any_considered(row, count, smallest, considered):
                smallest = _smallest_held(owner, sizes, groups)
            changed += _switch(row, count, smallest, held, considered)
            again = True
    return changed


@kernel
def _any_considered(row, count, group, considered):  # type: ignore[no-untyped-def]
    some = False
    for n in range(count):
        some = some or (row[1, n] == group and considered[row[0, n]])
    return some


@kernel
def _smallest_held(owner, sizes, groups):  # type: ignore[no-untyped-def]
    smallest = -1
    for g in range(groups):
        if owner[g] and (smallest < 0 or sizes[g] < sizes[smallest]):
            smallest = g
    return smallest


@kernel
def _switch(row, count, group, held, considered):  # type: ignore[no-untyped-def]
    """Let a group change sides; return how many tets it has."""
    changed = 0
    for n in range(count):
        if row[1, n] == group:
            held[row[0, n]] = not held[row[0, n]]
            considered[row[0, n]] = True
            changed += 1
    return changed


@kernel
def _mend_edges(tets, neighbours, start, incident, volumes, held, considered, well_shaped, edges, row, stamp):  # type: ignore[no-untyped-def]
    """Mend every edge once; return how many tets have changed sides."""
    sizes, owner, changed = np.empty(row.shape[1]), np.empty(row.shape[1], dtype=np.bool_), 0
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        count = _gather(tets, start, incident, a, b, row[0])
        groups = _groups(tets, neighbours, held, a, b, row, stamp, count, volumes, sizes)
        if groups < 4:  # held and not held take turns around an edge
            continue
        for n in range(count):
            owner[row[1, n]] = held[row[0, n]]
        filling, leaving = _side(row, count, groups, owner, sizes, False), _side(row, count, groups, owner, sizes, True)
        good, volume_in, volume_out = True, 0.0, 0.0
        for n in range(count):
            t, g = row[0, n], row[1, n]
            if owner[g] and g != leaving:
                volume_out += volumes[t]
            elif not owner[g] and g != filling:
                volume_in += volumes[t]
                good = good and well_shaped[t] and not considered[t]
        fill = good and volume_in <= volume_out
        for g in range(groups):
            if owner[g] != fill and g != (filling if fill else leaving):
                changed += _switch(row, count, g, held, considered)
    return changed


@kernel
def _side(row, count, groups, owner, sizes, held):  # type: ignore[no-untyped-def]
    """The largest of the groups that are held, or that are not."""
    largest = -1
    for g in range(groups):
        if owner[g] == held and (largest < 0 or sizes[g] > sizes[largest]):
            largest = g
    return largest

"""Making the boundary of a tet mesh manifold, and telling its pieces apart."""

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, inner_kernel, kernel
from .boundary import FaceTable, face_table, table_without


def manifold_tets(tets: NDArray[np.int32], table: FaceTable | None = None) -> NDArray[np.int32]:
    """Return the tets without the few that keep the boundary from being a manifold; the same array where there are none.

    Around each vertex, and around each edge, the tets must hang together by faces; of two groups that only meet there,
    the smaller goes. The empty space around a vertex must hang together too: where two hollows only meet there, the
    smaller one is opened by the tets it touches. Stuffing leaves such places where two parts of a surface come closer
    than a cell. Each round only removes, so this ends. table: that of the faces, if it is at hand.
    """
    rows = manifold_rows(tets, table)
    return tets if len(rows) == len(tets) else tets[rows]


def manifold_rows(tets: NDArray[np.int32], table: FaceTable | None = None) -> NDArray[np.int64]:
    """The same as the numbers (m',) of the tets that are left."""
    rows = np.arange(len(tets))
    table = face_table(tets) if table is None else table
    # Vertices around which tets may fall apart: later only those of tets that went
    asked = np.ones(int(tets.max(initial=-1)) + 1, dtype=np.bool_)
    while len(rows):
        drop = np.zeros(len(tets), dtype=np.bool_)
        _mark_pinched_vertices(tets, table.neighbours, asked, drop)
        if not drop.any():
            _mark_pinched_edges(tets, table.neighbours, *_pinched_edges(table.boundary), drop)
        if not drop.any():
            _mark_pinched_hollows(table.boundary, table.tet, len(asked), drop)
        if not drop.any():
            break
        asked[:] = False
        asked[tets[drop]] = True
        table, tets, rows = table_without(tets, table, drop), tets[~drop], rows[~drop]
    return rows


def components(tets: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return (m,) the connected piece of each tet, joined by faces, numbered by first appearance."""
    return pieces_of(face_table(tets))


def pieces_of(table: FaceTable) -> NDArray[np.int32]:
    """The same with the table of faces at hand."""
    return np.asarray(_components(table.neighbours))


def _pinched_edges(boundary: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ends of edges with more than two boundary triangles."""
    first, second = boundary.ravel().astype(np.int64), np.roll(boundary, -1, axis=1).ravel().astype(np.int64)
    count = int(boundary.max()) + 1
    edges, counts = np.unique(np.minimum(first, second) * count + np.maximum(first, second), return_counts=True)
    pinched = edges[counts > 2]
    return pinched // count, pinched % count


@kernel
def _components(neighbours):  # type: ignore[no-untyped-def]
    piece = np.full(len(neighbours), -1, dtype=np.int32)
    stack = np.empty(len(neighbours), dtype=np.int64)
    count = 0
    for seed in range(len(neighbours)):
        if piece[seed] >= 0:
            continue
        piece[seed] = count
        stack[0] = seed
        size = 1
        while size:
            size -= 1
            current = stack[size]
            for face in range(4):
                other = neighbours[current, face]
                if other >= 0 and piece[other] < 0:
                    piece[other] = count
                    stack[size] = other
                    size += 1
        count += 1
    return piece


@inline
def _has(tets, t, vertex):  # type: ignore[no-untyped-def]
    return tets[t, 0] == vertex or tets[t, 1] == vertex or tets[t, 2] == vertex or tets[t, 3] == vertex


@inner_kernel
def _mark_small_groups(tets, neighbours, around, vertex, other_vertex, drop):  # type: ignore[no-untyped-def]
    """Of the tets `around`, joined by faces that hold both vertices, mark all but the largest group."""
    count = len(around)
    group = np.full(count, -1, dtype=np.int64)
    largest, largest_size, groups = 0, 0, 0
    for seed in range(count):
        if group[seed] >= 0:
            continue
        group[seed] = groups
        size, grown = 1, True
        while grown:
            grown = False
            for i in range(count):
                if group[i] != groups:
                    continue
                for face in range(4):
                    opposite = tets[around[i], face]
                    if opposite in (vertex, other_vertex):
                        continue
                    for j in range(count):
                        if group[j] < 0 and around[j] == neighbours[around[i], face]:
                            group[j] = groups
                            size += 1
                            grown = True
        if size > largest_size:
            largest, largest_size = groups, size
        groups += 1
    if groups > 1:
        for i in range(count):
            if group[i] != largest:
                drop[around[i]] = True


@kernel
def _mark_pinched_vertices(tets, neighbours, asked, drop):  # type: ignore[no-untyped-def]
    """Around each vertex that is `asked` for and on the boundary, mark all tets but the largest group."""
    vertices = len(asked)
    on_boundary = np.zeros(vertices, dtype=np.bool_)
    for t in range(len(tets)):
        for a in range(4):
            if neighbours[t, a] < 0:
                for b in range(4):
                    on_boundary[tets[t, b]] = on_boundary[tets[t, b]] or (b != a and asked[tets[t, b]])
    start = np.zeros(vertices + 1, dtype=np.int64)
    for t in range(len(tets)):
        for a in range(4):
            start[tets[t, a] + 1] += on_boundary[tets[t, a]]
    for v in range(vertices):
        start[v + 1] += start[v]
    fill = start.copy()
    incident = np.empty(start[vertices], dtype=np.int64)
    for t in range(len(tets)):
        for a in range(4):
            if on_boundary[tets[t, a]]:
                incident[fill[tets[t, a]]] = t
                fill[tets[t, a]] += 1
    for v in range(vertices):
        if on_boundary[v]:
            _mark_small_groups(tets, neighbours, incident[start[v] : start[v + 1]], v, v, drop)


@kernel
def _mark_pinched_edges(tets, neighbours, first, second, drop):  # type: ignore[no-untyped-def]
    around = np.empty(len(tets), dtype=np.int64)
    for e in range(len(first)):
        count = 0
        for t in range(len(tets)):
            if _has(tets, t, first[e]) and _has(tets, t, second[e]):
                around[count] = t
                count += 1
        _mark_small_groups(tets, neighbours, around[:count], first[e], second[e], drop)


@kernel
def _mark_pinched_hollows(boundary, owner, vertices, drop):  # type: ignore[no-untyped-def]
    """Where the boundary triangles at a vertex form several fans, mark the tets of all but the largest."""
    start = np.zeros(vertices + 1, dtype=np.int64)
    for t in range(len(boundary)):
        for a in range(3):
            start[boundary[t, a] + 1] += 1
    for v in range(vertices):
        start[v + 1] += start[v]
    fill = start.copy()
    incident = np.empty(3 * len(boundary), dtype=np.int64)
    for t in range(len(boundary)):
        for a in range(3):
            incident[fill[boundary[t, a]]] = t
            fill[boundary[t, a]] += 1
    for v in range(vertices):
        _mark_small_fans(boundary, incident[start[v] : start[v + 1]], v, owner, drop)


@inner_kernel
def _mark_small_fans(boundary, around, vertex, owner, drop):  # type: ignore[no-untyped-def]
    fan = np.full(len(around), -1, dtype=np.int64)
    fans, largest, largest_size = 0, 0, 0
    for seed in range(len(around)):
        if fan[seed] >= 0:
            continue
        current, size = seed, 0
        while fan[current] < 0:
            fan[current] = fans
            size += 1
            leaving = _after(boundary, around[current], vertex, 2)
            for other in range(len(around)):
                if _after(boundary, around[other], vertex, 1) == leaving:
                    current = other
                    break
        if size > largest_size:
            largest, largest_size = fans, size
        fans += 1
    if fans > 1:
        for n in range(len(around)):
            if fan[n] != largest:
                drop[owner[around[n]]] = True


@inline
def _after(boundary, t, vertex, steps):  # type: ignore[no-untyped-def]
    """The corner of a boundary triangle so many steps after one of its corners."""
    for a in range(3):
        if boundary[t, a] == vertex:
            return boundary[t, (a + steps) % 3]
    return -1

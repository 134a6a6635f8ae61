"""Patches of a surface, in which unfolded.py looks for folds: chosen once, by how triangles hang together and lie at rest.

A patch is made for a run of clusters. Its core are these and the clusters around them, whose pairs with them it answers for.
Around the core come all triangles as far as a ball about it reaches along the surface, so that its rim stays clear of the core.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.edges import edges_of
from ...jit import inline, kernel
from .clusters import Clusters

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

SIZES = (128, 32, 8)  # clusters of a patch: of a large one each pair costs less, a small one bends less
RINGS = 1  # of clusters around them: about all that are near them on a surface that is not folded
WIDER, BEYOND = 1.25, 1.5  # the ball's radius: so many times the core's, and so many mean edges more
GROUP = 8  # clusters whose triangles are looked at together first


class Rows(NamedTuple):
    """Rows of different lengths, one after the other: row i is values[first[i]:first[i + 1]]."""

    values: IntArray
    first: IntArray


class Patches(NamedTuple):
    """p patches, those for most clusters first. Vertices are named by their place in the order of the clusters.

    clusters (p, 2) : it is for the clusters from clusters[i, 0] to before clusters[i, 1]
    core            : clusters whose pairs with these it answers for
    hem             : of the triangles at the vertices of their items, the vertices around them all; and those at a border
    triangles       : numbers of those triangles, the first `at_core[i]` of them, then of all others of the patch
    parts           : where among all these each run of triangles of one group begins; at the end where the last one ends
    rim             : rows (k, 2), from vertex to vertex: what is left of the triangles' sides where they do not cancel
    touched         : clusters that have a vertex of it
    cluster (t,)    : of each triangle of the surface; those of GROUP clusters that follow on each other are a group
    group           : of each of the parts, its number
    """

    clusters: IntArray
    at_core: IntArray
    core: Rows
    hem: Rows
    triangles: Rows
    parts: Rows
    rim: Rows
    touched: Rows
    cluster: IntArray
    group: IntArray

    def named(self, nodes: IntArray) -> "Patches":
        """The same with vertices named by their numbers (v,) among all nodes."""
        hem, rim = (rows._replace(values=nodes[rows.values]) for rows in (self.hem, self.rim))
        return self._replace(hem=hem, rim=rim)


class Ranked(NamedTuple):
    """A surface by the order of its clusters' vertices.

    places (v, 3), corners (t, 3), around: rows of the triangles at each vertex, cluster (v,) of each vertex,
    side (t, 3): number of the edge from corner k to the next, one more, less than zero where it is walked backwards,
    own: rows of the vertices of each cluster's items
    """

    places: Array
    corners: IntArray
    around: Rows
    cluster: IntArray
    side: IntArray
    own: Rows


def ranked(clusters: Clusters, rest: Array) -> Ranked:
    """Name the vertices of a surface, its nodes at rest at (n, 3), by the clusters' order."""
    nodes, first = clusters.vertices.nodes[:, 0], clusters.vertices.first
    rank = np.zeros(int(nodes.max(initial=0)) + 1, dtype=np.int32)
    rank[nodes] = np.arange(len(nodes))
    corners = np.ascontiguousarray(rank[clusters.surface.triangles])
    order = np.argsort(corners.ravel(), kind="stable")
    starts = np.searchsorted(corners.ravel()[order], np.arange(len(nodes) + 1))
    around = Rows((order // 3).astype(np.int32), starts.astype(np.int32))
    edges = edges_of(corners)
    side = np.empty(corners.size, dtype=np.int32)
    number = np.repeat(np.arange(len(edges.vertices)), edges.counts) + 1
    side[edges.order] = np.where(edges.forward, number, -number)
    cluster = np.repeat(np.arange(len(first) - 1), np.diff(first)).astype(np.int32)
    return Ranked(
        np.ascontiguousarray(rest[nodes]), corners, around, cluster, side.reshape(-1, 3), Rows(clusters.own, clusters.first_own)
    )  # fmt: skip


def patches_of(surface: Ranked, edge_length: float) -> Patches:
    """The patches of a surface with a mean edge length [m]."""
    count, vertices, triangles = len(surface.own.first) - 1, len(surface.places), len(surface.corners)
    marks = np.zeros(count, np.int32), np.zeros(vertices, np.int32), np.zeros(triangles, np.int32)
    net = np.zeros(int(np.abs(surface.side).max(initial=0)) + 1, np.int32)
    room = tuple(np.empty(size, np.int32) for size in (count, vertices, triangles, 6 * triangles, count))
    cluster = surface.cluster[surface.corners[:, 0]]
    clusters, at_core, rows = [], [], []
    parts, begun = [np.zeros(0, np.int32)], 0
    for size in SIZES:
        for start in range(0, count, size):
            last = min(start + size, count)
            core, hem, near, all_triangles, rim, touched = _gather(
                surface, start, last, BEYOND * edge_length, *marks, net, *room
            )
            if rim == 0:  # it goes all around
                continue
            clusters.append((start, last))
            at_core.append(near)
            parts.append(_grouped(room[2][:all_triangles], near, cluster // np.int32(GROUP)) + np.int32(begun))
            begun += all_triangles
            lengths = core, hem, all_triangles, 2 * rim, touched
            rows.append([values[:length].copy() for values, length in zip(room, lengths, strict=True)])
    columns = zip(*rows, strict=True) if rows else [()] * 5
    core, hem, found, rim, touched = map(_joined, columns)
    runs = Rows(np.append(np.concatenate(parts), found.first[-1]).astype(np.int32), _joined(tuple(parts[1:])).first)
    group = cluster[found.values[runs.values[:-1]]] // np.int32(GROUP)
    return Patches(
        np.array(clusters, np.int32).reshape(-1, 2), np.array(at_core, np.int32), core, hem, found, runs, rim, touched, cluster,
        group,
    )  # fmt: skip


def _grouped(triangles: IntArray, near: int, group: IntArray) -> IntArray:
    """Sort triangles (k,) by their groups, the first `near` by themselves; return where each run of one group begins."""
    for part in (triangles[:near], triangles[near:]):
        part[:] = part[np.argsort(group[part], kind="stable")]
    new = np.append(True, np.diff(group[triangles]) != 0)
    new[near : near + 1] = True
    return np.flatnonzero(new[: len(triangles)]).astype(np.int32)


def _joined(rows: tuple[IntArray, ...]) -> Rows:
    first = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int32)
    return Rows(np.concatenate([np.zeros(0, np.int32), *rows]), first)


@kernel
def _gather(  # type: ignore[no-untyped-def]
    surface, start, last, beyond, cluster_mark, vertex_mark, triangle_mark, net, core, hem, found, rim, touched
):
    """Fill core ... touched for the clusters from start to before last; return how many there are of each (see Patches)."""
    cluster_mark[:], vertex_mark[:], triangle_mark[:] = 0, 0, 0
    cores = _core(surface, start, last, cluster_mark, core)
    insides, disks, near, center, radius = _at_core(surface, core[:cores], vertex_mark, triangle_mark, hem, found)
    triangles = _around(surface, center, WIDER * radius + beyond, near, vertex_mark, triangle_mark, found)
    cluster_mark[:], vertex_mark[:] = 0, 0
    rims, touching = _rim(surface, found[:triangles], net, cluster_mark, rim, touched)
    for k in range(2 * rims):
        vertex_mark[rim[k]] = 1
    hems = 0
    for k in range(disks):
        if k >= insides or vertex_mark[hem[k]]:
            hem[hems], hems = hem[k], hems + 1
    return cores, hems, near, triangles, rims, touching


@kernel
def _core(surface, start, last, mark, core):  # type: ignore[no-untyped-def]
    """Fill core with the clusters from start to before last and RINGS of others around them; return their number."""
    _, corners, (at, first_at), cluster, _, (own, first_own) = surface
    count = 0
    for c in range(start, last):
        core[count], mark[c], count = c, 1, count + 1
    begin = 0
    for _ in range(RINGS):
        end = count
        for i in range(begin, end):
            for j in range(first_own[core[i]], first_own[core[i] + 1]):
                for k in range(first_at[own[j]], first_at[own[j] + 1]):
                    for m in range(3):
                        c = cluster[corners[at[k], m]]
                        if mark[c] == 0:
                            core[count], mark[c], count = c, 1, count + 1
        begin = end
    return count


@kernel
def _at_core(surface, core, vertex_mark, triangle_mark, disk, found):  # type: ignore[no-untyped-def]
    """Fill disk with the vertices of the core's items and then of the triangles at those, which come into found.

    Return how many there are of each, the mean of the items' vertices, and the disk's radius around it.
    """
    places, corners, (at, first_at), _, _, (own, first_own) = surface
    insides, center = 0, np.zeros(3)
    for c in core:
        for j in range(first_own[c], first_own[c + 1]):
            v = own[j]
            if vertex_mark[v] == 0:
                disk[insides], vertex_mark[v], insides = v, 1, insides + 1
                for axis in range(3):
                    center[axis] += places[v, axis]
    center /= insides
    disks, near, square = insides, 0, 0.0
    for i in range(insides):
        for k in range(first_at[disk[i]], first_at[disk[i] + 1]):
            t = at[k]
            if triangle_mark[t] == 0:
                found[near], triangle_mark[t], near = t, 1, near + 1
                for m in range(3):
                    v = corners[t, m]
                    if vertex_mark[v] == 0:
                        disk[disks], vertex_mark[v], disks = v, 1, disks + 1
    for i in range(disks):
        square = max(square, _squared_off(places, disk[i], center))
    return insides, disks, near, center, np.sqrt(square)


@inline
def _squared_off(places, v, center):  # type: ignore[no-untyped-def]
    """How far one of places (n, 3) is off a centre (3,), squared."""
    x, y, z = places[v, 0] - center[0], places[v, 1] - center[1], places[v, 2] - center[2]
    return x * x + y * y + z * z


@kernel
def _around(surface, center, radius, count, vertex_mark, triangle_mark, found):  # type: ignore[no-untyped-def]
    """Add to found (of which there are `count`) all triangles at vertices in the ball that hang together with those there."""
    places, corners, (at, first_at), _, _, _ = surface
    i = 0
    while i < count:
        for m in range(3):
            v = corners[found[i], m]
            if vertex_mark[v] == 2 or _squared_off(places, v, center) > radius * radius:
                continue
            vertex_mark[v] = 2
            for k in range(first_at[v], first_at[v + 1]):
                t = at[k]
                if triangle_mark[t] == 0:
                    found[count], triangle_mark[t], count = t, 1, count + 1
        i += 1
    return count


@kernel
def _rim(surface, triangles, net, mark, rim, touched):  # type: ignore[no-untyped-def]
    """Fill rim and touched; return their numbers. `net` holds zeros, before and after."""
    _, corners, _, cluster, side, _ = surface
    rims, touching = 0, 0
    for t in triangles:
        for m in range(3):
            c, s = cluster[corners[t, m]], side[t, m]
            net[abs(s)] += 1 if s > 0 else -1
            if mark[c] == 0:
                touched[touching], mark[c], touching = c, 1, touching + 1
    for t in triangles:
        for m in range(3):
            s = side[t, m]
            ahead = 1 if s > 0 else -1
            # Where several triangles meet at an edge, as many of its sides are left over as do not cancel
            if net[abs(s)] * ahead > 0:
                rim[2 * rims], rim[2 * rims + 1] = corners[t, m], corners[t, (m + 1) % 3]
                rims, net[abs(s)] = rims + 1, net[abs(s)] - ahead
    return rims, touching

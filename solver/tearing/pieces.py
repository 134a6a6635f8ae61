"""The pieces of a torn body: how far they are, and the artist's surface bound to each of them apart.

A surface that lies next to a piece which it is no part of, because the two touch, must not be carried by it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..embedding import Binding, Spread, bind, contact_samples, joined_rows
from ..geometry.tet_location import locate
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..surface import Surface
from ..tetmesh.boundary import face_table
from ..tetmesh.compaction import compacted
from ..tetmesh.manifold import components
from ..tetmesh.mesh import TetMesh

Array = NDArray[np.float64]
Labels = NDArray[np.int32]


class Pieces:
    """The connected pieces of a mesh, `piece` (m,) of each tet."""

    def __init__(self, mesh: TetMesh) -> None:
        self.mesh, self.piece = mesh, components(mesh.tets)
        table = face_table(mesh.tets)
        owner = self.piece[table.tet]
        self.trees = [triangle_tree(mesh.positions, table.boundary[owner == k]) for k in range(int(self.piece.max()) + 1)]

    def distances(self, points: Array) -> Array:
        """How far points (k, 3) are from each of p pieces, 0 inside it: (k, p) [m]."""
        result = np.stack([closest_points(tree, points).distance for tree in self.trees], axis=1)
        held = locate(self.mesh.positions, self.mesh.tets, points)[0]
        inside = np.flatnonzero(held >= 0)
        result[inside, self.piece[held[inside]]] = 0.0
        return result

    def owners(self, surface: Surface, element_size: float) -> Labels:
        """The piece (n,) that each vertex of a surface belongs to.

        Connected vertices belong where most of them lie nearest to, but for those further from there than an element.
        """
        distances = self.distances(surface.positions)
        nearest = distances.argmin(axis=1)
        owner = voted(surface, nearest)
        far = distances[np.arange(len(owner)), owner] > element_size
        result: Labels = np.where(far, nearest, owner).astype(np.int32)
        return result

    def bound(self, surface: Surface, owner: Labels) -> Binding:
        """The binding of a surface's vertices (n,), each to the piece that owns it."""
        return self._each(lambda mesh, k: (bind(mesh, surface.positions[owner == k]), np.flatnonzero(owner == k)))

    def contacts(self, surface: Surface, owner: Labels, spacing: float) -> Binding:
        """The points of a surface that carry contact (embedding.contact_samples), each on the piece that owns it."""
        found = 0

        def of_piece(mesh: TetMesh, k: int) -> tuple[Binding, NDArray[np.int64]]:
            nonlocal found
            own = surface.triangles[owner[surface.triangles[:, 0]] == k]
            if not len(own):
                return _nothing(), np.zeros(0, dtype=np.int64)
            used, numbered = np.unique(own, return_inverse=True)
            part = Surface(np.ascontiguousarray(surface.positions[used]), numbered.reshape(-1, 3).astype(np.int32))
            binding = contact_samples(part, mesh, spacing)
            found += len(binding.tets)
            return binding, np.arange(found - len(binding.tets), found)

        return self._each(of_piece)

    def _each(self, of_piece: Callable[[TetMesh, int], tuple[Binding, NDArray[np.int64]]]) -> Binding:
        """One binding from that to each piece by itself, and which points of the whole these are."""
        tets, weights, places, spreads, standby = [], [], [], [], []
        for k in range(len(self.trees)):
            own = np.flatnonzero(self.piece == k)
            nodes = np.unique(self.mesh.tets[own])
            binding, which = of_piece(compacted(self.mesh.positions, self.mesh.tets[own]), k)
            tets.append(own[binding.tets])
            weights.append(binding.weights)
            places.append(which)
            standby.append(np.zeros(len(which), dtype=bool) if binding.standby is None else binding.standby)
            if binding.spread is not None:
                one = binding.spread
                spreads.append(Spread(which[one.points], one.start, nodes[one.nodes].astype(np.int32), one.weights))
        order = np.argsort(np.concatenate(places), kind="stable")
        return Binding(
            np.concatenate(tets)[order].astype(np.int32), np.concatenate(weights)[order],
            joined_rows(spreads), np.concatenate(standby)[order],
        )  # fmt: skip


def voted(surface: Surface, labels: NDArray[Any]) -> Labels:
    """The label (n,) that most of the vertices connected to each of a surface's have, given one (n,) for each."""
    start, stop = surface.triangles.ravel(), np.roll(surface.triangles, -1, axis=1).ravel()
    count = len(surface.positions)
    graph = coo_matrix((np.ones(len(start)), (start, stop)), shape=(count, count))
    shell = np.asarray(connected_components(graph, directed=False)[1])
    votes = np.zeros((int(shell.max()) + 1, int(labels.max()) + 1))
    np.add.at(votes, (shell, labels), 1.0)
    result: Labels = votes.argmax(axis=1)[shell].astype(np.int32)
    return result


def _nothing() -> Binding:
    return Binding(np.zeros(0, dtype=np.int32), np.zeros((0, 4)))

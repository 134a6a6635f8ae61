"""The tetrahedral mesh as plain arrays, and what is asked of it again and again, made once."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..geometry.measures import box_middle
from .boundary import FaceTable, face_table

if TYPE_CHECKING:
    from ..geometry.tree import Tree
    from ..geometry.triangle_tree import TriangleTree

Array = NDArray[np.float64]

EDGE_SAMPLES = 20_000


class Topology:
    """How tets (m, 4) hang together; meshes that differ only in where their nodes lie share it."""

    def __init__(self, tets: NDArray[np.int32]) -> None:
        self.tets = tets

    @cached_property
    def faces(self) -> FaceTable:
        """Boundary and neighbours."""
        return face_table(self.tets)

    @cached_property
    def rim(self) -> NDArray[np.int32]:
        """The nodes (k,) on the boundary, rising."""
        on_boundary = np.zeros(int(self.tets.max(initial=-1)) + 1, dtype=bool)
        on_boundary[self.faces.boundary] = True
        return np.flatnonzero(on_boundary).astype(np.int32)

    @cached_property
    def outer(self) -> NDArray[np.int32]:
        """Those (k, 4) of the tets that have a node on the boundary."""
        on_boundary = np.zeros(int(self.tets.max()) + 1, dtype=bool)
        on_boundary[self.rim] = True
        a, b, c, d = on_boundary[self.tets].T
        return np.asarray(self.tets[a | b | c | d])

    @cached_property
    def piece(self) -> NDArray[np.int32]:
        """The connected piece (m,) of each tet (manifold.components)."""
        from .manifold import pieces_of

        return pieces_of(self.faces)


@dataclass(frozen=True)
class TetMesh:
    """A tetrahedral mesh.

    positions : (n, 3) float64, world space [m]
    tets      : (m, 4) int32, positively oriented: det[x1 - x0, x2 - x0, x3 - x0] > 0
    """

    positions: NDArray[np.float64]
    tets: NDArray[np.int32]

    @classmethod
    def of(cls, positions: Array, topology: Topology) -> "TetMesh":
        """Tets that are known to hang together so, on nodes at positions (n, 3) [m]."""
        mesh = cls(positions, topology.tets)
        mesh.__dict__["topology"] = topology
        return mesh

    def moved(self, positions: Array) -> "TetMesh":
        """The same tets on nodes at other positions (n, 3) [m].

        Its tree, where this one has one, has the same items under each node: it is for meshes that are moved a little.
        """
        mesh = TetMesh.of(positions, self.topology)
        mesh.__dict__["sorted_like"] = self.__dict__.get("tree", self.__dict__.get("sorted_like"))
        return mesh

    @cached_property
    def topology(self) -> Topology:
        """How the tets hang together."""
        return Topology(self.tets)

    @property
    def faces(self) -> FaceTable:
        """Boundary and neighbours."""
        return self.topology.faces

    @property
    def rim(self) -> NDArray[np.int32]:
        """The nodes (k,) on the boundary, rising."""
        return self.topology.rim

    @property
    def outer(self) -> NDArray[np.int32]:
        """Those (k, 4) of the tets that have a node on the boundary."""
        return self.topology.outer

    @property
    def piece(self) -> NDArray[np.int32]:
        """The connected piece (m,) of each tet (manifold.components)."""
        return self.topology.piece

    @cached_property
    def volumes(self) -> Array:
        """The signed volume (m,) of each tet [m^3]."""
        from .quality import tet_volumes

        return tet_volumes(self.positions, self.tets)

    @cached_property
    def piece_volumes(self) -> Array:
        """The volume of each piece [m^3], from its boundary."""
        from ..geometry.measures import signed_volumes

        return np.bincount(self.piece[self.faces.tet], signed_volumes(self.positions, self.faces.boundary)).astype(np.float64)

    @cached_property
    def middle(self) -> Array:
        """The middle (3,) of its bounding box [m]."""
        return np.asarray(box_middle(self.positions))

    @cached_property
    def centred(self) -> "TetMesh":
        """The mesh about its middle: far from the origin digits are lost."""
        return self.moved(self.positions - self.middle)

    @cached_property
    def boxes(self) -> tuple[Array, Array]:
        """The lower and the upper corner (m, 3) of each tet's box [m]."""
        from ..geometry.tet_location import tet_boxes

        return tet_boxes(self.positions, self.tets)

    @cached_property
    def tree(self) -> "Tree":
        """The tree over its tets' boxes."""
        from ..geometry.tree import build_tree, refitted

        known: Tree | None = self.__dict__.get("sorted_like")
        return build_tree(*self.boxes) if known is None else refitted(known, *self.boxes)

    @cached_property
    def hull(self) -> "TriangleTree":
        """Its boundary's triangles, and the tree over their boxes."""
        from ..geometry.triangle_tree import triangle_tree

        return triangle_tree(self.positions, self.faces.boundary)

    @cached_property
    def mean_edge(self) -> float:
        """The mean edge length [m] of the tets, or of an even choice of them if they are many."""
        from .sizes import mean_edge

        some = self.tets[:: max(1, len(self.tets) // EDGE_SAMPLES)]
        return float(mean_edge(self.positions, np.ascontiguousarray(some)))

    def located(self, points: Array) -> tuple[NDArray[np.int32], Array]:
        """The tet that holds each of points (k, 3), or -1, and its weights (k, 4) (geometry.tet_location.locate)."""
        from ..geometry.tet_location import located_in

        return located_in(self.tree, self.boxes, self.positions, self.tets, points)


def joined_meshes(parts: list[TetMesh]) -> TetMesh:
    """Return several meshes as one, one after another, with nothing between them."""
    first = np.cumsum([0, *(len(part.positions) for part in parts)]).tolist()
    tets = np.concatenate([part.tets + start for part, start in zip(parts, first, strict=False)])
    return TetMesh(np.concatenate([part.positions for part in parts]), tets.astype(np.int32))

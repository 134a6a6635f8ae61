"""The search for pairs of a body's faces and a collider's sharp edges that may touch in a step."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...colliders.sharp import Sharp
from ..surfaces.clusters import ROUNDING, Clusters, near_clusters
from ..surfaces.overlap import Way, corners_near, edges_near
from ..surfaces.surface import ContactSurface
from .faces import Faces

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

ROOM = 0.5  # element sizes that pairs may come closer than on their straight way,
BESIDE = 0.5  # and shares of that way


@dataclass(frozen=True)
class NearPairs:
    """Pairs of a body's edges and a collider's, and of a body's triangles and a collider's corners.

    points (p,)                   : of the body, that these have; all others are numbered among them
    edges (k,), edges_met (k,)    : numbers of both edges
    ends, wings (k, 2)            : points of the body's, see Faces; of the collider's see Sharp
    faces (m, 3), corners_met (m,) : points of the body's triangles, and the collider's corners
    """

    points: IntArray
    edges: IntArray
    edges_met: IntArray
    ends: IntArray
    wings: IntArray
    faces: IntArray
    corners_met: IntArray

    def __len__(self) -> int:
        return len(self.edges) + len(self.faces)


class Search:
    """Looks for what of one body may touch one collider."""

    def __init__(self, faces: Faces, sharp: Sharp, corners: Array) -> None:
        """corners (v, 3): where those of the sharp edges lie as the bake begins [m]; they set the order of pairs."""
        self.faces, self.count = faces, len(faces.rest)
        self.crossed = np.flatnonzero(sharp.crossed)
        none, ends = np.zeros(0), sharp.ends[self.crossed] + np.int32(self.count)
        vertices = sharp.corners + np.int32(self.count)
        shares = np.zeros(len(vertices)), np.zeros(len(ends))
        other = ContactSurface(vertices, ends, np.zeros((0, 3), np.int32), *shares, none.reshape(0, 3), 1.0)
        rest = np.concatenate([faces.rest, corners])
        self.body, self.collider = Clusters(faces.surface, rest), Clusters(other, rest)

    def near(
        self, begun: tuple[Array, Array], ended: tuple[Array, Array], element: float, offset: float
    ) -> NearPairs:
        """What may touch on the way between two places of the body's points and the collider's corners."""
        middle = begun[0].mean(axis=0)
        start = np.concatenate(begun) - middle
        way = np.concatenate(ended) - middle - start
        longest = float(np.sqrt((way[: self.count] ** 2).sum(axis=1).max()))
        self.body.fit(start, way)
        self.collider.fit(start, way)
        room = offset + ROOM * element + BESIDE * longest + ROUNDING * max(self.body.farthest, self.collider.farthest)
        found = near_clusters(self.body, self.collider, room)
        for k, side in enumerate((self.body, self.collider)):
            side.fit_items(start, way, found[:, k])
        seen = Way(start, way, room, np.zeros((3, 3)), np.full(3, room))
        edges = edges_near(self.body, self.collider, found, seen).items
        _, corners = corners_near(self.body, self.collider, found, seen)
        ends, wings = self.faces.ends[edges[:, 0]], self.faces.wings[edges[:, 0]]
        triangles = corners.nodes[:, 1:]
        used = np.unique(np.concatenate([ends.ravel(), wings.ravel(), triangles.ravel()]))
        points = used[used >= 0]
        rank = np.full(self.count + 1, -1, dtype=np.int32)
        rank[points] = np.arange(len(points))
        met = corners.nodes[:, 0] - np.int32(self.count)
        met_edges = self.crossed[edges[:, 1]].astype(np.int32)
        return NearPairs(points, edges[:, 0], met_edges, rank[ends], rank[wings], rank[triangles], met)

"""A body and a collider whose sharp edges come near it: what a step has to know of both, and where they touch."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...colliders import Field
from ...colliders.sharp import Sharp
from ..contacts import FREE_DEPTH
from ..entries import across
from ..response import carry_spread
from ..surfaces.carried import Carried
from .faces import Faces
from .near import NearPairs
from .touching import touching_corners, touching_edges

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
Corners = tuple[Array, Array]  # places (v, 3) of a collider's corners, and how far outside of them its surface is (v,) [m]

FAR = 0.5  # element sizes from a collider's edge up to which a place counts as about to touch
BESIDE = 0.1  # element sizes beside it up to which the edges at a corner of the body count,
APART = 0.25  # element sizes: shorter edges of the body stand for less of it


@dataclass
class EdgedCollider:
    """What is asked of a collider: its field, its number, and what stands out for a body, by its own corners.

    vertices (v,)          : those of the field's corners that are used
    sharp                  : ends, wings and corners in numbers among these
    first (v + 1,), ends   : edges lead from corner i to ends[first[i]:first[i + 1]]
    rims (v,)              : whether a corner is one of a sheet's rim
    whole                  : the same as sharp, in the field's own numbers
    """

    field: Field
    number: int
    vertices: NDArray[np.int64]
    sharp: Sharp
    first: NDArray[np.int64]
    ends: IntArray
    rims: NDArray[np.bool_]
    whole: Sharp

    @classmethod
    def of(cls, field: Field, number: int, sharp: Sharp) -> "EdgedCollider":
        """That of what stands out of a field."""
        used = np.unique(np.concatenate([sharp.ends.ravel(), sharp.wings.ravel()]))
        vertices = used[used >= 0].astype(np.int64)
        rank = np.full(int(vertices.max()) + 2, -1, dtype=np.int32)  # the last for no wing
        rank[vertices] = np.arange(len(vertices))
        ends = rank[sharp.ends]
        both = np.concatenate([ends, ends[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        first = np.searchsorted(both[:, 0], np.arange(len(vertices) + 1))
        own = replace(sharp, ends=ends, wings=rank[sharp.wings], corners=rank[sharp.corners])
        rims = np.zeros(len(vertices), dtype=bool)
        rims[ends[(sharp.wings >= 0).sum(axis=1) == 1]] = True
        return cls(field, number, vertices, own, first, np.ascontiguousarray(both[:, 1]), rims, sharp)

    def corners(self, all_of_them: Corners) -> Corners:
        """Those among all of the field."""
        places, offsets = all_of_them
        return np.ascontiguousarray(places[self.vertices]), offsets[self.vertices]

    def widths(self, time: float) -> Array:
        """How wide (e, 2) [m] what belongs to its edges is of their faces at a time [s]."""
        return self.whole.widths(self.field.corners(time)[0])

    def ways_out(self, corners: Array) -> tuple[Array, Array]:
        """Unit vectors half-way between the faces, outwards, at the edges (e, 3) and corners (v, 3), which are at (v, 3).

        Zero where none is known, as of an edge of more than two faces.
        """
        edges, turned = unit(-self.inwards(corners).sum(axis=1)), np.zeros_like(corners)
        for end in self.sharp.ends.T:
            np.add.at(turned, end, edges)
        return edges, unit(turned)

    def inwards(self, corners: Array) -> Array:
        """Unit vectors (e, 2, 3) along the faces to both sides of edges and square to these; zero where there is none."""
        ends, wings = self.sharp.ends, self.sharp.wings
        start = corners[ends[:, 0]]
        edge = unit(corners[ends[:, 1]] - start)
        sides = [(side >= 0)[:, None] * unit(across(corners[side] - start, edge)) for side in wings.T]
        return np.stack(sides, axis=1)


@dataclass
class EdgedBody:
    """What is asked of a body: its range of nodes, the number of its first contact point, its faces, how fine its tets are.

    element is the size [m] that its tets are made in, and span how long edges of its faces are at most [m], by which it is
    decided what of a collider stands out. `build` makes the faces when that comes near for the first time: from the places at
    which the tables of the simulation were made, so that a resumed bake gets the same ones.
    """

    nodes: slice
    point: int
    build: Callable[[], Faces | None]
    element: float
    span: float
    known: Faces | None = None
    built: bool = False

    def faces(self) -> Faces | None:
        """Its faces; None where nothing of it is seen."""
        if not self.built:
            self.known, self.built = self.build(), True
        return self.known


class Crossings(NamedTuple):
    """Where a body's surface and a collider's edges meet; m places.

    keys (m, 4)        : numbers of the collider, the body, the collider's edge or corner, and the body's edge, -1 for a corner
    points, shares (m, 3) : between which points of NearPairs a place lies, and how
    met, met_then (m, 3)  : the place on the collider now and when the step began [m]
    normal (m, 3), gap (m,), depth (m,) when the step began [m]; size (m,): share of a contact point's stiffness
    stayed (m,)           : the same along the side of the normal that is the way in now, less by no more than they have gone
    grown (m,)            : by how much thicker the collider has become there in the step [m]
    way (m, 3)            : the way out of the collider there
    """

    keys: IntArray
    points: IntArray
    shares: Array
    met: Array
    met_then: Array
    normal: Array
    gap: Array
    depth: Array
    stayed: Array
    size: Array
    grown: Array
    way: Array

    def taken(self, which: NDArray[np.bool_]) -> "Crossings":
        """Some of them."""
        return Crossings._make(column[which] for column in self)


@dataclass
class Touches:
    """Crossings as contacts; m places.

    here, begun (m, 3) : places on the body, now and when the step began [m]
    rows               : what carries them, by the body's numbers
    """

    at: Crossings
    here: Array
    begun: Array
    rows: Carried

    def depth_before(self) -> Array:
        """How deep (m,) [m] these places were when the step began, along the normals that they have now."""
        at = self.at
        come = (at.met - at.met_then) - (self.here - self.begun)
        nearer: Array = np.einsum("ki,ki->k", come, at.normal) + at.grown
        return -at.gap - nearer


@dataclass
class Meeting:
    """One body and one collider that come near each other in a step.

    number, element : of the body, and the size of its tets [m]
    begun (p, 3)    : where the body's points of `pairs` were when the step began
    then, now       : the collider's corners when the step begins and ends
    edges_out (e, 3), corners_out (v, 3) : the way out of it at its edges and corners
    swept           : whether places have slid in by more than a step may be taken with
    hidden          : whether places are in by as much that push nothing, see edges/stored.py
    widths (e, 2)   : of what belongs to its edges of their faces, when the step ends, once it has been asked for [m]
    """

    body: EdgedBody
    number: int
    element: float
    faces: Faces
    collider: EdgedCollider
    pairs: NearPairs
    begun: Array
    then: Corners
    now: Corners
    edges_out: Array
    corners_out: Array
    widths: Array | None = None
    swept: bool = False
    hidden: bool = False

    @property
    def pair(self) -> tuple[int, int]:
        """The numbers of the body and the collider."""
        return self.number, self.collider.number

    def touches(self, nodes: Array) -> Touches:
        """Where they touch, or are about to, with the body's nodes at (n, 3)."""
        pairs, carried = self.pairs, self.faces.carried
        here = np.empty((len(pairs.points), 3))
        rows = pairs.points.astype(np.int64)
        carry_spread(nodes, np.arange(len(here)), rows, carried.start, carried.nodes, carried.weights, here)
        found = _joined(self._edges(here), self._corners(here))
        doubtful = found.depth > FREE_DEPTH * self.element
        found = found.taken(~_far_sides(found.met, found.normal, found.gap, doubtful, self.element))
        points, shares = found.points, found.shares
        place, start = (np.einsum("km,kmi->ki", shares, side[points]) for side in (here, self.begun))
        return Touches(found, place, start, self.faces.between(pairs.points[points], shares))

    def overlap(self, touches: Touches) -> Array:
        """How deep (m,) [m] touches are, as seen along the ways out of the collider: so is where its thickness rounds it.

        The planes of touches say more there: where they are beside an edge its surface has fallen away from them.
        """
        at, (corners, offset) = touches.at, self.now
        own = at.keys[:, 2]
        is_corner = at.keys[:, 3] < 0
        ends = np.where(is_corner[:, None], own[:, None], self.collider.sharp.ends[np.where(is_corner, 0, own)])
        span = corners[ends[:, 1]] - corners[ends[:, 0]]
        length = np.maximum(np.einsum("mi,mi->m", span, span), 1e-300)
        share = np.einsum("mi,mi->m", at.met - corners[ends[:, 0]], span) / length
        thick = offset[ends[:, 0]] + share * (offset[ends[:, 1]] - offset[ends[:, 0]])
        overlap: Array = thick - np.einsum("mi,mi->m", touches.here - at.met, at.way)
        return overlap

    def _edges(self, here: Array) -> Crossings:
        """Those of crossing edges."""
        pairs, sharp = self.pairs, self.collider.sharp
        others, wings = sharp.ends[pairs.edges_met], sharp.wings[pairs.edges_met]
        which, part, normal, gap, depth, ways = _room(len(others))
        count = touching_edges(
            here, self.begun, pairs.ends, pairs.wings, *self.now, *self.then, others, wings,
            self.edges_out[pairs.edges_met], FAR * self.element, BESIDE * self.element,
            which, part, normal, gap, depth, ways,
        )  # fmt: skip
        which, s, t = which[:count], part[:count, 0], part[:count, 1]
        ends, others = pairs.ends[which], others[which]
        shares = np.stack([1.0 - s, s, np.zeros(count)], axis=1)
        met, met_then = (
            side[others[:, 0]] + t[:, None] * (side[others[:, 1]] - side[others[:, 0]])
            for side in (self.now[0], self.then[0])
        )
        rest = self.faces.rest[pairs.points[ends]]
        length = np.sqrt(((rest[:, 1] - rest[:, 0]) ** 2).sum(axis=1))
        keys = self._keys(pairs.edges_met[which], pairs.edges[which])
        size = np.minimum(1.0, length / (APART * self.element))
        points, grown = ends[:, [0, 1, 1]], self.now[1] - self.then[1]
        grown = grown[others[:, 0]] + t * (grown[others[:, 1]] - grown[others[:, 0]])
        said = normal[:count], gap[:count], *depth[:count].T, size, grown, ways[:count]
        return Crossings(keys, points, shares, met, met_then, *said)

    def _corners(self, here: Array) -> Crossings:
        """Those of corners on faces."""
        pairs, collider = self.pairs, self.collider
        which, part, normal, gap, depth, ways = _room(len(pairs.corners_met))
        count = touching_corners(
            here, self.begun, pairs.faces, *self.now, *self.then, pairs.corners_met, collider.first, collider.ends,
            self.corners_out, collider.rims, FAR * self.element, which, part, normal, gap, depth, ways,
        )  # fmt: skip
        which, part = which[:count], part[:count]
        corner = pairs.corners_met[which]
        shares = np.stack([1.0 - part.sum(axis=1), part[:, 0], part[:, 1]], axis=1)
        keys = self._keys(corner, np.full(count, -1))
        met, met_then = self.now[0][corner], self.then[0][corner]
        points, size, grown = pairs.faces[which], np.ones(count), (self.now[1] - self.then[1])[corner]
        said = normal[:count], gap[:count], *depth[:count].T, size, grown, ways[:count]
        return Crossings(keys, points, shares, met, met_then, *said)

    def _keys(self, met: NDArray[np.integer], own: NDArray[np.integer]) -> IntArray:
        count = len(met)
        return np.stack([np.full(count, self.collider.number), np.full(count, self.number), met, own], axis=1).astype(np.int32)


def unit(vectors: Array) -> Array:
    """Vectors (k, 3) made one long; zero stays zero."""
    lengths = np.sqrt((vectors**2).sum(axis=1))
    scaled: Array = vectors / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    return scaled


def _joined(one: Crossings, other: Crossings) -> Crossings:
    """All of these."""
    pairs: list[Any] = list(zip(one, other, strict=True))
    return Crossings._make(np.concatenate(pair) for pair in pairs)


def _far_sides(met: Array, normal: Array, gap: Array, doubtful: NDArray[np.bool_], near: float) -> NDArray[np.bool_]:
    """Which places (m,) are on the far side of a thin body: doubtful, as they were deep, and with an opposite one close by."""
    far = np.zeros(len(gap), dtype=bool)
    for k in np.flatnonzero(doubtful):
        opposite = (normal @ normal[k] < 0.0) & (gap > gap[k])
        far[k] = (((met[opposite] - met[k]) ** 2).sum(axis=1) < near * near).any()
    return far


def _room(count: int) -> tuple[NDArray[np.int64], Array, Array, Array, Array, Array]:
    """Arrays for what is said of so many pairs, as touching_edges has it."""
    shares, normals, ways = np.empty((count, 2)), np.empty((count, 3)), np.empty((count, 3))
    return np.empty(count, np.int64), shares, normals, np.empty(count), np.empty((count, 2)), ways

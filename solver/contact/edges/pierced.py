"""Where edges and corners of colliders truly lie in what is shown of a body: by winding numbers, whatever planes say.

Goo that crumples over an edge may fold a flap of itself beside it, whose planes, seen along the way out of the collider, say
that it had been in deep before, and push nothing (stored.py). The edge then comes in through the side of that flap. Its
way out is to the closest place of the surface.
"""

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.triangle_tree import closest_points, triangle_tree
from ...geometry.winding import WindingTree, winding_numbers, winding_tree
from ..surfaces.carried import Carried

if TYPE_CHECKING:
    from .meeting import Meeting

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
Numbers = NDArray[np.int64]

APART = 0.16, 0.02  # element sizes between places that are asked along an edge, at first, and then where that may be in
STUCK = 0.5  # element sizes that one is in what it runs through on purpose, which is left alone,
FADING = 0.25  # and by which that fades
ROUNDING = 1e-9  # element sizes


class Pierced(NamedTuple):
    """Places of a body next to a collider's edges in it: what carries them, where they are, the way for them, and how far.

    rows of k places; here, normal (k, 3); over (k,): the way [m] to the surface of the collider, less where it is stuck
    """

    rows: Carried
    here: Array
    normal: Array
    over: Array


class Outside(NamedTuple):
    """How far (k,) [m] outside of a surface places are, negative inside; triangle (k,), weights (k, 3) of the closest place."""

    distance: Array
    triangle: IntArray
    weights: Array

    @classmethod
    def of(cls, tree: WindingTree, places: Array) -> "Outside":
        """That of places (k, 3)."""
        inside = winding_numbers(tree, places) > 0.5  # not below -0.5: goo that is inside out there
        closest = closest_points(tree.surface, places)
        return cls(np.where(inside, -closest.distance, closest.distance), closest.triangle, closest.weights)


class _Line(NamedTuple):
    """Places (k,) on edges by shares of these, from start (e, 3) along span (e, 3), whose ends have offsets (e, 2) [m]."""

    edge: Numbers
    share: Array
    start: Array
    span: Array
    offset: Array

    def places(self) -> Array:
        """Where they are (k, 3)."""
        return self.start[self.edge] + self.share[:, None] * self.span[self.edge]

    def thick(self) -> Array:
        """How far outside of them the collider's surface is (k,) [m]."""
        first, last = self.offset[self.edge].T
        thick: Array = first + self.share * (last - first)
        return thick

    def around(self, own: Numbers, apart: float, count: int) -> "_Line":
        """So many places to each side of some of them (m,), which are so far apart in all [m]."""
        edge = np.repeat(self.edge[own], 2 * count + 1)
        length = np.maximum(np.sqrt((self.span[edge] ** 2).sum(axis=1)), 1e-300)
        aside = np.tile(np.linspace(-0.5, 0.5, 2 * count + 1), len(own)) * apart
        share = np.clip(np.repeat(self.share[own], 2 * count + 1) + aside / length, 0.0, 1.0)
        return self._replace(edge=edge, share=share)


class Skin:
    """What is shown of a meeting's body with its nodes at (n, 3), which tells who is inside."""

    def __init__(self, meeting: "Meeting", nodes: Array) -> None:
        self.shown, self.nodes = meeting.faces.shown, nodes

    @cached_property
    def positions(self) -> Array:
        """Of its vertices (v, 3)."""
        return self.shown.carried.places(self.nodes)

    @cached_property
    def tree(self) -> WindingTree:
        """Its triangles by place."""
        return winding_tree(triangle_tree(self.positions, self.shown.triangles))

    def outside(self, places: Array) -> Outside:
        """How far outside of it places (k, 3) are."""
        return Outside.of(self.tree, places)


def begins_pierced(meeting: "Meeting", nodes: Array, least: float) -> bool:
    """Whether anything of the collider is in a body by more than the least [m] as a step begins, with its nodes at (n, 3)."""
    pairs = meeting.pairs
    then = replace(meeting, now=meeting.then)
    return len(pierced(then, np.unique(pairs.edges_met), np.unique(pairs.corners_met), Skin(then, nodes), least).over) > 0


def pierced(meeting: "Meeting", edges: IntArray, corners: IntArray, skin: Skin, least: float) -> Pierced:
    """What is in a body, as it is shown, by more than the least [m], of some edges (e,) and corners (c,)."""
    positions, triangles, element = skin.positions, skin.shown.triangles, meeting.element
    line = _lines(meeting, edges, corners, positions.min(axis=0), positions.max(axis=0))
    if not len(line.edge):
        return Pierced(Carried.nothing(), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    wide, fine = APART
    outside = skin.outside(line.places()).distance
    # No place is deeper than the next by more than the way between them
    own = np.flatnonzero(line.thick() - outside > least - 0.5 * wide * element)
    line = line.around(own, wide * element, round(0.5 * wide / fine))
    asked = line.places()
    found = skin.outside(asked)
    depth = line.thick() - found.distance
    deep = np.flatnonzero((depth > least) & (np.abs(found.distance) > ROUNDING * element))
    deep = _deepest(deep, depth[deep], line.edge[deep], found.triangle[deep])
    points, weights = triangles[found.triangle[deep]], found.weights[deep]
    here = np.einsum("km,kmi->ki", weights, positions[points])
    normal = (asked[deep] - here) / -found.distance[deep, None]
    share = np.clip((STUCK - depth.max(initial=0.0) / element) / FADING, 0.0, 1.0)
    return Pierced(skin.shown.between(points, weights), here, normal, share * depth[deep])


def _deepest(numbers: Numbers, depth: Array, edge: Numbers, triangle: IntArray) -> Numbers:
    """Of numbers (k,) those of the deepest of each edge on each triangle."""
    order = np.lexsort((-depth, triangle, edge))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(edge[order]) != 0) | (np.diff(triangle[order]) != 0)
    return numbers[order[first]]


def _lines(meeting: "Meeting", edges: IntArray, single: IntArray, lower: Array, upper: Array) -> _Line:
    """Places along edges (e,) in a box, corners (c,) being edges of no length."""
    corners, offset = meeting.now
    ends = np.concatenate([meeting.collider.sharp.ends[edges], np.stack([single, single], axis=1)])
    start, span = corners[ends[:, 0]], corners[ends[:, 1]] - corners[ends[:, 0]]
    thick = offset[ends].max(axis=1, initial=0.0)[:, None]
    # Of an edge that is longer than the body only what may be in it
    with np.errstate(divide="ignore", invalid="ignore"):
        first, last = (lower - thick - start) / span, (upper + thick - start) / span
    along = span != 0.0
    beside = (~along & ((start < lower - thick) | (start > upper + thick))).any(axis=1)
    begin = np.where(along, np.minimum(first, last), 0.0).max(axis=1).clip(0.0, 1.0)
    end = np.where(along, np.maximum(first, last), 1.0).min(axis=1).clip(0.0, 1.0)
    length = np.sqrt((span**2).sum(axis=1)) * (end - begin)
    count = np.where(beside | (end < begin), 0, np.ceil(length / (APART[0] * meeting.element)).astype(np.int64) + 1)
    edge = np.repeat(np.arange(len(ends)), count)
    step = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    share = begin[edge] + (end - begin)[edge] * step / np.maximum(count[edge] - 1, 1)
    return _Line(edge, share, start, span, offset[ends])

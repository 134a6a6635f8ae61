"""Where two surfaces lie in each other: each connected part of what both enclose, and which way the first would leave there.

The surface of such a part is a patch of the one surface and a patch of the other, both with the rim along which they cross.
By how much its volume grows when the first surface goes a way d is the integral of d . n over the first one's patch, and that
is the area vector of the rim alone (Stokes), whatever the triangles. So the way out is about against that vector (volume
contact: Allard et al. 2010, "Volume contact constraints at arbitrary resolution"); of two boxes that have a slab in common it
leans to the slab's sides, so of the ways near it that is taken on which the part is thinnest. Where rounding leaves gaps in the
rim, the area vectors of the corners inside stand in. Of what lies wholly in the other neither says anything: that leaves by the
shortest of some straight ways.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...geometry.edges import Edges, components, edges_of
from ...geometry.measures import area_vectors, bounding_box, box_middle
from ...geometry.triangle_tree import triangle_tree
from ...geometry.winding import winding_numbers, winding_tree
from .clusters import Clusters
from .crossing import Crossings, crossings
from .region import STEEP, WAYS, Region, along_ways, thinnest
from .surface import ContactSurface

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

INSIDE = 0.5  # winding number
INWARDS = 1e-3  # of the way to a shell's middle, at which is asked whether it lies inside: its corners may lie on the other
OPEN = 0.2  # of a patch's area: an area vector that is shorter says nothing of the way out
DEEP = 2.0  # element sizes: of what is deeper it need not be looked what is shared a margin nearer
MARGIN = 0.25  # element sizes by which surfaces are led further than apart, so that they arrive
MOST = 16  # parts at once: those of rough surfaces are many, and what is shallow waits or goes with the others
NOWHERE = Crossings(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))


class _Side:
    """One of the surfaces: its vertices by their places among its own, its edges, and the triangles at each of them."""

    def __init__(self, surface: ContactSurface) -> None:
        self.surface = surface
        self.ends = np.searchsorted(surface.vertices, surface.edges)
        self.corners = np.searchsorted(surface.vertices, surface.triangles)
        self.at_edges: Edges = edges_of(surface.triangles)

    def triangles_at(self, edges: IntArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For the triangles at some edges (k,): which of the edges (m,), and their own numbers (m,)."""
        first, count = self.at_edges.first[edges], self.at_edges.counts[edges]
        which = np.repeat(np.arange(len(edges)), count)
        within = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        return which, self.at_edges.order[first[which] + within] // 3


class Overlap:
    """What two surfaces share."""

    def __init__(self, first: Clusters, second: Clusters) -> None:
        self.clusters = first, second
        self.sides = _Side(first.surface), _Side(second.surface)
        self.element = min(first.surface.element, second.surface.element)
        # As `regions` found them: points in the other surface, and where edges pass through it
        self.inside: NDArray[np.integer] = np.zeros(0, dtype=np.int64)
        self.crossings: tuple[Crossings, Crossings] = (NOWHERE, NOWHERE)

    def regions(self, places: Array) -> list[Region]:
        """The parts that they share with points at places (k, 3), the deepest first, and of very many only those.

        They are those of surfaces that are MARGIN nearer to each other along the deepest one's way out, but for parts that
        leave by another way: so where the two have come apart already they are held, while they still share something.
        """
        self.crossings = crossings(*self.clusters, places)
        parts, self.inside = self._shared(places, self.crossings)
        if parts and not parts[0].whole and parts[0].depth > DEEP * self.element:
            parts = [part if part.whole else replace(part, depth=part.depth + MARGIN * self.element) for part in parts]
        elif parts and not parts[0].whole:
            way, nearer = parts[0].normal, places.copy()
            closer = MARGIN * self.element * way
            nearer[self.sides[0].surface.vertices] -= closer
            alike = [
                replace(part, centers=part.centers + 0.5 * closer)
                for part in self._shared(nearer, crossings(*self.clusters, nearer))[0]
                if not part.whole and float(part.normal @ way) >= STEEP
            ]
            parts = alike + [part for part in parts if part.whole or float(part.normal @ way) < STEEP] if alike else parts
        return sorted(parts, key=lambda part: -part.depth)[:MOST]

    def _shared(
        self, places: Array, found: tuple[Crossings, Crossings]
    ) -> tuple[list[Region], NDArray[np.integer]]:  # fmt: skip
        """The parts that they share with points at places (k, 3) where edges pass through, the deepest first; which points lie
        inside."""
        inside = [self._inside(places, k, found[k]) for k in (0, 1)]
        if not len(found[0].edges) + len(found[1].edges) and not inside[0].any() and not inside[1].any():
            return [], np.zeros(0, np.int64)
        spots = np.concatenate([_spots(places, side, each) for side, each in zip(self.sides, found, strict=True)])
        corners, normals = self._rim(places, found, spots)
        label = self._parts(found, inside, corners)
        bounds = np.cumsum([0, *(len(side.surface.vertices) for side in self.sides), len(spots)])
        own, other, rim = (label[a:b] for a, b in zip(bounds, bounds[1:], strict=False))
        points = np.concatenate([*(places[side.surface.vertices] for side in self.sides), spots])
        regions = []
        for part in np.unique(np.concatenate([own[inside[0]], other[inside[1]], rim])):
            patches = [inside[0] & (own == part), inside[1] & (other == part)]
            here = points[np.concatenate([*patches, rim == part])]
            at_rim = rim[corners[:, 0]] == part
            faces = np.concatenate([each[at_rim] for each in normals])
            center = box_middle(here)
            rim_vector = 0.5 * np.cross(spots[corners[at_rim, 0]] - center, spots[corners[at_rim, 1]] - center).sum(axis=0)
            areas = [float(self.sides[k].surface.vertex_areas[patch].sum()) for k, patch in enumerate(patches)]
            way = _way_of(-rim_vector, min((area for area in areas if area > 0.0), default=0.0))
            way = _way_of(self._leaning(places, patches), sum(areas)) if way is None else way
            regions.append(self._region(places, here, way, faces))
        within = np.concatenate([side.surface.vertices[each] for side, each in zip(self.sides, inside, strict=True)])
        return sorted(regions, key=lambda region: -region.depth), within

    def _leaning(self, places: Array, patches: list[NDArray[np.bool_]]) -> Array:
        """The area vector (3,) of a patch of each surface's vertices (v,), the second's less the first's."""
        sums = []
        for side, patch in zip(self.sides, patches, strict=True):
            shares = patch[side.corners].sum(axis=1) / 3.0
            sums.append((shares[:, None] * area_vectors(places, side.surface.triangles)).sum(axis=0))
        leaning: Array = sums[1] - sums[0]
        return leaning

    def touching(self, places: Array, points: IntArray) -> Region:
        """A region about points (k,) at places (n, 3) where the surfaces touch but share no volume."""
        where = places[np.unique(points)]
        low, high = bounding_box(where)
        way, area = np.zeros(3), 0.0  # out of the second surface there, and against the first
        for side, sign in zip(self.sides, (-1.0, 1.0), strict=True):
            corners = places[side.surface.triangles]
            near = ((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)
            vectors = area_vectors(places, side.surface.triangles[near])
            way, area = way + sign * vectors.sum(axis=0), area + float(np.sqrt((vectors**2).sum(axis=1)).sum())
        found = _way_of(way, area)
        way = self._way_out(places, way)[0] if found is None else found
        return Region.of(where, way, MARGIN * self.element, self.element)

    def _inside(self, places: Array, k: int, found: Crossings) -> NDArray[np.bool_]:
        """Which vertices (v,) of one surface lie inside the other: as edges tell that pass through, or a shell at a time."""
        side, other = self.sides[k], self.sides[1 - k].surface
        count, ends = len(side.surface.vertices), side.ends
        whole = np.ones(len(ends), dtype=bool)
        whole[found.edges] = False
        shells, shell = components(ends[whole].T, count)
        votes, asked = np.zeros(shells), np.zeros(shells, dtype=bool)
        if len(found.edges):
            normal = area_vectors(places, other.triangles[found.triangles])
            along = places[side.surface.edges[found.edges]]
            leaving = np.sign(((along[:, 1] - along[:, 0]) * normal).sum(axis=1))
            order = np.lexsort((found.shares, found.edges))
            edges, leaving = found.edges[order], leaving[order]
            fresh = np.flatnonzero(np.append(True, edges[1:] != edges[:-1]))
            last = np.append(fresh[1:], len(edges)) - 1
            np.add.at(votes, shell[ends[edges[fresh], 0]], leaving[fresh])
            np.add.at(votes, shell[ends[edges[last], 1]], -leaving[last])
            asked[shell[ends[edges].ravel()]] = True
        self._ask(places, side.surface, other, shell, votes, asked)
        return np.asarray(votes[shell] > 0.0)

    def _ask(
        self, places: Array, surface: ContactSurface, other: ContactSurface, shell: NDArray[np.int64], votes: Array,
        asked: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Set votes (s,) for those shells of a surface that do not pass through the other."""
        if asked.all():
            return
        points = places[surface.vertices]
        size = np.bincount(shell)
        middle = np.stack([np.bincount(shell, weights=points[:, axis]) for axis in range(3)], axis=1) / size[:, None]
        first = np.unique(shell, return_index=True)[1]
        spot = points[first] + INWARDS * (middle - points[first])
        corners = places[other.vertices]
        near = ~asked & ((spot > corners.min(axis=0)) & (spot < corners.max(axis=0))).all(axis=1)
        if near.any():
            real = other.triangles[(area_vectors(places, other.triangles) ** 2).sum(axis=1) > 0.0]
            votes[near] = np.abs(winding_numbers(winding_tree(triangle_tree(places, real)), spot[near])) - INSIDE

    def _rim(self, places: Array, found: tuple[Crossings, Crossings], spots: Array) -> tuple[NDArray[np.int64], list[Array]]:
        """The pieces of the rim: their ends (m, 2) among the crossings, and both surfaces' area vectors (m, 3) there.

        Two triangles that cross have two crossings in common. Where rounding has it otherwise, the piece is left out.
        """
        count = len(self.sides[1].surface.triangles)
        here, own = self.sides[0].triangles_at(found[0].edges)
        there, other = self.sides[1].triangles_at(found[1].edges)
        keys = np.concatenate([own * count + found[0].triangles[here], found[1].triangles[there] * np.int64(count) + other])
        order = np.argsort(keys, kind="stable")
        keys, which = keys[order], np.concatenate([here, there + len(found[0].edges)])[order]
        _, first, many = np.unique(keys, return_index=True, return_counts=True)
        first = first[many == 2]
        ends = np.stack([which[first], which[first + 1]], axis=1) if len(first) else np.zeros((0, 2), np.int64)
        numbers = keys[first] // count, keys[first] % count
        beside = [area_vectors(places, side.surface.triangles[which]) for side, which in zip(self.sides, numbers, strict=True)]
        turned = ((spots[ends[:, 1]] - spots[ends[:, 0]]) * np.cross(beside[0], beside[1])).sum(axis=1) < 0.0
        ends[turned] = ends[turned][:, ::-1]
        return ends, beside

    def _parts(
        self, found: tuple[Crossings, Crossings], inside: list[NDArray[np.bool_]], rim: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The part that each vertex of the first, of the second, and each crossing belongs to, as one array of numbers."""
        links, start, crossing = [], 0, sum(len(side.surface.vertices) for side in self.sides)
        links.append(rim + crossing)
        for side, each, within in zip(self.sides, found, inside, strict=True):
            whole = np.ones(len(side.ends), dtype=bool)
            whole[each.edges] = False
            links.append(side.ends[whole & within[side.ends].all(axis=1)] + start)
            numbers = np.arange(len(each.edges)) + crossing
            for end in (0, 1):
                corner = side.ends[each.edges, end]
                links.append(np.stack([numbers, corner + start], axis=1)[within[corner]])
            order = np.argsort(each.edges, kind="stable")
            same = each.edges[order][1:] == each.edges[order][:-1]
            links.append(np.stack([numbers[order][1:], numbers[order][:-1]], axis=1)[same])
            start, crossing = start + len(side.surface.vertices), crossing + len(each.edges)
        ends = np.concatenate(links)
        return components(ends.T, crossing)[1]

    def _region(self, places: Array, here: Array, way: Array | None, faces: Array) -> Region:
        """The region of points (k, 3), with triangles' normals (m, 3) at its rim; way (3,): about how it leaves, if known."""
        if way is None:
            way, depth = self._way_out(places, np.zeros(3))
            return Region.of(here, way, depth + MARGIN * self.element, max(self.element, depth), whole=True)
        normal = thinnest(here - box_middle(here), way, faces)
        depth = float(np.ptp(along_ways(here, normal[None])))
        return Region.of(here, normal, depth, max(self.element, depth))

    def _way_out(self, places: Array, hint: Array) -> tuple[Array, float]:
        """The way (3,) on which the first surface is out of the second's bounds soonest, and how far that is [m].

        Along the axes and their diagonals, along the line of centres, and along a hint (3,), where that is a way.
        """
        own, other = (places[side.surface.vertices] for side in self.sides)
        ways = np.concatenate([WAYS, [hint, own.mean(axis=0) - other.mean(axis=0)]])
        length = np.sqrt((ways**2).sum(axis=1))
        ways = ways[length > 0.0] / length[length > 0.0, None]
        far = along_ways(other, ways).max(axis=0) - along_ways(own, ways).min(axis=0)
        best = int(np.argmin(far))
        return ways[best], max(float(far[best]), 0.0)


def _way_of(vector: Array, area: float) -> Array | None:
    """The unit vector (3,) along an area vector [m^2] that is not too short to say anything of an area; None of one that is."""
    length = float(np.sqrt((vector**2).sum()))
    return vector / length if length > OPEN * area else None


def _spots(places: Array, side: _Side, found: Crossings) -> Array:
    """Where (k, 3) the edges of a surface pass through another."""
    ends = places[side.surface.edges[found.edges]]
    spots: Array = ends[:, 0] + found.shares[:, None] * (ends[:, 1] - ends[:, 0])
    return spots

"""Which pairs of two bodies that lie in each other push already: those that face each other from outside, and those far away.

Where surfaces pass through each other most pairs know no way out. But a vertex outside the other body and one of its triangles
that are in front of each other are kept apart, and so are two edges outside: without that, soft goo that is pressed on beside
the place where both pass through each other would follow them in, ring by ring.
"""

import numpy as np
from numpy.typing import NDArray

from ...geometry.measures import area_vectors
from ...jit import kernel
from .candidates import Neighbourhood
from .distance import closest_points, corners_of
from .fresh_pairs import FreshPairs, Sides
from .pairs import NOTHING, Pairs, distances, taken
from .surface import ContactSurface

Array = NDArray[np.float64]


class Facing:
    """Where two bodies are mixed, and on which side of each other their points are."""

    def __init__(
        self, places: Array, surfaces: list[ContactSurface], inside: NDArray[np.integer], mixed: NDArray[np.bool_]
    ) -> None:
        """places (k, 3) of all points; inside: the numbers of those that lie in the other body; mixed (k,): which of them lie
        where the two pass through each other, and next to that."""
        self.places, self.mixed, self.inside = places, mixed, np.zeros(len(places), dtype=np.bool_)
        self.inside[inside] = True
        self.outwards = np.zeros((len(places), 3))
        for surface in surfaces:
            triangles, vectors = surface.triangles, area_vectors(places, surface.triangles)
            for axis in range(3):
                self.outwards[:, axis] += np.bincount(triangles.ravel(), np.repeat(vectors[:, axis], 3), len(places))

    def pushing(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Which pairs (k,) push: those far enough from where the two are mixed, and those that face each other."""
        found = np.asarray(~self.mixed[pairs.nodes].any(axis=1))
        _face(self.places, pairs.nodes, pairs.points, NOTHING * pairs.reach, self.inside, self.outwards, found)
        return found


def begin_new(pair: Neighbourhood, places: Array, known: Facing, now: Facing) -> None:
    """Let those of two bodies' pairs that push now, with points at places (k, 3), and did not at the last look, begin there:
    with nothing, or what comes out of the other would be thrown out."""
    gaps = distances(places, pair.found.nodes, pair.found.points)
    near = gaps < pair.found.reach
    pairs = taken(pair.found, near)
    new = now.pushing(pairs) & ~known.pushing(pairs)
    if new.any():
        pairs = taken(pairs, new)
        pair.begin(FreshPairs(Sides.of(pairs.nodes, pairs.points), gaps[near][new]).besides(pair.fresh))


@kernel
def _face(places, nodes, points, least, inside, outwards, found):  # type: ignore[no-untyped-def]
    for k in range(len(nodes)):
        if found[k]:
            continue
        edges = k >= points
        first, second, third, fourth = corners_of(inside, nodes[k])
        if first or (edges and (second or third or fourth)):
            continue
        _, _, _, _, x, y, z = closest_points(places, nodes[k], edges)
        if x * x + y * y + z * z <= least[k] ** 2:
            continue
        a, b, c, d = corners_of(outwards, nodes[k])
        if edges:
            own = (a[0] + b[0]) * x + (a[1] + b[1]) * y + (a[2] + b[2]) * z
            other = (c[0] + d[0]) * x + (c[1] + d[1]) * y + (c[2] + d[2]) * z
        else:
            own = a[0] * x + a[1] * y + a[2] * z
            _, a, b, c = corners_of(places, nodes[k])
            ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
            vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
            other = x * (uy * vz - uz * vy) + y * (uz * vx - ux * vz) + z * (ux * vy - uy * vx)
        found[k] = own < 0.0 and other > 0.0

"""How far pairs of one body's surface reach, handed on to the surface that it has after a remesh.

Pairs that lie close at rest reach less far than others (pairs.py), and what a surface is built from counts as rest: at the
start what the artist has modelled, at a remesh what flow has made. A fold that is closed then would reach half as far with each
remesh, until its sides pass through each other. So a new pair reaches as far as an old one did that lay there with air between
its sides, apart along the same way; slivers and neighbours of one skin, which are apart along it, take nothing from a fold that
they are part of.

Where what is seen of a body gets other vertices on the same tets (solver/refining), rest is what it was. Else what a blow has
pressed together just then, the sides of a thin fin as well, would count as lying so close at rest that it is let through.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ...geometry.measures import vertex_area_vectors
from .distance import measure
from .pairs import REST_SHARE, Pairs

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

NEAR = 5.0  # reaches within which an old pair tells a new one
ASKED = 8  # of the nearest old ones
ALIGNED = 0.7  # cosine between the ways along which both are apart


@dataclass(frozen=True)
class KnownReach:
    """What q pairs know: table (q, 7), where each is (3), the unit way along which its sides are apart (3), its reach [m]."""

    table: Array

    @classmethod
    def of(cls, parts: list[tuple[Pairs, IntArray]], places: Array) -> Self:
        """That of pairs of surfaces of triangles (t, 3), points at places (k, 3), but for those that are far enough apart."""
        rows = [np.zeros((0, 7))]
        for pairs, triangles in parts:
            spots, ways, gaps, weights = apart(places, pairs.nodes, pairs.points)
            outwards = vertex_area_vectors(places, triangles)
            outwards /= np.maximum(np.sqrt((outwards**2).sum(axis=1, keepdims=True)), 1e-300)
            through_air = np.einsum("km,kmi,ki->k", weights, outwards[pairs.nodes], ways) < 0.0
            told = (gaps > 0.0) & (REST_SHARE * gaps < pairs.reach) & through_air
            rows.append(np.column_stack([spots, ways, pairs.reach])[told])
        return cls(np.concatenate(rows))

    def reaches(self, nodes: IntArray, points: int, rest: Array, most: float) -> Array:
        """How far (k,) pairs (k, 4) reach by what is known [m], 0 where nothing is; nodes at rest (n, 3), none over `most`."""
        known, found = self.table[:, 6], np.zeros(len(nodes))
        spots, ways, gaps, _ = apart(rest, nodes, points)
        close = np.flatnonzero((gaps > 0.0) & (REST_SHARE * gaps < most))
        if not len(known) or not len(close):
            return found
        _, near = cKDTree(self.table[:, :3]).query(spots[close], k=ASKED, distance_upper_bound=NEAR * most)
        there, near = near < len(known), np.minimum(near, len(known) - 1)
        cosine = np.abs(np.einsum("ki,kmi->km", ways[close], self.table[near, 3:6]))
        found[close] = np.where(there & (cosine > ALIGNED), known[near], 0.0).max(axis=1)
        return found


@dataclass(frozen=True)
class Rest:
    """Where nodes (n, 3) lay when their tets were made [m], how many vertices (b,) were seen of each body then, what was known
    there of how far its pairs reach, and which vertices have bent off what carries contact since (bending.py)."""

    nodes: Array
    seen: NDArray[np.int64]
    known: tuple[KnownReach, ...] = ()
    bent: tuple[IntArray, ...] = ()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name, for a checkpoint."""
        known = {f"reaches.{body}": known.table for body, known in enumerate(self.known)}
        bent = {f"bent.{body}": vertices for body, vertices in enumerate(self.bent)}
        return {"rest": self.nodes, "seen_at_rest": self.seen} | known | bent

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "Rest | None":
        """That of a checkpoint; None where it holds none."""
        if "rest" not in arrays:
            return None
        known, bent = (
            [arrays[f"{kind}.{body}"] for body in range(sum(name.startswith(f"{kind}.") for name in arrays))]
            for kind in ("reaches", "bent")
        )
        seen = arrays["seen_at_rest"].astype(np.int64)
        return cls(arrays["rest"], seen, tuple(map(KnownReach, known)), tuple(each.astype(np.int32) for each in bent))


class Staying(NamedTuple):
    """A body that keeps its tets.

    before, after : where its nodes lay among all, and lie
    bent          : vertices (v,) of what is seen of it that have bent off what carries contact just now
    kept          : the vertices (k,) that were left each time that what is seen was changed since, rising; they are the first
    """

    before: slice
    after: slice
    bent: IntArray
    kept: tuple[IntArray, ...] = ()

    def rest(self, known: Rest, body: int) -> tuple[int, IntArray]:
        """How many vertices were seen when the tets were made, and which are bent, by their numbers from now on."""
        count, bent = int(known.seen[body]), self.bent
        if known.bent:
            bent = np.union1d(known.bent[body], bent).astype(np.int32)
        for kept in self.kept:
            count, bent = int(np.searchsorted(kept, count)), np.flatnonzero(np.isin(kept, bent)).astype(np.int32)
        return count, bent


def apart(places: Array, nodes: IntArray, points: int) -> tuple[Array, Array, Array, Array]:
    """Where pairs (k, 4) are closest (k, 3), the unit way from the second side to the first (k, 3), its length (k,) [m], and
    weights (k, 4) as of distance.py."""
    weights, ways = np.empty((len(nodes), 4)), np.empty((len(nodes), 3))
    measure(places, nodes, points, weights, ways)
    gaps = np.sqrt((ways**2).sum(axis=1))
    ways /= np.maximum(gaps, 1e-300)[:, None]
    return 0.5 * np.einsum("km,kmi->ki", np.abs(weights), places[nodes]), ways, gaps, weights

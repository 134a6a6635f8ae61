"""A connected part of what two surfaces share, and the way on which it is thinnest."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...geometry.measures import box_middle

Array = NDArray[np.float64]

STEEP = 0.7  # cosine of the angle to a part's gradient from which on a way on which it is thinner is no way out
FACES = 64  # normals that are tried, of those along its rim
PIECES = 3  # of a part along either of its axes, at most
WAYS = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])  # that what lies wholly inside may leave by


@dataclass(frozen=True)
class Region:
    """A connected part of what two surfaces share, as it is now.

    normal (3,)               : unit vector, the way that the first surface leaves by
    depth                     : how far it has to go [m], a margin with it
    whole                     : whether one body lies wholly in the other there, or as good as: it leaves by the shortest way
    centers (c, 3), radii (c,): of balls around its pieces [m], side by side across the normal: by one alone bodies would tilt
    """

    normal: Array
    depth: float
    whole: bool
    centers: Array
    radii: Array

    @classmethod
    def of(cls, points: Array, normal: Array, depth: float, piece: float, whole: bool = False) -> "Region":
        """That of points (k, 3), in pieces about as wide as `piece` [m] or wider."""
        flat = points - points.mean(axis=0)
        flat = flat - np.outer(along_ways(flat, normal[None])[:, 0], normal)
        number = np.zeros(len(points), dtype=np.int64)
        for axis in _axes(flat)[1:]:
            along = along_ways(flat, axis[None])[:, 0]
            width = float(np.ptp(along))
            count = min(max(int(width / piece), 1), PIECES)
            cell = np.minimum(((along - along.min()) * count / max(width, piece)).astype(np.int64), count - 1)
            number = PIECES * number + cell
        pieces = [points[number == each] for each in np.unique(number)]
        centers = np.stack([box_middle(each) for each in pieces])
        radii = [np.sqrt(((each - center) ** 2).sum(axis=1).max()) for each, center in zip(pieces, centers, strict=True)]
        return cls(normal, depth, whole, centers, np.array(radii))


def along_ways(points: Array, ways: Array) -> Array:
    """How far (k, m) points (k, 3) lie along ways (m, 3); BLAS does not promise the same bytes on any number of threads."""
    far: Array = np.einsum("ki,mi->km", points, ways)
    return far


def _axes(points: Array) -> Array:
    """The principal axes (3, 3), one a row, of points (k, 3) about the origin, that along which they vary least first."""
    axes: Array = np.linalg.eigh(np.einsum("ki,kj->ij", points, points))[1].T
    return axes


def thinnest(points: Array, way: Array, faces: Array) -> Array:
    """The way (3,) on which points (k, 3) about their middle are least deep, of a way, their thin axis, those of WAYS and the
    normals of some faces (m, 3); but none that is STEEP to the first: a blade leaves what it is stuck in along itself."""
    length = np.sqrt((faces**2).sum(axis=1))
    faces = faces[length > 0.0] / length[length > 0.0, None]
    faces = faces[:: max(1, len(faces) // FACES)]
    axis = _axes(points)[0]
    ways = np.concatenate([[way, axis], WAYS / np.sqrt((WAYS**2).sum(axis=1))[:, None], faces])
    ways = ways * np.sign(along_ways(ways, way[None]))
    ways = ways[along_ways(ways, way[None])[:, 0] > STEEP]
    depths = np.ptp(along_ways(points, ways), axis=0)
    best: Array = ways[np.argmin(depths)]
    return best

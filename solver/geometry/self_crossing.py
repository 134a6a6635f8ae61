"""Which faces of a surface pass through each other. numpy only."""

import numpy as np
from numpy.typing import NDArray

PARALLEL = 1e-10  # sine of an angle below which two faces lie alongside each other
ROUNDED = 4.0 * 2.0**-23  # of the largest coordinate: meshes keep theirs in single precision, and turning and moving add to it
MOST_PAIRS = 1_000_000  # of boxes compared: a second's work; the search stops there, having found the first crossings


def crossing_faces(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the faces, rising, that another face without a common vertex crosses by more than rounding.

    Sweep along the widest axis, then edges of one against the other (Moeller & Trumbore 1997). Faces in one plane that
    overlap do not count. In a very dense mesh the search covers only a part of it (MOST_PAIRS).
    """
    corners = positions[triangles]
    lower, upper = corners.min(axis=1), corners.max(axis=1)
    axis = int(np.argmax(np.ptp(positions, axis=0)))
    order = np.argsort(lower[:, axis], kind="stable")
    ends = np.searchsorted(lower[order, axis], upper[order, axis], side="right")
    counts = np.maximum(ends - np.arange(len(order)) - 1, 0)
    covered = int(np.searchsorted(np.cumsum(counts), MOST_PAIRS, side="right"))
    counts = counts[:covered]
    first = np.repeat(np.arange(covered), counts)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    a, b = order[first], order[second]
    near = ((lower[a] <= upper[b]) & (lower[b] <= upper[a])).all(axis=1)
    a, b = a[near], b[near]
    apart = ~(triangles[a][:, :, None] == triangles[b][:, None, :]).any(axis=(1, 2))
    a, b = a[apart], b[apart]
    crossing = np.zeros(len(a), dtype=bool)
    for side in range(3):
        crossing |= pierces(corners[a, side], corners[a, (side + 1) % 3], corners[b])
        crossing |= pierces(corners[b, side], corners[b, (side + 1) % 3], corners[a])
    a, b = a[crossing], b[crossing]
    deep = cross_deeply(corners[a], corners[b], rounding(positions))
    return np.unique(np.concatenate([a[deep], b[deep]]))


def rounding(positions: NDArray[np.float64]) -> float:
    """How far [m] vertices may lie beside where they were meant to."""
    return ROUNDED * float(np.abs(positions).max(initial=0.0))


def cross_deeply(one: NDArray[np.float64], other: NDArray[np.float64], least: float) -> NDArray[np.bool_]:
    """Whether faces (k, 3, 3) that cross others (k, 3, 3) reach through them by `least` [m] or more.

    Those that do not would be clear of each other if one moved by less than that. A polygon whose vertices lie in one line but
    for rounding is cut into slivers that seem to cross their neighbours.
    """
    through: NDArray[np.bool_] = np.minimum(_beyond(one, other), _beyond(other, one)) >= least
    return through


def _beyond(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far (k,) [m] faces (k, 3, 3) reach through the planes of others (k, 3, 3); inf where these have none."""
    normal = np.cross(other[:, 1] - other[:, 0], other[:, 2] - other[:, 0])
    length = np.sqrt((normal**2).sum(axis=1))
    above = np.einsum("kmi,ki->km", one - other[:, :1], normal) / np.where(length > 0.0, length, 1.0)[:, None]
    return np.where(length > 0.0, np.minimum(above.max(axis=1), -above.min(axis=1)), np.inf)


def pierces(p: NDArray[np.float64], q: NDArray[np.float64], face: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether segment pq passes through the inside of each face (k, 3, 3)."""
    along, e1, e2 = q - p, face[:, 1] - face[:, 0], face[:, 2] - face[:, 0]
    across = np.cross(along, e2)
    determinant = np.einsum("ij,ij->i", e1, across)
    safe = np.where(determinant == 0.0, 1.0, determinant)
    arm = p - face[:, 0]
    u = np.einsum("ij,ij->i", arm, across) / safe
    turned = np.cross(arm, e1)
    v = np.einsum("ij,ij->i", along, turned) / safe
    t = np.einsum("ij,ij->i", e2, turned) / safe
    inside = (u > 0.0) & (v > 0.0) & (u + v < 1.0) & (t > 0.0) & (t < 1.0)
    # What is left of a determinant by rounding says nothing: faces of one flat side would seem to cross
    sizes = np.sqrt((along**2).sum(axis=1) * (e1**2).sum(axis=1) * (e2**2).sum(axis=1))
    result: NDArray[np.bool_] = inside & (np.abs(determinant) > PARALLEL * sizes)
    return result

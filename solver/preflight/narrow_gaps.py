"""Parts of one body that face each other across a gap narrower than the cage can keep open. numpy only."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import connected, edges_of, welded
from ..geometry.measures import area_vectors, bounding_box, box_middle, signed_volumes, winding_numbers_by_sum, within_box
from ..scene import Body
from ..tetmesh.lattice_points import Lattice, lattice_around
from .finding import Finding

Array = NDArray[np.float64]

SPACING = 0.5  # of the points looked from, in elements
FACING = 0.7  # cosine between the normal of one side of a gap and the reverse of the other's
ASIDE = 0.6  # how far from the line across a gap a lattice point still keeps it open, in elements
WARPED = 0.2  # nearer to either side it is warped onto that, in elements
BALL = 2.5  # what hangs together within so many elements is a groove, not a gap
MOST_POINTS = 200_000  # looked from; a body of more elements is looked at less densely
MOST_PLACES = 64  # that are looked at closely
SAMPLES = 16  # vertices that tell whether one shell reaches into another
FINEST = 512
AROUND = np.stack(np.meshgrid(*[np.arange(-1, 2)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


class Gaps(NamedTuple):
    """Places where two faces see each other.

    middle (p, 3) [m], way (p, 3) unit vector across, width (p,) [m], faces (p, 2)
    """

    middle: Array
    way: Array
    width: Array
    faces: NDArray[np.int64]

    def chosen(self, which: NDArray[np.generic]) -> "Gaps":
        return Gaps(*(array[which] for array in self))


def gap_findings(body: Body) -> Iterator[Finding]:
    """Yield a warning if the cage would join parts that only lie close: lips, fingers, an arm and what it hangs beside.

    Faces must agree on what is outside (`flipped` says when not). Thin parts face away from each other, shells that reach
    into each other are meant to be one, and so is one in the box of the other, as an eye in its socket: none of them counts.
    """
    if body.method != "cage" or body.resolution < 1 or not body.extent > 0.0:
        return
    middle = box_middle(body.surface.positions)
    positions, size = np.asarray(body.surface.positions - middle, dtype=np.float64), body.element_size
    triangles = outward(positions, body.surface.triangles)
    if not len(triangles):
        return
    used = positions[triangles].reshape(-1, 3)
    gaps = _gaps(positions, triangles, size)
    gaps = gaps.chosen(_joined(gaps, lattice_around(*bounding_box(used), size)))
    if not len(gaps.width):
        return
    shape = _Shape(positions, triangles)
    order = np.argsort(gaps.width, kind="stable")
    for k in order[:: max(1, -(-len(order) // MOST_PLACES))]:
        if shape.are_apart(gaps.faces[k], gaps.middle[k], BALL * size):
            yield _finding(body, float(gaps.width[k]), gaps.middle[k] + middle)
            return


def _finding(body: Body, gap: float, place: Array) -> Finding:
    x, y, z = place
    message = (
        f"Two parts of it lie {gap:.3g} m apart, closer than one tet ({body.element_size:.3g} m), "
        "so they may be simulated as one piece there."
    )
    needed = int(np.ceil(body.extent / max(gap, body.extent / (2 * FINEST))))
    remedy = f"Raise the Resolution to about {needed}, or move them apart." if needed <= FINEST else "Move them apart."
    return Finding("warning", body.name, f"at ({x:.3g}, {y:.3g}, {z:.3g}) m", message, remedy, "narrow_gap")


def outward(positions: Array, triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """The welded triangles that have area, turned outwards as a whole; none if neighbours disagree."""
    weld = welded(positions, triangles)
    areas = area_vectors(positions, weld)
    weld = weld[(areas * areas).sum(axis=1) > 0.0]
    edges = edges_of(weld)
    pairs = edges.first[:-1][edges.counts == 2]
    if (edges.forward[pairs] == edges.forward[pairs + 1]).any():
        return weld[:0]
    return weld[:, [0, 2, 1]] if signed_volumes(positions, weld).sum() < 0.0 else weld


def _gaps(positions: Array, triangles: NDArray[np.int32], size: float) -> Gaps:
    """Where points of the surface see each other within `size`."""
    areas = area_vectors(positions, triangles)
    spacing = max(SPACING * size, float(np.sqrt(np.sqrt((areas * areas).sum(axis=1)).sum() / MOST_POINTS)))
    points, faces = _points(positions, triangles, spacing)
    normals = areas[faces]
    normals /= np.sqrt((normals * normals).sum(axis=1, keepdims=True))
    # One a cell for each of the six ways to look: the two sides of a narrow gap share cells.
    cells = np.floor(points / spacing).astype(np.int64)
    axis = np.abs(normals).argmax(axis=1)
    looks = 2 * axis + (np.take_along_axis(normals, axis[:, None], axis=1)[:, 0] > 0.0)
    kept = _first_of_equal(np.column_stack([cells, looks]))
    points, faces, normals = points[kept], faces[kept], normals[kept]
    first, second = _near_pairs(points, max(size, spacing))
    opposed = (normals[first] * normals[second]).sum(axis=1) < -FACING
    first, second = first[opposed], second[opposed]
    way, arm = normals[first] - normals[second], points[second] - points[first]
    way /= np.sqrt((way * way).sum(axis=1, keepdims=True))
    width = (arm * way).sum(axis=1)
    aside = (arm * arm).sum(axis=1) - width * width
    seen = (width > 1e-3 * size) & (width < size) & (aside < spacing**2)
    middle = 0.5 * (points[first] + points[second])
    return Gaps(middle, way, width, np.stack([faces[first], faces[second]], axis=1)).chosen(seen)


def _first_of_equal(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the first of each set of equal rows (n, k), the sets in order.

    As np.unique does, which would hold up Blender's window for as long as it sorts: it looks at rows as objects of Python.
    """
    order = np.lexsort(rows.T[::-1])
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    return order[fresh]


def _points(positions: Array, triangles: NDArray[np.int32], spacing: float) -> tuple[Array, NDArray[np.int64]]:
    """Points (k, 3) inside the triangles, about one per spacing, and the triangle of each (k,)."""
    corners = positions[triangles]
    longest = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2)).max(axis=1)
    parts = np.maximum(np.ceil(longest / spacing), 1.0).astype(int)
    points, faces = [], []
    for count in np.unique(parts):
        i, j = (index.ravel() for index in np.indices((count, count)))
        i, j = i[i + j < count], j[i + j < count]
        weights = (np.stack([i, j, count - 1 - i - j], axis=1) + 1.0 / 3.0) / count
        own = np.flatnonzero(parts == count)
        points.append((weights @ corners[own]).reshape(-1, 3))
        faces.append(np.repeat(own, len(weights)))
    return np.concatenate(points), np.concatenate(faces)


def _near_pairs(points: Array, size: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of points in the same or neighbouring cells of `size`, each pair once."""
    cells = np.floor((points - points.min(axis=0)) / size).astype(np.int64) + 1
    counts = cells.max(axis=0) + 2
    keys = (cells[:, 0] * counts[1] + cells[:, 1]) * counts[2] + cells[:, 2]
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    firsts, seconds = [], []
    for shift in AROUND:
        wanted = keys + (shift[0] * counts[1] + shift[1]) * counts[2] + shift[2]
        start, stop = np.searchsorted(ranked, wanted, side="left"), np.searchsorted(ranked, wanted, side="right")
        found = stop - start
        first = np.repeat(np.arange(len(points)), found)
        second = order[np.arange(len(first)) - np.repeat(np.cumsum(found) - found - start, found)]
        once = first < second
        firsts.append(first[once])
        seconds.append(second[once])
    return np.concatenate(firsts), np.concatenate(seconds)


def _joined(gaps: Gaps, lattice: Lattice) -> NDArray[np.bool_]:
    """Which gaps (p,) hold no lattice point that would keep them open."""
    open_here = np.zeros(len(gaps.width), dtype=bool)
    for half in (0.0, 0.5):  # cube corners, cube centres
        nearest = np.round((gaps.middle - lattice.origin) / lattice.size - half)
        for shift in AROUND:
            arm = lattice.origin + lattice.size * (nearest + shift + half) - gaps.middle
            along = (arm * gaps.way).sum(axis=1)
            aside = (arm * arm).sum(axis=1) - along * along
            between = np.abs(along) < 0.5 * gaps.width - WARPED * lattice.size
            open_here |= between & (aside < (ASIDE * lattice.size) ** 2)
    return ~open_here


class _Shape:
    """A surface, asked whether faces of it hang together."""

    def __init__(self, positions: Array, triangles: NDArray[np.int32]) -> None:
        self.positions, self.triangles = positions, triangles
        corners = positions[triangles]
        self.lower, self.upper = corners.min(axis=1), corners.max(axis=1)
        self.shell = _pieces(triangles)[triangles[:, 0]]
        self.united: dict[tuple[int, int], bool] = {}

    def are_apart(self, faces: NDArray[np.int64], place: Array, radius: float) -> bool:
        """Whether two faces do not hang together near a place, and are not of shells that belong together."""
        a, b = sorted(int(shell) for shell in self.shell[faces])
        if a != b:
            if (a, b) not in self.united:
                self.united[a, b] = self._belongs(a, b) or self._belongs(b, a)
            return not self.united[a, b]
        near = np.flatnonzero(((self.lower <= place + radius) & (self.upper >= place - radius)).all(axis=1))
        local = _pieces(self.triangles[near])
        first, second = self.triangles[faces, 0]
        return bool(local[first] != local[second])

    def _belongs(self, shell: int, other: int) -> bool:
        """Whether a shell lies in another's box, or some of its vertices inside the other."""
        own, faces = self.triangles[self.shell == shell], self.triangles[self.shell == other]
        vertices = self.positions[np.unique(own)]
        lower, upper = self.positions[faces].min(axis=(0, 1)), self.positions[faces].max(axis=(0, 1))
        inside = within_box(vertices, lower, upper)
        if inside.all():
            return True
        vertices = vertices[inside][:: max(1, int(inside.sum()) // SAMPLES)]
        return bool((np.abs(winding_numbers_by_sum(self.positions, faces, vertices)) > 0.5).any())


def _pieces(triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """The connected piece (n,) of every vertex of the triangles (t, 3)."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]]).T
    return connected(ends.astype(np.int64), int(triangles.max(initial=-1)) + 1)

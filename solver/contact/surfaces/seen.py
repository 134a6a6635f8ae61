"""The artist's surface made fit to carry contact: in one piece where it looks so, and about as fine as the tets."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.decimation import decimated
from ...geometry.edges import components, edges_of, welded
from ...geometry.evening import evened
from ...geometry.splitting import split
from ...geometry.triangle_tree import closest_points
from ...surface import Surface
from ...tetmesh.mesh import TetMesh

LONGEST = 1.5  # edges, in sizes of the tets: a longer one is cut, so that it gives way where it is pressed,
FINE = 5.0  # times as many triangles as the tets' boundary has: from then on vertices are merged,
MERGED = 0.5  # up to edges of this length: what spans a whole tet stays behind where those under it turn against each other,
SHARES = 0.5, 0.15  # of the error below, of vertices that go in two rounds, and half as much of sides flipped after each
ERROR = 0.005  # about so far all are from what carries contact at rest, again in sizes of the tets: flips may add up


class Seen(NamedTuple):
    """Points (k, 3) [m] and triangles (t, 3) that carry contact; whole (w, 3): what they are cut from, None if from nothing.

    The first points are vertices of the surface itself, by their numbers `vertices` (v,); the others are where it is cut.
    merged (s, 2) are those of its vertices, twice, and edges between others, that have been merged.
    """

    positions: NDArray[np.float64]
    triangles: NDArray[np.int32]
    whole: NDArray[np.int32] | None
    vertices: NDArray[np.int32]
    merged: NDArray[np.int32]


def seen_surface(
    surface: Surface, mesh: TetMesh, element: float, error: float = ERROR, rest: NDArray[np.float64] | None = None,
    longest: float = 0.0, kept: NDArray[np.int32] | None = None,
) -> Seen:  # fmt: skip
    """The artist's surface over a mesh of tets of the size `element` [m], both at rest, as it carries contact.

    Vertices in one place are one; triangles without a surface, and parts all deeper inside the tets than an edge, are left out.
    What is much finer than the tets is merged, with an `error` in their sizes, as it lay when these were made: at `rest` (n, 3)
    [m], where it is at hand, but for its vertices `kept` (v,). Edges longer than the longest [m] are halved, LONGEST where none
    is named: where they are pressed the cut triangles give way, and the whole ones, as they are seen, leave them.
    """
    triangles = welded(surface.positions, surface.triangles)
    sides = triangles != np.roll(triangles, 1, axis=1)
    triangles, boundary = triangles[sides.all(axis=1)], mesh.faces.boundary
    triangles = _outer(surface.positions, triangles, mesh)
    merged = np.zeros((0, 2), dtype=np.int32)
    if error > 0.0 and len(triangles) > FINE * len(boundary):
        stays = np.zeros(len(surface.positions), dtype=bool)
        stays[[] if kept is None else kept] = True
        places = surface.positions if rest is None else rest
        finer, triangles = triangles, _coarser(places, triangles, error * element, MERGED * element, stays)
        merged = _merged(finer, triangles)
    positions, parts = split(surface.positions, triangles, longest or LONGEST * element)
    used, numbered = np.unique(parts, return_inverse=True)
    whole = None if len(parts) == len(triangles) else np.searchsorted(used, triangles).astype(np.int32)
    own = used[used < len(surface.positions)]
    return Seen(np.ascontiguousarray(positions[used]), numbered.reshape(-1, 3).astype(np.int32), whole, own, merged)


def _coarser(
    places: NDArray[np.float64], triangles: NDArray[np.int32], error: float, longest: float, stays: NDArray[np.bool_]
) -> NDArray[np.int32]:  # fmt: skip
    """Triangles (t, 3) of fewer of the places (n, 3), about an error [m] off, without slivers: pressed, these would meet.

    Of places that stay (n,) none goes, and no edge of them is flipped.
    """
    for share in SHARES:
        triangles = decimated(places, triangles, share * error, longest, stays)
        triangles = evened(places, triangles, 0.5 * share * error, stays)
    return triangles


def _merged(before: NDArray[np.int32], after: NDArray[np.int32]) -> NDArray[np.int32]:
    """The vertices of triangles (t, 3), twice, that are not among those of others (t', 3), and edges (e, 2) between vertices
    that are."""
    left = np.zeros(before.max() + 1, dtype=bool)
    left[after] = True
    gone = np.setdiff1d(before, after)
    edges = edges_of(before).vertices
    edges = edges[left[edges].all(axis=1)]
    both = edges, edges_of(after).vertices
    name, known = (ends.min(axis=1).astype(np.int64) * len(left) + ends.max(axis=1) for ends in both)
    return np.concatenate([np.stack([gone, gone], axis=1), edges[~np.isin(name, known)]]).astype(np.int32)


def _outer(places: NDArray[np.float64], triangles: NDArray[np.int32], mesh: TetMesh) -> NDArray[np.int32]:
    """Triangles (t, 3) between places (n, 3) without the parts that lie deep inside the tets, as eyes do in a head.

    Of the others all stay: without the bottom of a furrow they would have a hole there, for whoever gets into it.
    """
    shallow = _shallow(places, mesh)
    if not len(triangles) or shallow[triangles].all():
        return triangles
    sides = np.concatenate([triangles[:, :2], triangles[:, 1:]]).T
    part = components(sides, len(places))[1]
    reaches = np.zeros(len(places), dtype=bool)
    reaches[part[triangles[shallow[triangles].any(axis=1), 0]]] = True
    own = reaches[part[triangles[:, 0]]]
    return triangles[own] if own.any() else triangles


def _shallow(points: NDArray[np.float64], mesh: TetMesh) -> NDArray[np.bool_]:
    """Which of points (n, 3) lie outside the tets, or less than an edge inside their boundary."""
    here, relative = mesh.centred, np.ascontiguousarray(points - mesh.middle)
    outside = here.located(relative)[0] < 0
    return np.asarray(outside | (closest_points(here.hull, relative).distance < here.mean_edge))

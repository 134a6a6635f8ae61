"""Whether a body's resolution suits it: thin parts, and the size of what it makes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..geometry.measures import area_vectors
from ..scene import MOST_RESOLUTION, Body
from ..surface import LARGE_FACE
from ..tetmesh.estimate import estimated_tet_count
from .finding import Finding

BYTES_PER_TET = 3000  # of a bake, roughly
MANY_TETS = 400_000
MOST_FEELERS, FEELER_FACES = 128, 2_000_000  # fewer feelers in a dense mesh: this many tests in all
THIN_SHARE = 0.1
LARGE_SHARE = 0.2  # of the area, that faces larger than LARGE_FACE take


def resolution_findings(body: Body) -> Iterator[Finding]:
    """Yield what there is to say about the size of one body's elements."""
    if body.resolution < 1 or not body.extent > 0:
        return
    count = estimated_tet_count(body.surface, body.element_size)
    if count > MANY_TETS:
        memory = count * BYTES_PER_TET / 1e9
        message = f"Resolution {body.resolution} makes about {count:,} tets, some {memory:.1f} GB, and a slow bake."
        yield Finding("warning", body.name, "", message, "Lower the Resolution while trying things out.", "many_tets")
    if body.seen == "artist" and not body.begins_finer:
        yield from _large_faces(body)
    thickness, places = _thickness(body)
    thin = thickness < body.element_size
    if len(thin) and thin.mean() > THIN_SHARE:
        typical = float(np.median(thickness[thin]))
        needed = int(np.ceil(body.extent / typical))
        x, y, z = places[thin][np.argmin(thickness[thin])]
        place = f"at ({x:.3g}, {y:.3g}, {z:.3g}) m"
        message = (
            f"About {100 * thin.mean():.0f} % of it is thinner ({typical:.3g} m) than one tet ({body.element_size:.3g} m) "
            "and is simulated as if it were one tet thick."
        )
        yield Finding("warning", body.name, place, message, _against_thin(needed), "thin")


def _against_thin(resolution: int) -> str:
    """What helps where so high a resolution is needed. Skins in one place are no thin part: none is high enough for them."""
    if resolution <= MOST_RESOLUTION:
        return f"Raise the Resolution to about {resolution}."
    return (
        "No Resolution is high enough for that: where faces lie on each other, merge them by distance, or take off what "
        "doubles them, as Mirror or Solidify."
    )


def _large_faces(body: Body) -> Iterator[Finding]:
    """Yield whether much of what is seen is of faces so large that goo cannot be seen to bend: a default cube."""
    positions, triangles = body.surface.positions, body.surface.triangles
    corners = positions[triangles]
    longest = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2)).max(axis=1)
    areas = np.sqrt((area_vectors(positions - positions.mean(axis=0), triangles) ** 2).sum(axis=1))
    large = longest > LARGE_FACE * body.element_size
    share = float(areas[large].sum() / areas.sum()) if areas.sum() > 0.0 else 0.0
    if share > LARGE_SHARE:
        message = (
            f"Faces much larger than a tet ({body.element_size:.3g} m) make up {100 * share:.0f} % of its surface: "
            "they stay flat where the goo bends."
        )
        remedy = (
            "Set Refine Surface on, subdivide it, or give it a Subdivision Surface modifier (Simple); or choose Goo Surface as "
            "What Is Seen."
        )
        yield Finding("warning", body.name, "", message, remedy, "large_faces")


def _thickness(body: Body) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far it is from some faces straight inwards to the next face, and where; evenly spread over the area."""
    middle = np.asarray(body.surface.positions, dtype=np.float64).mean(axis=0)
    positions, triangles = body.surface.positions - middle, body.surface.triangles
    areas = area_vectors(positions, triangles)
    size = np.sqrt((areas * areas).sum(axis=1))
    if not size.sum() > 0.0:
        return np.empty(0), np.empty((0, 3))
    share = np.cumsum(size) / size.sum()
    feelers = int(np.clip(FEELER_FACES // len(triangles), 16, MOST_FEELERS))
    faces = np.unique(np.searchsorted(share, (np.arange(feelers) + 0.5) / feelers))
    corners = positions[triangles]
    starts, inwards = corners[faces].mean(axis=1), -areas[faces] / size[faces, None]
    hits = np.array([_next_face(corners, s, d, f) for s, d, f in zip(starts, inwards, faces, strict=True)])
    # Faces may point either way: a feeler that leaves a closed body outwards hits nothing.
    found = np.isfinite(hits)
    return hits[found], starts[found] + middle


def _next_face(corners: NDArray[np.float64], start: NDArray[np.float64], along: NDArray[np.float64], own: int) -> float:
    e1, e2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(along, e2)
    determinant = np.einsum("ij,ij->i", e1, across)
    safe = np.where(determinant == 0.0, 1.0, determinant)
    arm = start - corners[:, 0]
    turned = np.cross(arm, e1)
    u, v = np.einsum("ij,ij->i", arm, across) / safe, turned @ along / safe
    t = np.einsum("ij,ij->i", e2, turned) / safe
    hit = (determinant != 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0)
    hit[own] = False
    return float(t[hit].min()) if hit.any() else np.inf

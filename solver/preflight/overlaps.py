"""Bodies that start inside something."""

from collections.abc import Iterator, Sequence
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from ..colliders.solidity import has_large_holes
from ..geometry.edges import welded
from ..geometry.measures import area_vectors, bounding_box, box_middle, winding_numbers_by_sum
from ..geometry.self_crossing import pierces
from ..scene import Body, Collider, Settings, Surface
from .body_contact import meet
from .finding import Finding

SAMPLES = 48
TOUCHING = 1e-6  # of a body's extent: no depth
ASKEW = np.sqrt([1.0, 2.0, 3.0])  # along no plane of an artist's
MOST_EDGES, MOST_FACES = 150, 600  # faces that are tried against each other
MOVE = "Move it clear at the first frame."
MOVE_OR_HOLLOW = "Move it clear at the first frame; a container has to be Two-Sided, or have walls (a Solidify modifier)."
SET_MESH = "If it is a table, set its Shape to Mesh."
MOVE_ONE = "Move one of them, if they are to collide from the first frame on."
MOVE_OR_TURN = "Move it clear at the first frame, or turn the plane over."


def overlap_findings(bodies: Sequence[Body], colliders: Sequence[Collider], settings: Settings) -> Iterator[Finding]:
    """Yield which bodies start inside or through a collider or another body that they are meant to meet."""
    for body in bodies:
        for collider in colliders:
            if not body.groups & collider.groups:
                continue
            how = _depth(body, collider, settings)
            if how and collider.kind == "plane":
                message = f"It starts {how} the plane '{collider.name}' and will be pushed through to its front."
                yield Finding("warning", body.name, "", message, MOVE_OR_TURN, "starts_in_collider")
            elif collider.kind == "plane" and _beyond(body, collider):
                message = f"It starts beyond the edge of '{collider.name}', an endless ground: it lands on it there too."
                yield Finding("info", body.name, "", message, SET_MESH, "beyond_ground")
            elif how:
                message = f"It starts {how} the collider '{collider.name}' and will be pushed out."
                remedy = MOVE_OR_HOLLOW if how == "inside" else MOVE
                yield Finding("warning", body.name, "", message, remedy, "starts_in_collider")
    for index, body in enumerate(bodies):
        for other in bodies[index + 1 :]:
            if meet(body, other, settings) and _surfaces_overlap(body.surface, other.surface):
                message = f"It overlaps '{other.name}' at the start: the two are led apart first, and collide from then on."
                yield Finding("warning", body.name, "", message, MOVE_ONE, "starts_in_body")


def _beyond(body: Body, collider: Collider) -> bool:
    """Whether the body starts over no part of a plane that is drawn as a square."""
    transform = collider.transforms[min(1, len(collider.transforms) - 1)]
    if collider.size[2] != 0.0 or not min(collider.size[:2]) > 0.0 or not np.isfinite(transform).all():
        return False
    local, half = (body.surface.positions - transform[:3, 3]) @ transform[:3, :2], 0.5 * np.array(collider.size[:2])
    return bool((local.min(axis=0) > half).any() or (local.max(axis=0) < -half).any())


def _depth(body: Body, collider: Collider, settings: Settings) -> str:
    """How the body starts in the collider's solid: "", "partly inside" or "inside", of a plane "behind", of a sheet "across".

    A sheet, closed or open as a tin, holds what is inside.
    """
    transform = collider.transforms[min(1, len(collider.transforms) - 1)]  # the first frame; key 0 is the one before
    if not np.isfinite(transform).all() or abs(np.linalg.det(transform[:3, :3])) < 1e-12:
        return ""
    local = (body.surface.positions - transform[:3, 3]) @ np.linalg.inv(transform[:3, :3]).T
    if collider.kind == "plane":
        below = local[:, 2] < -TOUCHING * body.extent
        return "behind" if below.all() else "partly behind" if below.any() else ""
    if collider.surface is None:  # of a mesh, and of a shape without a size, something else is said
        return _shape_depth(body, collider, settings) if collider.kind != "mesh" and min(collider.size) > 0.0 else ""
    triangles = body.surface.triangles
    lower, upper = _shared_box(Surface(local, triangles), collider.surface)
    if (lower > upper).any():
        return ""
    if _is_sheet(collider, collider.surface):
        hair = TOUCHING * float(np.ptp(local, axis=0).max()) * ASKEW  # either way: one may have vertices right in the sheet
        across = all(_cross(Surface(local + way, triangles), collider.surface) for way in (hair, -hair))
        return "across" if across else ""
    if not _surfaces_overlap(Surface(local, triangles), collider.surface):
        return ""
    everywhere = local[:: max(1, len(local) // SAMPLES)]
    return "inside" if (np.abs(_winding(everywhere, collider.surface)) > 0.5).all() else "partly inside"


def _is_sheet(collider: Collider, surface: Surface) -> bool:
    """Whether it is solid where its faces are, if a little way below, and has no inside."""
    positions = surface.positions - box_middle(surface.positions)
    weld = welded(positions, surface.triangles)
    areas = area_vectors(positions, surface.triangles)
    return collider.two_sided or has_large_holes(areas, positions, weld)


def _shape_depth(body: Body, collider: Collider, settings: Settings) -> str:
    """The same of an exact shape: its own file knows how far away points are, and needs numpy only."""
    positions = body.surface.positions
    distance, (normal, velocity) = np.empty(len(positions)), np.empty((2, *positions.shape))
    shape = import_module(f"..colliders.{collider.kind}", __package__).build(collider, settings)
    shape.query(positions, 0.0, np.inf, distance, normal, velocity)
    within = distance < -TOUCHING * body.extent
    return "inside" if within.all() else "partly inside" if within.any() else ""


def _surfaces_overlap(one: Surface, other: Surface) -> bool:
    """Whether some vertices of one lie inside the other, or some edges of one pass through faces of the other."""
    lower, upper = _shared_box(one, other)
    if (lower > upper).any():
        return False
    return bool(_inside(one.positions, other).any() or _inside(other.positions, one).any()) or _cross(one, other)


def _cross(one: Surface, other: Surface) -> bool:
    """Whether some edges of one pass through faces of the other."""
    lower, upper = _shared_box(one, other)
    if (lower > upper).any():
        return False
    return _crosses(one, other, lower, upper) or _crosses(other, one, lower, upper)


def _shared_box(one: Surface, other: Surface) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper corner (3,) of the box of what lies in the boxes of both."""
    lower = np.maximum(one.positions.min(axis=0), other.positions.min(axis=0))
    upper = np.minimum(one.positions.max(axis=0), other.positions.max(axis=0))
    return lower, upper


def _crosses(
    one: Surface, other: Surface, lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> bool:
    """Whether some edges of one pass through some faces of the other, in the box that they share."""
    edges, faces = _near(one, lower, upper, MOST_EDGES), _near(other, lower, upper, MOST_FACES)
    if not len(edges) or not len(faces):
        return False
    starts, stops = edges.reshape(-1, 3), np.roll(edges, -1, axis=1).reshape(-1, 3)
    which, face = (index.ravel() for index in np.indices((len(starts), len(faces))))
    return bool(pierces(starts[which], stops[which], faces[face]).any())


def _near(
    surface: Surface, lower: NDArray[np.float64], upper: NDArray[np.float64], most: int
) -> NDArray[np.float64]:
    """Corners (f, 3, 3) of at most so many of the faces whose boxes meet a box."""
    corners = surface.positions[surface.triangles]
    near = np.flatnonzero(((corners.min(axis=1) <= upper) & (corners.max(axis=1) >= lower)).all(axis=1))
    return corners[near[:: max(1, -(-len(near) // most))]]


def _inside(points: NDArray[np.float64], surface: Surface) -> NDArray[np.bool_]:
    """Which of some of the points that lie in the surface's box lie inside it."""
    lower, upper = bounding_box(surface.positions)
    candidates = np.flatnonzero(((points >= lower) & (points <= upper)).all(axis=1))
    chosen = candidates[:: max(1, len(candidates) // SAMPLES)]
    return np.asarray(np.abs(_winding(points[chosen], surface)) > 0.5)


def _winding(points: NDArray[np.float64], surface: Surface) -> NDArray[np.float64]:
    middle = box_middle(surface.positions)
    return winding_numbers_by_sum(surface.positions - middle, surface.triangles, points - middle)

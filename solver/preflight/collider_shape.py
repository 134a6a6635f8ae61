"""What a collider is like: open, turned, squashed, jumping."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..colliders.solidity import against_gravity, has_large_holes, is_ground
from ..geometry.edges import edges_of, welded
from ..geometry.measures import area_vectors, signed_volumes
from ..scene import Collider, Settings
from .finding import Finding


def collider_findings(collider: Collider, settings: Settings) -> Iterator[Finding]:
    """Yield what there is to say about one collider."""
    yield from _transform_findings(collider)
    if collider.surface is None:
        if collider.kind == "mesh":
            yield Finding("error", collider.name, "", "It has no faces.", "Choose a mesh with faces.", "empty")
        return
    positions = collider.surface.positions - collider.surface.positions.mean(axis=0)
    areas = area_vectors(positions, collider.surface.triangles)
    total = float(np.sqrt((areas * areas).sum(axis=1)).sum())
    if not total > 0.0:
        yield Finding("error", collider.name, "", "Its faces have no area.", "Choose another mesh.", "no_area")
        return
    weld = welded(positions, collider.surface.triangles)
    edges = edges_of(weld)
    if edges.open_edges and not collider.two_sided:
        yield _open_finding(collider, settings, areas, edges.open_edges, has_large_holes(areas, positions, weld))
    pairs = edges.first[:-1][edges.counts == 2]
    disagreeing = int((edges.forward[pairs] == edges.forward[pairs + 1]).sum())
    closed = not edges.open_edges
    if disagreeing or (closed and signed_volumes(positions, collider.surface.triangles).sum() < 0.0):
        message = "Some or all of its faces point inwards; they are turned for the simulation."
        yield Finding("info", collider.name, "", message, "", "flipped")


def _open_finding(
    collider: Collider, settings: Settings, areas: NDArray[np.float64], open_edges: int, large_holes: bool
) -> Finding:
    linear = collider.transforms[0, :3, :3]
    cofactor = np.linalg.det(linear) * np.linalg.pinv(linear)  # turns area vectors as the transform turns areas
    placed = areas @ cofactor
    if not large_holes:
        message = f"It has holes ({open_edges} open edges); its inside is solid as if they were closed."
        return Finding("info", collider.name, "", message, "", "open")
    if is_ground(placed, against_gravity(settings)):
        message = f"It is open ({open_edges} open edges) and faces up, so it is ground: solid for a little way below."
        return Finding("info", collider.name, "", message, "", "open")
    message = f"It is open at {open_edges} edges, so it is a thin sheet: solid from both sides."
    return Finding("info", collider.name, "", message, "", "open")


def _transform_findings(collider: Collider) -> Iterator[Finding]:
    transforms = np.asarray(collider.transforms)
    if transforms.ndim != 3 or transforms.shape[1:] != (4, 4) or not np.isfinite(transforms).all():
        yield Finding("error", collider.name, "", "Its transform is not finite.", "Check its animation.", "transform")
        return
    determinants = np.linalg.det(transforms[:, :3, :3])
    if (np.abs(determinants) < 1e-12).any():
        message = "It is scaled to zero in at least one frame."
        yield Finding("warning", collider.name, "", message, "Keep every scale away from zero.", "zero_scale")
    elif (np.sign(determinants) != np.sign(determinants[0])).any():
        message = "Its scale changes sign during the bake, so it turns inside out."
        yield Finding("warning", collider.name, "", message, "Keep the sign of its scale.", "zero_scale")

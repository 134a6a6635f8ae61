"""What a body's surface is like: flat, open, not manifold, turned, crossing itself."""

from collections.abc import Iterator

import numpy as np

from ..geometry.edges import edges_of, welded
from ..geometry.measures import area_vectors, signed_volumes
from ..geometry.self_crossing import crossing_faces
from ..scene import Body
from .finding import Finding

FLAT = 1e-6
SOLIDIFY = "Give it a volume, for instance with a Solidify modifier."
CAGE_TAKES_IT = "The cage takes it as it is."
PULL_APART = " Parts that are to collide must lie apart at the first frame."
COPIED = "The cage takes it as it is; so that it can tear or merge, what is seen of it is closed."
USE_CAGE = "Set Filling to Cage, or repair the mesh."
MISSING = 0.75  # share of the area without a counterpart above which a surface encloses next to nothing


def body_findings(body: Body) -> Iterator[Finding]:
    """Yield what there is to say about one body's surface."""
    positions = np.asarray(body.surface.positions, dtype=np.float64)
    triangles = np.asarray(body.surface.triangles)
    flat = _flatness(body)
    if flat:
        yield flat
        return
    weld = welded(positions, triangles)
    distinct = (weld[:, 0] != weld[:, 1]) & (weld[:, 1] != weld[:, 2]) & (weld[:, 2] != weld[:, 0])
    positions_relative, weld = positions - positions.mean(axis=0), weld[distinct]
    edges = edges_of(weld)
    severity, remedy = "info", COPIED if body.changes_topology else CAGE_TAKES_IT
    if body.method == "conforming":
        severity, remedy = "error", USE_CAGE
    areas = area_vectors(positions_relative, weld)
    missing = np.sqrt((areas.sum(axis=0) ** 2).sum()) / max(np.sqrt((areas * areas).sum(axis=1)).sum(), 1e-300)
    if missing > MISSING:
        message = f"It is an open sheet ({edges.open_edges} open edges) that encloses hardly any volume."
        yield Finding("warning", body.name, "", message, SOLIDIFY, "no_volume")
    elif edges.open_edges:
        message = f"It is open at {edges.open_edges} edges."
        yield Finding(severity, body.name, _edge_place(positions, edges.vertices[edges.counts == 1]), message, remedy, "open")
    if edges.non_manifold_edges:
        message = f"At {edges.non_manifold_edges} of its edges more than two faces meet."
        place = _edge_place(positions, edges.vertices[edges.counts > 2])
        yield Finding(severity, body.name, place, message, remedy, "non_manifold")
    pairs = edges.first[:-1][edges.counts == 2]
    disagreeing = int((edges.forward[pairs] == edges.forward[pairs + 1]).sum())
    if disagreeing or signed_volumes(positions_relative, weld).sum() < 0.0:
        message = "Some or all of its faces point inwards; they are turned for the simulation."
        yield Finding("info", body.name, "", message, "", "flipped")
    crossing = crossing_faces(positions_relative, weld)
    if len(crossing):
        message = f"At least {len(crossing)} of its faces cross each other."
        if remedy == CAGE_TAKES_IT:
            message += " There it goes on to pass through itself."
            remedy += PULL_APART
        yield Finding(severity, body.name, f"face {crossing[0]}", message, remedy, "self_crossing")


def _flatness(body: Body) -> Finding | None:
    """A finding if all the vertices of the faces lie in a point, on a line or in a plane."""
    positions = np.asarray(body.surface.positions, dtype=np.float64)[np.unique(body.surface.triangles)]
    spread = np.linalg.svd(positions - positions.mean(axis=0), compute_uv=False)
    if len(positions) > 3 and spread[-1] > FLAT * spread[0]:
        return None
    one = len(body.surface.triangles) == 1
    message = "It is a single triangle: there is no volume to fill." if one else "It is flat: there is no volume to fill."
    return Finding("error", body.name, "", message, SOLIDIFY, "no_volume")


def _edge_place(positions: np.ndarray, vertices: np.ndarray) -> str:
    x, y, z = positions[vertices[0]].mean(axis=0)
    return f"edge at ({x:.3g}, {y:.3g}, {z:.3g}) m"

"""Edges of a body so sharp that no tets that meet its faces are well shaped there. numpy only."""

from collections.abc import Iterator

import numpy as np

from ..geometry.edges import edges_of
from ..geometry.measures import area_vectors
from ..scene import Body
from .finding import Finding
from .narrow_gaps import outward

CAGE_OR_BLUNT = "Set Filling to Cage, or blunt the edge with a bevel."
SHARP = 10.0  # [deg], the least that the cage's tets have


def sharp_edge_findings(body: Body) -> Iterator[Finding]:
    """Yield a warning if faces of a body that is to be filled up to them meet at a sharp angle: its tets share that angle.

    Faces must agree on what is outside (`flipped` says when not).
    """
    if body.method != "conforming":
        return
    positions = np.asarray(body.surface.positions - body.surface.positions.mean(axis=0), dtype=np.float64)
    triangles = outward(positions, body.surface.triangles)
    edges = edges_of(triangles)
    first = edges.first[:-1][edges.counts == 2]
    one, two = edges.triangle[first], edges.triangle[first + 1]
    normals = area_vectors(positions, triangles)
    normals /= np.sqrt((normals * normals).sum(axis=1, keepdims=True))
    cosine = np.clip((normals[one] * normals[two]).sum(axis=1), -1.0, 1.0)
    # From an edge that sticks out the other face falls away behind the first; between faces of a groove the goo is wide
    away = ((positions[triangles[two]].mean(axis=1) - positions[triangles[one, 0]]) * normals[one]).sum(axis=1)
    inside = np.where(away < 0.0, 180.0 - np.degrees(np.arccos(cosine)), 180.0)
    if not len(inside) or inside.min() >= SHARP:
        return
    worst = int(inside.argmin())
    ends = edges.vertices[edges.counts == 2][worst]
    x, y, z = body.surface.positions[ends].mean(axis=0)
    message = f"Its faces meet at {inside[worst]:.2g}° there, and conforming tets are no better shaped than that."
    yield Finding("warning", body.name, f"edge at ({x:.3g}, {y:.3g}, {z:.3g}) m", message, CAGE_OR_BLUNT, "sharp_edge")

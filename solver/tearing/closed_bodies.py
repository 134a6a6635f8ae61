"""Bodies that may tear or merge, on closed copies of their surfaces; all that is said by vertex goes over."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cache.topology import SurfaceTopology
from ..errors import SceneError
from ..pins.pin import Pin
from ..refining.straightening import straightened
from ..scene import Body, Scene
from ..surface import Surface
from .blend import Blend
from .charts import charts
from .closed_copy import closed_copy, needs_closed_copy
from .cut_topology import cut_topology
from .surface_cut import SurfaceCut

Topologies = dict[str, SurfaceTopology]

FINENESS = 4.0  # edges along an element, where a surface is laid anew


def with_closed_copies(
    scene: Scene, topologies: Topologies, report: Callable[[dict[str, Any]], None]
) -> tuple[Scene, Topologies]:
    """Return the scene and the records of its surfaces with closed ones where bodies could not be cut or sewn as they are.

    Slivers between vertices in line go first (refining/straightening.py). Raises SceneError where a surface encloses nothing;
    reports a "warning" where none of the artist's faces could be kept.
    """
    bodies, records = [], dict(topologies)
    for body in scene.bodies:
        for change in (_straightened, _closed) if body.changes_topology else ():
            record = records.get(body.uid)
            cut = change(body, None if record is None else charts(record, body.surface.triangles))
            if cut is None:
                continue
            if change is _closed and not np.isin(cut.kept, body.surface.triangles).any():
                message = "its faces cross or miss each other: it is torn and merged on a new closed surface around them."
                report({"event": "warning", "message": f"'{body.name}': {message}"})
            body = on_copy(body, cut)
            if record is not None:
                records[body.uid] = cut_topology(record, cut)
        bodies.append(body)
    return replace(scene, bodies=tuple(bodies)), records


def _straightened(body: Body, known: NDArray[np.int64] | None) -> SurfaceCut | None:
    """What rids a body's surface of slivers, given the charts (t,) of its UVs; None where it has none."""
    return straightened(body.surface, known)


def _closed(body: Body, known: NDArray[np.int64] | None) -> SurfaceCut | None:
    """What closes a body's surface, given the charts (t,) of its UVs; None where it is closed."""
    if not needs_closed_copy(body.surface):
        return None
    try:
        return closed_copy(body.surface, body.element_size / FINENESS, known)
    except SceneError as error:
        raise SceneError(error.message, body=body.name, remedy=error.remedy) from None


def on_copy(body: Body, cut: SurfaceCut) -> Body:
    """Return the body on the copy of its surface; SceneError where a pin would hold nothing of it."""
    between = body.surface.triangles[cut.vertices.triangles].astype(np.int64)
    points = Blend.after(cut.kept.astype(np.int64), between, cut.vertices.weights)
    goal, fibres = body.goal, body.fibres
    if goal is not None:
        goal = points.of(goal) + (cut.positions - points.of(body.surface.positions))
    if fibres is not None and fibres.ndim == 2:
        # Of two directions that run against each other there is no mean
        fibres = points.of(fibres) if fibres.shape[1] == 1 else fibres[points.main]
    painted = {name: points.of(values) for name, values in body.painted.items()}
    pins = tuple(_on_copy(pin, body, cut, points.main) for pin in body.pins)
    return replace(body, surface=Surface(cut.positions, cut.triangles), goal=goal, fibres=fibres, painted=painted, pins=pins)


def _on_copy(pin: Pin, body: Body, cut: SurfaceCut, main: NDArray[np.int64]) -> Pin:
    """A pin of the old vertices `main` (n',) that the new ones are nearest to."""
    names = np.arange(len(body.surface.positions)) if cut.weld is None else cut.weld
    place = np.full(len(names), -1, dtype=np.int64)
    place[names[pin.vertices]] = np.arange(len(pin.vertices))
    entries = place[names[main]]
    vertices = np.flatnonzero(entries >= 0)
    if not len(vertices):
        raise SceneError(
            f"Its {pin.name} holds only vertices inside it, which go where it is closed before it tears.", body=body.name,
            remedy="Choose another group.",
        )  # fmt: skip
    chosen = entries[vertices]
    aside = cut.positions[vertices] - body.surface.positions[names[pin.vertices[chosen]]]
    targets = None if pin.targets is None else pin.targets[:, chosen] + aside
    return replace(pin, vertices=vertices.astype(np.int32), weights=pin.weights[chosen], targets=targets)

"""Surfaces made fit for a bake: that they can be cut, sewn and seen to bend; all that is said by vertex goes over."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cache.topology import SurfaceTopology
from ..errors import SceneError
from ..pins.pin import Pin
from ..refining.beginning import LONG, begun_finer
from ..refining.borders import borders
from ..refining.straightening import straightened
from ..scene import Body, Scene
from ..surface import LARGE_FACE, Surface
from .blend import Blend
from .charts import charts
from .closed_copy import FINENESS, closed_copy, needs_closed_copy
from .cut_topology import cut_topology
from .surface_cut import SurfaceCut

Topologies = dict[str, SurfaceTopology]

HELD, HELD_ANEW = 1.0 - 1e-9, 0.5  # share of a new vertex beyond which a pin holds it, by the vertices that it comes from; the
# second where no face is left


def made_fit(scene: Scene, topologies: Topologies, report: Callable[[dict[str, Any]], None]) -> tuple[Scene, Topologies]:
    """Return the scene and the records of its surfaces with those of bodies that cannot take part as they are changed.

    Where they may tear or merge, slivers between vertices in line go (refining/straightening.py), and what is open or crosses
    itself is closed; where faces are much larger than a tet they are halved (refining/beginning.py). Raises SceneError
    where a surface encloses nothing; reports a "warning" where none of the artist's faces could be kept.
    """
    bodies, records = [], dict(topologies)
    for body in scene.bodies:
        for change in (_straightened, _closed, _finer):
            cut = change(body, records.get(body.uid))
            if cut is None:
                continue
            if change is _closed and _laid_anew(cut):
                message = "its faces cross or miss each other: it is torn and merged on a new closed surface around them."
                report({"event": "warning", "message": f"'{body.name}': {message}"})
            body = on_copy(body, cut)
            if body.uid in records:
                records[body.uid] = cut_topology(records[body.uid], cut)
        bodies.append(body)
    return replace(scene, bodies=tuple(bodies)), records


def _straightened(body: Body, record: SurfaceTopology | None) -> SurfaceCut | None:
    """What rids a body's surface of slivers."""
    return straightened(body.surface, _charts(body, record)) if body.changes_topology else None


def _closed(body: Body, record: SurfaceTopology | None) -> SurfaceCut | None:
    """What closes a body's surface."""
    if not body.changes_topology or not needs_closed_copy(body.surface):
        return None
    try:
        return closed_copy(body.surface, body.element_size / FINENESS, _charts(body, record))
    except SceneError as error:
        raise SceneError(error.message, body=body.name, remedy=error.remedy) from None


def _finer(body: Body, record: SurfaceTopology | None) -> SurfaceCut | None:
    """What halves its faces that are much larger than a tet."""
    if not body.begins_finer:
        return None
    most = LONG if body.refines else LARGE_FACE
    return begun_finer(body.surface, body.element_size, most, lambda: body.borders if record is None else borders(record))


def _charts(body: Body, record: SurfaceTopology | None) -> NDArray[np.int64] | None:
    return None if record is None else charts(record, body.surface.triangles)


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
    pins = tuple(_on_copy(pin, body, cut, points) for pin in body.pins)
    return replace(body, surface=Surface(cut.positions, cut.triangles), goal=goal, fibres=fibres, painted=painted, pins=pins)


def _laid_anew(cut: SurfaceCut) -> bool:
    """Whether none of the artist's vertices is left in a face."""
    return not np.isin(cut.kept, cut.old_triangles).any()


def _on_copy(pin: Pin, body: Body, cut: SurfaceCut, points: Blend) -> Pin:
    """A pin of the old vertices that the new ones (n',) lie between: held is what lies between those that are."""
    names = np.arange(len(body.surface.positions)) if cut.weld is None else cut.weld
    place = np.full(len(names), -1, dtype=np.int64)
    place[names[pin.vertices]] = np.arange(len(pin.vertices))
    entries = place[names[points.indices]]
    shares = np.where(entries >= 0, points.weights, 0.0)
    vertices = np.flatnonzero(shares.sum(axis=1) > (HELD_ANEW if _laid_anew(cut) else HELD))
    if not len(vertices):
        raise SceneError(
            f"Its {pin.name} holds only vertices inside it, which go where it is closed before it tears.", body=body.name,
            remedy="Choose another group.",
        )  # fmt: skip
    held = shares[vertices] / shares[vertices].sum(axis=1, keepdims=True)
    between = Blend(entries[vertices], held)
    aside = cut.positions[vertices] - between.of(body.surface.positions[names[pin.vertices]])
    targets = None if pin.targets is None else np.stack([between.of(each) for each in pin.targets]) + aside
    return replace(pin, vertices=vertices.astype(np.int32), weights=between.of(pin.weights), targets=targets)

"""The layers that a result carries while it is exported: the same ones on every frame.

Blender's exporters write a layer that first comes later, as the other body's do at a merge, as if it had begun with the first
frame; so a mesh has those of all its topology records from the start, zero where they say nothing yet. Neither Alembic nor USD
keeps which faces have which material where the topology changes: the slots travel as a UV layer of their own (u: the slot's
number), where there is ever more than one.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....solver.cache import SurfaceTopology
from ..mesh_topology import add_blank_layer
from ..result_mesh import RESULT_OF
from .contract import ExportJob

SLOTS = "dollop_slot"


@dataclass
class _Carried:
    """What one result carries from its first frame on. layers: name to Blender's type and domain."""

    layers: dict[str, tuple[str, str]] = field(default_factory=dict)
    active_uv: str = ""
    slots: int = 1

    def take(self, topology: SurfaceTopology) -> None:
        """Add what lies on one record."""
        layers = [(name, ("FLOAT2", "CORNER")) for name in topology.uv_layers]
        layers += [(layer.name, (layer.type, layer.domain)) for layer in topology.attributes]
        for name, kind in layers:
            self.layers.setdefault(name, kind)
        self.active_uv = self.active_uv or topology.active_uv
        self.slots = max(self.slots, len(topology.materials))

    def fill(self, mesh: bpy.types.Mesh) -> None:
        """Add to the mesh what its present record lacks, and the slots."""
        for name, (kind, domain) in self.layers.items():
            add_blank_layer(mesh, name, kind, domain)
        if self.active_uv in mesh.uv_layers:
            mesh.uv_layers[self.active_uv].active_render = True
        if self.slots > 1:
            slots, sizes = np.empty(len(mesh.polygons), np.int32), np.empty(len(mesh.polygons), np.int32)
            mesh.polygons.foreach_get("material_index", slots)
            mesh.polygons.foreach_get("loop_total", sizes)
            set_uv_layer(mesh, SLOTS, np.repeat(np.stack([slots, np.zeros_like(slots)], axis=1), sizes, axis=0))


@contextlib.contextmanager
def steady_layers(job: ExportJob, extra: Callable[[bpy.types.Mesh], None] | None = None) -> Iterator[None]:
    """Fill each frame's mesh up after playback has filled it, for as long as the export runs.

    extra : fills further layers of a format's own, on every frame
    """
    carried = {item.data: _carried(job, item[RESULT_OF]) for item in job.results}
    before = {mesh: set(mesh.attributes.keys()) for mesh in carried}

    def fill(*_: Any) -> None:
        for mesh, layers in carried.items():
            layers.fill(mesh)
            if extra is not None:
                extra(mesh)

    bpy.app.handlers.frame_change_pre.append(fill)
    try:
        yield
    finally:
        bpy.app.handlers.frame_change_pre.remove(fill)
        for mesh, names in before.items():
            for name in set(mesh.attributes.keys()) - names:
                mesh.attributes.remove(mesh.attributes[name])


def set_uv_layer(mesh: bpy.types.Mesh, name: str, values: NDArray[Any]) -> None:
    """Set a UV layer, one row of (c, 2) a corner, adding it if it is not there."""
    layer = mesh.attributes.get(name) or mesh.attributes.new(name, "FLOAT2", "CORNER")
    if values.size:
        layer.data.foreach_set("vector", values.astype(np.float32).reshape(-1))


def _carried(job: ExportJob, uid: str) -> _Carried:
    first, last = job.frames
    carried = _Carried()
    for identifier in sorted({job.store.read_body_frame(number, uid).topology for number in range(first, last + 1)}):
        carried.take(job.store.read_topology(uid, identifier))
    return carried

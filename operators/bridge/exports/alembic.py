"""Alembic: polygons, UVs and velocity a frame, topology free to change.

Alembic keeps no float point attributes, so plastic strain and stress travel as a second UV layer (u: strain, v: stress
in Pa). Blender writes face sets on the first frame only, so where the topology changes they say nothing of later materials: the
slots of faces travel as a further UV layer (u: the slot's number), where there is more than one.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..mesh_topology import corner_vertices
from .contract import ExportFormat, ExportJob
from .staging import export_with

LAYER = "dollop_strain_stress"
SLOTS = "dollop_slot"


def write(job: ExportJob) -> None:
    """Export to one .abc."""
    with _layers(job):
        export_with(
            bpy.ops.wm.alembic_export,
            job,
            start=job.frames[0],
            end=job.frames[1],
            selected=True,
            uvs=True,
            normals=True,
            vcolors=True,
            face_sets=True,
            export_particles=False,
            as_background_job=False,
        )


@contextlib.contextmanager
def _layers(job: ExportJob) -> Iterator[None]:
    """Fill the extra UV layer after playback has filled the mesh, for as long as the export runs."""

    def fill(*_: Any) -> None:
        for item in job.results:
            _fill_layers(item.data)

    bpy.app.handlers.frame_change_pre.append(fill)
    try:
        yield
    finally:
        bpy.app.handlers.frame_change_pre.remove(fill)
        for item in job.results:
            for name in {LAYER, SLOTS} & set(item.data.attributes.keys()):
                item.data.attributes.remove(item.data.attributes[name])


def _fill_layers(mesh: bpy.types.Mesh) -> None:
    columns = []
    for name in ("plastic_strain", "stress"):
        values = np.zeros(len(mesh.vertices), np.float32)
        if name in mesh.attributes:
            mesh.attributes[name].data.foreach_get("value", values)
        columns.append(values)
    _set_layer(mesh, LAYER, np.stack(columns, axis=1)[corner_vertices(mesh)])
    if len(mesh.materials) > 1:
        slots, sizes = np.empty(len(mesh.polygons), np.int32), np.empty(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("material_index", slots)
        mesh.polygons.foreach_get("loop_total", sizes)
        _set_layer(mesh, SLOTS, np.repeat(np.stack([slots, np.zeros_like(slots)], axis=1), sizes, axis=0))


def _set_layer(mesh: bpy.types.Mesh, name: str, values: NDArray[Any]) -> None:
    layer = mesh.attributes.get(name) or mesh.attributes.new(name, "FLOAT2", "CORNER")
    layer.data.foreach_set("vector", values.astype(np.float32).reshape(-1))


FORMAT = ExportFormat(
    identifier="ALEMBIC",
    label="Alembic",
    extension=".abc",
    description="Plays in Blender, Houdini, Maya; the topology may change; carries velocity for motion blur",
    write=write,
    built_with="alembic",
)

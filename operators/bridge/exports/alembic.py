"""Alembic: polygons, UVs and velocity a frame, topology free to change.

Alembic keeps no float point attributes, so plastic strain and stress travel as a second UV layer (u: strain, v: stress
in Pa), and of colours only bytes of corners (byte_colours.py). Blender writes face sets on the first frame only; of later
materials the slots tell (layers.py).
"""

import bpy
import numpy as np

from ..mesh_topology import corner_vertices
from .byte_colours import colours_given_back, to_bytes_of_corners
from .contract import ExportFormat, ExportJob
from .layers import set_uv_layer, steady_layers
from .staging import export_with

LAYER = "dollop_strain_stress"


def write(job: ExportJob) -> None:
    """Export to one .abc."""
    with colours_given_back(job), steady_layers(job, _fill):
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


def _fill(mesh: bpy.types.Mesh) -> None:
    to_bytes_of_corners(mesh)
    _fill_strain(mesh)


def _fill_strain(mesh: bpy.types.Mesh) -> None:
    columns = []
    for name in ("plastic_strain", "stress"):
        values = np.zeros(len(mesh.vertices), np.float32)
        if name in mesh.attributes:
            mesh.attributes[name].data.foreach_get("value", values)
        columns.append(values)
    set_uv_layer(mesh, LAYER, np.stack(columns, axis=1)[corner_vertices(mesh)])


FORMAT = ExportFormat(
    identifier="ALEMBIC",
    label="Alembic",
    extension=".abc",
    description="Plays in Blender, Houdini, Maya; the topology may change; carries velocity for motion blur",
    write=write,
    built_with="alembic",
)

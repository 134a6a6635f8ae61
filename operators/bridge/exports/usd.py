"""USD: polygons, UVs, velocity and every attribute a frame, topology free to change; faces' slots as a UV layer (layers.py)."""

import bpy

from .contract import ExportFormat, ExportJob
from .layers import steady_layers
from .staging import export_with


def write(job: ExportJob) -> None:
    """Export to one .usd, .usdc or .usda."""
    with steady_layers(job):
        export_with(
            bpy.ops.wm.usd_export,
            job,
            selected_objects_only=True,
            export_animation=True,
            export_uvmaps=True,
            export_normals=True,
            export_mesh_colors=True,
            export_materials=True,
            export_textures=False,
            export_textures_mode="KEEP",
        )


FORMAT = ExportFormat(
    identifier="USD",
    label="USD",
    extension=".usdc",
    description="Plays in Blender, Houdini, Omniverse; the topology may change; carries every attribute",
    write=write,
    built_with="usd",
    variants=(".usd", ".usda"),
)

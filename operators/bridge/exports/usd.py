"""USD: polygons, UVs, velocity and every attribute a frame, topology free to change."""

import bpy

from .contract import ExportFormat, ExportJob
from .staging import renamed_when_done, run_operator, staged


def write(job: ExportJob) -> None:
    """Export to one .usd, .usdc or .usda."""
    with renamed_when_done(job.path) as path, staged(job):
        run_operator(
            bpy.ops.wm.usd_export,
            filepath=str(path),
            selected_objects_only=True,
            visible_objects_only=False,
            export_animation=True,
            export_uvmaps=True,
            export_normals=True,
            export_mesh_colors=True,
            export_materials=True,
            export_textures=False,
            export_textures_mode="KEEP",
            export_hair=False,
            evaluation_mode="RENDER",
        )


FORMAT = ExportFormat(
    identifier="USD",
    label="USD",
    extension=".usdc",
    description="Plays in Blender, Houdini, Omniverse; the topology may change; carries every attribute",
    write=write,
    built_with="usd",
)

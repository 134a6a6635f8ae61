"""Colours as Blender writes them to Alembic: bytes of corners alone.

Those of vertices, as Blender makes them by itself, and those of more than 8 bits it leaves out without a word, so they are
turned into bytes of corners while they are written, above 1 cut off.
"""

import contextlib
from collections.abc import Iterator

import bpy
import numpy as np

from ..mesh_topology import corner_vertices
from ..playback import play
from ..result_mesh import forget_topology
from .contract import ExportJob


@contextlib.contextmanager
def colours_given_back(job: ExportJob) -> Iterator[None]:
    """Let results have the colours of their records again afterwards."""
    try:
        yield
    finally:
        for item in job.results:
            forget_topology(item)
        play(job.scene)


def to_bytes_of_corners(mesh: bpy.types.Mesh) -> None:
    """Replace every colour of a mesh that Alembic does not keep by one of the same name that it does."""
    corners = corner_vertices(mesh)
    for name in [layer.name for layer in mesh.color_attributes if (layer.data_type, layer.domain) != ("BYTE_COLOR", "CORNER")]:
        layer = mesh.attributes[name]
        colours = np.empty(4 * len(layer.data), np.float32)
        if colours.size:
            layer.data.foreach_get("color", colours)
        at_corners = colours.reshape(-1, 4)[corners] if layer.domain == "POINT" else colours
        mesh.attributes.remove(layer)
        made = mesh.attributes.new(name, "BYTE_COLOR", "CORNER")
        if at_corners.size:
            made.data.foreach_set("color", np.clip(at_corners, 0.0, 1.0).reshape(-1))

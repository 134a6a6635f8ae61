"""MDD point cache: big-endian header (frames, points), times in seconds, then every frame's coordinates."""

import struct
from pathlib import Path
from typing import BinaryIO

import bpy
import numpy as np

from .constant import frames_of, require_constant, still_copy
from .contract import ExportFormat, ExportJob
from .staging import renamed_when_done


def write(job: ExportJob) -> None:
    """Write one .mdd a result; from the second on its number is added to the name.

    Options: modifier (bool), add a copy of each result that plays the file through a Mesh Cache modifier.
    """
    require_constant(job)
    for index, item in enumerate(job.results):
        path = job.path.with_stem(f"{job.path.stem}_{index + 1}") if index else job.path
        with renamed_when_done(path) as temporary, open(temporary, "wb") as file:
            _write_points(job, item, file)
        if job.options.get("modifier", False):
            _add_player(job, item, path)


def _write_points(job: ExportJob, item: bpy.types.Object, file: BinaryIO) -> None:
    first, last = job.frames
    rate = float(job.store.manifest["frames_per_second"])
    for number, positions in frames_of(job, item):
        if number == first:
            file.write(struct.pack(">2i", last - first + 1, len(positions)))
            file.write((np.arange(last - first + 1) / rate).astype(">f4").tobytes())
        file.write(positions.astype(">f4").tobytes())


def _add_player(job: ExportJob, item: bpy.types.Object, path: Path) -> bpy.types.Object:
    copy = still_copy(job, item, "MDD")
    modifier = copy.modifiers.new("Mesh Cache", "MESH_CACHE")
    copy.modifiers.move(len(copy.modifiers) - 1, 0)
    modifier.cache_format = "MDD"
    modifier.filepath = _beside_the_blend(path)
    modifier.deform_mode = "OVERWRITE"
    modifier.interpolation = "LINEAR"
    modifier.play_mode = "SCENE"
    modifier.time_mode = "FRAME"
    modifier.frame_start = job.frames[0]
    modifier.frame_scale = 1.0
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"  # Blender's own axes, which are written
    return copy


def _beside_the_blend(path: Path) -> str:
    """Return the path relative to a saved .blend, so that both may move together; absolute on another drive."""
    try:
        return bpy.path.relpath(str(path)) if bpy.data.filepath else str(path)
    except ValueError:
        return str(path)


FORMAT = ExportFormat(
    identifier="MDD",
    label="MDD",
    extension=".mdd",
    description="A plain point cache for the Mesh Cache modifier; only where the vertices stay the same",
    write=write,
)

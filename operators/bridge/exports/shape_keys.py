"""Absolute shape keys, one a frame, on a copy that any Blender plays; into a .blend of its own."""

import bpy
import numpy as np

from .constant import frames_of, require_constant, still_copy
from .contract import ExportFormat, ExportJob
from .staging import renamed_when_done

_SPACING = 10.0  # between absolute keys on their own time axis; Blender's default


def write(job: ExportJob) -> None:
    """Make the copies and save them as a library .blend; options: keep (bool), leave them in the scene as well."""
    require_constant(job)
    made = [_keyed_copy(job, item) for item in job.results]
    try:
        with renamed_when_done(job.path) as path:
            bpy.data.libraries.write(str(path), set(made), path_remap="RELATIVE", fake_user=True, compress=True)
    finally:
        if not job.options.get("keep", False):
            for item in made:
                _remove(item)


def _keyed_copy(job: ExportJob, item: bpy.types.Object) -> bpy.types.Object:
    copy = still_copy(job, item, "Keys")
    keys = None
    for number, positions in frames_of(job, item):
        if keys is not None:
            keys.eval_time = (number - job.frames[0]) * _SPACING  # an absolute key is put where eval_time stands
        block = copy.shape_key_add(name=f"frame {number}", from_mix=False)
        if keys is None:
            keys = copy.data.shape_keys
            keys.use_relative = False
        block.data.foreach_set("co", np.ascontiguousarray(positions).reshape(-1))
    assert keys is not None
    for number in dict.fromkeys(job.frames):
        keys.eval_time = (number - job.frames[0]) * _SPACING
        keys.keyframe_insert("eval_time", frame=number)
    _make_linear(keys)
    return copy


def _remove(copy: bpy.types.Object) -> None:
    """Leave nothing of the copy in the file, its action included."""
    mesh, action = copy.data, copy.data.shape_keys.animation_data.action
    bpy.data.batch_remove([copy, mesh, action])


def _make_linear(keys: bpy.types.Key) -> None:
    """Between its two ends eval_time has to run evenly."""
    action = keys.animation_data.action
    curves = action.fcurves if hasattr(action, "fcurves") else _layered_curves(action)
    for curve in curves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def _layered_curves(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """Blender 5 keeps the curves in the bags of an action's strips."""
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve for bag in bags for curve in bag.fcurves]


FORMAT = ExportFormat(
    identifier="SHAPE_KEYS",
    label="Shape Keys",
    extension=".blend",
    description="A mesh with one shape key a frame, in a .blend to append; only where the vertices stay the same",
    write=write,
)

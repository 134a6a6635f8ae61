"""Setting the scene for one of Blender's exporters, and putting everything back afterwards."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy

from ....solver.cache.atomic import artist_errors
from ....solver.errors import ResourceError, UnsupportedExportError
from .contract import ExportJob

_MODIFIER = "Dollop Export"


@contextlib.contextmanager
def staged(job: ExportJob) -> Iterator[None]:
    """Select and show the results alone, over the job's frames, and make the exporters believe that they move."""
    scene, layer = job.scene, _view_layer(job.scene)
    layer.update()  # it may not know of results that were only just made
    for item in job.results:
        if item.name not in layer.objects:
            raise UnsupportedExportError(
                "It is switched off with its collection, so Blender does not export it.",
                body=item.name,
                remedy="Switch its collection on in the view layer.",
            )
    kept = (scene.frame_start, scene.frame_end, scene.frame_current, scene.frame_subframe)
    stretched = (scene.render.frame_map_old, scene.render.frame_map_new)
    active, selected = layer.objects.active, [item for item in layer.objects if item.select_get(view_layer=layer)]
    hidden = [(item, item.hide_viewport, item.hide_render, item.hide_get(view_layer=layer)) for item in job.results]
    try:
        scene.frame_start, scene.frame_end = job.frames
        scene.render.frame_map_old = scene.render.frame_map_new = 100
        for item in selected:
            item.select_set(False, view_layer=layer)
        for item in job.results:
            item.hide_viewport = item.hide_render = False
            item.hide_set(False, view_layer=layer)
            item.select_set(True, view_layer=layer)
            # Without some modifier the exporters take the mesh for still; a disabled one will do.
            modifier = item.modifiers.new(_MODIFIER, "SMOOTH")
            modifier.show_viewport = modifier.show_render = False
        with bpy.context.temp_override(scene=scene, view_layer=layer):
            yield
    finally:
        for item, viewport, render, eye in hidden:
            if _MODIFIER in item.modifiers:
                item.modifiers.remove(item.modifiers[_MODIFIER])
            item.select_set(False, view_layer=layer)
            item.hide_set(eye, view_layer=layer)
            item.hide_viewport, item.hide_render = viewport, render
        for item in selected:
            item.select_set(True, view_layer=layer)
        layer.objects.active = active
        scene.frame_start, scene.frame_end = kept[:2]
        scene.render.frame_map_old, scene.render.frame_map_new = stretched
        scene.frame_set(kept[2], subframe=kept[3])


@contextlib.contextmanager
def renamed_when_done(path: Path) -> Iterator[Path]:
    """Lend a name in the same folder; the file that is written there becomes `path` when all went well."""
    temporary = path.with_name(f"{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        with artist_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.open("wb").close()  # a folder that cannot be written says so now, in plain words
            temporary.unlink()
            yield temporary
            if not temporary.is_file():
                raise ResourceError("Blender wrote no file.", place=str(path), remedy="Check the folder and the free space.")
            os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def export_with(operator: Callable[..., set[str]], job: ExportJob, **wanted: Any) -> None:
    """Let one of Blender's exporters write the results as they render, a whole file or none.

    wanted : the exporter's own options; those that this version of Blender does not have are left out
    Raises UnsupportedExportError, ResourceError.
    """
    shared = {"visible_objects_only": False, "export_hair": False, "evaluation_mode": "RENDER"}
    with renamed_when_done(job.path) as path, staged(job):
        _run(operator, filepath=str(path), **shared, **wanted)


def _run(operator: Callable[..., set[str]], **wanted: Any) -> None:
    known = operator.get_rna_type().properties.keys()  # type: ignore[attr-defined]
    try:
        outcome = operator(**{name: value for name, value in wanted.items() if name in known})
    except RuntimeError as error:
        raise ResourceError(str(error).strip(), place=str(wanted["filepath"]), remedy="Check the folder.") from error
    if "FINISHED" not in outcome:
        raise ResourceError("Blender's exporter gave up.", place=str(wanted["filepath"]), remedy="See the console for why.")


def _view_layer(scene: bpy.types.Scene) -> bpy.types.ViewLayer:
    layer = bpy.context.view_layer
    return layer if layer is not None and layer.id_data == scene else scene.view_layers[0]

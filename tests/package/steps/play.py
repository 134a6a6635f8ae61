"""Reopen a baked shot, play it and render one frame of it."""

import bpy
import numpy as np
from start import arguments, enable, report

enable()
blend, picture = arguments()
bpy.ops.wm.open_mainfile(filepath=blend)
scene = bpy.context.scene


def coordinates(name: str) -> np.ndarray:
    mesh = scene.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


(result,) = [item.name for item in scene.objects if item.name.endswith(" Goo")]
scene.frame_set(1)
first = coordinates(result)
scene.frame_set(6)
last = coordinates(result)

scene.render.filepath = picture
bpy.ops.render.render(write_still=True)

image = bpy.data.images.load(picture)
pixels = np.array(image.pixels[:]).reshape(80, 120, 4)
report(
    vertices=len(last),
    fall=float((first - last)[:, 2].mean()),
    finite=bool(np.isfinite(last).all()),
    contrast=float(pixels[..., :3].std()),
    source_hidden=bool(scene.objects["Ball"].hide_render),
)

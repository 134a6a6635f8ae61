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

camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
camera.location, camera.rotation_euler = (0.0, -4.0, 1.0), (1.35, 0.0, 0.0)
scene.collection.objects.link(camera)
sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
sun.data.energy, sun.rotation_euler = 3.0, (0.6, 0.3, 0.0)
scene.collection.objects.link(sun)
scene.camera = camera
scene.render.engine = "CYCLES"
scene.cycles.device, scene.cycles.samples = "CPU", 4
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 120, 80, 100
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

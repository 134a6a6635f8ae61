"""Make a shot with the installed extension's operators and save it: a small ball of dough above a ground, ready to render."""

import bpy
from start import arguments, enable, origin_of, report

blend, cache_folder = arguments()
bpy.ops.wm.read_factory_settings(use_empty=True)
enable()

scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 6
scene.dollop.cache_path = cache_folder

bpy.ops.mesh.primitive_plane_add(size=4.0)
bpy.ops.dollop.collider_add()
bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=0.5, location=(0.0, 0.0, 0.52))
ball = bpy.context.object
ball.name = "Ball"
bpy.ops.dollop.body_add()
bpy.ops.dollop.preset_apply(preset="dough")
ball.dollop.resolution = 6
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
bpy.ops.wm.save_as_mainfile(filepath=blend)
report(
    version=bpy.app.version_string,
    wheels={module: origin_of(module) for module in ("numba", "scipy", "llvmlite", "tetgen", "manifold3d", "igl", "numpy")},
    preset=ball.dollop.preset,
)

"""Make a shot with the installed extension's operators and save it: a small ball of dough above a ground."""

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
bpy.ops.wm.save_as_mainfile(filepath=blend)
report(
    version=bpy.app.version_string,
    wheels={module: origin_of(module) for module in ("numba", "scipy", "llvmlite", "tetgen", "numpy")},
    preset=ball.dollop.preset,
)

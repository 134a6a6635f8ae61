"""Make and save a shot whose bake takes long enough to be watched: dough above a ground."""

import sys

import bpy

blend, cache_folder = sys.argv[sys.argv.index("--") + 2 :]
scene = bpy.context.scene
bpy.data.objects.remove(bpy.data.objects["Cube"])
scene.frame_start, scene.frame_end = 1, 48
scene.dollop.cache_path = cache_folder

bpy.ops.mesh.primitive_plane_add(size=4.0)
bpy.ops.dollop.collider_add()
for frame, height in ((1, 0.0), (48, 0.05)):  # it has to be read frame by frame
    bpy.context.object.location.z = height
    bpy.context.object.keyframe_insert("location", frame=frame)
bpy.ops.mesh.primitive_monkey_add(size=1.0, location=(0.0, 0.0, 0.8))
bpy.context.object.name = "Suzanne"
bpy.ops.dollop.body_add()
bpy.ops.dollop.preset_apply(preset="dough")
bpy.context.object.dollop.resolution = 14
bpy.ops.wm.save_as_mainfile(filepath=blend)
print('RESULT {"saved": true}', flush=True)

"""The set of the demo: a stair of three steps, a floor, lights, a camera."""

from math import radians

import bpy
from mathutils import Vector

STEP_DEPTH, STEP_HEIGHT, STEPS, WIDTH = 1.5, 0.5, 3, 4.6


def colour(name: str, base: tuple[float, float, float], roughness: float) -> bpy.types.Material:
    """A plain principled material."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*base, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    return material


def stair() -> bpy.types.Object:
    """One closed mesh: the profile of the steps, drawn out across the width."""
    profile = [(0.0, 0.0)]
    for step in range(STEPS):
        height = (STEPS - step) * STEP_HEIGHT
        profile += [(step * STEP_DEPTH, height), ((step + 1) * STEP_DEPTH, height)]
    profile.append((STEPS * STEP_DEPTH, 0.0))
    count = len(profile)
    vertices = [(x, side * WIDTH / 2, z) for side in (-1, 1) for x, z in profile]
    sides = [(i, (i + 1) % count, count + (i + 1) % count, count + i) for i in range(count)]
    ends = [tuple(range(count))[::-1], tuple(range(count, 2 * count))]
    mesh = bpy.data.meshes.new("Stair")
    mesh.from_pydata(vertices, [], [*sides, *ends])
    mesh.validate()
    _face_outwards(mesh)
    mesh.materials.append(colour("Slate", (0.16, 0.2, 0.26), 0.6))
    item = bpy.data.objects.new("Stair", mesh)
    item.location.x = -STEP_DEPTH
    bpy.context.scene.collection.objects.link(item)
    return item


def _face_outwards(mesh: bpy.types.Mesh) -> None:
    import bmesh

    work = bmesh.new()
    work.from_mesh(mesh)
    bmesh.ops.recalc_face_normals(work, faces=work.faces)
    work.to_mesh(mesh)
    work.free()


def floor() -> bpy.types.Object:
    """The ground that what leaves the stair comes to rest on."""
    bpy.ops.mesh.primitive_plane_add(size=40.0)
    item = bpy.context.object
    item.name = "Floor"
    item.data.materials.append(colour("Plaster", (0.55, 0.5, 0.45), 0.8))
    return item


def light_and_camera() -> None:
    """A warm key, a pale sky, and a view on the front of the stair."""
    scene = bpy.context.scene
    key = bpy.data.objects.new("Key", bpy.data.lights.new("Key", "AREA"))
    key.data.energy, key.data.size, key.data.color = 900.0, 4.0, (1.0, 0.9, 0.78)
    key.location = (4.0, -4.5, 6.5)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = 42.0
    camera.location = (8.4, -6.9, 4.5)
    for item, target in ((key, Vector((0.5, 0.0, 1.0))), (camera, Vector((1.2, 0.0, 0.75)))):
        item.rotation_euler = (target - item.location).to_track_quat("-Z", "Y").to_euler()
        scene.collection.objects.link(item)
    scene.camera = camera
    world = bpy.data.worlds.new("Sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.5, 0.62, 0.8, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.6
    scene.world = world


def suzanne() -> bpy.types.Object:
    """Blender's monkey as she is added, smoothed by a modifier, tipped a little above the top step."""
    bpy.ops.mesh.primitive_monkey_add(size=1.6, location=(-0.2, 0.0, 2.65), rotation=(radians(12), radians(-10), radians(75)))
    item = bpy.context.object
    item.name = "Suzanne"
    item.data.materials.append(colour("Dough", (0.86, 0.68, 0.42), 0.55))
    for polygon in item.data.polygons:
        polygon.use_smooth = True
    item.modifiers.new("Smooth", "SUBSURF").levels = 2
    return item

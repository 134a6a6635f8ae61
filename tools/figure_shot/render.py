"""A figure's frames by Cycles on the processor, beside each other in one picture."""

import tempfile
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from figure_scenes.contract import Array, Figure, Point, Shot

WIDTH, HEIGHT, SAMPLES, QUALITY = 480, 400, 24, 85
GROUND, OBSTACLE = (0.42, 0.42, 0.44), (0.30, 0.31, 0.34)


def render(figure: Figure, shot: Shot, path: Path) -> Path:
    """Render the figure's shown frames into a JPEG and return its path."""
    import addon_utils

    addon_utils.enable("cycles")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    _light_and_camera(figure)
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for frame in figure.shown:
            items = _colliders(shot, frame, 0.35 if figure.see_through else 1.0) + [
                _mesh(body.uid, shot.points(frame, body.uid), shot.triangles(body.uid, frame), figure.colours[body.uid])
                for body in shot.scene.bodies
            ]
            pictures.append(_rendered(Path(folder) / f"{frame}.png"))
            for item in items:
                bpy.data.objects.remove(item)
    _save(np.concatenate(pictures, axis=1), path)
    return path


def _rendered(path: Path) -> Array:
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    pixels = np.empty(WIDTH * HEIGHT * 4, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(HEIGHT, WIDTH, 4)


def _save(pixels: Array, path: Path) -> None:
    image = bpy.data.images.new("figure", pixels.shape[1], pixels.shape[0])
    image.pixels.foreach_set(np.ascontiguousarray(pixels, np.float32).ravel())
    path.parent.mkdir(parents=True, exist_ok=True)
    image.file_format = "JPEG"
    image.save(filepath=str(path), quality=QUALITY)


def _mesh(
    name: str, points: Array, triangles: Array, colour: Point, opacity: float = 1.0, smooth: bool = True
) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    mesh.polygons.foreach_set("use_smooth", np.full(len(mesh.polygons), smooth))
    mesh.materials.append(_material(name, colour, opacity))
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def _material(name: str, colour: Point, opacity: float) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value, shader.inputs["Alpha"].default_value = 0.5, opacity
    return material


def _colliders(shot: Shot, frame: int, opacity: float) -> list[bpy.types.Object]:
    """Every collider where it is at a frame."""
    square = np.array([(x, y, 0.0) for x, y in ((-20, -20), (20, -20), (20, 20), (-20, 20))], dtype=np.float64)
    items = []
    for collider in shot.scene.colliders:
        matrix = collider.transforms[min(frame, len(collider.transforms) - 1)]
        local, faces, colour = square, np.array([[0, 1, 2], [0, 2, 3]]), GROUND
        if collider.surface is not None:
            local, faces, colour = collider.surface.positions, collider.surface.triangles, OBSTACLE
        placed = local @ matrix[:3, :3].T + matrix[:3, 3]
        items.append(_mesh(collider.name, placed, faces, colour, 1.0 if collider.surface is None else opacity, smooth=False))
    return items


def _light_and_camera(figure: Figure) -> None:
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.data.lens = figure.eye, figure.lens
    camera.rotation_euler = (Vector(figure.focus) - Vector(figure.eye)).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 3.0, 0.25, (0.6, 0.35, 0.5)
    for item in (camera, sun):
        scene.collection.objects.link(item)
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    background = scene.world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value, background.inputs["Strength"].default_value = (0.6, 0.66, 0.75, 1.0), 0.55
    scene.camera = camera
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", SAMPLES
    scene.cycles.use_denoising = True
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = WIDTH, HEIGHT, 100

"""A picture of tets' surfaces, old and new: what benchmarks/remeshers.py draws with --picture. Runs where bpy is."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np

APART = 1.25  # between bodies, each of which is made one unit long
TILTED = 1.0  # flat ones are looked at from above [rad]
COLOURS = {"faces": (0.8, 0.65, 0.4, 1.0), "edges": (0.02, 0.02, 0.02, 1.0)}


def draw(columns: list[list[Any]], file: Path) -> None:
    """Render TetMeshes, a column for each body, into a JPEG."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    materials = {name: _material(colour) for name, colour in COLOURS.items()}
    for i, column in enumerate(columns):
        for j, mesh in enumerate(column):
            for name, material in materials.items():
                _add(mesh, (APART * i, 0.0, -APART * j), name == "edges", material)
    rows = max(len(column) for column in columns)
    _look(APART * len(columns), APART * rows)
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = 320 * len(columns), 320 * rows
    render.filepath, render.image_settings.file_format = str(file), "JPEG"
    bpy.ops.render.render(write_still=True)


def _material(colour: tuple[float, float, float, float]) -> bpy.types.Material:
    material = bpy.data.materials.new("tets")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = colour
    return material


def _add(mesh: Any, place: tuple[float, float, float], edges: bool, material: bpy.types.Material) -> None:
    points = mesh.positions - 0.5 * (mesh.positions.max(axis=0) + mesh.positions.min(axis=0))
    sides = np.ptp(points, axis=0)
    shown = bpy.data.meshes.new("tets")
    shown.from_pydata((points / sides.max()).tolist(), [], mesh.faces.boundary.tolist())
    shown.materials.append(material)
    item = bpy.data.objects.new("tets", shown)
    item.location, item.rotation_euler[0] = place, TILTED if sides[2] < 0.8 * sides.max() else 0.0
    if edges:
        wires = item.modifiers.new("wires", "WIREFRAME")
        wires.thickness, wires.use_even_offset = 0.006, False
    bpy.context.collection.objects.link(item)


def _look(width: float, height: float) -> None:
    camera, sun = bpy.data.cameras.new("camera"), bpy.data.lights.new("sun", "SUN")
    camera.type, camera.ortho_scale, sun.energy = "ORTHO", max(width, height), 3.0
    for data, place, turn in (
        (camera, (0.5 * (width - APART), -6.0, 0.5 * (APART - height)), (0.5 * np.pi, 0.0, 0.0)),
        (sun, (0.0, 0.0, 0.0), (0.9, 0.3, 0.3)),
    ):
        item = bpy.data.objects.new(data.name, data)
        item.location, item.rotation_euler = place, turn
        bpy.context.collection.objects.link(item)
    scene = bpy.context.scene
    scene.camera, scene.world = bpy.data.objects["camera"], bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.6, 0.65, 1.0)
    scene.render.engine, scene.cycles.samples = "CYCLES", 8

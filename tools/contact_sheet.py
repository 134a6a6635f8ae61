"""Bake Suzanne in every preset, dropped on the ground, and render one sheet of all of them.

Run from the project's root with a Python that has bpy (tools/test.py makes one):
    python tools/contact_sheet.py [--presets dough wax ...] [--frames 10 16 48] [--output docs/images/presets.jpg]
"""

import argparse
import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
if "BLENDER_USER_RESOURCES" not in os.environ:
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="dollop_sheet_")
    atexit.register(shutil.rmtree, os.environ["BLENDER_USER_RESOURCES"], ignore_errors=True)

import bpy  # noqa: E402
from mathutils import Vector  # noqa: E402

WIDTH, HEIGHT, COLUMNS = 240, 180, 2
# What each goo looks like: base colour, roughness, how much light goes through it
LOOKS = {
    "dough": ((0.80, 0.62, 0.38), 0.7, 0.0),
    "cornstarch": ((0.85, 0.83, 0.76), 0.35, 0.0),
    "wax": ((0.75, 0.12, 0.10), 0.3, 0.0),
    "clay": ((0.48, 0.22, 0.12), 0.8, 0.0),
    "marshmallow": ((0.92, 0.72, 0.76), 0.8, 0.0),
    "chewing_gum": ((0.88, 0.32, 0.48), 0.35, 0.0),
    "toothpaste": ((0.25, 0.65, 0.75), 0.25, 0.0),
    "shaving_cream": ((0.88, 0.92, 0.94), 0.6, 0.0),
    "caramel": ((0.55, 0.24, 0.05), 0.1, 0.0),
    "slime": ((0.20, 0.70, 0.15), 0.08, 0.4),
    "jelly": ((0.75, 0.10, 0.25), 0.05, 0.6),
    "butter": ((0.90, 0.75, 0.25), 0.4, 0.0),
    "draft_rubber": ((0.10, 0.30, 0.70), 0.5, 0.0),
    "draft_warm_wax": ((0.85, 0.70, 0.45), 0.3, 0.0),
    "draft_toffee": ((0.45, 0.20, 0.08), 0.25, 0.0),
}


def load_extension() -> None:
    """Register the checkout as the extension, as package `dollop`."""
    spec = importlib.util.spec_from_file_location("dollop", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["dollop"] = module
    spec.loader.exec_module(module)
    module.register()


def stage(preset: str, name: str, last_frame: int) -> None:
    """Make the shot: Suzanne in one goo, a ground, a light, a camera and a label."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, last_frame
    bpy.ops.mesh.primitive_plane_add(size=40)
    ground = bpy.context.object
    ground.data.materials.append(_surface("ground", (0.35, 0.36, 0.38), 0.9, 0.0))
    bpy.ops.dollop.collider_add(kind="plane")
    bpy.ops.mesh.primitive_monkey_add(size=2, location=(0, 0, 2.2))
    suzanne = bpy.context.object
    suzanne.modifiers.new("Smooth", "SUBSURF").levels = 1
    bpy.ops.object.shade_smooth()
    suzanne.data.materials.append(_surface(preset, *LOOKS[preset]))
    bpy.ops.dollop.body_add()
    bpy.ops.dollop.preset_apply(preset=preset)
    _camera_and_light(scene)
    _label(name)


def _surface(name: str, color: tuple[float, float, float], roughness: float, transmission: float) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Transmission Weight"].default_value = transmission
    return material


def _camera_and_light(scene: bpy.types.Scene) -> None:
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (2.2, -6.2, 2.4)
    camera.rotation_euler = (Vector((0.0, 0.0, 0.95)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 50
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 3.0, 0.3, (0.7, 0.2, 0.6)
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.55, 0.6, 0.7, 1.0)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.5
    for item in (camera, sun):
        scene.collection.objects.link(item)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 24, True
    scene.view_settings.view_transform = "Standard"  # colours as they are set: what tells red wax from pink gum
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = WIDTH, HEIGHT, 100


def _label(name: str) -> None:
    curve = bpy.data.curves.new("Label", "FONT")
    curve.body, curve.size = name, 0.34
    label = bpy.data.objects.new("Label", curve)
    label.parent = bpy.context.scene.camera
    label.location = (-1.75, -1.22, -5.2)
    label.visible_shadow = False
    label.data.materials.append(_surface("label", (0.02, 0.02, 0.02), 1.0, 0.0))
    bpy.context.scene.collection.objects.link(label)


def render(frames: list[int], folder: Path) -> np.ndarray:
    """Return the frames beside each other, (HEIGHT, WIDTH * frames, 4), the first row at the bottom."""
    scene = bpy.context.scene
    pictures = []
    for frame in frames:
        scene.frame_set(frame)
        bpy.data.objects["Label"].hide_render = frame != frames[0]
        scene.render.filepath = str(folder / f"{frame}.png")
        bpy.ops.render.render(write_still=True)
        pictures.append(_pixels(folder / f"{frame}.png"))
    return np.concatenate(pictures, axis=1)


def _pixels(path: Path) -> np.ndarray:
    image = bpy.data.images.load(str(path))
    pixels = np.empty(WIDTH * HEIGHT * 4, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(HEIGHT, WIDTH, 4)


def save(sheet: np.ndarray, path: Path) -> None:
    """Write the sheet as a JPEG."""
    image = bpy.data.images.new("sheet", sheet.shape[1], sheet.shape[0])
    image.pixels.foreach_set(np.ascontiguousarray(sheet, np.float32).ravel())
    image.filepath_raw, image.file_format = str(path), "JPEG"
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save()


def main() -> int:
    """Bake, render, tile, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presets", nargs="*", default=sorted(LOOKS))
    parser.add_argument("--frames", nargs="*", type=int, default=[14, 20, 48])
    parser.add_argument("--resolution", type=int, default=20)
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "images" / "presets.jpg")
    options = parser.parse_args()
    import addon_utils

    addon_utils.enable("cycles")
    load_extension()
    from dollop.solver.presets import load_preset

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for identifier in options.presets:
            stage(identifier, load_preset(ROOT / "presets" / f"{identifier}.toml").name, max(options.frames))
            bpy.context.object.dollop.resolution = options.resolution
            bpy.context.scene.dollop.cache_path = str(Path(folder) / identifier)
            if bpy.ops.dollop.bake() != {"FINISHED"}:
                print(f"{identifier} was not baked")
                return 1
            rows.append(render(options.frames, Path(folder)))
            print(f"{identifier} done", flush=True)
        while len(rows) % min(COLUMNS, len(options.presets)):
            rows.append(np.ones_like(rows[0]))
        columns = min(COLUMNS, len(options.presets))
        lines = [np.concatenate(rows[i : i + columns], axis=1) for i in range(0, len(rows), columns)]
        save(np.concatenate(lines[::-1], axis=0), options.output)
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs where bpy is: makes the shot with Dollop's own operators, bakes, exports, renders. tools/demo.py starts it."""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bpy

import source_extension
from demo_shot import stage


def select_only(item: bpy.types.Object) -> None:
    for other in bpy.context.scene.objects:
        other.select_set(other is item)
    bpy.context.view_layer.objects.active = item


def make_shot(preset: str, output: Path, frames: int, resolution: int) -> bpy.types.Object:
    """Set up the scene as an artist would, button by button; return the body."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    source_extension.load()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.dollop.cache_path = str(output / "cache")
    for obstacle in (stage.floor(), stage.stair()):
        select_only(obstacle)
        bpy.ops.dollop.collider_add()
        obstacle.dollop.friction = 0.9  # dough sticks more than it slides
    body = stage.suzanne()
    select_only(body)
    bpy.ops.dollop.body_add()
    bpy.ops.dollop.preset_apply(preset=preset)
    body.dollop.resolution = resolution
    stage.light_and_camera()
    bpy.ops.wm.save_as_mainfile(filepath=str(output / "demo.blend"))
    return body


def render(path: Path, frame: int, samples: int) -> None:
    """One picture by Cycles on the processor."""
    import addon_utils

    addon_utils.enable("cycles")
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", samples, True
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 960, 540, 100
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--preset", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    frames, resolution, samples = (24, 10, 8) if arguments.quick else (96, 22, 32)
    output: Path = arguments.output

    body = make_shot(arguments.preset, output, frames, resolution)
    print(f"Baking {frames} frames of {body.dollop.estimated_tets} tets (estimated)", flush=True)
    started = time.monotonic()
    bpy.ops.dollop.bake()
    print(f"Baked in {time.monotonic() - started:.0f} s", flush=True)
    bpy.ops.dollop.export(format="ALEMBIC", filepath=str(output / "demo.abc"))
    bpy.ops.wm.save_as_mainfile(filepath=str(output / "demo.blend"))
    render(output / "demo.png", frames if arguments.quick else 40, samples)
    print()
    for what, name in (("Alembic cache", "demo.abc"), ("Shot", "demo.blend"), ("Picture", "demo.png")):
        if not (output / name).exists():
            raise SystemExit(f"{what} {output / name} was not written.")
        print(f"{what + ':':15}{output / name}")


if __name__ == "__main__":
    main()

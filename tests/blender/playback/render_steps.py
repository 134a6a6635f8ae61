"""Run by test_render.py in its own process: python render_steps.py FOLDER ACTION [DAMAGE].

In a real Blender: blender -b --factory-startup --python render_steps.py -- FOLDER ACTION [DAMAGE]
"""

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[3]
ARGUMENTS = sys.argv[sys.argv.index("--") + 1 if "--" in sys.argv else 1 :]
FOLDER, ACTION, DAMAGE = Path(ARGUMENTS[0]), ARGUMENTS[1], (ARGUMENTS[2:] or [""])[0]


def load_extension() -> None:
    spec = importlib.util.spec_from_file_location("dollop", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec and spec.loader
    sys.modules["dollop"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from dollop.operators import properties
    from dollop.operators.bridge import playback

    properties.register()
    playback.register()


def ball(turns: int) -> tuple[np.ndarray, np.ndarray]:
    """A ball 0.6 wide; `turns` sets how many faces it has."""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, segments=12 + 4 * turns, ring_count=8)
    item = bpy.context.object
    item.data.calc_loop_triangles()
    positions = np.array([vertex.co for vertex in item.data.vertices], np.float32)
    triangles = np.array([face.vertices for face in item.data.loop_triangles], np.int32)
    bpy.data.objects.remove(item)
    return positions, triangles


def bake(scene: "bpy.types.Scene") -> None:
    """Four frames of a ball that stands at the origin, but says that it flies at 24 m/s."""
    from dollop.operators.bridge.playback import show_results
    from dollop.solver.cache import FrameStore, topology_of_triangles, versions
    from dollop.solver.frame import BodyFrame, Frame

    source = bpy.data.objects.new("Ball", bpy.data.meshes.new("Ball"))
    scene.collection.objects.link(source)
    source.dollop.is_body, source.dollop.uid = True, "body-1"
    scene.dollop.uid, scene.dollop.cache_path = "scene-1", str(FOLDER / "cache")
    bodies = [{"uid": "body-1", "name": "Ball", "vertices": 0}]
    content = {"frames_per_second": 24.0, "frame_start": 1, "frame_end": 4, "bodies": bodies, "versions": versions("0")}
    with FrameStore.create(FOLDER / "cache", content) as store:
        for number in range(1, 5):
            positions, triangles = ball(number)
            store.write_topology("body-1", number - 1, topology_of_triangles(triangles, len(positions)))
            attributes = {"velocity": np.tile(np.float32([24, 0, 0]), (len(positions), 1))}
            topology = number - 1
            if ACTION == "blur_positions":  # the same flight, told by the positions alone
                positions, attributes, topology = ball(1)[0] + np.float32([number - 3, 0, 0]), {}, 0
            store.write_frame(Frame(number, (BodyFrame("body-1", np.zeros(3), positions, attributes, topology),)))
    assert show_results(scene) is None


def set_up_render(scene: "bpy.types.Scene") -> None:
    import addon_utils  # only there once bpy is

    addon_utils.enable("cycles")
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale, camera.location = "ORTHO", 4, (0, 0, 5)
    scene.collection.objects.link(camera)
    scene.camera = camera
    glow = bpy.data.materials.new("Glow")
    glow.use_nodes = True
    tree = glow.node_tree
    tree.nodes.clear()
    emission, output = tree.nodes.new("ShaderNodeEmission"), tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(emission.outputs[0], output.inputs[0])
    next(item for item in scene.objects if "dollop_result_of" in item).data.materials.append(glow)
    settings = scene.render
    settings.engine, settings.film_transparent = "CYCLES", True
    scene.cycles.samples, scene.cycles.use_denoising = 16, False
    settings.resolution_x, settings.resolution_y = 80, 40
    settings.use_motion_blur, settings.motion_blur_shutter = True, 1.0
    settings.image_settings.file_format, settings.image_settings.color_mode = "PNG", "RGBA"
    settings.filepath = str(FOLDER / "pictures") + "/"
    scene.frame_start, scene.frame_end = 1, 4


def damage() -> None:
    frame = FOLDER / "cache" / "frame_000003.dollop.npz"
    if DAMAGE == "missing":
        frame.unlink()
    elif DAMAGE == "flipped":
        data = bytearray(frame.read_bytes())
        data[777] ^= 4
        frame.write_bytes(data)
    elif DAMAGE == "gone":
        shutil.rmtree(FOLDER / "cache")


def make_stale(scene: "bpy.types.Scene") -> None:
    """Let the cache know the scene as it is, then change it as DAMAGE says."""
    from dollop.operators.bridge.baked_settings import settings_of
    from dollop.operators.bridge.read_scene import read_scene
    from dollop.solver.cache import FrameStore
    from dollop.solver.job import scene_hash

    source = bpy.data.objects["Ball"]
    source.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    now = scene_hash(read_scene(scene).scene, scene.frame_end)
    with FrameStore.open(FOLDER / "cache", writable=True) as store:
        store.update_manifest(scene_hash=now, settings=settings_of(scene))
    if DAMAGE == "setting":
        scene.dollop.maximum_substep *= 0.5
    elif DAMAGE == "scene":
        source.location.x += 1.0


def width_of(path: Path) -> float:
    """Extent of what is visible along x, in Blender units."""
    alpha = np.array(bpy.data.images.load(str(path)).pixels[:]).reshape(40, 80, 4)[:, :, 3]
    columns = np.flatnonzero(alpha.max(axis=0) > 0.02)
    return float(columns[-1] - columns[0] + 1) * 4 / 80


def render_in_window(scene: "bpy.types.Scene") -> None:
    """Render the animation as Ctrl-F12 does, or frame 3 as F12 does; say how the window is afterwards, and leave."""
    ended: list[str] = []
    drawn: list[int] = []
    bpy.app.handlers.render_pre.append(lambda scene, *_: drawn.append(scene.frame_current))
    bpy.app.handlers.render_complete.append(lambda *_: ended.append("completed"))
    bpy.app.handlers.render_cancel.append(lambda *_: ended.append("cancelled"))

    def start() -> None:
        with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
            bpy.ops.render.render("INVOKE_DEFAULT", animation=ACTION == "window")

    def leave() -> float | None:
        if not ended:
            return 0.5
        if len(ended) == 1:
            ended.append("settling")
            return 1.0
        result = next(item for item in scene.objects if "dollop_result_of" in item)
        state = {
            "drawn": drawn,
            "resolution": [scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage],
            "said": scene.get("dollop_playback", ""),
            "ended": ended[0],
            "output": scene.render.filepath,
            "interface_locked": scene.render.use_lock_interface,
            "frame": scene.frame_current,
            "vertices": len(result.data.vertices),
        }
        (FOLDER / "state.json").write_text(json.dumps(state))
        os._exit(0)

    bpy.app.timers.register(start, first_interval=1.0)
    bpy.app.timers.register(leave, first_interval=2.0)


def main() -> None:
    if bpy.app.background:
        bpy.ops.wm.read_factory_settings(use_empty=True)
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    load_extension()
    scene = bpy.context.scene
    bake(scene)
    set_up_render(scene)
    damage()
    if ACTION == "stale":
        make_stale(scene)
    if ACTION == "window_still":
        scene.frame_set(3)
    if ACTION.startswith("window"):
        render_in_window(scene)
        return
    if ACTION == "animation":
        bpy.ops.render.render(animation=True)
    else:
        scene.frame_set(2 if ACTION == "neighbour" else 3)
        name = FOLDER / "pictures" / f"{scene.frame_current:04d}.png"
        scene.render.filepath = str(name)
        bpy.ops.render.render(write_still=True)
        if ACTION.startswith("blur"):
            print("width", width_of(name))
    # Blender 4.2 as a module crashes on its way out once any Python handler was registered, anybody's
    sys.stdout.flush()
    os._exit(0)


main()

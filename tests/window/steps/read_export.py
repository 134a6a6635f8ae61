"""Read an export back into an empty scene and tell the mean height of its vertices in each of its frames."""

import json
import struct
import sys
from collections.abc import Iterator

import bpy
import numpy as np

identifier, path = sys.argv[sys.argv.index("--") + 2 :]


def points_of_mdd() -> Iterator[np.ndarray]:
    """The points of each frame, as the file has them."""
    with open(path, "rb") as file:
        frames, points = struct.unpack(">2i", file.read(8))
        file.read(4 * frames)
        for _ in range(frames):
            yield np.frombuffer(file.read(12 * points), ">f4").reshape(-1, 3)


def appended() -> None:
    """Bring the objects of a .blend into the scene."""
    with bpy.data.libraries.load(path) as (there, here):
        here.objects = list(there.objects)
    for item in here.objects:
        bpy.context.scene.collection.objects.link(item)


def points_played() -> Iterator[np.ndarray]:
    """The points of each frame, as Blender plays the file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if identifier == "ALEMBIC":
        bpy.ops.wm.alembic_import(filepath=path, as_background_job=False, always_add_cache_reader=True)
    elif identifier == "USD":
        bpy.ops.wm.usd_import(filepath=path)
    else:
        appended()
    (item,) = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    for number in range(1, 5):
        bpy.context.scene.frame_set(number)
        seen = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        yield np.array([seen.matrix_world @ vertex.co for vertex in seen.data.vertices])


read = points_of_mdd() if identifier == "MDD" else points_played()
heights = [float(points[:, 2].mean()) for points in read]
print("RESULT " + json.dumps({"heights": heights}), flush=True)

"""Starting a bake and following it, and what can be seen of it."""

import time
from pathlib import Path
from typing import Any

import bpy

from ..reading import bridge


def start(**options: Any) -> Any:
    """Start a bake of the present scene; return its session."""
    return bridge("bake_session").start_bake(bpy.context.scene, **options)


def until(session: Any, condition: Any, seconds: float = 30) -> None:
    """Poll the session until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, session.status
        session.poll()
        time.sleep(0.005)


def folder() -> Path:
    """The present scene's cache."""
    return bridge("folders").cache_folder(bpy.context.scene)[0]


def goo() -> Any:
    """The first result object of the present scene, None when there is none."""
    return next(bridge("result_mesh").results_of(bpy.context.scene), None)


def cached_status() -> str:
    """How the manifest says that the bake ended."""
    return bridge("scene_cache").FrameStore.open(folder()).manifest["status"]


def lowest(item: bpy.types.Object) -> float:
    """Smallest z of the object's vertices, in the world."""
    return min((item.matrix_world @ vertex.co).z for vertex in item.data.vertices)

"""What holds for the whole scene → solver.Settings."""

import bpy

from ...solver.scene import Settings
from .units import typed_number


def read_settings(scene: bpy.types.Scene, *, frames: tuple[int, int] | None = None, threads: int = 0) -> Settings:
    """Return frame range, rate, gravity and solver settings. Gravity's numbers are m/s^2 at every unit scale."""
    settings = scene.dollop
    own = (settings.frame_start, settings.frame_end)
    first, last = frames or (own if settings.use_frame_range else (scene.frame_start, scene.frame_end))
    gravity = tuple(float(value) for value in scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)
    return Settings(
        frame_start=first,
        frame_end=last,
        frames_per_second=scene.render.fps / typed_number(scene.render.fps_base),
        gravity=(typed_number(gravity[0]), typed_number(gravity[1]), typed_number(gravity[2])),
        threads=threads or settings.threads,
        integrator=settings.integrator,
        maximum_substep=typed_number(settings.maximum_substep),
    )

"""What holds for the whole scene → solver.Settings."""

import bpy

from ...solver.scene import Settings
from .units import typed_number


def read_settings(scene: bpy.types.Scene, *, frames: tuple[int, int] | None = None, threads: int = 0) -> Settings:
    """Return frame range, rate, gravity and solver settings. Gravity's numbers are m/s^2 at every unit scale."""
    settings = scene.dollop
    own = (settings.frame_start, settings.frame_end)
    first, last = frames or (own if settings.use_frame_range else (scene.frame_start, scene.frame_end))
    return Settings(
        frame_start=first,
        frame_end=last,
        frames_per_second=scene.render.fps / typed_number(scene.render.fps_base),
        gravity=read_gravity(scene),
        threads=threads or settings.threads,
        integrator=settings.integrator,
        maximum_substep=typed_number(settings.maximum_substep),
        calm_substep=typed_number(settings.calm_substep),
        body_contact=settings.body_contact,
        body_friction=typed_number(settings.body_friction),
        worst_condition=typed_number(settings.worst_condition),
        condition_change=typed_number(settings.condition_change),
    )


def read_gravity(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """Return gravity at the frame that the scene stands on [m/s^2]."""
    if not scene.use_gravity:
        return 0.0, 0.0, 0.0
    x, y, z = scene.gravity
    return typed_number(x), typed_number(y), typed_number(z)

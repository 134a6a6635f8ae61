"""scene.dollop: what holds for the whole bake, and how the bake is getting on."""

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ...solver.integrators import integrators
from ...solver.scene import BODY_CONTACT
from .settings import HIDDEN, SETTING

# From Blender 4.5 a path property has to say that it understands "//"
_PATH_OPTIONS = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()


def _read_cached(group: Any) -> str:
    from ..bridge.cached_frames import cached_sentence

    return cached_sentence(group.id_data)


def _read_playback(group: Any) -> str:
    from ..bridge.playback import STATUS

    return str(group.id_data.get(STATUS, ""))


def _read_stale(group: Any) -> str:
    from ..bridge.scene_cache import stale_note

    return stale_note(group.id_data)


def _status(name: str) -> Any:
    """A read-only property looks into the running session, so that undo and saving never see it."""

    def read(group: Any) -> Any:
        from ..bridge.bake_status import status_of

        return getattr(status_of(group.uid), name)

    return read


class DollopScene(bpy.types.PropertyGroup):
    """Dollop's settings of one scene."""

    uid: StringProperty(name="Identifier", description="Names this scene's cache, for life", **HIDDEN)
    cache_path: StringProperty(
        name="Cache",
        description="Folder for the baked frames; empty: dollop_cache beside the .blend",
        subtype="DIR_PATH",
        options=_PATH_OPTIONS,
    )
    use_frame_range: BoolProperty(name="Own Range", description="Bake another range of frames than the scene's", **SETTING)
    frame_start: IntProperty(name="Start", description="First frame of the bake", default=1, min=-1048574, **SETTING)
    frame_end: IntProperty(name="End", description="Last frame of the bake", default=48, min=-1048574, **SETTING)
    integrator: EnumProperty(
        name="Integrator",
        description="How the bake steps through time",
        items=[(one.identifier, one.label, f"{one.description} ({one.source})") for one in integrators().values()],
        **SETTING,
    )
    body_contact: EnumProperty(
        name="Body Contact",
        description="Which bodies collide with each other; it makes the bake slower",
        items=[(name, name.capitalize(), f"Contact of {meaning}") for name, meaning in BODY_CONTACT.items()],
        default="bodies",
        **SETTING,
    )
    body_friction: FloatProperty(
        name="Friction",
        description="Coulomb friction between bodies that collide with each other",
        default=0.5,
        min=0.0,
        soft_max=2.0,
        **SETTING,
    )
    worst_condition: FloatProperty(
        name="Worst Tet",
        description="How badly shaped a tet may become, 1 being a regular one, before a body with Remeshing gets new tets. "
        "Worn tets are too stiff: a high value lets drawn out goo hang, and then give way all at once",
        default=3.0,
        min=2.0,
        soft_max=20.0,
        **SETTING,
    )
    condition_change: FloatProperty(
        name="Worsened By",
        description="New tets also once the worst one is so many times as badly shaped as the worst was when they were new, "
        "however good it still is, 1.5 or more. 0: Worst Tet alone counts",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        **SETTING,
    )
    maximum_substep: FloatProperty(
        name="Longest Step",
        description="The solver never takes a longer time step than this: shorter is livelier, and slower to bake",
        subtype="TIME_ABSOLUTE",
        unit="TIME_ABSOLUTE",
        default=1.0 / 48.0,
        min=1e-5,
        max=1.0,
        precision=4,
        step=0.1,
        **SETTING,
    )
    calm_substep: FloatProperty(
        name="Calm Step",
        description="Steps may grow to this, and to four times the longest, while nothing is keyed, no collider moves, and "
        "hardly anything speeds up or slows down: goo that falls freely, rests or creeps bakes faster",
        subtype="TIME_ABSOLUTE",
        unit="TIME_ABSOLUTE",
        default=1.0 / 24.0,
        min=1e-5,
        max=1.0,
        precision=4,
        step=0.1,
        **SETTING,
    )
    threads: IntProperty(
        name="Threads",
        description="Processor threads for the bake; 0: all, with one left to the window. The result is the same",
        min=0,
        max=1024,
        soft_max=64,
        **SETTING,
    )

    is_baking: BoolProperty(name="Baking", description="A bake of this scene is running", get=_status("running"), options=set())
    progress: FloatProperty(
        name="Progress",
        description="Part of the frames that is finished",
        subtype="FACTOR",
        min=0.0,
        max=1.0,
        get=_status("progress"),
        options=set(),
    )
    stage: StringProperty(name="Stage", description="What the bake is doing now", get=_status("stage"), options=set())
    message: StringProperty(
        name="Message", description="How the last bake ended, or what it warns of", get=_status("message"), options=set()
    )
    warnings: StringProperty(
        name="Warnings", description="What the last bake wants looked at", get=_status("warning_text"), options=set()
    )
    places: StringProperty(
        name="Places", description="Where that is which was found, a line each", get=_status("place_text"), options=set()
    )
    remaining: StringProperty(
        name="Remaining", description="Estimated time to the last frame", get=_status("remaining"), options=set()
    )
    cached: StringProperty(name="Cached", description="Which frames are baked", get=_read_cached, options=set())
    playback_message: StringProperty(name="Playback", description="Why frames do not play", get=_read_playback, options=set())
    stale: StringProperty(
        name="Stale", description="Which setting is another one than at the bake", get=_read_stale, options=set()
    )
    frame_done: IntProperty(
        name="Frame", description="Last finished frame of the running bake", get=_status("frame"), options=set()
    )

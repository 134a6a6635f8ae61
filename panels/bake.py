"""The bake: range, button, progress, and what it has to say."""

import textwrap

from ..operators import ids
from .places import columns

_CHARACTER = 6.4  # average width of a letter in pixels at the interface's normal size
_MARGIN = 30
_BUTTON = 30  # an icon's, with the gap before it
_MOST_PLACES = 6


class BakePanel:
    """Bake: the frames and the button."""

    bl_label = "Bake"

    def draw(self, context):
        settings = context.scene.dollop
        layout = self.layout
        if settings.is_baking:
            self._draw_progress(context, layout, settings)
            return
        columns(layout)
        self._draw_range(layout, context.scene, settings)
        column = layout.column(align=True)
        column.scale_y = 1.4
        column.operator(ids.BAKE, icon="RENDER_ANIMATION")
        column.operator(ids.RESUME, icon="FORWARD")
        if settings.cached:
            playing = context.screen is not None and context.screen.is_animation_playing
            column.operator("screen.animation_play", text="Pause" if playing else "Play", icon="PAUSE" if playing else "PLAY")
        layout.operator(ids.PREFLIGHT, icon="CHECKMARK")
        draw_message(context, layout, settings.stale, icon="ERROR")
        if settings.playback_message != settings.stale:
            draw_message(context, layout, settings.playback_message, icon="ERROR")
        draw_found(context, layout, f"{settings.message}\n{settings.warnings}", settings.places.splitlines())

    def _draw_range(self, layout, scene, settings):
        layout.prop(settings, "use_frame_range")
        owner = settings if settings.use_frame_range else scene
        column = layout.column(align=True)
        column.prop(owner, "frame_start", text="Start")
        column.prop(owner, "frame_end", text="End")

    def _draw_progress(self, context, layout, settings):
        layout.progress(factor=settings.progress, text=settings.remaining or settings.stage)
        # As high before the first frame as after it, so that Cancel stays where the mouse is
        layout.label(text=settings.stage if settings.remaining else " ", translate=False)
        layout.operator(ids.BAKE_CANCEL, icon="CANCEL")
        draw_found(context, layout, settings.warnings, settings.places.splitlines())


class SolverPanel:
    """What only few shots need to touch."""

    bl_label = "Solver"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = columns(self.layout)
        layout.prop(context.scene.dollop, "integrator")
        layout.prop(context.scene.dollop, "maximum_substep")
        layout.prop(context.scene.dollop, "calm_substep")
        layout.prop(context.scene.dollop, "threads")
        layout.prop(context.scene.dollop, "body_contact")
        column = layout.column()
        column.active = context.scene.dollop.body_contact != "off"
        column.prop(context.scene.dollop, "body_friction")
        layout.prop(context.scene.dollop, "worst_condition")
        layout.prop(context.scene.dollop, "condition_change")


class CachePanel:
    """Where the frames are."""

    bl_label = "Cache"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = context.scene.dollop
        layout = self.layout
        layout.prop(settings, "cache_path", text="", placeholder="//dollop_cache")
        layout.label(text=settings.cached or "Nothing is baked yet", translate=False)
        row = layout.row(align=True)
        row.operator(ids.GOO_SHOW, icon="HIDE_OFF")
        row.operator(ids.CACHE_CLEAR, icon="TRASH")


class ExportPanel:
    """The frames for other programs."""

    bl_label = "Export"

    def draw(self, context):
        self.layout.column(align=True).operator_enum(ids.EXPORT, "format")


def draw_found(context, layout, message, places):
    """Draw sentences; one that begins with a place has a button beside it to look there, and so do the first other places."""
    rest = dict(enumerate(places))
    for paragraph in message.splitlines():
        begins = (number for number, place in enumerate(places) if paragraph.startswith((f"{place}:", f"{place}, frame ")))
        index = next(begins, None)
        if index is None:
            draw_message(context, layout, paragraph)
            continue
        # The button shows where, so the sentence needs the object's name alone
        name, _, _ = places[index].rpartition("', ")
        draw_place(context, layout, f"{name}'{paragraph.removeprefix(places[index])}", index)
        rest.pop(index, None)
    for index, place in [*rest.items()][:_MOST_PLACES]:
        draw_place(context, layout, place, index)


def draw_place(context, layout, sentence, index):
    """Draw a sentence with a button that shows the place of that number."""
    row = layout.row()
    draw_message(context, row.column(), sentence, beside=_BUTTON)
    row.operator(ids.PLACE_SHOW, text="", icon="VIEWZOOM").index = index


def draw_message(context, layout, message, beside=0, icon="NONE"):
    """Draw a sentence in lines that fit beside something so many pixels wide; nothing for no sentence."""
    if not message:
        return
    width = context.region.width / context.preferences.system.ui_scale if context.region else 300
    taken = _MARGIN + beside + (0 if icon == "NONE" else _BUTTON)
    letters = max(20, int((width - taken) / _CHARACTER))
    for paragraph in message.splitlines():
        column = layout.column(align=True)
        column.scale_y = 0.75
        for number, line in enumerate(textwrap.wrap(paragraph, letters)):
            indent = "NONE" if icon == "NONE" else "BLANK1"
            column.label(text=line, translate=False, icon=indent if number else icon)

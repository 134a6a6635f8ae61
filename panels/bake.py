"""The bake: range, button, progress, and what it has to say."""

import textwrap

from ..operators import ids
from .places import columns

_CHARACTER = 7.0  # average width of a letter in pixels at the interface's normal size
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
            column.operator("screen.animation_play", text="Play", icon="PLAY")
        layout.operator(ids.PREFLIGHT, icon="CHECKMARK")
        draw_message(context, layout, settings.stale)
        draw_message(context, layout, settings.message)
        draw_message(context, layout, settings.warnings)
        draw_places(context, layout, settings.places)

    def _draw_range(self, layout, scene, settings):
        layout.prop(settings, "use_frame_range")
        owner = settings if settings.use_frame_range else scene
        column = layout.column(align=True)
        column.prop(owner, "frame_start", text="Start")
        column.prop(owner, "frame_end", text="End")

    def _draw_progress(self, context, layout, settings):
        layout.progress(factor=settings.progress, text=settings.remaining or settings.stage)
        if settings.remaining:
            layout.label(text=settings.stage, translate=False)
        layout.operator(ids.BAKE_CANCEL, icon="CANCEL")
        draw_message(context, layout, settings.warnings)


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


class CachePanel:
    """Where the frames are."""

    bl_label = "Cache"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = context.scene.dollop
        layout = self.layout
        layout.prop(settings, "cache_path", text="", placeholder="//dollop_cache")
        layout.label(text=settings.cached or "Nothing is baked yet", translate=False)
        if settings.playback_message != settings.stale:
            draw_message(context, layout, settings.playback_message)
        row = layout.row(align=True)
        row.operator(ids.GOO_SHOW, icon="HIDE_OFF")
        row.operator(ids.CACHE_CLEAR, icon="TRASH")


class ExportPanel:
    """The frames for other programs."""

    bl_label = "Export"

    def draw(self, context):
        self.layout.column(align=True).operator_enum(ids.EXPORT, "format")


def draw_places(context, layout, places):
    """Draw each of the first places with a button to look there; they stand in the order of the sentences."""
    for index, place in enumerate(places.splitlines()[:_MOST_PLACES]):
        row = layout.row()
        draw_message(context, row.column(), place, beside=_BUTTON)
        row.operator(ids.PLACE_SHOW, text="", icon="VIEWZOOM").index = index


def draw_message(context, layout, message, beside=0):
    """Draw a sentence in lines that fit beside something so many pixels wide; nothing for no sentence."""
    if not message:
        return
    width = context.region.width / context.preferences.system.ui_scale if context.region else 300
    letters = max(20, int((width - _MARGIN - beside) / _CHARACTER))
    for paragraph in message.splitlines():
        column = layout.column(align=True)
        column.scale_y = 0.75
        for line in textwrap.wrap(paragraph, letters):
            column.label(text=line, translate=False)

"""One of the artist's own presets → gone."""

import bpy

from . import ids
from .polls import active_body, allowed, no_active_body


def _not_own(context):
    from .bridge.presets import own_preset_path

    body = active_body(context)
    own = body is not None and own_preset_path(body.dollop.preset)
    return "" if own else "Only presets that you saved yourself can be removed"


class DOLLOP_OT_preset_remove(bpy.types.Operator):
    """Delete the preset that the active body uses, if you saved it yourself"""

    bl_idname = ids.PRESET_REMOVE
    bl_label = "Remove Goo Preset"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, no_active_body(context), _not_own(context))

    def execute(self, context):
        from .bridge.presets import own_preset_path
        from .bridge.report import sentence

        settings = active_body(context).dollop
        path = own_preset_path(settings.preset)
        try:
            path.unlink()
        except OSError as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        settings.preset_changed = True
        return {"FINISHED"}

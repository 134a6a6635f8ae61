"""The active body's goo → one of the artist's own presets."""

import bpy

from . import ids
from .polls import active_body, allowed, no_active_body


class DOLLOP_OT_preset_save(bpy.types.Operator):
    """Save the active body's goo under a name of your own"""

    bl_idname = ids.PRESET_SAVE
    bl_label = "Save Goo Preset"
    bl_options = {"UNDO"}

    name: bpy.props.StringProperty(name="Name", description="What the menu calls it", default="My Goo")
    look: bpy.props.StringProperty(name="Look", description="One sentence on how it moves, shown as the tooltip")

    @classmethod
    def poll(cls, context):
        return allowed(cls, no_active_body(context))

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        from ..solver.errors import SolverError
        from .bridge.presets import save_as_preset
        from .bridge.report import sentence

        try:
            path = save_as_preset(active_body(context), self.name, self.look)
        except (SolverError, OSError) as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Saved as {path.name}")
        return {"FINISHED"}

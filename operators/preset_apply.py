"""A preset of the list → the selected bodies."""

import bpy

from . import ids
from .polls import allowed, baking, bodies_chosen, no_body_chosen


class DOLLOP_OT_preset_apply(bpy.types.Operator):
    """Make the selected bodies this kind of goo"""

    bl_idname = ids.PRESET_APPLY
    bl_label = "Apply Goo Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.StringProperty(name="Goo", description="Identifier of the preset: the name of its file without .toml")

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), no_body_chosen(context))

    @classmethod
    def description(cls, context, properties):
        from .bridge.presets import available_presets

        preset = available_presets().get(properties.preset)
        return f"{preset.look}\n{preset.source}" if preset else "Make the selected bodies this kind of goo"

    def execute(self, context):
        from ..solver.errors import SolverError
        from .bridge.presets import apply_preset
        from .bridge.report import sentence

        try:
            for item in bodies_chosen(context):
                apply_preset(item, self.preset)
        except SolverError as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        return {"FINISHED"}

"""Selected bodies become plain meshes again."""

import bpy

from . import ids
from .polls import allowed, baking, bodies_chosen, no_body_chosen


class DOLLOP_OT_body_remove(bpy.types.Operator):
    """Make the selected bodies plain meshes again; baked frames stay on the disk"""

    bl_idname = ids.BODY_REMOVE
    bl_label = "Remove Body"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), no_body_chosen(context))

    def execute(self, context):
        from .bridge.membership import remove_body

        for item in bodies_chosen(context):
            remove_body(item, context.scene)
        return {"FINISHED"}

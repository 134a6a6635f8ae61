"""Selected colliders become plain objects again."""

import bpy

from . import ids
from .polls import allowed, baking, chosen


def _colliders(context):
    return [item for item in chosen(context) if item.dollop.is_collider]


class DOLLOP_OT_collider_remove(bpy.types.Operator):
    """Let goo fall through the selected objects again"""

    bl_idname = ids.COLLIDER_REMOVE
    bl_label = "Remove Collider"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), "" if _colliders(context) else "Select a collider first")

    def execute(self, context):
        for item in _colliders(context):
            item.dollop.is_collider = False
        return {"FINISHED"}

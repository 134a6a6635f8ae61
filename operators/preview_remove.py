"""The previews of the selected bodies → gone."""

import bpy

from . import ids
from .polls import allowed, bodies_chosen, chosen


def _uids(context):
    from .bridge.preview import has_preview

    # A preview may have outlived its body
    uids = {item.dollop.uid for item in bodies_chosen(context)} | {item.dollop.preview_of for item in chosen(context)}
    return [uid for uid in sorted(uids) if has_preview(context.scene, uid)]


class DOLLOP_OT_preview_remove(bpy.types.Operator):
    """Take the preview of the tets away"""

    bl_idname = ids.PREVIEW_REMOVE
    bl_label = "Remove Preview"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, "" if _uids(context) else "The selected body's tets are not on show")

    def execute(self, context):
        from .bridge.preview import remove_preview

        for uid in _uids(context):
            remove_preview(context.scene, uid)
        return {"FINISHED"}

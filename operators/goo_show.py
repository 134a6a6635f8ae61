"""Baked frames without result objects → on show again: after undo, or after deleting them."""

import bpy

from . import ids
from .polls import allowed, baking


def _nothing_to_show(context):
    from .bridge.cached_frames import cached_frames
    from .bridge.result_mesh import results_of

    found = cached_frames(context.scene)
    if not found or not found.frames:
        return "Nothing is baked yet"
    return "The baked goo is on show already" if next(results_of(context.scene), None) else ""


class DOLLOP_OT_goo_show(bpy.types.Operator):
    """Show the baked goo again and hide the bodies it was made of"""

    bl_idname = ids.GOO_SHOW
    bl_label = "Show Goo"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), _nothing_to_show(context))

    def execute(self, context):
        from .bridge.playback import show_results

        failure = show_results(context.scene)
        if failure is not None:
            self.report({"WARNING"}, str(failure))
        return {"FINISHED"}

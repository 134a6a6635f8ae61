"""The scene's baked frames → gone, and its bodies back in sight."""

import bpy

from . import ids
from .polls import allowed, baking


def _nothing_baked(context):
    from .bridge.cached_frames import cached_frames
    from .bridge.result_mesh import results_of

    return "" if cached_frames(context.scene) or next(results_of(context.scene), None) else "Nothing is baked"


class DOLLOP_OT_cache_clear(bpy.types.Operator):
    """Delete this scene's baked frames from the disk and show the bodies again"""

    bl_idname = ids.CACHE_CLEAR
    bl_label = "Clear Cache"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), _nothing_baked(context))

    def invoke(self, context, event):
        from .bridge.cached_frames import cached_frames
        from .bridge.identity import repair_all

        repair_all()  # what is asked is of this scene's own frames, not of those of the one it was copied from
        found = cached_frames(context.scene)
        asked = f"Delete {len(found.frames)} baked frames?" if found and found.frames else "Clear the cache?"
        return context.window_manager.invoke_confirm(self, event, title=asked, confirm_text="Delete")

    def execute(self, context):
        from ..solver.errors import SolverError
        from .bridge.cache_clearing import clear_cache
        from .bridge.report import sentence

        try:
            folder = clear_cache(context.scene)
        except (SolverError, OSError) as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Cleared {folder}")
        return {"FINISHED"}

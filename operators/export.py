"""Baked frames → a file that plays without Dollop."""

import bpy

from . import ids
from .bridge.exports import formats
from .polls import allowed, baking


def _nothing_baked(context):
    from .bridge.cached_frames import cached_frames

    found = cached_frames(context.scene)
    return "" if found and found.frames else "Nothing is baked yet"


class DOLLOP_OT_export(bpy.types.Operator):
    """Write the baked goo to a file that plays without Dollop"""

    bl_idname = ids.EXPORT
    bl_label = "Export"
    bl_options = {"UNDO"}

    format: bpy.props.EnumProperty(
        name="Format",
        description="Kind of file",
        items=[(item.identifier, item.label, item.description) for item in formats().values()],
    )
    filepath: bpy.props.StringProperty(name="File", description="Where to write", subtype="FILE_PATH")
    check_existing: bpy.props.BoolProperty(description="Ask before a file is replaced", default=True, options={"HIDDEN"})
    filter_glob: bpy.props.StringProperty(default="*.abc;*.usd;*.usdc;*.usda;*.mdd;*.blend", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), _nothing_baked(context))

    def invoke(self, context, event):
        if not self.filepath:
            self.filepath = bpy.path.clean_name(context.scene.name) + formats()[self.format].extension
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        from ..solver.errors import SolverError
        from .bridge.exports import export
        from .bridge.report import sentence

        if not self.filepath:
            self.report({"ERROR"}, "Choose a file to write to.")
            return {"CANCELLED"}
        try:
            path = export(context.scene, self.format, bpy.path.abspath(self.filepath))
        except (SolverError, OSError) as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Wrote {path}")
        return {"FINISHED"}

"""Baked frames → a file that plays without Dollop."""

from pathlib import Path

import bpy

from . import ids
from .bridge.exports import formats
from .polls import allowed, baking


def _nothing_baked(context):
    from .bridge.cached_frames import cached_frames

    found = cached_frames(context.scene)
    return "" if found and found.frames else "Nothing is baked yet"


def _beside_the_blend(scene):
    """Return the path that is proposed, without an extension: beside the .blend and named after it, where there is one."""
    saved = bpy.data.filepath
    # Never the shot's own name: shape keys are written into a .blend too
    return f"{Path(saved).with_suffix('')}_goo" if saved else bpy.path.clean_name(scene.name)


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
    filepath: bpy.props.StringProperty(
        name="File",
        description="Where to write",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},  # the last export's name has the last export's extension
    )
    check_existing: bpy.props.BoolProperty(description="Ask before a file is replaced", default=True, options={"HIDDEN"})
    filter_glob: bpy.props.StringProperty(default="*.abc;*.usd;*.usdc;*.usda;*.mdd;*.blend", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), _nothing_baked(context))

    @classmethod
    def description(cls, context, properties):
        return f"Write the baked goo to a file. {formats()[properties.format].description}"

    def invoke(self, context, event):
        from ..solver.errors import SolverError

        chosen = formats()[self.format]
        try:
            chosen.require()
        except SolverError as error:  # before a file is chosen in vain
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.filepath = self.filepath or _beside_the_blend(context.scene) + chosen.extension
        self.filter_glob = ";".join(f"*{ending}" for ending in (chosen.extension, *chosen.variants))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, context):
        """Give a name that is typed without one the format's extension, so that Blender can ask before a file is replaced."""
        named = formats()[self.format].named(self.filepath)
        changed = named != self.filepath
        self.filepath = named
        return changed

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

"""Selected meshes become bodies of goo."""

import bpy

from . import ids
from .polls import allowed, baking, chosen, not_in_object_mode, nothing_chosen


class DOLLOP_OT_body_add(bpy.types.Operator):
    """Make the selected meshes goo"""

    bl_idname = ids.BODY_ADD
    bl_label = "Add Body"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.StringProperty(name="Goo", description="Preset to start from", default="dough", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), nothing_chosen(context), not_in_object_mode(context))

    def execute(self, context):
        from ..solver.errors import SolverError
        from .bridge.membership import add_body
        from .bridge.presets import find_preset
        from .bridge.report import sentence

        added, refused = [], []
        try:
            preset = find_preset(self.preset)
        except SolverError as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        for item in chosen(context):
            try:
                add_body(item, context.scene, preset)
                added.append(item.name)
            except SolverError as error:
                refused.append(sentence(error))
        return announce(self, added, refused, "body", "bodies")


def announce(operator, added, refused, one, many):
    """Report what became of each object; an error only when nothing could be done."""
    if refused and not added:
        operator.report({"ERROR"}, " ".join(refused))
        return {"CANCELLED"}
    if refused:
        operator.report({"WARNING"}, " ".join(refused))
    elif len(added) > 1:
        operator.report({"INFO"}, f"{len(added)} {many}")
    else:
        operator.report({"INFO"}, f"'{added[0]}' is a {one} now")
    return {"FINISHED"}

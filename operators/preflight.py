"""A look over the scene before time goes into a bake."""

import bpy

from . import ids
from .polls import allowed, baking, no_body_in_scene, not_in_object_mode


class DOLLOP_OT_preflight(bpy.types.Operator):
    """Look for what would spoil a bake: holes, bodies inside colliders, scales, missing faces"""

    bl_idname = ids.PREFLIGHT
    bl_label = "Check Scene"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), no_body_in_scene(context), not_in_object_mode(context))

    def execute(self, context):
        from .bridge.bad_places import places_of
        from .bridge.bake_session import keep_failure
        from .bridge.checking import check_scene, sentence_of

        findings = check_scene(context.scene)
        lines = []
        for finding in findings:
            lines.append(sentence_of(finding))
            # An error report would raise in scripts, where the findings are wanted, not an exception
            self.report({"WARNING" if finding.severity != "info" else "INFO"}, lines[-1])
        if not findings:
            self.report({"INFO"}, "Nothing stands in the way of a bake")
        failed = any(finding.severity == "error" for finding in findings)
        keep_failure(context.scene, "\n".join(lines), 4 if failed else 0, places_of(findings))
        return {"CANCELLED"} if failed else {"FINISHED"}

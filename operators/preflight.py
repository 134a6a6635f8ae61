"""A look over the scene before time goes into a bake: beside the window while it is open."""

import bpy

from . import ids
from .modal import Beating
from .polls import allowed, baking, no_body_in_scene, not_in_object_mode


class DOLLOP_OT_preflight(Beating, bpy.types.Operator):
    """Look for what would spoil a bake: holes, bodies inside colliders, scales, missing faces"""

    bl_idname = ids.PREFLIGHT
    bl_label = "Check Scene"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), no_body_in_scene(context), not_in_object_mode(context))

    def execute(self, context):
        self._start(context, beside_window=False)
        self._check.finish()
        return self._finish(context)

    def _start(self, context, *, beside_window):
        from .bridge.checking import SceneCheck

        self._check = SceneCheck(context.scene)
        return True

    def _reading(self):
        return self._check.reading

    def _beat(self):
        return "" if self._check.go_on() else f"Dollop: {self._check.doing} · ESC stops"

    def _stop(self):
        self._check.close()

    def _finish(self, context):
        """Report what was found and keep it for the panel."""
        from .bridge.bad_places import places_of
        from .bridge.bake_session import keep_failure
        from .bridge.checking import sentence_of

        findings, lines = self._check.findings, []
        for finding in findings:
            lines.append(sentence_of(finding))
            # An error report would raise in scripts, where the findings are wanted, not an exception
            self.report({"WARNING" if finding.severity != "info" else "INFO"}, lines[-1])
        if not findings:
            self.report({"INFO"}, "Nothing stands in the way of a bake")
        failed = any(finding.severity == "error" for finding in findings)
        keep_failure(context.scene, "\n".join(lines), 4 if failed else 0, places_of(findings))
        return {"CANCELLED"} if failed else {"FINISHED"}

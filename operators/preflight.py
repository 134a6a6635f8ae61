"""A look over the scene before time goes into a bake: beside the window while it is open."""

import bpy

from . import ids
from .modal import Heartbeat, in_window
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
        from .bridge.checking import check_scene

        return self._tell(context, check_scene(context.scene))

    def invoke(self, context, event):
        from .bridge.checking import SceneCheck

        if not in_window(context):
            return self.execute(context)
        self._check = SceneCheck(context.scene)
        self._heartbeat = Heartbeat(context, self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.cancel(context)
            return {"CANCELLED"}
        if event.type != "TIMER":
            # While it is read the scene stands at other frames: nothing may be changed or saved then
            return {"RUNNING_MODAL"} if self._check.reading else {"PASS_THROUGH"}
        try:
            done = self._check.go_on()
        except BaseException:
            self._heartbeat.stop()
            raise
        if not done:
            self._heartbeat.redraw(f"Dollop: {self._check.doing} · ESC stops")
            return {"PASS_THROUGH"}
        self._heartbeat.stop()
        return self._tell(context, self._check.findings)

    def cancel(self, context):
        """Blender calls this too when the file is closed under the operator."""
        self._heartbeat.stop()
        self._check.close()

    def _tell(self, context, findings):
        """Report what was found and keep it for the panel."""
        from .bridge.bad_places import places_of
        from .bridge.bake_session import keep_failure
        from .bridge.checking import sentence_of

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

"""The selected bodies' tets, shown before a bake is worth waiting for."""

import bpy

from . import ids
from .modal import Heartbeat, in_window
from .polls import allowed, baking, bodies_chosen, no_body_chosen, not_in_object_mode


class DOLLOP_OT_tetrahedralize(bpy.types.Operator):
    """Fill the selected bodies with tets and show them, coloured by quality: red is poor, green is good"""

    bl_idname = ids.TETRAHEDRALIZE
    bl_label = "Preview Tets"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), no_body_chosen(context), not_in_object_mode(context))

    def execute(self, context):
        if not self._start(context):
            return {"CANCELLED"}
        self._run.wait()
        return self._finish(context)

    def invoke(self, context, event):
        if not in_window(context):
            return self.execute(context)
        if not self._start(context):
            return {"CANCELLED"}
        self._heartbeat = Heartbeat(context, self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.cancel(context)
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if not self._run.poll():
            self._heartbeat.redraw(f"{self._run.stage} (ESC stops)")
            return {"PASS_THROUGH"}
        self._heartbeat.stop()
        return self._finish(context)

    def cancel(self, context):
        """Blender calls this too when the file is closed under the operator."""
        self._heartbeat.stop()
        self._run.stop()

    def _start(self, context):
        from ..solver.errors import SolverError
        from .bridge.report import sentence
        from .bridge.tetrahedralization import Tetrahedralization

        try:
            self._run = Tetrahedralization(context.scene, bodies_chosen(context))
        except (SolverError, OSError) as error:
            self.report({"ERROR"}, sentence(error))
            return False
        return True

    def _finish(self, context):
        from ..solver.errors import SolverError
        from .bridge.report import sentence

        try:
            for line in self._run.show(context.scene):
                self.report({"INFO"}, line)
        except (SolverError, OSError) as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        return {"FINISHED"}

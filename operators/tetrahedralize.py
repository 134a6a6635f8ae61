"""The selected bodies' tets, shown before a bake is worth waiting for."""

import bpy

from . import ids
from .modal import Beating
from .polls import allowed, baking, bodies_chosen, no_body_chosen, not_in_object_mode


class DOLLOP_OT_tetrahedralize(Beating, bpy.types.Operator):
    """Fill the selected bodies with tets and show them, coloured by quality: red is poor, green is good"""

    bl_idname = ids.TETRAHEDRALIZE
    bl_label = "Preview Tets"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), no_body_chosen(context), not_in_object_mode(context))

    def execute(self, context):
        if not self._start(context, beside_window=False):
            return {"CANCELLED"}
        self._run.wait()
        return self._finish(context)

    def _start(self, context, *, beside_window):
        from ..solver.errors import SolverError
        from .bridge.report import sentence
        from .bridge.tetrahedralization import Tetrahedralization

        try:
            self._run = Tetrahedralization(context.scene, bodies_chosen(context), beside_window=beside_window)
        except (SolverError, OSError) as error:
            self.report({"ERROR"}, sentence(error))
            return False
        return True

    def _beat(self):
        return "" if self._run.poll() else f"Dollop: {self._run.stage} · ESC stops"

    def _stop(self):
        self._run.stop()

    def _finish(self, context):
        from ..solver.errors import SolverError
        from .bridge.report import sentence

        try:
            for line in self._run.show(context.scene):
                self.report({"INFO"}, line)
            for line in self._run.warnings:
                self.report({"WARNING"}, line)
        except (SolverError, OSError) as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        return {"FINISHED"}

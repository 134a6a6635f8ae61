"""The bake: beside the window while it is open, waited for when scripted or in the background."""

import bpy

from . import ids
from .modal import Beating, in_window
from .polls import allowed, baking, no_body_in_scene, not_in_object_mode


class BakeOperator(Beating):
    """What Bake and Resume share; they differ only in `resume`."""

    resume = False

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), no_body_in_scene(context), not_in_object_mode(context))

    def execute(self, context):
        """Wait for the whole bake; a script or a background process has nothing else to do."""
        from .bridge.bake_session import run_to_end

        if not self._start(context, beside_window=False):
            return {"CANCELLED"}
        run_to_end(self._session)
        return self._finish(context)

    def _escape(self, context):
        self._session.cancel()
        return {"RUNNING_MODAL"}

    def _reading(self):
        return self._session.reading

    def _beat(self):
        self._session.poll()
        self._remember()
        status = self._session.status
        shown = " · ".join(part for part in (f"Dollop: {status.stage}", status.remaining, "ESC stops") if part)
        return shown if status.running else ""

    def _stop(self):
        self._session.stop_now()

    def _start(self, context, *, beside_window):
        from ..solver.errors import SolverError
        from .bridge.bad_places import places_of
        from .bridge.bake_session import keep_failure, start_bake
        from .bridge.report import exit_code, sentence

        try:
            self._session = start_bake(context.scene, resume=self.resume, beside_window=beside_window)
        except (SolverError, OSError) as error:
            keep_failure(context.scene, sentence(error), exit_code(error), places_of([error]))
            self.report({"ERROR"}, sentence(error))
            return False
        return True

    def _remember(self):
        """Push an undo step for result objects, without which undoing crashes Blender; scripts push their own."""
        results = self._session.results
        if results is not None and results.made and not bpy.app.background:
            results.made = False
            bpy.ops.ed.undo_push(message="Show Goo")

    def _finish(self, context):
        self._remember()
        status = self._session.status
        for note in status.notes:
            self.report({"WARNING"}, note)
        if status.exit_code in (0, 7):
            self.report({"INFO"}, status.message)
            return {"FINISHED"} if status.exit_code == 0 else {"CANCELLED"}
        self.report({"ERROR"}, status.message)
        return {"CANCELLED"}


class DOLLOP_OT_bake(BakeOperator, bpy.types.Operator):
    """Simulate all bodies of the scene, from the first frame on; older frames of this scene are replaced"""

    bl_idname = ids.BAKE
    bl_label = "Bake"
    bl_options = {"UNDO"}

    replace: bpy.props.BoolProperty(
        name="Replace", description="Do not ask before older frames are replaced", options={"SKIP_SAVE"}
    )

    def invoke(self, context, event):
        from .bridge.cached_frames import cached_frames

        found = cached_frames(context.scene)
        if not self.replace and in_window(context) and found and found.frames:
            context.window_manager.popup_menu(_ask, title=f"Replace {len(found.frames)} baked frames?", icon="QUESTION")
            return {"CANCELLED"}
        return super().invoke(context, event)


def _ask(menu, context):
    """A night of baking is not to be lost by one click."""
    menu.layout.operator_context = "INVOKE_DEFAULT"
    menu.layout.operator(ids.RESUME, text="Keep Them and Resume")  # under the mouse, for who clicks twice
    menu.layout.operator(ids.BAKE, text="Bake from the Start").replace = True


class DOLLOP_OT_resume(BakeOperator, bpy.types.Operator):
    """Go on with the bake from its last finished frames"""

    bl_idname = ids.RESUME
    bl_label = "Resume"
    bl_options = {"UNDO"}
    resume = True

    @classmethod
    def poll(cls, context):
        from .bridge.cached_frames import nothing_to_resume

        return super().poll(context) and allowed(cls, nothing_to_resume(context.scene))


class DOLLOP_OT_bake_cancel(bpy.types.Operator):
    """Stop the bake and keep what is finished; Resume goes on from there"""

    bl_idname = ids.BAKE_CANCEL
    bl_label = "Cancel"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return allowed(cls, "" if baking(context) else "No bake is running")

    def execute(self, context):
        from .bridge.bake_session import running_session

        running_session().cancel()
        return {"FINISHED"}

"""What long operators share: a 20 Hz timer, a redraw when something changed, ESC, and a clean end."""

import bpy

TICK = 1.0 / 20.0  # seconds


_beating: set["Heartbeat"] = set()


class Heartbeat:
    """A timer that belongs to one modal operator."""

    def __init__(self, context: bpy.types.Context, operator: bpy.types.Operator) -> None:
        self._manager = context.window_manager
        self._timer = self._manager.event_timer_add(TICK, window=context.window)
        self._shown = ""
        self._manager.modal_handler_add(operator)
        _beating.add(self)

    def redraw(self, shown: str) -> None:
        """Redraw the panels, and only them, when what they show has changed: the view itself may be slow to draw."""
        if shown == self._shown:
            return
        self._shown = shown
        for window in self._manager.windows:
            _redraw_panels(window)
            window.workspace.status_text_set(shown)

    def stop(self) -> None:
        """Let go of the timer and of the status bar; harmless when done already."""
        _beating.discard(self)
        if self._timer is not None:
            self._manager.event_timer_remove(self._timer)
            self._timer = None
        for window in self._manager.windows:
            window.workspace.status_text_set(None)
            _redraw_panels(window)


class Beating:
    """An operator that goes on beside the window; a script, or a Blender without one, waits for its `execute`.

    It adds `_start`, which begins (False: it has said why not), `_beat`, which goes on for a moment and returns what to show
    (nothing at the end), `_finish`, which returns how it ended, and `_stop`, which gives up at once. It may say that it is
    `_reading`, or take `_escape` otherwise than as giving up.
    """

    def invoke(self, context, event):
        if not in_window(context):
            return self.execute(context)
        if not self._start(context, beside_window=True):
            return {"CANCELLED"}
        self._heartbeat = Heartbeat(context, self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS" and not event.is_repeat:
            return self._escape(context)
        if event.type != "TIMER":
            # While it is read the scene stands at other frames: nothing may be changed or saved then
            return {"RUNNING_MODAL"} if self._reading() else {"PASS_THROUGH"}
        try:
            shown = self._beat()
        except BaseException:
            self._heartbeat.stop()
            raise
        if shown:
            self._heartbeat.redraw(shown)
            return {"PASS_THROUGH"}
        self._heartbeat.stop()
        return self._finish(context)

    def cancel(self, context):
        """Blender calls this too when the file is closed under the operator."""
        self._heartbeat.stop()
        self._stop()

    def _escape(self, context):
        self.cancel(context)
        return {"CANCELLED"}

    def _reading(self):
        return False


def stop_heartbeats() -> None:
    """Stop what still beats when the extension is switched off: Blender drops the operators without a word."""
    for heartbeat in tuple(_beating):
        heartbeat.stop()


def _redraw_panels(window: bpy.types.Window) -> None:
    regions = {"VIEW_3D": "UI", "PROPERTIES": "WINDOW"}
    for area in window.screen.areas:
        for region in area.regions:
            if region.type == regions.get(area.type):
                region.tag_redraw()


def in_window(context: bpy.types.Context) -> bool:
    """Tell whether there is a window whose timer could drive a modal operator."""
    return not bpy.app.background and context.window is not None

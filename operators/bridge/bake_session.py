"""One bake from the first look at the scene to its last frame; the window, scripts and the command line all run this."""

import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import bpy

from ...solver.cache import FrameStore
from ...solver.errors import CacheError, SceneError, VersionError
from ...solver.job import write_job
from .bad_places import BadPlace, places_of
from .bake_status import BakeStatus, keep_status
from .baked_settings import origin_of
from .checking import Inspection
from .folders import cache_folder
from .identity import ensure_uid
from .interrupted_bake import settle_status
from .playback import play, show_results
from .read_scene import SceneReading, read_scene
from .report import exit_code, sentence
from .result_mesh import RESULT_OF, clear_results, results_of
from .selection import goo_takes_over
from .solver_process import Event, SolverProcess, threads_beside_window
from .version import baking_versions

_running: "BakeSession | None" = None

_POLL_INTERVAL = 0.05  # seconds


class BakeSession:
    """A running bake. It keeps identifiers, never Blender's own objects, so that undo and renaming cannot hurt it."""

    def __init__(
        self,
        scene: bpy.types.Scene,
        reading: SceneReading,
        folder: Path,
        arguments: list[str],
        *,
        beside_window: bool,
        show_frames: bool,
    ) -> None:
        self.scene_uid = ensure_uid(scene)
        self.folder = folder
        settings = reading.scene.settings
        self.status = BakeStatus(running=True, stage="Starting", first=settings.frame_start, last=settings.frame_end)
        self.status.warnings.extend(reading.notes)
        self._bodies = {body.uid for body in reading.scene.bodies}
        self.made_results = False
        self._shown = False
        self._show_frames = show_frames
        self._beside_window = beside_window
        self._solving = False
        self._job = job = Path(tempfile.mkdtemp(prefix="dollop_job_"))
        origin = origin_of(scene, baking_versions(), reading.settings)
        try:
            self._process = SolverProcess(
                ["bake", str(job), str(folder), *arguments],
                before=lambda: write_job(reading.scene, job, reading.topologies, origin),
            )
        except BaseException:
            shutil.rmtree(job, ignore_errors=True)
            raise
        # Meanwhile the child loads what it needs; it writes nothing before it has filled the bodies with tets
        self._inspection: Inspection | None = Inspection(reading)

    def require_start(self) -> None:
        """Wait until the child runs and the scene is looked over. Raises what speaks against the bake, and leaves no trace."""
        try:
            self._process.require_start()
            if self._inspection is not None:
                self.status.warnings.extend(self._inspection.warnings())
                self.status.places.extend(places_of(self._inspection.notable()))
                self._inspection = None
        except BaseException:
            self._process.kill()
            self._process.wait(5.0)
            self._clean_up()
            raise

    def poll(self) -> list[Event]:
        """Take in what the child has said since the last call, show the newest frame, notice its end. Never waits."""
        if self._inspection is not None and self._inspection.done:
            self._take_inspection(self._inspection)
        finished = self._process.finished and self._inspection is None
        events = self._process.events()
        for event in events:
            self.status.take(event)
            self._solving = self._solving or event.get("stage") == "solving"
        frames = [event["frame"] for event in events if event["event"] == "frame"]
        if frames and self._show_frames:
            self._show(frames)
        if finished and self.status.running:
            self._end()
            self._show_at_the_end()
        return events

    def cancel(self) -> None:
        """Stop before the next step; before the first one, and when called again, at once. Finished frames are kept."""
        if self.status.stopping or not self._solving:
            self._process.kill()
        else:
            self._process.ask_to_stop()
        self.status.stopping = True
        self.status.stage = "Stopping"

    def stop_now(self) -> None:
        """End the child because the file, the window or Blender closes."""
        self.status.stopping = True
        self._process.stop_now()
        for event in self._process.events():
            self.status.take(event)
        self._end()

    def _take_inspection(self, inspection: Inspection) -> None:
        """Keep what the look over the scene has brought up; the bake ends at what it could not do."""
        self._inspection = None
        self.status.places.extend(places_of(inspection.notable()))
        try:
            self.status.warnings.extend(inspection.warnings())
        except Exception as error:
            self._process.kill()
            self.status.message, self.status.exit_code = sentence(error), exit_code(error)

    def _show(self, frames: list[int]) -> None:
        scene = scene_by_uid(self.scene_uid)
        if scene is None or cache_folder(scene)[0] != self.folder:
            return  # its scene was deleted, or the frames go where the scene does not play from
        try:
            if not self._shown:
                self._make_results(scene)
            elif scene.frame_current in frames:
                play(scene)
        except Exception as error:  # a night of frames must not end because one of them could not be shown
            self.status.warnings.append(f"Frames are baked but could not be shown: {sentence(error)}")
            self._show_frames = False
        self._shown = True

    def _show_at_the_end(self) -> None:
        scene = scene_by_uid(self.scene_uid)
        if scene is None or not self._shown:
            return
        self._shown = next(results_of(scene), None) is not None
        self._show([scene.frame_current])  # what the present frame shows may have been the last one by then

    def _make_results(self, scene: bpy.types.Scene) -> None:
        """Make the result objects; take away those of bodies that this bake knows no more: their frames are gone.

        Objects that come and go outside of Blender's undo steps crash it when the artist undoes, so whoever polls has to
        push a step once `made_results` is set. For the same reason they are not made again while the bake runs after the
        artist has undone this very step: that would be undone for ever.
        """
        gone = {item[RESULT_OF] for item in results_of(scene)} - self._bodies
        if gone:
            clear_results(scene, gone)
        with goo_takes_over(scene) if self._beside_window else nullcontext():  # a script's choice is left alone
            show_results(scene)
        self.made_results = True

    def _end(self) -> None:
        global _running
        status, code = self.status, self._process.returncode
        if not status.running:
            return
        status.running = False
        status.stage, status.eta = "", None
        if code == 0:
            status.exit_code, status.progress = 0, 1.0
            status.message = f"Baked frames {status.first} to {status.last}."
        elif status.stopping and status.exit_code in (0, 7):
            status.exit_code = 7
            kept = f"finished frames are kept up to frame {status.frame}. Resume goes on from there."
            status.message = f"Stopped; {kept}" if status.frame else "Stopped before a frame was finished."
        elif self._process.failure is not None:
            status.message, status.exit_code = sentence(self._process.failure), exit_code(self._process.failure)
        elif not status.message:
            # Linux ends with SIGKILL what takes the last of the memory
            status.exit_code = 6 if code == -9 else 5
            hint = " The memory may be full: lower the resolution." if code == -9 else ""
            status.message = self._process.death_notice() + hint + " Finished frames are kept."
        if code != 0:
            settle_status(self.folder, "cancelled" if status.exit_code == 7 else "failed")
        self._clean_up()
        if _running is self:
            _running = None

    def _clean_up(self) -> None:
        self._process.close()
        shutil.rmtree(self._job, ignore_errors=True)


def start_bake(
    scene: bpy.types.Scene,
    *,
    resume: bool = False,
    frames: tuple[int, int] | None = None,
    threads: int = 0,
    beside_window: bool = False,
    show_frames: bool = True,
) -> BakeSession:
    """Read the scene and start its bake; `show_frames` plays them as they come.

    Raises SolverError or OSError with nothing started and no frame touched. `beside_window`, what takes longer goes on in
    threads, and what that brings up ends the session with its sentence.
    """
    global _running
    if _running is not None:
        raise SceneError("A bake is running already.", remedy="Wait for it or cancel it.")
    reading = read_scene(scene, frames=frames, threads=threads)
    folder, note = cache_folder(scene)
    if scene.dollop.cache_path:  # the default folder is this scene's alone
        require_own_cache(reading, folder)
    reading = replace(reading, notes=(*reading.notes, *([note] if note else [])))
    count = reading.scene.settings.threads or (threads_beside_window() if beside_window else 0)
    arguments = [*(["--resume"] if resume else []), "--threads", str(count)]
    session = BakeSession(scene, reading, folder, arguments, beside_window=beside_window, show_frames=show_frames)
    if not beside_window:
        session.require_start()
    _running = session
    keep_status(session.scene_uid, session.status)
    return session


def run_to_end(
    session: BakeSession,
    on_event: Callable[[Event], None] = lambda event: None,
    stop: Callable[[], bool] = lambda: False,
) -> BakeStatus:
    """Wait for the bake, handing on its events; `stop` is asked all the time and cancels it."""
    try:
        while session.status.running:
            for event in session.poll():
                on_event(event)
            if stop() and not session.status.stopping:
                session.cancel()
            time.sleep(_POLL_INTERVAL)
    except BaseException:
        session.stop_now()
        raise
    return session.status


def require_own_cache(reading: SceneReading, folder: Path) -> None:
    """Refuse to overwrite frames that share no body with the scene; raise CacheError naming the folder."""
    try:
        store = FrameStore.open(folder)
    except (CacheError, VersionError):
        return  # nothing there that could be lost; the bake itself judges a damaged one
    if all(store.body(body.uid) is None for body in reading.scene.bodies):
        raise CacheError(
            "This folder holds the bake of other bodies.", place=str(folder), remedy="Clear it, or choose another cache folder."
        )


def running_session() -> BakeSession | None:
    """Return the bake that is running, if any."""
    return _running


def keep_failure(scene: bpy.types.Scene, sentence: str, exit_code: int, places: list[BadPlace]) -> None:
    """Keep the sentence of a check, or of a bake that could not start, for the panel, and the places that it names."""
    keep_status(scene.dollop.uid, BakeStatus(message=sentence, exit_code=exit_code, places=places))


def stop_running() -> None:
    """Stop whatever bake is running because its file goes away."""
    if _running is not None:
        _running.stop_now()


def scene_by_uid(uid: str) -> bpy.types.Scene | None:
    """Return the scene of that identifier in the open file."""
    return next((scene for scene in bpy.data.scenes if scene.dollop.uid == uid), None)

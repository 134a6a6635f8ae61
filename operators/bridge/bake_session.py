"""One bake from the first look at the scene to its last frame; the window, scripts and the command line all run this."""

import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bpy

from ...solver.cache import FrameStore
from ...solver.errors import CacheError, SceneError, VersionError
from ...solver.job import write_job
from .bad_places import BadPlace, places_of
from .bake_ending import say_the_end
from .bake_status import BakeStatus, keep_status
from .baked_settings import origin_of
from .checking import Inspection
from .folders import cache_folder
from .identity import complete_all, ensure_uid
from .interrupted_bake import settle_status
from .live_results import LiveResults, scene_by_uid
from .priority import threads_beside_window
from .read_scene import SceneReading, reading_steps
from .report import exit_code, sentence
from .solver_process import Event, SolverProcess
from .steps import SLICE, Sliced
from .unsaved_cache import settle_cache
from .version import baking_versions

_running: "BakeSession | None" = None

_POLL_INTERVAL = 0.05  # seconds


@dataclass(frozen=True)
class BakeOptions:
    """How a bake is asked for; `start_bake` says what each means."""

    resume: bool = False
    frames: tuple[int, int] | None = None
    threads: int = 0
    beside_window: bool = False
    show_frames: bool = True


class BakeSession:
    """A running bake: first the scene is read, in slices, then a child solves.

    It keeps identifiers, never Blender's own objects, so that undo and renaming cannot hurt it; only while it reads it does,
    and then nothing else may change the scene.
    """

    def __init__(self, scene: bpy.types.Scene, options: BakeOptions) -> None:
        complete_all()  # first: a copied scene still carries the identifier of the one it was copied from
        self.scene_uid = ensure_uid(scene)
        self.status = BakeStatus(running=True, stage="Reading the scene")
        self.results: LiveResults | None = None
        self._options = options
        self._solving = False
        self._job: Path | None = None
        self._process: SolverProcess | None = None
        self._inspection: Inspection | None = None
        self._reading: Sliced[SceneReading] | None = Sliced(
            reading_steps(scene, frames=options.frames, threads=options.threads)
        )

    @property
    def reading(self) -> bool:
        """True while the scene is being read and stands at other frames."""
        return self._reading is not None

    def begin(self) -> None:
        """Take the first step of reading the scene, or, where no window waits, all of them, and see the child run.

        Raises what speaks against the bake, and leaves no trace.
        """
        try:
            self._read_on(0.0 if self._options.beside_window else float("inf"))
            if not self._options.beside_window:
                self._require_start()
        except BaseException:
            self._abandon()
            raise

    def _read_on(self, seconds: float) -> None:
        assert self._reading is not None
        if not self._reading.go_on(seconds):
            self.status.stage = self._reading.doing
            return
        reading, self._reading = self._reading.result, None
        self._launch(reading)

    def _launch(self, reading: SceneReading) -> None:
        """Start the child on what was read, and look that over meanwhile."""
        scene, options = scene_by_uid(self.scene_uid), self._options
        if scene is None:
            raise SceneError("The scene was removed while it was read.", remedy="Bake again.")
        self.folder, self.status.cache_note = cache_folder(scene)
        if scene.dollop.cache_path:  # the default folder is this scene's alone
            require_own_cache(reading, self.folder, self.scene_uid)
        settings, status = reading.scene.settings, self.status
        status.stage, status.first, status.last = "Starting", settings.frame_start, settings.frame_end
        self.results = LiveResults(
            self.scene_uid,
            self.folder,
            {body.uid for body in reading.scene.bodies},
            status,
            beside_window=options.beside_window,
            show=options.show_frames,
        )
        threads = settings.threads or (threads_beside_window() if options.beside_window else 0)
        origin = origin_of(scene, baking_versions(), reading.settings)
        self._job = job = Path(tempfile.mkdtemp(prefix="dollop_job_"))
        self._process = SolverProcess(
            ["bake", str(job), str(self.folder), *(["--resume"] if options.resume else []), "--threads", str(threads)],
            before=lambda: write_job(reading.scene, job, reading.topologies, origin),
            beside_window=options.beside_window,
        )
        # Meanwhile the child loads what it needs; it writes nothing before it has filled the bodies with tets
        self.status.warnings.extend(reading.notes)
        self._inspection = Inspection(reading)

    def _require_start(self) -> None:
        """Wait until the child runs and the scene is looked over."""
        assert self._process is not None and self._inspection is not None
        self._process.require_start()
        self.status.warnings.extend(self._inspection.warnings())
        self.status.places.extend(places_of(self._inspection.notable()))
        self._inspection = None

    def poll(self) -> list[Event]:
        """Read on, or take in what the child has said since the last call, show the newest frame, notice its end."""
        if self._reading is not None:
            self._read_or_fail()
        if self._process is None:
            return []
        if self._inspection is not None and self._inspection.done:
            self._take_inspection(self._inspection)
        finished = self._process.finished and self._inspection is None
        events = self._process.events()
        for event in events:
            self.status.take(event)
            self._solving = self._solving or event.get("stage") == "solving"
        frames = [event["frame"] for event in events if event["event"] == "frame"]
        if frames and self.results is not None:
            self.results.show(frames)
        if finished and self.status.running:
            self._end()
            if self.results is not None:
                self.results.show_at_the_end()
            if (scene := scene_by_uid(self.scene_uid)) is not None:
                settle_cache(scene)  # the file may have been saved meanwhile
        return events

    def cancel(self) -> None:
        """Stop before the next step; before the first one, and when called again, at once. Finished frames are kept."""
        repeated, self.status.stopping, self.status.stage = self.status.stopping, True, "Stopping"
        if self._process is None:
            self._end()
        elif repeated or not self._solving:
            self._process.kill()
        else:
            self._process.ask_to_stop()

    def stop_now(self) -> None:
        """End the child because the file, the window or Blender closes."""
        self.status.stopping = True
        if self._process is not None:
            self._process.stop_now()
            for event in self._process.events():
                self.status.take(event)
        self._end()

    def _read_or_fail(self) -> None:
        try:
            self._read_on(SLICE)
        except ReferenceError:
            self._fail(SceneError("The scene was changed while it was read.", remedy="Bake again."))
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """End with what keeps the child from being started."""
        self.status.message, self.status.exit_code = sentence(error), exit_code(error)
        self.status.places.extend(places_of([error]))
        self._end()

    def _take_inspection(self, inspection: Inspection) -> None:
        """Keep what the look over the scene has brought up; the bake ends at what it could not do."""
        assert self._process is not None
        self._inspection = None
        self.status.places.extend(places_of(inspection.notable()))
        try:
            self.status.warnings.extend(inspection.warnings())
        except Exception as error:
            self._process.kill()
            self.status.message, self.status.exit_code = sentence(error), exit_code(error)

    def _end(self) -> None:
        global _running
        if not self.status.running:
            return
        say_the_end(self.status, self._process)
        if self._process is not None and self.status.exit_code:
            settle_status(self.folder, "cancelled" if self.status.exit_code == 7 else "failed")
        self._clean_up()
        if _running is self:
            _running = None

    def _abandon(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(5.0)
        self._clean_up()

    def _clean_up(self) -> None:
        if self._reading is not None:
            self._reading.close()
            self._reading = None
        if self._process is not None:
            self._process.close()
        if self._job is not None:
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

    Raises SolverError or OSError with nothing started and no frame touched. `beside_window`, only what is quick is done at
    once: reading goes on with each poll, other work in threads, and what that brings up ends the session with its sentence.
    """
    global _running
    if _running is not None:
        raise SceneError("A bake is running already.", remedy="Wait for it or cancel it.")
    session = BakeSession(scene, BakeOptions(resume, frames, threads, beside_window, show_frames))
    session.begin()
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


def require_own_cache(reading: SceneReading, folder: Path, scene_uid: str) -> None:
    """Refuse to overwrite another scene's frames that share no body with this one; raise CacheError naming the folder."""
    try:
        store = FrameStore.open(folder)
    except (CacheError, VersionError):
        return  # nothing there that could be lost; the bake itself judges a damaged one
    if (store.manifest.get("scene") or {}).get("uid") == scene_uid:
        return  # its own, whatever has become of the bodies that they show
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

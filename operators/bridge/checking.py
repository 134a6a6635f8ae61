"""Everything that can be told about a scene before it is baked, as findings an artist can act on."""

import threading

import bpy

from ...solver.errors import SceneError
from ...solver.preflight import Finding, preflight
from .read_scene import SceneReading, reading_steps
from .steps import SLICE, Sliced


def check_scene(scene: bpy.types.Scene) -> list[Finding]:
    """Return what speaks against a bake (errors), what may surprise (warnings) and what is good to know."""
    check = SceneCheck(scene)
    check.finish()
    return check.findings


class SceneCheck:
    """The look of `check_scene`, a slice at a time: first the scene is read, then inspected in a thread.

    doing : what goes on, for the artist; findings : what `check_scene` returns, once `go_on` has said that it is done
    """

    findings: list[Finding]

    def __init__(self, scene: bpy.types.Scene) -> None:
        self._sliced = Sliced(reading_steps(scene, strict=False))
        self._inspection: Inspection | None = None
        self.doing = "Reading the scene"

    @property
    def reading(self) -> bool:
        """True while the scene is being read and stands at other frames."""
        return self._inspection is None

    def go_on(self, seconds: float = SLICE) -> bool:
        """Read on for so long, or look whether the inspection is over; True at the end."""
        if self._inspection is None:
            return self._read_on(seconds)
        if not self._inspection.done:
            return False
        self._conclude(self._sliced.result, self._inspection.findings())
        return True

    def finish(self) -> None:
        """Read all that is left, and wait for the inspection."""
        while not self.go_on(float("inf")):
            if self._inspection is not None:
                self._inspection.wait()

    def close(self) -> None:
        """Read no more and put the scene back; what an inspection still finds is lost."""
        self._sliced.close()

    def _read_on(self, seconds: float) -> bool:
        try:
            if self._sliced.go_on(seconds):
                self._inspection, self.doing = Inspection(self._sliced.result), "Checking the scene"
            else:
                self.doing = self._sliced.doing
        except SceneError as error:
            self.findings = [_finding(error)]
            return True
        return False

    def _conclude(self, reading: SceneReading, found: list[Finding]) -> None:
        unread = [_finding(error) for error in reading.problems]
        # The bodies that could not be read are named already; that nothing is left to bake is no news then
        found = [item for item in found if not (unread and item.code == "nothing")]
        notes = [Finding("warning", "", "", note, "", "note") for note in reading.notes]
        self.findings = [*unread, *found, *notes]


class Inspection:
    """The look over a scene that has been read, in a thread: a dense mesh takes it seconds. It does not touch bpy."""

    def __init__(self, reading: SceneReading) -> None:
        self._scene = reading.scene
        self._findings: list[Finding] = []
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def findings(self) -> list[Finding]:
        """Wait for the end and return all that was found; raise what has stopped the look."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        return self._findings

    def warnings(self) -> list[str]:
        """Wait for the end and return what may surprise, a sentence each; raise SceneError at what would fail."""
        for item in self.findings():
            if item.severity == "error":
                raise SceneError(item.message, body=item.object_name, place=item.place, remedy=item.remedy)
        return [sentence_of(item) for item in self._findings if item.severity == "warning"]

    def notable(self) -> list[Finding]:
        """Wait for the end and return the errors and warnings."""
        self._thread.join()
        return [item for item in self._findings if item.severity != "info"]

    def _look(self) -> None:
        try:
            self._findings = preflight(self._scene)
        except Exception as error:
            self._failure = error


def sentence_of(finding: Finding) -> str:
    """Return a finding as one sentence for the artist."""
    return str(SceneError(finding.message, body=finding.object_name, place=finding.place, remedy=finding.remedy))


def _finding(error: SceneError) -> Finding:
    return Finding("error", error.body, error.place, error.message, error.remedy, "unreadable")

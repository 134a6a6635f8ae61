"""Everything that can be told about a scene before it is baked, as findings an artist can act on."""

import threading

import bpy

from ...solver.errors import SceneError
from ...solver.preflight import Finding, preflight
from .read_scene import SceneReading, read_scene


def check_scene(scene: bpy.types.Scene) -> list[Finding]:
    """Return what speaks against a bake (errors), what may surprise (warnings) and what is good to know."""
    try:
        reading = read_scene(scene, strict=False)
    except SceneError as error:
        return [_finding(error)]
    unread = [_finding(error) for error in reading.problems]
    # The bodies that could not be read are named already; that nothing is left to bake is no news then
    found = [item for item in preflight(reading.scene) if not (unread and item.code == "nothing")]
    return [*unread, *found]


class Inspection:
    """The look over a scene that is about to be baked, in a thread: a dense mesh takes it seconds. It does not touch bpy."""

    def __init__(self, reading: SceneReading) -> None:
        self._scene = reading.scene
        self._findings: list[Finding] = []
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def warnings(self) -> list[str]:
        """Wait for the end and return what may surprise, a sentence each; raise SceneError at what would fail."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        for item in self._findings:
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

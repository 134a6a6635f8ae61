"""Everything that can be told about a scene before it is baked, as findings an artist can act on."""

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
    notes = [Finding("warning", "", "", note, "", "note") for note in reading.notes]
    return [*unread, *found, *notes]


def warnings_of(reading: SceneReading) -> list[str]:
    """Return what may surprise about a scene that is about to be baked, a sentence each; raise SceneError at an error."""
    sentences = []
    for item in preflight(reading.scene):
        if item.severity == "error":
            raise SceneError(item.message, body=item.object_name, place=item.place, remedy=item.remedy)
        if item.severity == "warning":
            sentences.append(sentence_of(item))
    return sentences


def sentence_of(finding: Finding) -> str:
    """Return a finding as one sentence for the artist."""
    return str(SceneError(finding.message, body=finding.object_name, place=finding.place, remedy=finding.remedy))


def _finding(error: SceneError) -> Finding:
    return Finding("error", error.body, error.place, error.message, error.remedy, "unreadable")

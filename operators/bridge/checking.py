"""Everything that can be told about a scene before it is baked, as findings an artist can act on."""

import bpy

from ...solver.errors import SolverError
from ...solver.preflight import Finding, preflight
from .read_scene import read_scene


def check_scene(scene: bpy.types.Scene) -> list[Finding]:
    """Return what speaks against a bake (errors), what may surprise (warnings) and what is good to know."""
    try:
        reading = read_scene(scene)
    except SolverError as error:
        return [Finding("error", error.body, error.place, error.message, error.remedy, type(error).__name__)]
    notes = [Finding("warning", "", "", note, "", "note") for note in reading.notes]
    return [*preflight(reading.scene), *notes]

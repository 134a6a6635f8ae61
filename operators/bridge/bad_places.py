"""Where a finding or an error lies: kept as it was said, looked up in the scene when the artist wants to see it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError, SolverError
from ...solver.preflight import Finding
from .evaluation import made_visible
from .read_body import read_surface
from .result_mesh import result_for
from .units import metres_per_unit

# The two ways in which the solver names a place: a point in metres, and an element of the evaluated, triangulated surface
_NUMBER = r"(-?[\d.]+(?:e[-+]?\d+)?)"
_POINT = re.compile(rf"\({_NUMBER}, {_NUMBER}, {_NUMBER}\)")
_ELEMENT = re.compile(r"^(vertex|face) (\d+)$")


@dataclass(frozen=True)
class BadPlace:
    """object_name: the artist's name; where: the place in the solver's words."""

    object_name: str
    where: str

    def __str__(self) -> str:
        return f"'{self.object_name}', {self.where}"


def places_of(causes: Iterable[Finding | BaseException]) -> list[BadPlace]:
    """Return the places, each once, that can be shown."""
    found = []
    for cause in causes:
        if isinstance(cause, Finding):
            found.append(BadPlace(cause.object_name, cause.place))
        elif isinstance(cause, SolverError):
            found.append(BadPlace(cause.body, cause.place))
    return list(dict.fromkeys(place for place in found if can_be_shown(place)))


def can_be_shown(place: BadPlace) -> bool:
    """Tell whether the place is one in the scene, and not a file or nothing."""
    return bool(place.object_name and (_POINT.search(place.where) or _ELEMENT.match(place.where)))


def look_up(place: BadPlace, scene: bpy.types.Scene) -> tuple[bpy.types.Object, NDArray[np.float64]]:
    """Return the object to look at and the point (3,) in Blender units; what is hidden by its goo gives the goo.

    Raises SceneError when the object or the element is not there any more.
    """
    item = scene.objects.get(place.object_name)
    if item is None:
        raise SceneError("It is not in this scene any more.", body=place.object_name, remedy="Check the scene again.")
    point = _POINT.search(place.where)
    if point:
        position = np.array([float(number) for number in point.groups()])
    else:
        position = _element(place, item, scene)
    shown = result_for(scene, item.dollop.uid) if item.dollop.uid and not item.visible_get() else None
    return shown or item, position / metres_per_unit(scene)


def _element(place: BadPlace, item: bpy.types.Object, scene: bpy.types.Scene) -> NDArray[np.float64]:
    match = _ELEMENT.match(place.where)
    assert match
    with made_visible(scene, (item,)):
        surface = read_surface(item, scene)
    kind, number = match[1], int(match[2])
    if number >= len(surface.positions if kind == "vertex" else surface.triangles):
        raise SceneError(f"There is no {place.where} any more.", body=place.object_name, remedy="Check the scene again.")
    corners = surface.positions[[number] if kind == "vertex" else surface.triangles[number]]
    finite = corners[np.isfinite(corners).all(axis=1)]
    # A vertex that is nowhere: its object is as near as one can get
    return finite.mean(axis=0) if len(finite) else np.array(item.matrix_world.translation) * metres_per_unit(scene)

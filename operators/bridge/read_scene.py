"""The Blender scene → solver.Scene: the only reader. Everything comes out in world space and SI units."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import bpy

from ...solver.cache import SurfaceTopology
from ...solver.errors import SceneError
from ...solver.scene import Body, Collider, Scene, validated
from .baked_settings import settings_of
from .evaluation import frame_kept, made_visible
from .identity import bodies_of, colliders_of, complete_all
from .mesh_topology import topology_steps, with_inner_slot
from .playback_pause import playback_paused
from .read_body import read_body
from .read_collider import painted_steps, read_collider
from .read_fibres import read_fibre_weights
from .read_force_fields import field_notes, field_weights, fields_of
from .read_goal import goal_objects
from .read_paint import read_paint
from .read_pins import pull_objects, read_pins
from .read_settings import read_settings
from .samples import Samples, sampling_steps
from .steps import Result, Steps, finished


@dataclass(frozen=True)
class SceneReading:
    """The solver's scene, the polygons of each body by identifier, and notes: sentences on what was left out.

    settings : what the artist has set, at the first frame (baked_settings.settings_of)
    problems : the objects that could not be read, where the reader was told to go on without them
    """

    scene: Scene
    topologies: dict[str, SurfaceTopology] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: tuple[SceneError, ...] = ()
    notes: tuple[str, ...] = ()


def read_scene(
    scene: bpy.types.Scene, *, frames: tuple[int, int] | None = None, threads: int = 0, strict: bool = True
) -> SceneReading:
    """Read every body and collider of the scene; SceneError names the object, the place and the remedy.

    `frames` replaces the scene's range. The current frame, and what is hidden, are put back afterwards. Not `strict`,
    objects that cannot be read are listed instead and the solver's scene is not validated: for a look at all that is wrong.
    """
    return finished(reading_steps(scene, frames=frames, threads=threads, strict=strict))


def reading_steps(
    scene: bpy.types.Scene, *, frames: tuple[int, int] | None = None, threads: int = 0, strict: bool = True
) -> Steps[SceneReading]:
    """Like `read_scene`, in steps: a frame at a time where something moves, then an object at a time.

    Until they end or are closed the scene stands at other frames, so the artist is not to change anything between.
    """
    complete_all()
    bodies, colliders = bodies_of(scene), colliders_of(scene)
    settings = read_settings(scene, frames=frames, threads=threads)
    problems: list[SceneError] = []
    shown = (*bodies, *colliders, *goal_objects(bodies), *pull_objects(bodies), *fields_of(scene))
    with playback_paused(), frame_kept(scene), made_visible(scene, shown):
        samples = yield from sampling_steps(scene, bodies, colliders, settings)
        settings = replace(read_settings(scene, frames=frames, threads=threads), gravity_keys=samples.gravity)
        own_settings = settings_of(scene)
        read = yield from _read_each(
            bodies, lambda item: _body_steps(item, scene, samples), problems
        )
        obstacles = yield from _read_each(
            colliders, lambda item: _collider_steps(item, scene, samples), problems
        )
    if strict and problems:
        raise problems[0]
    acting = {uid for body, _ in read for uid in body.field_weights}
    fields = tuple(one for one in samples.fields if one.uid in acting)
    seen = Scene(tuple(body for body, _ in read), tuple(obstacles), settings, fields)
    topologies = {body.uid: topology for body, topology in read}
    yield "Checking the scene"
    seen = validated(seen) if strict else seen
    return SceneReading(seen, topologies, own_settings, tuple(problems), field_notes(scene) if bodies else ())


def _body_steps(
    item: bpy.types.Object, scene: bpy.types.Scene, samples: Samples
) -> Steps[tuple[Body, SurfaceTopology]]:
    keys = samples.settings.get(item.name_full, {})
    body = read_body(item, scene, keys)
    yield f"Reading '{item.name}'"
    topology = with_inner_slot((yield from topology_steps(item, scene)), item)
    groups, count = topology.vertex_groups, topology.vertex_count
    pins = read_pins(item, groups, count, samples.shapes[item.name_full], keys)
    painted = read_paint(item, scene, groups, count)
    weights = read_fibre_weights(item, groups, count)
    fibres = body.fibres if weights is None else weights
    felt = field_weights(item, fields_of(scene))
    return replace(body, pins=pins, painted=painted, fibres=fibres, field_weights=felt), topology


def _collider_steps(item: bpy.types.Object, scene: bpy.types.Scene, samples: Samples) -> Steps[Collider]:
    name = item.name_full
    collider = read_collider(item, scene, samples.colliders[name], samples.settings.get(name, {}))
    yield f"Reading '{item.name}'"
    count = 0 if collider.surface is None else len(collider.surface.positions)
    return replace(collider, painted=(yield from painted_steps(item, scene, count)))


def _read_each(
    items: list[bpy.types.Object], reader: Callable[[bpy.types.Object], Steps[Result]], problems: list[SceneError]
) -> Steps[list[Result]]:
    """Return what the reader makes of each object; those that it refuses go to `problems`."""
    results = []
    for item in items:
        try:
            results.append((yield from reader(item)))
        except SceneError as error:
            problems.append(error)
    return results

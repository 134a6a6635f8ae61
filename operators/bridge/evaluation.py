"""The scene at one frame as Blender evaluates it, and put back as it was afterwards."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from ...solver.scene import Surface

# What Object > Convert makes a mesh of
_CONVERTIBLE = {"CURVE", "SURFACE", "FONT", "META", "CURVES", "POINTCLOUD", "GREASEPENCIL", "GPENCIL"}


def view_layer_of(scene: bpy.types.Scene) -> bpy.types.ViewLayer:
    """Return the view layer the artist looks at, or the scene's first one."""
    layer = bpy.context.view_layer
    return layer if layer is not None and layer.id_data == scene else scene.view_layers[0]


@contextmanager
def frame_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Come back to the present frame, whatever happens between.

    Time stretching is off in between: frames are baked in the time of the keys, and playback does the stretching.
    """
    frame, subframe = scene.frame_current, scene.frame_subframe
    render = scene.render
    stretching = render.frame_map_old, render.frame_map_new
    try:
        render.frame_map_old = render.frame_map_new = 100
        yield
    finally:
        render.frame_map_old, render.frame_map_new = stretching
        scene.frame_set(frame, subframe=subframe)


@contextmanager
def made_visible(scene: bpy.types.Scene, objects: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Let Blender evaluate hidden objects too: it computes no modifiers for what nobody sees.

    A body is hidden while its baked result plays, so this is the usual case. Objects that are switched off by their
    collections are shown through a collection of their own for the moment.
    """
    layer = view_layer_of(scene)
    hidden = [item for item in objects if not item.visible_get(view_layer=layer)]
    if not hidden:
        yield
        return
    shelf = bpy.data.collections.new("Dollop Reading")
    scene.collection.children.link(shelf)
    switches = []
    try:
        for item in hidden:
            shelf.objects.link(item)
            switches.append((item, item.hide_viewport, item.hide_get(view_layer=layer)))
            item.hide_viewport = False
            item.hide_set(False, view_layer=layer)
        layer.update()
        yield
    finally:
        for item, disabled, eye_closed in switches:
            item.hide_set(eye_closed, view_layer=layer)
            item.hide_viewport = disabled
        bpy.data.collections.remove(shelf)
        layer.update()


def kind_in_words(item: bpy.types.Object) -> str:
    """Return what an object is in the words of Blender's own menus: "a text object", "an empty object"."""
    word = item.bl_rna.properties["type"].enum_items[item.type].name.lower()
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word} object"


def not_a_mesh(item: bpy.types.Object) -> SceneError:
    """Return the error for an object that has to be a mesh."""
    if item.type == "EMPTY" and item.instance_collection is not None:
        message = f"It is an instance of the collection '{item.instance_collection.name}', not a mesh."
        return SceneError(message, body=item.name, remedy="Use Object > Apply > Make Instances Real.")
    remedy = "Use Object > Convert > Mesh." if item.type in _CONVERTIBLE else "Choose a mesh."
    return SceneError(f"It is {kind_in_words(item)}, not a mesh.", body=item.name, remedy=remedy)


@contextmanager
def evaluated_mesh(item: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[bpy.types.Mesh]:
    """Lend the object's mesh with its modifiers, in the object's own space."""
    if item.mode == "EDIT":
        item.update_from_editmode()
    evaluated = item.evaluated_get(view_layer_of(scene).depsgraph)
    try:
        mesh = evaluated.to_mesh()
    except RuntimeError:
        mesh = None
    if mesh is None:
        raise not_a_mesh(item)
    try:
        yield mesh
    finally:
        evaluated.to_mesh_clear()


def world_matrix(item: bpy.types.Object, scene: bpy.types.Scene) -> NDArray[np.float64]:
    """Return the object's evaluated (4, 4) local-to-world matrix, lengths in Blender units; SceneError if it is not finite."""
    matrix = np.array(item.evaluated_get(view_layer_of(scene).depsgraph).matrix_world, dtype=np.float64)
    if not np.isfinite(matrix).all():
        raise SceneError(
            "Its location, rotation or scale is not a finite number.",
            body=item.name,
            remedy="Set them anew in the sidebar's Item tab, or check its keys, drivers and parents.",
        )
    return matrix


def mesh_surface(mesh: bpy.types.Mesh, matrix: NDArray[np.float64], metres: float) -> Surface:
    """Return a mesh's triangles with `matrix` applied, in metres; a mirroring matrix turns them right side out."""
    local = attribute_values(mesh, "position", "vector", 3, np.float32)
    mesh.calc_loop_triangles()
    corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("loops", corners)
    triangles = attribute_values(mesh, ".corner_vert", "value", 1, np.int32)[corners].reshape(-1, 3)
    with np.errstate(invalid="ignore"):  # solver.scene.validated names what is not finite
        positions = (local.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]) * metres
    if np.linalg.det(matrix[:3, :3]) < 0:
        triangles = triangles[:, ::-1]
    return Surface(np.ascontiguousarray(positions), np.ascontiguousarray(triangles))


def attribute_values(mesh: bpy.types.Mesh, name: str, member: str, width: int, dtype: Any) -> NDArray[Any]:
    """Return a mesh attribute (n,) or (n, width), empty when an empty mesh lacks it.

    Blender copies an attribute as a whole; through `vertices`, `edges` or `loops` it calls a getter for each element, which
    took fifty times longer.
    """
    layer = mesh.attributes.get(name)
    values = np.empty((len(layer.data) if layer is not None else 0) * width, dtype)
    if values.size:
        layer.data.foreach_get(member, values)
    return values.reshape(-1, width) if width > 1 else values

"""The object that a bake plays on: "<name> Goo", with its own mesh, beside its hidden source.

A result finds its source by the identifier in `RESULT_OF`; the source remembers in `HIDDEN` how it was shown. Names
never matter, so both may be renamed.
"""

from collections.abc import Iterator

import bpy
import numpy as np

from ...solver.cache import FrameStore, Sample
from ...solver.frame import BodyFrame
from .identity import find_by_uid
from .mesh_topology import fill_mesh, read_topology, set_point_attribute, set_positions
from .units import metres_per_unit
from .vertex_groups import fill_vertex_groups

RESULT_OF = "dollop_result_of"
HIDDEN = "dollop_hidden"
_PLACED = "dollop_placed"  # on the result: for which bake, at which unit scale, it was put at the origin of the positions
_FILLED = "dollop_topology"  # on the mesh: which bake's topology record it holds now

__all__ = [
    "RESULT_OF",
    "clear_results",
    "empty_result",
    "ensure_result",
    "fill_result",
    "forget_topology",
    "read_topology",
    "results_of",
    "scenes_shown",
]


def results_of(scene: bpy.types.Scene) -> Iterator[bpy.types.Object]:
    """Yield the scene's result objects."""
    return (item for item in scene.objects if RESULT_OF in item and item.type == "MESH")


def scenes_shown(scene: bpy.types.Scene) -> Iterator[bpy.types.Scene]:
    """Yield the scene and the background sets that are seen with it."""
    seen: set[int] = set()
    present: bpy.types.Scene | None = scene
    while present is not None and present.session_uid not in seen:
        seen.add(present.session_uid)
        yield present
        present = present.background_set


def result_for(scene: bpy.types.Scene, uid: str) -> bpy.types.Object | None:
    """Return the result object of a body, None if there is none."""
    return next((item for item in scene.objects if item.get(RESULT_OF) == uid and item.type == "MESH"), None)


def ensure_result(scene: bpy.types.Scene, store: FrameStore, uid: str) -> bpy.types.Object:
    """Return the body's result object, made if needed in its source's collections, and hide the source.

    Raises CacheError when the cache does not know the body.
    """
    source = find_by_uid(scene, uid)
    item = result_for(scene, uid)
    if item is None:
        item = _make_result(scene, store, uid, source)
    if source is not None:
        _hide(source)
    scene.render.use_lock_interface = True  # the window must not read the mesh while a render refills it
    return item


def place_result(item: bpy.types.Object, frame: BodyFrame, store: FrameStore, scene: bpy.types.Scene) -> None:
    """Move the object to the bake's origin; positions are relative to it, so that float32 is exact far away.

    Once a bake: afterwards the artist may move it about.
    """
    place = f"{store.manifest['bake']} {metres_per_unit(scene)}"
    if item.get(_PLACED) != place:
        item.matrix_basis.identity()
        item.location = frame.origin / metres_per_unit(scene)
        item[_PLACED] = place


def fill_result(item: bpy.types.Object, sample: Sample, store: FrameStore, scene: bpy.types.Scene) -> None:
    """Show one sample: move the vertices, or refill the mesh first when the topology is another one.

    Point attributes: "velocity" in Blender units a second, as Cycles' motion blur reads it; "plastic_strain"; "stress" in Pa.
    Raises CacheError when the topology record is missing, damaged or does not fit.
    """
    mesh, frame = item.data, sample.body
    scale = np.float32(1.0 / metres_per_unit(scene))
    positions = frame.positions if scale == 1.0 else frame.positions * scale
    wanted = f"{store.manifest['bake']} {frame.uid} {frame.topology}"
    if mesh.get(_FILLED) != wanted or len(mesh.vertices) != len(positions):
        topology = store.read_topology(frame.uid, frame.topology)
        for name in topology.materials[len(mesh.materials) :]:
            mesh.materials.append(bpy.data.materials.get(name))
        fill_mesh(mesh, topology, positions)
        fill_vertex_groups(item, topology.vertex_groups)
        mesh[_FILLED] = wanted
    else:
        set_positions(mesh, positions)
    for name, values in frame.attributes.items():
        set_point_attribute(mesh, name, values * scale if name == "velocity" else values)
    mesh.update()


def forget_topology(item: bpy.types.Object) -> None:
    """Let the next frame that is shown fill the mesh from its record anew, whatever has become of it."""
    if _FILLED in item.data:
        del item.data[_FILLED]


def empty_result(item: bpy.types.Object) -> None:
    """Show nothing: a frame that is not there must not look like one that is."""
    item.data.clear_geometry()
    forget_topology(item)
    item.data.update()


def clear_results(scene: bpy.types.Scene, uids: set[str] | None = None) -> int:
    """Remove the scene's result objects (of these bodies) and show their sources as before; return how many there were."""
    doomed = [item for item in scene.objects if RESULT_OF in item and (uids is None or item[RESULT_OF] in uids)]
    for item in doomed:
        data = item.data
        bpy.data.objects.remove(item)
        if data is not None and not data.users:
            bpy.data.batch_remove([data])
    for source in scene.objects:
        if HIDDEN in source and (uids is None or source.dollop.uid in uids):
            show_source(source)
    return len(doomed)


def show_source(source: bpy.types.Object) -> None:
    """Show a source as it was before its result hid it; harmless when none did."""
    if HIDDEN in source:
        source.hide_viewport, source.hide_render = (bool(value) for value in source[HIDDEN])
        del source[HIDDEN]


def _hide(source: bpy.types.Object) -> None:
    if HIDDEN not in source:
        source[HIDDEN] = [int(source.hide_viewport), int(source.hide_render)]
    source.hide_viewport = source.hide_render = True


def _make_result(scene: bpy.types.Scene, store: FrameStore, uid: str, source: bpy.types.Object | None) -> bpy.types.Object:
    topology = store.read_topology(uid, 0)
    name = source.name if source is not None else str((store.body(uid) or {}).get("name", "Body"))
    mesh = bpy.data.meshes.new(f"{name} Goo")
    item = bpy.data.objects.new(f"{name} Goo", mesh)
    item[RESULT_OF] = uid
    for slot, material in enumerate(topology.materials):
        own = source.material_slots[slot].material if source is not None and slot < len(source.material_slots) else None
        mesh.materials.append(own or bpy.data.materials.get(material))
    _add_motion_blur(item)
    inside = set(scene.collection.children_recursive) | {scene.collection}
    homes = [home for home in source.users_collection if home in inside] if source is not None else []
    for home in homes or [scene.collection]:
        home.objects.link(item)
    return item


def _add_motion_blur(item: bpy.types.Object) -> None:
    """Let EEVEE blur the motion: it only looks at meshes that some active modifier deforms.

    The factor is too small to move a vertex, but not 0, which Blender takes for switched off. Cycles needs only the
    velocities, and the viewport nothing.
    """
    modifier = item.modifiers.new("Goo Motion Blur", "SMOOTH")
    modifier.factor = 1e-30
    modifier.iterations = 1
    modifier.show_viewport, modifier.show_render = False, True

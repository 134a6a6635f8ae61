"""A Blender mesh ⇄ SurfaceTopology: all that lies on the polygons, by foreach_get and foreach_set."""

from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.cache import NamedArray, SurfaceTopology
from ...solver.cache.topology import mirrored
from ...solver.errors import CacheError
from .animation import keyed_settings
from .evaluation import attribute_values, evaluated_mesh, world_matrix
from .steps import Steps, finished
from .units import metres_per_unit
from .vertex_groups import group_steps

# Blender's attribute types: the property that foreach_get and foreach_set use, numbers per element, number type
_LAYOUT: dict[str, tuple[str, int, Any]] = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "BOOLEAN": ("value", 1, np.bool_),
    "INT8": ("value", 1, np.int8),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color_srgb", 4, np.float32),  # the stored bytes; "color" would round them to linear and back
    "INT16_2D": ("value", 2, np.int16),
    "INT32_2D": ("value", 2, np.int32),
    "QUATERNION": ("value", 4, np.float32),
    "FLOAT4X4": ("value", 16, np.float32),
}
_ELSEWHERE = {"position", "material_index", "sharp_face", "custom_normal"}


def read_topology(item: bpy.types.Object, scene: bpy.types.Scene) -> SurfaceTopology:
    """Return the object's evaluated mesh as a topology record, turned right side out as its transform needs.

    The object has to be visible, or Blender evaluates no modifiers (evaluation.made_visible). Text attributes are left
    out: Blender gives no bulk access to them. SceneError when it is not a mesh.
    """
    return finished(topology_steps(item, scene))


def topology_steps(item: bpy.types.Object, scene: bpy.types.Scene) -> Steps[SurfaceTopology]:
    """Like `read_topology`, in steps."""
    matrix = world_matrix(item, scene)
    with evaluated_mesh(item, scene) as mesh:
        topology = mesh_topology(mesh)
        if mesh.has_custom_normals:
            positions = (
                attribute_values(mesh, "position", "vector", 3, np.float32).astype(np.float64)
                @ matrix[:3, :3].T
                * metres_per_unit(scene)
            )
            normals = _get(mesh.corner_normals, "vector", 3, np.float32) @ np.linalg.inv(matrix[:3, :3])
            normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
            topology = replace(
                topology,
                corner_normals=np.ascontiguousarray(normals, np.float32),
                rest_positions=np.ascontiguousarray(positions - positions.mean(axis=0), np.float32),
            )
    topology = replace(
        topology,
        materials=tuple(slot.material.name if slot.material else "" for slot in item.material_slots),
        vertex_groups=(yield from group_steps(item, scene, topology.vertex_count)),
    )
    return mirrored(topology) if np.linalg.det(matrix[:3, :3]) < 0 else topology


def with_inner_slot(topology: SurfaceTopology, item: bpy.types.Object) -> SurfaceTopology:
    """Return the record with one more slot for faces that close a tear, where the body has a material for them."""
    inner = item.dollop.inner_material if item.dollop.seen == "artist" else None
    if inner is None or (item.dollop.tear_thickness == 0.0 and "tear_thickness" not in keyed_settings(item)):
        return topology
    materials = topology.materials or ("",)
    return replace(topology, materials=(*materials, inner.name), inner_slot=len(materials))


def mesh_topology(mesh: bpy.types.Mesh) -> SurfaceTopology:
    """Return a mesh's record, without custom normals, materials and vertex groups."""
    offsets = np.empty(len(mesh.polygons) + 1, np.int32)
    offsets[:-1] = _get(mesh.polygons, "loop_start", 1, np.int32)
    offsets[-1] = len(mesh.loops)
    layers = {layer.name: layer for layer in mesh.attributes if not layer.name.startswith(".") and layer.data_type in _LAYOUT}
    uvs = {name for name, layer in layers.items() if (layer.data_type, layer.domain) == ("FLOAT2", "CORNER")}
    others = [name for name in layers if name not in uvs and name not in _ELSEWHERE]
    rendered = next((layer.name for layer in mesh.uv_layers if layer.active_render), "")
    color = mesh.color_attributes.render_color_index
    return SurfaceTopology(
        vertex_count=len(mesh.vertices),
        face_offsets=offsets,
        corner_vertices=corner_vertices(mesh),
        material_index=_values(layers["material_index"]) if "material_index" in layers else np.zeros(0, np.int32),
        sharp_faces=_values(layers["sharp_face"]) if "sharp_face" in layers else np.zeros(0, np.bool_),
        edges=attribute_values(mesh, ".edge_verts", "value", 2, np.int32),
        corner_edges=attribute_values(mesh, ".corner_edge", "value", 1, np.int32),
        uv_layers={name: _values(layers[name]) for name in layers if name in uvs},
        attributes=tuple(NamedArray(n, layers[n].domain, layers[n].data_type, _values(layers[n])) for n in others),
        vertex_groups=None,
        active_uv=rendered,
        active_color=mesh.color_attributes[color].name if 0 <= color < len(mesh.color_attributes) else "",
    )


def fill_mesh(mesh: bpy.types.Mesh, topology: SurfaceTopology, positions: NDArray[np.float32]) -> None:
    """Replace a mesh's geometry by the record's, its vertices at `positions` (n, 3) in Blender units.

    Materials stay. CacheError when the record names vertices that are not there, which would crash Blender.
    """
    _require_consistent(topology, len(positions))
    mesh.clear_geometry()
    mesh.vertices.add(topology.vertex_count)
    mesh.edges.add(len(topology.edges))
    mesh.loops.add(topology.corner_count)
    mesh.polygons.add(topology.face_count)
    mesh.polygons.foreach_set("loop_start", topology.face_offsets[:-1])
    _set(mesh, ".corner_vert", "value", topology.corner_vertices)
    explicit = len(topology.corner_edges) == topology.corner_count and len(topology.edges) > 0
    if len(topology.edges):
        _set(mesh, ".edge_verts", "value", topology.edges)
    if explicit:
        _set(mesh, ".corner_edge", "value", topology.corner_edges)
    set_positions(mesh, positions)
    mesh.update(calc_edges=not explicit)
    _fill_layers(mesh, topology)
    if len(topology.corner_normals):
        set_positions(mesh, topology.rest_positions)
        mesh.normals_split_custom_set(topology.corner_normals)
        set_positions(mesh, positions)
    mesh.update()


def corner_vertices(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    """Return each corner's vertex (c,)."""
    return attribute_values(mesh, ".corner_vert", "value", 1, np.int32)


def set_positions(mesh: bpy.types.Mesh, positions: NDArray[np.float32]) -> None:
    """Move the vertices to (n, 3) float32."""
    _set(mesh, "position", "vector", positions)


def _set(mesh: bpy.types.Mesh, name: str, member: str, values: NDArray) -> None:
    """Through the attribute Blender copies a whole array; through `vertices` or `loops` it calls a setter for each."""
    if values.size:  # an empty mesh may lack the attribute
        mesh.attributes[name].data.foreach_set(member, values.reshape(-1))


def set_point_attribute(mesh: bpy.types.Mesh, name: str, values: NDArray[np.float32]) -> None:
    """Set a float (n,) or vector (n, 3) point attribute, adding it if it is not there."""
    kind = "FLOAT" if values.ndim == 1 else "FLOAT_VECTOR"
    layer = mesh.attributes.get(name)
    if layer is not None and (layer.data_type, layer.domain) != (kind, "POINT"):
        mesh.attributes.remove(layer)
        layer = None
    if layer is None:
        layer = mesh.attributes.new(name, kind, "POINT")
    layer.data.foreach_set(_LAYOUT[kind][0], np.ascontiguousarray(values, np.float32).reshape(-1))


def add_blank_layer(mesh: bpy.types.Mesh, name: str, kind: str, domain: str) -> None:
    """Add an attribute of Blender's type and domain, all zero, unless the mesh has one of this name."""
    if name not in mesh.attributes:
        layer = mesh.attributes.new(name, kind, domain)
        member, width, dtype = _LAYOUT[kind]
        if len(layer.data):  # colours come white
            layer.data.foreach_set(member, np.zeros(width * len(layer.data), dtype))


def _fill_layers(mesh: bpy.types.Mesh, topology: SurfaceTopology) -> None:
    layers = [NamedArray(name, "CORNER", "FLOAT2", uv) for name, uv in topology.uv_layers.items()]
    if len(topology.material_index):
        layers.append(NamedArray("material_index", "FACE", "INT", topology.material_index))
    if len(topology.sharp_faces):
        layers.append(NamedArray("sharp_face", "FACE", "BOOLEAN", topology.sharp_faces))
    for layer in (*layers, *topology.attributes):
        made = mesh.attributes.get(layer.name) or mesh.attributes.new(layer.name, layer.type, layer.domain)
        made.data.foreach_set(_LAYOUT[layer.type][0], layer.values.reshape(-1))
    if topology.active_uv in mesh.uv_layers:
        mesh.uv_layers[topology.active_uv].active_render = True
        mesh.uv_layers.active = mesh.uv_layers[topology.active_uv]
    if topology.active_color:
        mesh.color_attributes.render_color_index = mesh.color_attributes.find(topology.active_color)
        mesh.color_attributes.active_color_name = topology.active_color


def _require_consistent(topology: SurfaceTopology, count: int) -> None:
    """Blender checks none of this and crashes."""
    corners = topology.corner_vertices
    offsets = topology.face_offsets
    consistent = (
        topology.vertex_count == count
        and (not len(corners) or (corners.min() >= 0 and corners.max() < count))
        and (not len(topology.edges) or (topology.edges.min() >= 0 and topology.edges.max() < count))
        and offsets[0] == 0
        and offsets[-1] == len(corners)
        and bool((np.diff(offsets) >= 3).all())
    )
    if not consistent:
        raise CacheError("A frame and its topology record do not fit together.", remedy="Bake again.")


def _values(layer: bpy.types.Attribute) -> NDArray:
    return _get(layer.data, *_LAYOUT[layer.data_type])


def _get(collection: Any, name: str, width: int, dtype: Any) -> NDArray:
    values = np.empty(len(collection) * width, dtype)
    if values.size:
        collection.foreach_get(name, values)
    return values.reshape(-1, width) if width > 1 else values

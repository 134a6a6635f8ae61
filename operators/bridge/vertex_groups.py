"""Vertex groups ⇄ the record's VertexGroups. Blender has no bulk access to weights."""

import bpy
import numpy as np

from ...solver.cache import VertexGroups
from ...solver.errors import SceneError
from .evaluation import view_layer_of
from .steps import Steps

_AT_ONCE = 2000  # vertices of one step, about 10 ms


def group_steps(item: bpy.types.Object, scene: bpy.types.Scene, count: int) -> Steps[VertexGroups | None]:
    """Read the weights of the object's `count` evaluated vertices, some at each step; None when it has no groups."""
    names = tuple(group.name for group in item.vertex_groups)
    if not names:
        return None
    layer = view_layer_of(scene)
    # A mesh of its own outlives the steps; weights of an evaluated mesh are copied, all of them, whenever one is looked at
    mesh = bpy.data.meshes.new_from_object(
        item.evaluated_get(layer.depsgraph), preserve_all_data_layers=True, depsgraph=layer.depsgraph
    )
    sizes: list[int] = []
    groups: list[int] = []
    weights: list[float] = []
    try:
        for first in range(0, count, _AT_ONCE):
            members = [vertex.groups.values() for vertex in mesh.vertices[first : first + _AT_ONCE]]
            sizes.extend(map(len, members))
            groups.extend(entry.group for entries in members for entry in entries)
            weights.extend(entry.weight for entries in members for entry in entries)
            yield f"Reading the weights of '{item.name}'"
    finally:
        bpy.data.meshes.remove(mesh)
    if len(sizes) != count:
        raise SceneError("Its mesh was changed while it was read.", body=item.name, remedy="Try again.")
    offsets = np.zeros(count + 1, np.int32)
    offsets[1:] = np.cumsum(sizes)
    return VertexGroups(names, offsets, np.array(groups, np.int32), np.array(weights, np.float32))


def fill_vertex_groups(item: bpy.types.Object, groups: VertexGroups | None) -> None:
    """Give the object the record's vertex groups; equal weights are set together, as most are."""
    item.vertex_groups.clear()
    if groups is None:
        return
    vertices = np.repeat(np.arange(len(groups.offsets) - 1), np.diff(groups.offsets))
    for index, name in enumerate(groups.names):
        layer = item.vertex_groups.new(name=name)
        mine = groups.groups == index
        weights, which = np.unique(groups.weights[mine], return_inverse=True)
        members = vertices[mine][np.argsort(which, kind="stable")]
        ends = np.cumsum(np.bincount(which, minlength=len(weights)))
        for weight, part in zip(weights, np.split(members, ends)[:-1], strict=True):
            layer.add(part.tolist(), float(weight), "REPLACE")

"""The topology record of a body that has taken in others: everything that lies on their surfaces, one after another.

What only one of them has is zero on the others. UVs and a colour that renders use go on under the first one's names too.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cache.topology import NamedArray, SurfaceTopology, VertexGroups
from .rendered_layers import named_as_on

IntArray = NDArray[np.int32]


def emptied(old: SurfaceTopology) -> SurfaceTopology:
    """Return the record of a surface of which nothing is left; its layers and materials keep their names."""
    groups = old.vertex_groups
    return replace(
        old,
        vertex_count=0,
        face_offsets=old.face_offsets[:1],
        corner_vertices=old.corner_vertices[:0],
        material_index=old.material_index[:0],
        sharp_faces=old.sharp_faces[:0],
        edges=old.edges[:0],
        corner_edges=old.corner_edges[:0],
        uv_layers={name: uv[:0] for name, uv in old.uv_layers.items()},
        attributes=tuple(replace(layer, values=layer.values[:0]) for layer in old.attributes),
        vertex_groups=groups and VertexGroups(groups.names, groups.offsets[:1], groups.groups[:0], groups.weights[:0]),
        corner_normals=old.corner_normals[:0],
        rest_positions=old.rest_positions[:0],
    )


def joined_topology(first: SurfaceTopology, second: SurfaceTopology) -> SurfaceTopology:
    """Return the record of two surfaces that lie side by side.

    Custom normals stay where both have them, edges and what lies on them where both tell them.
    """
    second = named_as_on(first, second)
    materials, slots = _materials(first, second)
    edges = len(first.edges) > 0 and len(second.edges) > 0
    normals = len(first.corner_normals) > 0 and len(second.corner_normals) > 0
    none = first.corner_normals[:0]
    inner = slots[second.inner_slot] if first.inner_slot < 0 <= second.inner_slot else first.inner_slot
    return SurfaceTopology(
        vertex_count=first.vertex_count + second.vertex_count,
        face_offsets=_after(first.face_offsets, second.face_offsets[1:], first.corner_count),
        corner_vertices=_after(first.corner_vertices, second.corner_vertices, first.vertex_count),
        material_index=_material_index(first, second, slots),
        sharp_faces=_filled(first.sharp_faces, second.sharp_faces, first.face_count, second.face_count),
        edges=_after(first.edges, second.edges, first.vertex_count) if edges else first.edges[:0],
        corner_edges=_after(first.corner_edges, second.corner_edges, len(first.edges)) if edges else first.corner_edges[:0],
        uv_layers=_uv_layers(first, second),
        attributes=_attributes(first, second, edges),
        vertex_groups=_groups(first, second),
        corner_normals=np.concatenate([first.corner_normals, second.corner_normals]) if normals else none,
        rest_positions=np.concatenate([first.rest_positions, second.rest_positions]) if normals else none,
        materials=materials,
        active_uv=first.active_uv or second.active_uv,
        active_color=first.active_color or second.active_color,
        inner_slot=int(inner),
    )


def _after(first: IntArray, second: IntArray, shift: int) -> IntArray:
    return np.concatenate([first, second + np.int32(shift)]).astype(np.int32)


def _filled(first: NDArray[Any], second: NDArray[Any], count: int, other: int) -> NDArray[Any]:
    """Values of so many elements and of so many others, zero where there are none; nothing where neither has any."""
    if not len(first) and not len(second):
        return first
    like = first if len(first) else second
    sized = ((first, count), (second, other))
    return np.concatenate([
        values if len(values) else np.zeros((length, *like.shape[1:]), dtype=like.dtype) for values, length in sized
    ])  # fmt: skip


def _materials(first: SurfaceTopology, second: SurfaceTopology) -> tuple[tuple[str, ...], IntArray]:
    """The slots of both, equal names once, and the slot that each of the second's is."""
    if not first.materials and not second.materials:
        return (), np.zeros(1, dtype=np.int32)
    names = list(first.materials or ("",))
    slots = []
    for name in second.materials or ("",):
        if name not in names:
            names.append(name)
        slots.append(names.index(name))
    return tuple(names), np.array(slots, dtype=np.int32)


def _material_index(first: SurfaceTopology, second: SurfaceTopology, slots: IntArray) -> IntArray:
    own = second.material_index if len(second.material_index) else np.zeros(second.face_count, dtype=np.int32)
    there = slots[np.clip(own, 0, len(slots) - 1)]
    if not len(first.material_index) and not there.any():
        return first.material_index
    return _filled(first.material_index, there, first.face_count, second.face_count)


def _uv_layers(first: SurfaceTopology, second: SurfaceTopology) -> dict[str, NDArray[np.float32]]:
    none = np.zeros((0, 2), dtype=np.float32)
    layers = {
        name: (first.uv_layers.get(name, none), second.uv_layers.get(name, none))
        for name in {**first.uv_layers, **second.uv_layers}
    }
    return {name: _filled(one, other, first.corner_count, second.corner_count) for name, (one, other) in layers.items()}


def _attributes(first: SurfaceTopology, second: SurfaceTopology, edges: bool) -> tuple[NamedArray, ...]:
    """All layers by name; where both have one of a name, but of different kinds that are no colours, the first's counts."""
    layers = {layer.name: layer for layer in (*second.attributes, *first.attributes)}
    values = [{layer.name: layer for layer in each.attributes} for each in (first, second)]
    counts = [
        {"POINT": each.vertex_count, "CORNER": each.corner_count, "FACE": each.face_count, "EDGE": len(each.edges)}
        for each in (first, second)
    ]
    result = []
    for name, layer in layers.items():
        if layer.domain == "EDGE" and not edges:
            continue
        found = [each.get(name, layer) for each in values]
        own = [
            one.values if name in each and (one.domain, one.type) == (layer.domain, layer.type) else layer.values[:0]
            for one, each in zip(found, values, strict=True)
        ]
        result.append(replace(layer, values=_filled(own[0], own[1], counts[0][layer.domain], counts[1][layer.domain])))
    return tuple(result)


def _groups(first: SurfaceTopology, second: SurfaceTopology) -> VertexGroups | None:
    if first.vertex_groups is None and second.vertex_groups is None:
        return None
    one, other = (each.vertex_groups or _no_groups(each.vertex_count) for each in (first, second))
    names = (*one.names, *(name for name in other.names if name not in one.names))
    number = np.array([names.index(name) for name in other.names], dtype=np.int32)
    return VertexGroups(
        names,
        _after(one.offsets, other.offsets[1:], int(one.offsets[-1])),
        np.concatenate([one.groups, number[other.groups]]).astype(np.int32),
        np.concatenate([one.weights, other.weights]),
    )


def _no_groups(count: int) -> VertexGroups:
    return VertexGroups((), np.zeros(count + 1, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))

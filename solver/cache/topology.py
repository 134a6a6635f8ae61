"""A topology record: everything of a surface that does not move with the frames, enough to rebuild the artist's mesh."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class NamedArray:
    """One attribute layer. domain and type are Blender's words ("POINT", "FLOAT_VECTOR"); values (count, ...)."""

    name: str
    domain: str
    type: str
    values: NDArray


@dataclass(frozen=True)
class VertexGroups:
    """Weights of the vertices by group, sparse.

    names   : of the groups
    offsets : (n + 1,) int32; vertex i has the entries offsets[i] to offsets[i + 1]
    groups  : (entries,) int32, index into names
    weights : (entries,) float32
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int32]
    groups: NDArray[np.int32]
    weights: NDArray[np.float32]


@dataclass(frozen=True)
class SurfaceTopology:
    """Polygons and everything that lies on them. Only the first three fields are needed.

    vertex_count    : number of vertices; a frame's positions have as many
    face_offsets    : (f + 1,) int32, first corner of each face; the last one is the corner count
    corner_vertices : (c,) int32
    material_index  : (f,) int32, or empty for all 0
    sharp_faces     : (f,) bool, or empty for all smooth
    edges           : (e, 2) int32, or empty to have them made from the faces
    corner_edges    : (c,) int32, the edge from each corner to the next; empty as `edges`
    uv_layers       : name to (c, 2) float32
    attributes      : all other layers (colours, sharp edges, generic)
    vertex_groups   : or None
    corner_normals  : (c, 3) float32, custom normals at `rest_positions`; or empty
    rest_positions  : (n, 3) float32 at which the custom normals hold [m]; or empty
    materials       : names of the slots' materials, "" for an empty slot
    active_uv       : UV layer that renders use when none is named
    active_color    : colour layer that renders use when none is named
    inner_slot      : slot of faces that close a cut (solver/tearing); -1 for the slot of the faces around
    """

    vertex_count: int
    face_offsets: NDArray[np.int32]
    corner_vertices: NDArray[np.int32]
    material_index: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    sharp_faces: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    edges: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    corner_edges: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    uv_layers: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    attributes: tuple[NamedArray, ...] = ()
    vertex_groups: VertexGroups | None = None
    corner_normals: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    rest_positions: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    materials: tuple[str, ...] = ()
    active_uv: str = ""
    active_color: str = ""
    inner_slot: int = -1

    @property
    def face_count(self) -> int:
        return len(self.face_offsets) - 1

    @property
    def corner_count(self) -> int:
        return len(self.corner_vertices)


_PLAIN = ("face_offsets", "corner_vertices", "material_index", "sharp_faces", "edges", "corner_edges", "corner_normals")


def topology_of_triangles(triangles: NDArray[np.int32], vertex_count: int) -> SurfaceTopology:
    """Return the record of a bare triangle surface (t, 3)."""
    offsets = np.arange(len(triangles) + 1, dtype=np.int32) * np.int32(3)
    return SurfaceTopology(vertex_count, offsets, np.ascontiguousarray(triangles, dtype=np.int32).reshape(-1))


def mirrored(topology: SurfaceTopology) -> SurfaceTopology:
    """Return the record with every face turned over, as a mirroring transform needs it."""
    sizes = np.diff(topology.face_offsets)
    starts = np.repeat(topology.face_offsets[:-1], sizes)
    within = np.arange(topology.corner_count) - starts
    size = np.repeat(sizes, sizes)
    order = starts + size - 1 - within
    # Corner k's edge leads to corner k + 1, so in the opposite direction it belongs to the neighbour.
    edge_order = starts + (size - 2 - within) % size

    def turned(attribute: NamedArray) -> NamedArray:
        return replace(attribute, values=attribute.values[order]) if attribute.domain == "CORNER" else attribute

    return replace(
        topology,
        corner_vertices=topology.corner_vertices[order],
        corner_edges=topology.corner_edges[edge_order] if len(topology.corner_edges) else topology.corner_edges,
        corner_normals=topology.corner_normals[order] if len(topology.corner_normals) else topology.corner_normals,
        uv_layers={name: uv[order] for name, uv in topology.uv_layers.items()},
        attributes=tuple(map(turned, topology.attributes)),
    )


def to_arrays(topology: SurfaceTopology) -> dict[str, NDArray]:
    """Return the record as named arrays for one archive; names of layers become text arrays, never file names."""
    arrays: dict[str, NDArray] = {"vertex_count": np.array(topology.vertex_count, np.int64)}
    arrays |= {name: getattr(topology, name) for name in (*_PLAIN, "rest_positions")}
    arrays["materials"] = _text(topology.materials)
    arrays["active"] = _text((topology.active_uv, topology.active_color))
    if topology.inner_slot >= 0:
        arrays["inner_slot"] = np.array(topology.inner_slot, np.int64)
    arrays["uv_names"] = _text(tuple(topology.uv_layers))
    for index, uv in enumerate(topology.uv_layers.values()):
        arrays[f"uv.{index}"] = uv
    arrays["attribute_names"] = _text(tuple(a.name for a in topology.attributes))
    arrays["attribute_domains"] = _text(tuple(a.domain for a in topology.attributes))
    arrays["attribute_types"] = _text(tuple(a.type for a in topology.attributes))
    for index, attribute in enumerate(topology.attributes):
        arrays[f"attribute.{index}"] = attribute.values
    if (groups := topology.vertex_groups) is not None:
        arrays["group_names"] = _text(groups.names)
        arrays |= {"group_offsets": groups.offsets, "groups": groups.groups, "group_weights": groups.weights}
    return arrays


def from_arrays(arrays: dict[str, NDArray]) -> SurfaceTopology:
    """Return the record that `to_arrays` took apart; raise KeyError if something is missing."""
    columns = zip(arrays["attribute_names"], arrays["attribute_domains"], arrays["attribute_types"], strict=True)
    attributes = tuple(
        NamedArray(str(name), str(domain), str(kind), arrays[f"attribute.{index}"])
        for index, (name, domain, kind) in enumerate(columns)
    )
    groups = None
    if "group_names" in arrays:
        names = tuple(map(str, arrays["group_names"]))
        groups = VertexGroups(names, arrays["group_offsets"], arrays["groups"], arrays["group_weights"])
    return SurfaceTopology(
        vertex_count=int(arrays["vertex_count"]),
        uv_layers={str(name): arrays[f"uv.{index}"] for index, name in enumerate(arrays["uv_names"])},
        attributes=attributes,
        vertex_groups=groups,
        rest_positions=arrays["rest_positions"],
        materials=tuple(map(str, arrays["materials"])),
        active_uv=str(arrays["active"][0]),
        active_color=str(arrays["active"][1]),
        inner_slot=int(arrays.get("inner_slot", -1)),
        **{name: arrays[name] for name in _PLAIN},
    )


def _text(words: tuple[str, ...]) -> NDArray:
    return np.array(words, dtype=np.str_) if words else np.zeros(0, "<U1")

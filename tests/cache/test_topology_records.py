"""Topology records: all that lies on the polygons comes back, and turns over with a mirrored object."""

import numpy as np
import pytest

from solver.cache import FrameStore, NamedArray, SurfaceTopology, VertexGroups
from solver.cache.topology import mirrored
from solver.errors import CacheError

from .synthetic import BODY


def test_topology_records_come_back_whole(store: FrameStore) -> None:
    random = np.random.default_rng(0)
    topology = SurfaceTopology(
        vertex_count=5,
        face_offsets=np.array([0, 3, 7], np.int32),
        corner_vertices=np.array([0, 1, 2, 1, 3, 4, 2], np.int32),
        material_index=np.array([1, 0], np.int32),
        sharp_faces=np.array([True, False]),
        uv_layers={"UVMap": random.random((7, 2), np.float32), "Zweite/☃": random.random((7, 2), np.float32)},
        attributes=(
            NamedArray("tint", "POINT", "FLOAT_COLOR", random.random((5, 4), np.float32)),
            NamedArray("é", "EDGE", "BOOLEAN", np.array([True, False])),
        ),
        vertex_groups=VertexGroups(
            ("a", "b/☃"), np.array([0, 1, 1, 2, 2, 2], np.int32), np.int32([0, 1]), np.float32([0.5, 1])
        ),
        materials=("Skin", ""),
        active_uv="Zweite/☃",
    )
    store.write_topology(BODY, 12, topology)
    read = store.read_topology(BODY, 12)
    assert list(read.uv_layers) == list(topology.uv_layers) and read.materials == ("Skin", "")
    assert (read.active_uv, read.active_color) == ("Zweite/☃", "")
    for name in ("face_offsets", "corner_vertices", "material_index", "sharp_faces", "edges", "corner_normals"):
        assert (getattr(read, name) == getattr(topology, name)).all() and getattr(read, name).dtype == getattr(
            topology, name
        ).dtype
    assert all((read.uv_layers[name] == uv).all() for name, uv in topology.uv_layers.items())
    assert [(a.name, a.domain, a.type, a.values.tolist()) for a in read.attributes] == [
        (a.name, a.domain, a.type, a.values.tolist()) for a in topology.attributes
    ]
    assert read.vertex_groups is not None and topology.vertex_groups is not None
    assert read.vertex_groups.names == ("a", "b/☃") and (read.vertex_groups.weights == topology.vertex_groups.weights).all()
    with pytest.raises(CacheError, match="topology 13"):
        store.read_topology(BODY, 13)


def test_mirroring_turns_faces_over_and_twice_is_nothing(store: FrameStore) -> None:
    corners = np.array([0, 1, 2, 1, 3, 4, 2], np.int32)
    edges = np.array([[0, 1], [1, 2], [2, 0], [1, 3], [3, 4], [4, 2]], np.int32)
    corner_edges = np.array([0, 1, 2, 3, 4, 5, 1], np.int32)
    topology = SurfaceTopology(5, np.array([0, 3, 7], np.int32), corners, edges=edges, corner_edges=corner_edges)
    turned = mirrored(topology)
    assert turned.corner_vertices.tolist() == [2, 1, 0, 2, 4, 3, 1]
    for first, last in ((0, 3), (3, 7)):
        loop = turned.corner_vertices[first:last]
        for corner, edge in enumerate(turned.corner_edges[first:last]):
            assert set(edges[edge]) == {loop[corner], loop[(corner + 1) % len(loop)]}
    again = mirrored(turned)
    assert (again.corner_vertices == corners).all() and (again.corner_edges == corner_edges).all()

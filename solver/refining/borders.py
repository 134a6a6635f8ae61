"""Where something that lies on a surface has a border: seams of UV maps, edges of materials, sharp edges, and more."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..cache.topology import SurfaceTopology
from ..scene import Scene

ALIKE = 1e-5  # difference of two values at a corner, of the largest there are, above which they are two


def with_borders(scene: Scene, topologies: dict[str, SurfaceTopology]) -> Scene:
    """Return the scene whose bodies know at which vertices of their records something has a border, where they are refined."""
    bodies = (
        replace(body, borders=borders(topologies[body.uid])) if body.refines and body.uid in topologies else body
        for body in scene.bodies
    )
    return replace(scene, bodies=tuple(bodies))


def borders(record: SurfaceTopology) -> NDArray[np.int32]:
    """Return the vertices (f,) of a record, rising, at which its corners or faces differ, or an edge has a mark."""
    face = np.repeat(np.arange(record.face_count), np.diff(record.face_offsets))
    of_corners = [*record.uv_layers.values(), *(one.values for one in record.attributes if one.domain == "CORNER")]
    of_faces = [record.material_index, record.sharp_faces, *(one.values for one in record.attributes if one.domain == "FACE")]
    of_corners += [values[face] for values in of_faces if len(values)]
    if len(record.corner_normals):
        of_corners.append(record.corner_normals)
    found = np.zeros(record.vertex_count, dtype=bool)
    for values in of_corners:
        found |= _differing(values, record)
    for one in record.attributes:
        if one.domain == "EDGE" and len(record.edges):
            found[record.edges[one.values.reshape(len(record.edges), -1).astype(bool).any(axis=1)]] = True
    return np.flatnonzero(found).astype(np.int32)


def _differing(values: NDArray[np.generic], record: SurfaceTopology) -> NDArray[np.bool_]:
    """The vertices (n,) whose corners do not have one value, given those of the corners (c, ...)."""
    flat = values.reshape(len(values), -1).astype(np.float64)
    low = np.full((record.vertex_count, flat.shape[1]), np.inf)
    high = -low
    np.minimum.at(low, record.corner_vertices, flat)
    np.maximum.at(high, record.corner_vertices, flat)
    used = np.isfinite(low[:, 0])
    return np.asarray(used & (high - low > ALIKE * np.abs(flat).max(initial=0.0)).any(axis=1))

"""The tets of a body as an object to look at: each tet shrunken a little and coloured by its smallest dihedral angle."""

import bpy
import numpy as np
from numpy.typing import NDArray

from .units import metres_per_unit

_SHRINK = 0.85
# Smallest dihedral angle [degrees] below which a tet takes the colour, worst first: red, orange, yellow, green
_BANDS = (
    (10.0, "Dollop Tets under 10°", (0.85, 0.08, 0.05, 1.0)),
    (20.0, "Dollop Tets under 20°", (0.95, 0.45, 0.05, 1.0)),
    (35.0, "Dollop Tets under 35°", (0.95, 0.85, 0.15, 1.0)),
    (181.0, "Dollop Tets above 35°", (0.25, 0.65, 0.30, 1.0)),
)
_FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], dtype=np.int32)


def build_preview(
    scene: bpy.types.Scene,
    body: bpy.types.Object,
    positions: NDArray[np.float64],
    tets: NDArray[np.int32],
    quality: NDArray[np.float64],
) -> bpy.types.Object:
    """Show the tets of a body in an object of their own, which never renders; an older one is replaced.

    positions (n, 3) [m], tets (m, 4), quality (m,) [degrees].
    """
    remove_preview(scene, body.dollop.uid)
    corners = positions[tets] / metres_per_unit(scene)
    centre = positions.mean(axis=0) / metres_per_unit(scene)
    middle = corners.mean(axis=1, keepdims=True)
    points = (middle + _SHRINK * (corners - middle) - centre).reshape(-1, 3)
    triangles = (4 * np.arange(len(tets), dtype=np.int32)[:, None, None] + _FACES).reshape(-1, 3)
    mesh = _triangle_mesh(f"{body.name} Tets", points, triangles)
    _colour(mesh, quality)
    preview = bpy.data.objects.new(f"{body.name} Tets", mesh)
    preview.location = centre
    preview.hide_render = True
    preview.show_in_front = True  # the body, which shows where tets and surface differ, would cover most of them
    preview.dollop.preview_of = body.dollop.uid
    scene.collection.objects.link(preview)
    return preview


def remove_preview(scene: bpy.types.Scene, uid: str) -> None:
    """Remove the preview of a body, if there is one."""
    for item in [item for item in scene.objects if uid and item.dollop.preview_of == uid]:
        mesh = item.data
        bpy.data.objects.remove(item)
        if mesh is not None and not mesh.users:
            bpy.data.meshes.remove(mesh)


def has_preview(scene: bpy.types.Scene, uid: str) -> bool:
    """Tell whether the body's tets are on show."""
    return any(uid and item.dollop.preview_of == uid for item in scene.objects)


def _triangle_mesh(name: str, points: NDArray[np.float64], triangles: NDArray[np.int32]) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.astype(np.float32).ravel())
    mesh.loops.add(triangles.size)
    mesh.loops.foreach_set("vertex_index", triangles.ravel())
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, triangles.size, 3, dtype=np.int32))
    mesh.update(calc_edges=True)
    return mesh


def _colour(mesh: bpy.types.Mesh, quality: NDArray[np.float64]) -> None:
    """Colour the tets by material, which every viewport shading shows, and keep the angle as a point attribute."""
    limits = np.array([limit for limit, _, _ in _BANDS])
    band = np.searchsorted(limits, quality, side="right").clip(0, len(_BANDS) - 1).astype(np.int32)
    for _, name, colour in _BANDS:
        mesh.materials.append(_band_material(name, colour))
    mesh.polygons.foreach_set("material_index", np.repeat(band, 4))
    angles = mesh.attributes.new("dihedral_angle", "FLOAT", "POINT")
    angles.data.foreach_set("value", np.repeat(quality, 4).astype(np.float32))


def _band_material(name: str, colour: tuple[float, float, float, float]) -> bpy.types.Material:
    material = bpy.data.materials.get(name)
    if material is None or material.library is not None:
        material = bpy.data.materials.new(name)
        material.diffuse_color = colour
    return material

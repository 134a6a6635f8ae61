"""An object with object.dollop.is_collider → solver.Collider: local triangles, how they change, and rigid transforms."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.collider import PAINTED
from ...solver.errors import SceneError
from ...solver.scene import Collider, FloatArray, Surface
from .collider_samples import ColliderSamples
from .collision_groups import collision_groups
from .evaluation import evaluated_mesh, mesh_surface, world_matrix
from .identity import ensure_uid
from .steps import Steps
from .units import metres_per_unit, typed_number
from .vertex_groups import group_steps


def read_collider(
    item: bpy.types.Object, scene: bpy.types.Scene, samples: ColliderSamples, keys: dict[str, FloatArray]
) -> Collider:
    """Return the collider, without what is painted; the scene stands on the first frame. keys (k,) of what is animated.

    The object's scale and shear go into the triangles and only turning and moving stay in the transforms, so a scale
    that is not applied changes nothing.
    """
    if samples.error is not None:
        raise samples.error
    metres, matrices = metres_per_unit(scene), np.array(samples.matrices)
    start = world_matrix(item, scene)
    surface: Surface | None = None
    shapes: NDArray[np.float32] | None = None
    size = np.ones(3)
    if item.dollop.collider_kind == "plane":
        transforms = np.array([_plane_frame(matrix, item.name) for matrix in matrices])
        size = _drawn(item, start, _plane_frame(start, item.name))
    else:
        stretch = _stretch(start[:3, :3], item.name)
        transforms = matrices.copy()
        transforms[:, :3, :3] = matrices[:, :3, :3] @ np.linalg.inv(stretch)
        if item.dollop.collider_kind == "mesh":
            surface = _local_surface(item, scene, stretch, metres)
            if (deformed := samples.deformation()) is not None:
                shapes = np.array([shape @ (metres * stretch.T).astype(np.float32) for shape in deformed])
        else:
            middle, size = _bounds(item, scene, stretch)
            matrices[:, :3, 3] += transforms[:, :3, :3] @ middle
    transforms[:, :3, 3] = matrices[:, :3, 3] * metres
    return Collider(
        uid=ensure_uid(item),
        name=item.name,
        transforms=transforms[:1] if (transforms == transforms[0]).all() else transforms,
        surface=surface,
        shapes=shapes,
        size=(float(size[0]) * metres, float(size[1]) * metres, float(size[2]) * metres),
        samples=samples.samples if samples.moves or samples.deforms else 1,
        keys={name: values * (metres if name == "thickness" else 1.0) for name, values in keys.items()},
        **collider_settings(item, scene),
    )


def collider_settings(item: bpy.types.Object, scene: bpy.types.Scene) -> dict[str, Any]:
    """Return what the artist has set on a collider, as the solver's Collider takes it; reads no mesh."""
    settings = item.dollop
    return {
        "kind": settings.collider_kind,
        "friction": typed_number(settings.friction),
        "stickiness": typed_number(settings.stickiness),
        "thickness": typed_number(settings.thickness) * metres_per_unit(scene),
        "two_sided": settings.two_sided,
        "groups": collision_groups(item),
    }


def painted_steps(item: bpy.types.Object, scene: bpy.types.Scene, count: int) -> Steps[dict[str, FloatArray]]:
    """Read what is painted on the collider's `count` evaluated vertices, as Collider.painted; SceneError without its group."""
    chosen = {name: group for name in PAINTED if (group := getattr(item.dollop, f"{name}_group"))}
    if item.dollop.collider_kind != "mesh" or not chosen:
        return {}
    groups = yield from group_steps(item, scene, count)
    painted: dict[str, FloatArray] = {}
    for name, group in chosen.items():
        if groups is None or group not in groups.names:
            raise SceneError(
                f"It has no vertex group '{group}' for its {name}.", body=item.name, remedy="Choose another one, or none."
            )
        members = groups.groups == groups.names.index(group)
        owners = np.repeat(np.arange(count), np.diff(groups.offsets))[members]
        painted[name] = np.zeros(count)
        painted[name][owners] = groups.weights[members]
    return painted


def _local_surface(item: bpy.types.Object, scene: bpy.types.Scene, stretch: FloatArray, metres: float) -> Surface:
    matrix = np.eye(4)
    matrix[:3, :3] = stretch
    with evaluated_mesh(item, scene) as mesh:
        surface = mesh_surface(mesh, matrix, metres)
    if not len(surface.triangles):
        raise SceneError("Its mesh has no faces.", body=item.name, remedy="Give it faces or remove the collider.")
    return surface


def _bounds(item: bpy.types.Object, scene: bpy.types.Scene, stretch: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return middle and size (3,) of the box around the evaluated object, along its own axes, in Blender units."""
    if item.type == "EMPTY":
        return np.zeros(3), 2.0 * typed_number(item.empty_display_size) * np.abs(np.diagonal(stretch))
    positions = _local_surface(item, scene, stretch, 1.0).positions
    lower, upper = positions.min(axis=0), positions.max(axis=0)
    middle: FloatArray = 0.5 * (lower + upper)
    return middle, upper - lower


def _drawn(item: bpy.types.Object, start: FloatArray, frame: FloatArray) -> FloatArray:
    """How large (3,) an endless ground is drawn, about its origin and along its frame, in Blender units; 0 for an empty."""
    if item.type != "MESH" or not len(item.data.vertices):
        return np.zeros(3)
    corners = np.empty(3 * len(item.data.vertices), dtype=np.float32)
    item.data.vertices.foreach_get("co", corners)
    sides: FloatArray = 2.0 * np.abs(corners.reshape(-1, 3) @ start[:3, :3].T @ frame[:3, :3]).max(axis=0)
    return sides * [1.0, 1.0, 0.0]


def _stretch(linear: FloatArray, name: str) -> FloatArray:
    """Return S of the polar decomposition linear = R S with R a rotation; a mirror goes into S.

    Far below single precision's noise, so that an object without scale keeps its coordinates to the last bit.
    """
    _, sizes, right = np.linalg.svd(linear)
    if not np.isfinite(sizes).all() or sizes.min() <= 1e-6 * max(sizes.max(), 1e-30):
        raise SceneError("It is scaled to nothing along an axis.", body=name, remedy="Give it a scale above zero.")
    mirror = np.sign(np.linalg.det(linear))
    stretch: FloatArray = mirror * (right.T * sizes) @ right
    if np.abs(stretch - np.eye(3)).max() < 1e-6:
        return np.eye(3)
    return stretch


def _plane_frame(matrix: FloatArray, name: str) -> FloatArray:
    """Return a rigid frame whose z axis is the plane's normal, on the side of the object's own z axis."""
    x, y, z = matrix[:3, 0], matrix[:3, 1], matrix[:3, 2]
    normal = np.cross(x, y)
    length = np.linalg.norm(normal)
    if not length > 0:
        raise SceneError("It is scaled to nothing along an axis.", body=name, remedy="Give it a scale above zero.")
    normal /= length if normal @ z >= 0 else -length
    along = x / np.linalg.norm(x)
    frame = np.eye(4)
    frame[:3, :3] = np.column_stack((along, np.cross(normal, along), normal))
    return frame

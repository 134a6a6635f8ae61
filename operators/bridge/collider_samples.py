"""Where a collider lies, and the shape it has, at the samples of a bake."""

from fractions import Fraction

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from .evaluation import attribute_values, evaluated_mesh, world_matrix

# Modifiers that make the same of the same mesh at every frame, as long as nothing animates their own settings
_STEADY = {
    "BEVEL", "DECIMATE", "EDGE_SPLIT", "MULTIRES", "REMESH", "SCREW", "SKIN", "SMOOTH", "LAPLACIANSMOOTH",
    "CORRECTIVE_SMOOTH", "SOLIDIFY", "SUBSURF", "TRIANGULATE", "UV_PROJECT", "UV_WARP", "VERTEX_WEIGHT_EDIT", "WEIGHTED_NORMAL",
    "WELD", "WIREFRAME", "NORMAL_EDIT", "MASK", "COLLISION",
}  # fmt: skip


class ColliderSamples:
    """What is seen of one collider, `samples` times a frame from the frame before the first on.

    matrices : (4, 4) world matrices; shapes : (n, 3) float32 vertices in the object's own space, those that do not differ from
    the first being the first; error : why it cannot be followed
    """

    def __init__(self, item: bpy.types.Object) -> None:
        follows = item.dollop.follow_animation
        self.item, self.samples = item, item.dollop.samples if follows else 1
        self.moves = bool(follows and may_move(item))
        self.deforms = bool(follows and item.dollop.collider_kind == "mesh" and may_deform(item))
        self.matrices: list[NDArray[np.float64]] = []
        self.shapes: list[NDArray[np.float32]] = []
        self.error: SceneError | None = None
        self._faces: tuple[NDArray[np.int32], int] | None = None

    def is_due(self, part: Fraction) -> bool:
        """Whether it is to be looked at this part of a frame after a frame."""
        return (part * self.samples).denominator == 1

    def look(self, scene: bpy.types.Scene) -> None:
        """Take in what the scene shows at the frame that it stands on."""
        self.matrices.append(world_matrix(self.item, scene))
        if self.deforms and self.error is None:
            try:
                self._look_at_shape(scene)
            except SceneError as error:
                self.error = error

    def _look_at_shape(self, scene: bpy.types.Scene) -> None:
        with evaluated_mesh(self.item, scene) as mesh:
            positions = attribute_values(mesh, "position", "vector", 3, np.float32)
            corners, count = attribute_values(mesh, ".corner_vert", "value", 1, np.int32), len(mesh.polygons)
        faces = self._faces = self._faces or (corners, count)
        lost = bool(self.shapes) and len(positions) != len(self.shapes[0])
        if lost or count != faces[1] or not np.array_equal(corners, faces[0]):
            raise SceneError(
                "Its faces are others than before, so it cannot be followed as a collider.",
                body=self.item.name,
                frame=scene.frame_current,
                remedy="Remove the modifier that adds or removes faces over time, or switch off Animated.",
            )
        same = bool(self.shapes) and np.array_equal(positions, self.shapes[0])
        self.shapes.append(self.shapes[0] if same else positions)

    def deformation(self) -> list[NDArray[np.float32]] | None:
        """The shapes, None where they are all the same."""
        return self.shapes if any(shape is not self.shapes[0] for shape in self.shapes) else None


def may_move(item: bpy.types.Object) -> bool:
    """Tell whether anything could move the object over time; without any of these there is no need to look."""
    return bool(item.parent or item.animation_data or len(item.constraints) or item.rigid_body)


def may_deform(item: bpy.types.Object) -> bool:
    """The same of its shape."""
    data = item.data
    if data is None:
        return False
    keys = getattr(data, "shape_keys", None)
    animated = data.animation_data or (keys is not None and keys.animation_data)
    modifiers = [modifier for modifier in item.modifiers if modifier.show_viewport]
    driven = bool(item.animation_data) and bool(modifiers or keys)
    return bool(animated or driven or any(modifier.type not in _STEADY for modifier in modifiers))

"""Where the vertices of a shape that bodies are held to lie, once a frame of a bake."""

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from .collider_samples import may_deform, may_move
from .evaluation import attribute_values, evaluated_mesh, world_matrix
from .units import metres_per_unit


class ShapeSamples:
    """What is seen of an object's mesh, or of one of its shape keys, from the frame before the first on; once where it rests.

    `error` says why it cannot be followed.
    """

    def __init__(self, item: bpy.types.Object, shape_key: str = "") -> None:
        self.item, self.shape_key = item, shape_key
        self.moves = may_move(item) or (not shape_key and may_deform(item))
        self.error: SceneError | None = None
        self._matrices: list[NDArray[np.float64]] = []
        self._shapes: list[NDArray[np.float32]] = []

    def look(self, scene: bpy.types.Scene) -> None:
        """Take in what the scene shows at the frame that it stands on."""
        if self.error is not None:
            return
        shape = self._positions(scene)
        if self._shapes and len(shape) != len(self._shapes[0]):
            self.error = SceneError(
                "Its vertices are others than before, so nothing can be held to them.",
                body=self.item.name,
                frame=scene.frame_current,
                remedy="Remove the modifier that adds or removes vertices over time.",
            )
            return
        same = bool(self._shapes) and np.array_equal(shape, self._shapes[-1])
        self._shapes.append(self._shapes[-1] if same else shape)
        matrix = world_matrix(self.item, scene)
        matrix[:3] *= metres_per_unit(scene)
        self._matrices.append(matrix)

    def places(self, vertices: NDArray[np.int32], count: int, body: str) -> NDArray[np.float64]:
        """Where vertices (p,) of a mesh of so many lie (k, p, 3) [m]; SceneError, for a body, when it has others."""
        if self.error is not None:
            raise self.error
        if len(self._shapes[0]) != count:
            raise SceneError(
                f"'{self.item.name}' has {len(self._shapes[0])} vertices, the object has {count}.",
                body=body,
                remedy="Choose a goal made from a copy of this object, with the same modifiers.",
            )
        pairs = zip(self._shapes, self._matrices, strict=True)
        return np.array([shape[vertices].astype(np.float64) @ m[:3, :3].T + m[:3, 3] for shape, m in pairs])

    def _positions(self, scene: bpy.types.Scene) -> NDArray[np.float32]:
        """Vertices (n, 3) in the object's own space."""
        if not self.shape_key:
            with evaluated_mesh(self.item, scene) as mesh:
                return attribute_values(mesh, "position", "vector", 3, np.float32)
        block = self.item.data.shape_keys.key_blocks[self.shape_key]
        local = np.empty(3 * len(block.data), dtype=np.float32)
        block.data.foreach_get("co", local)
        return local.reshape(-1, 3)

"""An obstacle, as it comes in."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import SceneError
from .surface import Surface, validated_surface

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Collider:
    """An obstacle.

    kind       : a file of solver/colliders ("plane": local z = 0, solid below; "mesh")
    surface    : local-space triangles of a mesh collider [m]; None for a plane
    transforms : (k, 4, 4) float64 local to world, `samples` a frame, the first of `Settings.frame_start` - 1 and the last of
                 `frame_end`, or k = 1 when static
    shapes     : (k, n, 3) float32 or float64, where the vertices of `surface` lie, one a sample as well; None: it keeps its
                 shape [m]
    samples    : how many transforms and shapes there are a frame
    friction   : Coulomb coefficient [-]
    thickness  : offset of the contact surface outwards [m]
    two_sided  : an open sheet that is solid from both sides; False: the inside is solid
    """

    uid: str
    name: str
    kind: str
    transforms: FloatArray
    surface: Surface | None = None
    friction: float = 0.5
    thickness: float = 0.0
    two_sided: bool = False
    shapes: NDArray[np.floating[Any]] | None = None
    samples: int = 1

    def until(self, frames: int) -> "Collider":
        """The collider with its motion over the first so many frames; what has not moved by then stands still."""
        count = frames * self.samples + 1
        shapes = None if self.shapes is None else _settled(self.shapes[:count])
        still = shapes is not None and len(shapes) == 1
        surface = self.surface
        if still and shapes is not None and surface is not None:
            surface = Surface(shapes[0].astype(np.float64), surface.triangles)
        transforms = _settled(self.transforms[:count])
        return replace(
            self, transforms=transforms, surface=surface, shapes=None if still else shapes,
            samples=1 if len(transforms) == 1 and (still or shapes is None) else self.samples,
        )  # fmt: skip


def _settled(keys: NDArray[Any]) -> NDArray[Any]:
    return keys[:1] if (keys == keys[0]).all() else keys


def validated_collider(collider: Collider, frames: int) -> Collider:
    """Return the collider of a bake of so many frames, cast and contiguous; SceneError says what is wrong with it."""
    if not collider.samples >= 1:
        raise SceneError("It has less than one sample a frame.", body=collider.name, remedy="Set Samples to 1 or more.")
    transforms = np.ascontiguousarray(collider.transforms, dtype=np.float64)
    needed = frames * collider.samples + 1
    if transforms.shape not in ((1, 4, 4), (needed, 4, 4)) or not np.isfinite(transforms).all():
        raise SceneError(
            f"Its transforms have shape {transforms.shape}, not (1, 4, 4) or ({needed}, 4, 4), or are not finite.",
            body=collider.name,
            remedy="Check its animation.",
        )
    if not collider.friction >= 0 or not collider.thickness >= 0:
        raise SceneError("Friction or thickness is negative.", body=collider.name, remedy="Set them to 0 or more.")
    surface = collider.surface and validated_surface(collider.surface, collider.name)
    shapes = None if collider.shapes is None else _validated_shapes(collider.shapes, surface, needed, collider)
    return replace(collider, transforms=transforms, surface=surface, shapes=shapes)


def _validated_shapes(
    shapes: NDArray[np.floating[Any]], surface: Surface | None, needed: int, collider: Collider
) -> NDArray[np.floating[Any]]:
    count = 0 if surface is None else len(surface.positions)
    if shapes.shape != (needed, count, 3):
        raise SceneError(
            f"Its shapes have shape {shapes.shape}, not ({needed}, {count}, 3).",
            body=collider.name,
            remedy="Give all its vertices at every sample.",
        )
    bad = np.flatnonzero(~np.isfinite(shapes).all(axis=(1, 2)))
    if len(bad):
        frame = bad[0] / collider.samples - 1.0
        raise SceneError(
            f"Some of its vertices are not finite numbers {frame:g} frames after the first.",
            body=collider.name,
            remedy="Check its modifiers.",
        )
    return np.ascontiguousarray(shapes)

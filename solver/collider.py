"""An obstacle, as it comes in."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import SceneError
from .keyframes import checked_keys
from .surface import Surface, validated_surface

FloatArray = NDArray[np.float64]

KEYED = ("friction", "stickiness", "thickness")
PAINTED = ("friction", "stickiness", "thickness")
FIRST_GROUP = 1  # of collision groups, the lowest bit


@dataclass(frozen=True)
class Collider:
    """An obstacle.

    kind       : a file of solver/colliders ("plane": local z = 0, solid below; "mesh"; "sphere", "box", "capsule")
    surface    : local-space triangles of a mesh collider [m]; None for the others
    size       : (3,) sides of the box about the local origin that an exact shape is fitted to [m]; of a plane that is drawn as
                 a square these, and 0 along z
    transforms : (k, 4, 4) float64 local to world, `samples` a frame, the first of `Settings.frame_start` - 1 and the last of
                 `frame_end`, or k = 1 when static
    shapes     : (k, n, 3) float32 or float64, where the vertices of `surface` lie, one a sample as well; None: it keeps its
                 shape [m]
    samples    : how many transforms and shapes there are a frame
    friction   : Coulomb coefficient [-]
    stickiness : what pulls at goo that has touched it before it lets go [Pa] (solver/contact/adhesion.py)
    thickness  : offset of the contact surface outwards [m]
    keys       : (k,) values of KEYED by name, one a frame from `Settings.frame_start` on
    painted    : (n,) share, 0 to 1, of friction, stickiness or thickness at each vertex of `surface`, by name
    two_sided  : an open sheet that is solid from both sides; False: the inside is solid
    groups     : collision groups, eight bits: it meets bodies that share one of them
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
    stickiness: float = 0.0
    keys: dict[str, FloatArray] = field(default_factory=dict)
    painted: dict[str, FloatArray] = field(default_factory=dict)
    groups: int = FIRST_GROUP
    size: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def keyed(self, name: str) -> FloatArray:
        """The values (k,) of one of KEYED, one a frame, or one that stays."""
        return self.keys.get(name, np.array([getattr(self, name)]))

    def at_first(self) -> "Collider":
        """The collider with its numbers as they are keyed at the first frame."""
        friction, stickiness, thickness = (float(self.keyed(name)[0]) for name in KEYED)
        return replace(self, friction=friction, stickiness=stickiness, thickness=thickness)

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
            self.at_first(), transforms=transforms, surface=surface, shapes=None if still else shapes,
            samples=1 if len(transforms) == 1 and (still or shapes is None) else self.samples,
            keys={name: keys for name in sorted(self.keys) if len(keys := _settled(self.keys[name][:frames])) > 1},
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
    keys = {name: _validated_keys(collider, name, frames) for name in collider.keys}
    collider = replace(collider, keys=keys).at_first()
    if not all(0 <= getattr(collider, name) < np.inf for name in KEYED):
        raise SceneError(
            "Its friction, stickiness or thickness is negative or not finite.",
            body=collider.name,
            remedy="Set them to 0 or more.",
        )
    surface = collider.surface and validated_surface(collider.surface, collider.name)
    shapes = None if collider.shapes is None else _validated_shapes(collider.shapes, surface, needed, collider)
    painted = {name: _validated_paint(collider, name) for name in collider.painted}
    return replace(collider, transforms=transforms, surface=surface, shapes=shapes, painted=painted)


def _validated_keys(collider: Collider, name: str, frames: int) -> FloatArray:
    if name not in KEYED:
        raise SceneError(f"Its {name} cannot change over time.", body=collider.name, remedy="Remove its keys.")
    return checked_keys(collider.keys[name], frames, f"The animation of its {name}", least=0.0, body=collider.name)


def _validated_paint(collider: Collider, name: str) -> FloatArray:
    shares = np.ascontiguousarray(collider.painted[name], dtype=np.float64)
    count = 0 if collider.surface is None else len(collider.surface.positions)
    if name not in PAINTED or shares.shape != (count,) or not ((shares >= 0.0) & (shares <= 1.0)).all():
        raise SceneError(
            f"What is painted as its {name} is not a number from 0 to 1 for each of its {count} vertices.",
            body=collider.name,
            remedy="Paint it again.",
        )
    return shares


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

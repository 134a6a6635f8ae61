"""A force field, as it comes in."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..keyframes import at_frame, checked_keys

FloatArray = NDArray[np.float64]

# In the units of Blender's particles with a mass of 1: m, s
NUMBERS = (
    "strength", "flow", "noise", "damping", "size", "rest_length", "falloff_power", "distance_min", "distance_max",
    "radial_falloff", "radial_min", "radial_max",
)  # fmt: skip
POWERS = ("falloff_power", "radial_falloff")
SHAPES = ("POINT", "LINE", "PLANE")
FALLOFFS = ("SPHERE", "TUBE", "CONE")
SIDES = ("BOTH", "POSITIVE", "NEGATIVE")


@dataclass(frozen=True)
class ForceField:
    """A field of Blender.

    kind       : a file of solver/force_fields
    transforms : (k, 4, 4) local to world, the first of `Settings.frame_start` - 1, or k = 1 when it rests; the field's axis is
                 local z
    numbers    : those of NUMBERS that are not 0, by name
    keys       : (k,) values of NUMBERS, one a frame from `Settings.frame_start` on
    limits     : which of distance_min, distance_max, radial_min, radial_max count
    shape      : whether distances are from a point, a line or a plane; falloff: where they are measured; side: of the plane
    seed       : of noise and turbulence
    inverse_square : FORCE falls with the square of the distance
    world_noise    : TURBULENCE does not move with the field
    """

    uid: str
    name: str
    kind: str
    transforms: FloatArray
    numbers: dict[str, float] = field(default_factory=dict)
    keys: dict[str, FloatArray] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    shape: str = "POINT"
    falloff: str = "SPHERE"
    side: str = "BOTH"
    seed: int = 0
    inverse_square: bool = False
    world_noise: bool = False

    def until(self, count: int) -> "ForceField":
        """The field with what it is keyed to in its first frames; a key that has not moved yet is no key."""
        early = {name: values[:count] for name, values in self.keys.items()}
        moving = {name: values for name, values in early.items() if (values != values[0]).any()}
        resting = {name: float(values[0]) for name, values in early.items() if name not in moving}
        transforms = self.transforms[: count + 1]
        transforms = transforms[:1] if (transforms == transforms[0]).all() else transforms
        return replace(self, transforms=transforms, keys=moving, numbers=dict(sorted({**self.numbers, **resting}.items())))

    def number(self, name: str, place: float) -> float:
        """One of NUMBERS at a place in frames after the first."""
        keys = self.keys.get(name)
        return self.numbers.get(name, 0.0) if keys is None else float(at_frame(keys, place))

    @property
    def still(self) -> bool:
        """Whether it never changes."""
        noisy = self.numbers.get("noise", 0.0) != 0.0
        return not noisy and not self.keys and bool((self.transforms == self.transforms[0]).all())


def validated_field(one: ForceField, frames: int, kinds: set[str]) -> ForceField:
    """The field with arrays cast; SceneError names what is wrong."""
    transforms = np.ascontiguousarray(one.transforms, dtype=np.float64)
    if transforms.shape not in ((1, 4, 4), (frames + 1, 4, 4)) or not np.isfinite(transforms).all():
        raise SceneError(f"Its transforms have shape {transforms.shape}, or are not finite.", body=one.name, remedy="Check it.")
    if not np.linalg.norm(transforms[:, :3, 2], axis=1).all():
        raise SceneError("It is scaled to nothing along an axis.", body=one.name, remedy="Give it a scale above zero.")
    allowed = {"kind": kinds, "shape": SHAPES, "falloff": FALLOFFS, "side": SIDES}
    for name, choices in allowed.items():
        if getattr(one, name) not in choices:
            raise SceneError(f"There is no {name} '{getattr(one, name)}'.", body=one.name, remedy="Choose another.")
    keys = {
        name: checked_keys(values, frames, f"The animation of its {name}", body=one.name)
        for name, values in sorted(one.keys.items())
    }
    if not set(keys) | set(one.numbers) <= set(NUMBERS) or not np.isfinite(list(one.numbers.values())).all():
        raise SceneError("One of its numbers is not one that can be used.", body=one.name, remedy="Check them.")
    return replace(one, transforms=transforms, keys=keys, numbers={k: float(v) for k, v in sorted(one.numbers.items())})

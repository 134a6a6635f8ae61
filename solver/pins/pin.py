"""What a pin is: which of a body's vertices it holds, by what, how firmly, and when."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..keyframes import checked_keys

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Pin:
    """A pin of a body with n vertices.

    name      : what the artist calls it, for messages only
    vertices  : (p,) those that it holds
    weights   : (p,) how much, 0 to 1
    targets   : (k, p, 3) where they go, one a frame from `Settings.frame_start` - 1 on, or k = 1 where that stays [m];
                None: they go with `collider`
    collider  : uid of the collider that they are fixed to, where it holds them when it begins to
    stiffness : of the springs by the mass on them [1/s^2]; 0: nodes are held without give
    damping   : of the springs, by the mass [1/s]
    strength  : (k,) 0 to 1, one a frame from `Settings.frame_start` on, or k = 1. Springs weaken with it; without give a
                vertex is held while its weight times it is above a half
    """

    name: str
    vertices: IntArray
    weights: FloatArray
    targets: FloatArray | None = None
    collider: str = ""
    stiffness: float = 0.0
    damping: float = 0.0
    strength: FloatArray = field(default_factory=lambda: np.ones(1))

    @property
    def still(self) -> bool:
        """Whether neither its strength nor its targets change; what a collider does is not looked at."""
        moves = self.targets is not None and bool((self.targets != self.targets[0]).any())
        return not moves and float(np.ptp(self.strength)) == 0.0


def validated_pin(pin: Pin, body: str, vertices: int, frames: int, colliders: set[str]) -> Pin:
    """The pin with arrays cast; SceneError where it does not fit a body of so many vertices and a bake of so many frames."""
    chosen = np.ascontiguousarray(pin.vertices, dtype=np.int32)
    weights = np.ascontiguousarray(pin.weights, dtype=np.float64)
    if not len(chosen) or not (weights > 0.0).any():
        raise SceneError(f"Its {pin.name} holds no vertex.", body=body, remedy="Give vertices of its group a weight.")
    if weights.shape != chosen.shape or not ((weights >= 0.0) & (weights <= 1.0)).all():
        raise SceneError(f"The weights of its {pin.name} are not one a vertex between 0 and 1.", body=body)
    if chosen.min() < 0 or chosen.max() >= vertices:
        raise SceneError(f"Its {pin.name} names a vertex that does not exist.", body=body, remedy="Choose another group.")
    if not (0 <= pin.stiffness < np.inf and 0 <= pin.damping < np.inf):
        raise SceneError(
            f"Stiffness or damping of its {pin.name} is negative or not finite.", body=body, remedy="Set them to 0 or more."
        )
    strength = checked_keys(pin.strength, frames, f"The strength of its {pin.name}", least=0.0, most=1.0, body=body)
    if pin.targets is None:
        if pin.collider not in colliders:
            raise SceneError(f"Its {pin.name} names no collider.", body=body, remedy="Choose an object that is one.")
        return replace(pin, vertices=chosen, weights=weights, strength=strength)
    targets = np.ascontiguousarray(pin.targets, dtype=np.float64)
    if targets.shape not in ((1, len(chosen), 3), (frames + 1, len(chosen), 3)) or not np.isfinite(targets).all():
        raise SceneError(
            f"The places of its {pin.name} have shape {targets.shape}, not (1 or {frames + 1}, {len(chosen)}, 3), or are not "
            "finite.",
            body=body,
            remedy="Check its animation.",
        )
    return replace(pin, vertices=chosen, weights=weights, strength=strength, targets=targets)

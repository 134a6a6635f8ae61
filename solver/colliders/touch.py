"""How a collider holds what touches it: thickness, friction and stickiness, as they are keyed and painted. numpy only."""

import numpy as np
from numpy.typing import NDArray

from ..keyframes import at_frame, rate_at_frame
from ..scene import Collider, Settings

Array = NDArray[np.float64]


class Touch:
    """The numbers of one collider over time.

    sticky : whether it is sticky at any time; steady : whether nothing is keyed
    alike  : whether neither friction nor stickiness is painted
    most   : the largest share of the thickness that counts anywhere
    """

    def __init__(self, collider: Collider, settings: Settings) -> None:
        self.frames_per_second = settings.frames_per_second
        self.keys = {name: collider.keyed(name) for name in ("thickness", "friction", "stickiness")}
        self.painted = collider.painted
        self.sticky = bool((self.keys["stickiness"] > 0.0).any())
        self.steady = all(np.ptp(values) == 0.0 for values in self.keys.values())
        self.alike = not {"friction", "stickiness"} & set(self.painted)
        self.most = float(self.painted["thickness"].max()) if "thickness" in self.painted else 1.0

    def value(self, name: str, time: float) -> float:
        """A number at a time [s] since the first frame."""
        return float(at_frame(self.keys[name], time * self.frames_per_second))

    def rate(self, name: str, time: float) -> float:
        """How fast a number changes at a time [s], a second."""
        if self.steady:
            return 0.0
        return float(rate_at_frame(self.keys[name], time * self.frames_per_second)) * self.frames_per_second

    def grown(self, begun: float, time: float) -> float:
        """How much further out [m] the surface lies at one time [s] than at another before, at most; 0 if nowhere."""
        return max(self.most * (self.value("thickness", time) - self.value("thickness", begun)), 0.0)

    def shares(self, corners: NDArray[np.int32], weights: Array) -> Array:
        """The share (k,) of the thickness that counts at points between vertices, corners (k, 3), by weights (k, 3)."""
        if "thickness" not in self.painted:
            return np.ones(len(corners))
        share: Array = np.einsum("ki,ki->k", weights, self.painted["thickness"][corners])
        return share

    def even(self, count: int, time: float) -> tuple[Array, Array]:
        """Friction [-] and stickiness [Pa] at `count` points, (k,) each, where nothing is painted."""
        return np.full(count, self.value("friction", time)), np.full(count, self.value("stickiness", time))

    def painted_at(self, corners: NDArray[np.int32], weights: Array, time: float) -> tuple[Array, Array]:
        """The same at points between vertices, corners (k, 3), by weights (k, 3): what is painted is a share of the number."""
        friction, stickiness = self.even(len(corners), time)
        for name, values in (("friction", friction), ("stickiness", stickiness)):
            if name in self.painted:
                values *= np.einsum("ki,ki->k", weights, self.painted[name][corners])
        return friction, stickiness

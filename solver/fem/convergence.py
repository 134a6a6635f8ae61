"""When a step's Newton iterations are enough: by what the next one would still correct, not by one more solve.

Lengths are in element sizes, each as (root mean square, largest) over the nodes: a single node in a crumple may be off by
more than a whole body.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TINY = np.array([1e-5, 1e-4])  # corrections that nobody sees, in creep either
LARGE = np.array([5e-4, 2e-2])  # the most that may be left after a blow
SHARE = 0.05  # of the first correction that may be left: far less than the time step's own error, which it is as large as


class Convergence:
    """Watches the corrections of one step."""

    def __init__(self, element_size: float) -> None:
        self.element_size = element_size
        self.sizes: list[Array] = []

    def take(self, correction: Array) -> None:
        """Note a correction (n, 3) [m] that has been made."""
        self.sizes.append(np.array([np.sqrt((correction**2).mean()), np.abs(correction).max()]) / self.element_size)

    def reached(self) -> bool:
        """Whether the next correction, extrapolated from the last two, is small enough not to be made."""
        first, last = self.sizes[0], self.sizes[-1]
        if (last < TINY).all():
            return True
        if len(self.sizes) < 2:
            return False
        left = last * np.minimum(last / self.sizes[-2], 1.0)
        return bool((left < np.maximum(np.minimum(SHARE * first, LARGE), TINY)).all())

    def near(self) -> bool:
        """Whether the last correction is so small that stopping there does no harm."""
        return bool(self.sizes) and bool((self.sizes[-1] < LARGE).all())

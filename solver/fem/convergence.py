"""When a step's Newton iterations are enough: by what the next one would still correct, not by one more solve.

Lengths are in element sizes, each as (root mean square, largest) over the nodes: a single node in a crumple may be off by
more than a whole body.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .node_sums import size, unbalanced

Array = NDArray[np.float64]

SHORT, LONG = 1.0 / 96.0, 1.0 / 48.0  # [s] between which these lengths hold; in other steps by the square, as motion adds up
TINY = np.array([1e-5, 1e-4])  # corrections that nobody sees, in creep either,
QUIET = 0.02  # of these where bodies push each other: what is left there keeps a pile from coming to rest
FREE, HELD = 5e-5, 1e-5  # what an unbalanced force may move nodes by: all of them by inertia alone, one on its spring
LARGE = np.array([5e-4, 4e-3])  # the most that may be left after a blow, or rounding is seen; not less in shorter steps
INEXACT = 0.05  # of a correction that the linear solve leaves
WHOLE = 1e-4  # what may be left of the force on a body in contact as a whole: by how far it would move it
SWEPT = 0.05  # element sizes by which that may move any body: a matrix that is not positive gives no correction. Less in
# shorter steps, or it would be any speed: of 0.65 ms one was taken that stopped two bodies at 10 m/s
RECENT, SHRUNK = 10, 0.3  # corrections in which they are to become shorter by that factor at least
SHARE = 0.05  # of the first correction that may be left: far less than the time step's own error, which it is as large as


class Convergence:
    """Watches the corrections of one step; `pushing` becomes true once bodies push each other in it."""

    def __init__(self, element_size: float, step: float) -> None:
        self.element_size, self.step, self.pushing = element_size, step, False
        self.less, more = min(1.0, step / SHORT) ** 2, max(1.0, step / LONG) ** 2
        self.whole, self.large = WHOLE * self.less * more, (LARGE * more).tolist()
        self.sizes: list[tuple[float, float]] = []

    @property
    def scale(self) -> float:
        """Times as much is next to nothing in this step."""
        return self.less * (QUIET if self.pushing else 1.0)

    @property
    def tiny(self) -> list[float]:
        """Corrections that nobody sees in this step."""
        return [float(self.scale * length) for length in TINY]

    def balanced(self, gradient: Array, inertia: Array, hold: Array) -> bool:
        """Whether gradient (n, 3) [N] is next to nothing; inertia and hold, that and its own stiffness, (n,) [N/m]."""
        free, held = unbalanced(gradient, inertia, hold)
        return bool(free < FREE * self.scale * self.element_size and held < HELD * self.scale * self.element_size)

    def take(self, correction: Array) -> None:
        """Note a correction (n, 3) [m] that has been made."""
        mean, most = size(correction)
        self.sizes.append((mean / self.element_size, most / self.element_size))

    def reached(self, true_stiffness: bool) -> bool:
        """Whether the next correction, extrapolated from the last two, is small enough not to be made.

        With the true stiffness corrections shrink by the square of what they shrank by before. Else by as much again, and
        all that are left add up: as contact of surfaces has never all of its stiffness, a pile swung on for ever otherwise.
        """
        if _all_below(self.sizes[-1], self.tiny):
            return True
        if len(self.sizes) < 2:
            return False
        left = []
        for before, last in zip(*self.sizes[-2:], strict=True):
            shrunk = min(last / before, 1.0) if before > 0.0 else 1.0
            left.append(last * (max(shrunk * shrunk, INEXACT) if true_stiffness else shrunk / max(1.0 - shrunk, INEXACT)))
        wanted = [min(SHARE * first, large) for first, large in zip(self.sizes[0], self.large, strict=True)]
        return _all_below(left, [max(pair) for pair in zip(wanted, self.tiny, strict=True)])

    def within(self, length: float) -> bool:
        """Whether the last correction has moved no node by as much as a length [m]."""
        return bool(self.sizes) and self.sizes[-1][1] * self.element_size < length

    def carried(self, drift: float) -> bool:
        """Whether it is next to nothing how far [m] the force left on a body would move it as a whole."""
        return drift < self.whole * self.element_size

    def stays(self, drift: float) -> bool:
        """Whether that is not far: where it is, the last correction is small because none was found."""
        return drift < swept(self.step) * self.element_size

    def shrinking(self) -> bool:
        """Whether corrections are on their way to nothing, if slowly: by the root mean square over the last RECENT of them."""
        return len(self.sizes) > RECENT and self.sizes[-1][0] < SHRUNK * self.sizes[-1 - RECENT][0]

    def near(self) -> bool:
        """Whether the last correction is so small that stopping there does no harm."""
        return bool(self.sizes) and _all_below(self.sizes[-1], self.large)

    def nearing(self) -> bool:
        """Whether the last correction is a small share of the first: good enough where shorter steps do not help."""
        return self.near() and _all_below(self.sizes[-1], [SHARE * first for first in self.sizes[0]])


def swept(step: float) -> float:
    """How far, in element sizes, what is left of the force on a body may move it in a step [s]."""
    return SWEPT * min(1.0, step / SHORT)


def _all_below(lengths: Sequence[float], bounds: Sequence[float]) -> bool:
    return all(length < bound for length, bound in zip(lengths, bounds, strict=True))

"""How many threads to work with: as many as have lately been fastest.

Threads that wait for each other are worth it on a machine of their own. Where Blender draws, or another bake runs, one of
them may have to wait for a core, and the others with it; on many cores a small mesh is done before the last one has begun.
Neither can be known beforehand, so it is measured, on work that comes again and again. Results do not depend on the number
of threads (solver/jit), so it may change at any time.
"""

from collections import deque
from statistics import median

import numba

from . import use_threads

SMALL_MESH = 2500  # nodes below which one thread is the first to be tried
REMEMBERED = 5  # measurements
FASTER = 0.9  # of the present cost, from which on another number of threads is taken
SOONEST, LATEST = 8, 64  # pieces of work between two trials of another number


class Pace:
    """Chooses the number of threads, among 1, 2, 4, ... and `most`, by trying the next one up or down now and then."""

    def __init__(self, most: int, nodes: int) -> None:
        """`most` 0 leaves it to numba; nodes of the mesh that is worked on."""
        most = min(most, numba.config.NUMBA_NUM_THREADS) if most > 0 else numba.config.NUMBA_NUM_THREADS
        self.choices = [1 << k for k in range(most.bit_length()) if 1 << k < most] + [most]
        self.chosen = 0 if nodes < SMALL_MESH else len(self.choices) - 1
        self.tried: int | None = None
        self.costs: deque[float] = deque(maxlen=REMEMBERED)
        self.pause, self.left, self.upwards = SOONEST, SOONEST, False

    @property
    def threads(self) -> int:
        """The number for the next piece of work that is measured."""
        return self.choices[self.chosen if self.tried is None else self.tried]

    def hold(self, threads: int) -> None:
        """Stay with so many threads."""
        self.choices, self.chosen, self.tried = [threads], 0, None

    def set(self, measured: bool = False) -> None:
        """Let the kernels use the number that has been fastest, or for a piece of work that is `measured` the one to be tried:
        all that comes between two such pieces need not be the slower for it."""
        use_threads(self.threads if measured else self.choices[self.chosen])

    def note(self, seconds: float, work: int) -> None:
        """Note how long so much work has taken with `threads`, and choose for the next."""
        cost = seconds / work
        if self.tried is None:
            self.costs.append(cost)
            self.left -= 1
            if self.left <= 0 and len(self.choices) > 1:
                self._try_another()
            return
        if cost < FASTER * median(self.costs):
            self.chosen, self.pause = self.tried, SOONEST
            self.costs = deque([cost], maxlen=REMEMBERED)
        else:
            self.pause = min(2 * self.pause, LATEST)
        self.tried, self.left = None, self.pause

    def _try_another(self) -> None:
        self.upwards = not self.upwards
        beside = self.chosen + (1 if self.upwards else -1)
        self.tried = beside if 0 <= beside < len(self.choices) else 2 * self.chosen - beside

"""What is said of bodies that have flowed further than their mesh can bear."""

import numpy as np
from numpy.typing import NDArray

from .fem.commit import WORN
from .scene import Scene
from .state import Ranges

SHARE = 0.01  # of a body's tets at the mesh's limit before it is reported
PAUSE = 24  # frames between two such reports


class WornReports:
    """Remembers the frame (bodies,) at which each body was reported `last`, so that it is not done at every frame."""

    def __init__(self, bodies: int) -> None:
        self.last: NDArray[np.int64] = np.full(bodies, -PAUSE, dtype=np.int64)

    def messages(self, frame: int, scene: Scene, worn: NDArray[np.float64], ranges: Ranges) -> tuple[str, ...]:
        """Return a sentence for each body due; worn (m,) is State.worn."""
        found = []
        for body, (a, b) in enumerate(zip(ranges.tets[:-1], ranges.tets[1:], strict=True)):
            share = np.count_nonzero(worn[a:b] == WORN) / max(b - a, 1)
            if share > SHARE and frame - self.last[body] >= PAUSE:
                self.last[body] = frame
                found.append(
                    f"'{scene.bodies[body].name}', frame {frame}: it has flowed further than its tets can follow "
                    f"({100.0 * share:.0f} % of them are stretched to slivers); it stays stable but flows no further there."
                )
        return tuple(found)

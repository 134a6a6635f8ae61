"""What is said of bodies that colliders close on, with no room left.

Contact is a stiff spring, pressed deep one ten times as stiff as the body (contact/response.py). So where there is no room it
is the colliders that give way: they sink into each other's share, the body lies flat in their middle, and nothing blows up.
That is seen by how deep contact points lie inside what presses on them.
"""

import numpy as np
from numpy.typing import NDArray

from .contact.entries import Entries
from .contact.points import REACH, ContactPoints
from .errors import PlacedWarning
from .scene import Scene
from .state import Ranges

Array = NDArray[np.float64]

DEPTH = 0.25  # element sizes inside a collider from which on a point counts as pinched: blows stay below a tenth
PAUSE = 24  # frames between two reports of a body


class PinchReports:
    """Remembers the frame (bodies,) at which each body was reported `last`, and its deepest point in this frame [m]."""

    def __init__(self, points: ContactPoints, ranges: Ranges) -> None:
        bodies = len(ranges.tets) - 1
        self.points = points
        self.last: NDArray[np.int64] = np.full(bodies, -PAUSE, dtype=np.int64)
        self.depth, self.place, self.collider = np.zeros(bodies), np.zeros((bodies, 3)), np.zeros(bodies, dtype=np.int64)

    def note(self, entries: Entries, positions: Array) -> None:
        """Take in the contacts of an accepted step, which ended at node positions (n, 3)."""
        deep = entries.depth(positions)
        pinched = np.flatnonzero(deep * REACH > DEPTH * entries.reach)
        here = entries.carriers.places(positions) if len(pinched) else np.zeros((0, 3))
        for k in pinched:
            collider, point = divmod(int(entries.places[k]), len(self.points.tets))
            body = self.points.bodies[point]
            if deep[k] > self.depth[body]:
                self.depth[body], self.collider[body] = deep[k], collider
                self.place[body] = here[k]

    def messages(self, frame: int, scene: Scene) -> tuple[str, ...]:
        """Return a sentence for each body due, and begin the next frame."""
        found = []
        for body in np.flatnonzero((self.depth > 0.0) & (frame - self.last >= PAUSE)):
            self.last[body] = frame
            x, y, z = self.place[body]
            name = scene.colliders[self.collider[body]].name if scene.colliders else "a collider"
            own, place = scene.bodies[body].name, f"near ({x:.3g}, {y:.3g}, {z:.3g})"
            sentence = (
                f"'{own}', {place}, frame {frame}: '{name}' leaves it no room and "
                f"gives way by {self.depth[body]:.2g} m there. Leave a gap, or let it close more slowly."
            )
            found.append(PlacedWarning(sentence, body=own, place=place))
        self.depth[:] = 0.0
        return tuple(found)

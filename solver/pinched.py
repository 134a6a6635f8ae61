"""What is said of bodies that colliders close on, with no room left.

Contact is a stiff spring, pressed deep one ten times as stiff as the body (contact/response.py). So where there is no room it
is the colliders that give way: they sink into each other's share, the body lies flat in their middle, and nothing blows up.
That is seen by how deep contact points lie inside what presses on them; and where colliders just meet by how flat tets are.
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
FLAT = 0.2  # of a body's tets that are flat (turned.py) from which on, with a collider against it,
IN_A_ROW = 3  # for so many frames, it counts as pinched: blows are shorter
PAUSE = 24  # frames between two reports of a body


class PinchReports:
    """Remembers the frame (bodies,) at which each body was reported `last`, for how many it has been `flat`, and its deepest
    point in this frame [m]."""

    def __init__(self, points: ContactPoints, ranges: Ranges) -> None:
        bodies = len(ranges.tets) - 1
        self.points = points
        self.last: NDArray[np.int64] = np.full(bodies, -PAUSE, dtype=np.int64)
        self.flat: NDArray[np.int64] = np.zeros(bodies, dtype=np.int64)
        self.ended: tuple[Entries, Array] | None = None
        self.depth, self.place, self.collider = np.zeros(bodies), np.zeros((bodies, 3)), np.zeros(bodies, dtype=np.int64)

    def note(self, entries: Entries, positions: Array) -> None:
        """Take in the contacts of an accepted step, which ended at node positions (n, 3)."""
        self.ended = entries, positions
        self._take_in(entries, positions, DEPTH)

    def _take_in(self, entries: Entries, positions: Array, least: float) -> None:
        """Take in contacts that are deeper than the least depth [element sizes]."""
        deep = entries.depth(positions)
        pinched = np.flatnonzero(deep * REACH > least * entries.reach)
        here = entries.carriers.places(positions) if len(pinched) else np.zeros((0, 3))
        for k in pinched:
            collider, point = divmod(int(entries.places[k]), len(self.points.tets))
            body = self.points.bodies[point]
            if deep[k] > self.depth[body]:
                self.depth[body], self.collider[body] = deep[k], collider
                self.place[body] = here[k]

    def messages(self, frame: int, scene: Scene, flat: Array) -> tuple[str, ...]:
        """Return a sentence for each body due, and begin the next frame; flat (bodies,): the share of its tets that is flat."""
        found, deep = [], self.depth > 0.0
        self.flat = np.where(flat > FLAT, self.flat + 1, 0)
        if self.ended is not None and (self.flat >= IN_A_ROW).any():
            self._take_in(*self.ended, 0.0)
        pinched = deep | ((self.flat >= IN_A_ROW) & (self.depth > 0.0))
        for body in np.flatnonzero(pinched & (frame - self.last >= PAUSE)):
            self.last[body] = frame
            x, y, z = self.place[body]
            name = scene.colliders[self.collider[body]].name if scene.colliders else "a collider"
            own, place = scene.bodies[body].name, f"near ({x:.3g}, {y:.3g}, {z:.3g})"
            what = f"{100.0 * flat[body]:.0f} % of its tets are flat"
            if deep[body]:
                what = f"gives way by {self.depth[body]:.2g} m there"
            sentence = (
                f"'{own}', {place}, frame {frame}: '{name}' leaves it no room and {what}. "
                "Leave a gap, or let it close more slowly."
            )
            found.append(PlacedWarning(sentence, body=own, place=place))
        self.depth[:] = 0.0
        return tuple(found)

"""Whether bodies gain energy that nobody has given them: what they have of it, and the work that plates do, step by step."""

import numpy as np

from solver.contact.response import normal_forces
from solver.fem.attempt import Attempt
from solver.scene import Collider
from solver.simulate import Simulation
from solver.slots import ENERGY, VOLUME


class Ledger(Simulation):
    """A simulation that counts energy, of motion, height and elastic strain, against the work of colliders that look down.

    work  : what these have done so far [J]: the force of contact times their way, both ends of a step alike; they may only
            move up and down, so friction does none
    owned : energy at the start [J]; excess: the most of it at the end of any step so far beyond `owned` and `work`
    Of a step in which goo flows what it has used up in it counts as its own still.
    """

    def account(self, plates: list[Collider], until: float) -> None:
        """Count from now on, until a time [s]; the plates' transforms hold a sample a frame."""
        self.plates, self.until = plates, until
        self.work, self.pressed, self.owned, self.excess = 0.0, 0.0, self.energy(), -np.inf

    def energy(self) -> float:
        """Of motion and of height [J]."""
        state = self.state
        moving = 0.5 * (state.masses[:, None] * state.velocities**2).sum()
        return float(moving - (state.masses[:, None] * state.positions * np.array(self.gravity)).sum())

    def _accept(self, attempt: Attempt) -> None:
        begun, ended = self.clock.time, self.clock.time + self.clock.step
        tiles, count, pressed = self.space.tiles, len(self.state.tets), self._pressed(attempt)
        stored = float((tiles.unpack(ENERGY, 1, count) * tiles.unpack(VOLUME, 1, count)).sum())
        super()._accept(attempt)
        for plate in self.plates:
            self.work += 0.5 * (self.pressed + pressed) * (self._height(plate, ended) - self._height(plate, begun))
        self.pressed = pressed
        if ended <= self.until:
            self.excess = max(self.excess, self.energy() + stored - self.owned - self.work)

    def _pressed(self, attempt: Attempt) -> float:
        """With how much force colliders that look down press at a step's end, upwards [N]."""
        entries, push = attempt.outcome.entries, np.empty_like(attempt.outcome.entries.grip)
        normal_forces(-entries.depth(attempt.outcome.positions), entries.reach, entries.stiffness, push)
        return float((push * np.minimum(entries.normal[:, 2], 0.0)).sum())

    def _height(self, plate: Collider, time: float) -> float:
        """Where a plate is at a time [s] since the first frame [m]; its first sample is that of the frame before."""
        places = plate.transforms[:, 2, 3]
        return float(np.interp(time * self.scene.settings.frames_per_second, np.arange(len(places)) - 1, places))

"""Whether bodies gain energy that nobody has given them: what they have of it, and the work that plates do, step by step."""

import numpy as np

from solver.contact.entries import across
from solver.contact.response import normal_forces
from solver.fem.attempt import Attempt
from solver.scene import Collider
from solver.simulate import Simulation
from solver.slots import ENERGY, VOLUME


class Ledger(Simulation):
    """A simulation that counts energy, of motion, height and elastic strain, against the work of one collider.

    work  : what this has done so far [J]: the force of contact, friction's too, times its way, both ends of a step alike; it
            may only move up and down. Where no other collider pushes, what has been handed on in the step says what the force
            was: in a blow that is not the mean of its ends
    owned : energy at the start [J]; excess: the most of it at the end of any step so far beyond `owned` and `work`
    Of a step in which goo flows what it has used up in it counts as its own still.
    """

    def account(self, plate: Collider | None, until: float) -> None:
        """Count from now on, until a time [s]; the plate's transforms hold a sample a frame."""
        self.plate, self.until = plate, until
        self.work, self.pressed, self.owned, self.excess = 0.0, np.zeros(2), self.energy(), -np.inf

    def energy(self) -> float:
        """Of motion and of height [J]."""
        state = self.state
        moving = 0.5 * (state.masses[:, None] * state.velocities**2).sum()
        return float(moving - (state.masses[:, None] * state.positions * np.array(self.gravity)).sum())

    def _accept(self, attempt: Attempt) -> None:
        begun, ended = self.clock.time, self.clock.time + self.clock.step
        tiles, count, pressed = self.space.tiles, len(self.state.tets), self._pressed(attempt)
        stored = float((tiles.unpack(ENERGY, 1, count) * tiles.unpack(VOLUME, 1, count)).sum())
        lifted, weight = self._lifted(), self.gravity[2] * self.state.masses.sum()
        super()._accept(attempt)
        if self.plate is not None:
            force, others = 0.5 * (self.pressed + pressed)
            force = force if others else (self._lifted() - lifted) / (ended - begun) - weight
            self.work += force * (self._height(ended) - self._height(begun))
        self.pressed = pressed
        if ended <= self.until:
            self.excess = max(self.excess, self.energy() + stored - self.owned - self.work)

    def _lifted(self) -> float:
        """Momentum upwards [N s]."""
        return float((self.state.masses * self.state.velocities[:, 2]).sum())

    def _pressed(self, attempt: Attempt) -> np.ndarray:
        """With how much force the plate presses at a step's end, upwards, and how much all others press with [N]."""
        if self.plate is None:
            return np.zeros(2)
        entries, push = attempt.outcome.entries, np.empty_like(attempt.outcome.entries.grip)
        number = [item.uid for item in self.scene.colliders].index(self.plate.uid)
        own = entries.places // len(self.contacts.points.tets) == number
        normal_forces(-entries.depth(attempt.outcome.positions), entries.reach, entries.stiffness, push)
        slid = across(entries.carriers.places(attempt.outcome.positions) - entries.anchor, entries.normal)
        length = np.sqrt((slid**2).sum(axis=1))
        within = (2.0 - length / entries.slip) / entries.slip  # contact/response.py: friction_response
        rub = entries.grip * np.where(length < entries.slip, within, 1.0 / np.maximum(length, 1e-300))
        upwards = push * entries.normal[:, 2] - rub * slid[:, 2]
        return np.array([upwards[own].sum(), np.abs(upwards[~own]).sum() + push[~own].sum()])

    def _height(self, time: float) -> float:
        """Where the plate is at a time [s] since the first frame [m]; its first sample is that of the frame before."""
        places = self.plate.transforms[:, 2, 3]
        return float(np.interp(time * self.scene.settings.frames_per_second, np.arange(len(places)) - 1, places))

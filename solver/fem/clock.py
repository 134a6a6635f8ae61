"""The clock: time in ticks, steps that halve when they are refused and double when they go well (Bargteil 2007, section 5)."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEVELS = 10  # the smallest step is the largest / 2**LEVELS
PATIENT_LEVEL = 4  # from this many halvings on, a step that is merely violent is calmed and taken,
LAST_LEVEL = 7  # and from this many on one in which no balance was found: what contact's springs hold then is anyone's guess
RESIGNED = 8  # steps without a balance, beyond those that had one, after each of which the last one comes a halving sooner
PATIENCE = 4  # good steps before growing again,
MOST_PATIENCE = 32  # or up to so many: twice as many each time that the first step after growing had to be halved


class Clock:
    """Time in whole ticks, so that halving and doubling are exact and steps stay aligned to the grid.

    A step is largest / 2**level. Levels below `usual`, as far as `calmest`, are for when hardly anything speeds up or slows
    down.
    """

    def __init__(self, largest: float, calmest: int = 0) -> None:
        self.largest, self.calmest = largest, calmest
        self.ticks = 0
        self.level = 0
        self.good = 0
        self.rough = 0  # steps taken without a balance, beyond those since that had one
        self.grown = False  # whether it has been doubled, and there were not PATIENCE good steps since
        self.doubtful, self.patience = -LEVELS, PATIENCE  # a level that failed at once, and good steps until it is tried
        self.coarsest = 0  # level below which the integrator would not be stable
        self.usual = 0  # level below which it must be calm
        self.previous_step = largest

    @property
    def step(self) -> float:
        """Length of the next step [s]."""
        return float(self.largest * 2.0**-self.level)

    @property
    def smallest(self) -> float:
        """The shortest step that there is [s]."""
        return self.largest / (1 << LEVELS)

    @property
    def time(self) -> float:
        """Seconds since the first frame."""
        return self.ticks * (self.largest / (1 << LEVELS))

    def bound(self, longest: float) -> bool:
        """Take no steps above `longest` [s] from now on; False when even the smallest is longer."""
        self.coarsest = 0
        while self.largest / (1 << self.coarsest) > longest:
            if self.coarsest == LEVELS:
                return False
            self.coarsest += 1
        self.level = max(self.level, self.coarsest)
        return True

    @property
    def halvings(self) -> int:
        """How often the longest step that needs no calm has been halved; below 0 in calm.

        The smallest step counts as the last one, however long the longest may be: there is no shorter one to hope for. And
        where one without a balance follows another, longer ones count as more, as far as one that is calmed does: what no
        step can balance would cost hundreds of them a frame.
        """
        made = self.level - max(self.coarsest, self.usual)
        if made >= PATIENT_LEVEL:
            made += self.rough // RESIGNED
        return max(made, LAST_LEVEL) if self.level == LEVELS else made

    @property
    def patient(self) -> bool:
        """Whether a step is so short that it is no longer halved for being rough."""
        return self.halvings >= PATIENT_LEVEL

    def keep(self, longest: float) -> None:
        """From now on take steps above `longest` [s] only where it has been calm for a while."""
        usual = max(0, int(np.ceil(np.log2(self.largest / longest) - 1e-6)))
        if usual > self.usual:
            self.level = max(self.level, usual)
        self.usual = usual

    def halve(self) -> bool:
        """Halve the step; False when it is the smallest already.

        One that has to be halved as soon as it had grown has cost more than it could have spared.
        """
        if self.grown and self.good == 0:
            self.patience = min(2 * (self.patience if self.level == self.doubtful else PATIENCE), MOST_PATIENCE)
            self.doubtful = self.level
        self.good, self.grown = 0, False
        if self.level == LEVELS:
            return False
        self.level += 1
        return True

    def tick(self, calm: bool = False, restless: bool = True, rough: bool = False) -> None:
        """Move on by the step just accepted, and double it after enough good ones where the grid allows.

        Above what is usual only where it is `calm`; where it is `restless` such a step is halved. A `rough` one has no balance.
        """
        self.rough = self.rough + 1 if rough else max(0, self.rough - 1)
        self.previous_step = self.step
        self.ticks += 1 << (LEVELS - self.level)
        self.good += 1
        if self.grown and self.good >= PATIENCE:
            self.grown = False
            self.doubtful = -LEVELS if self.level <= self.doubtful else self.doubtful
        enough = self.patience if self.level - 1 <= self.doubtful else PATIENCE
        if restless and self.level < self.usual:
            self.level, self.good, self.grown = self.level + 1, 0, False
        limit = self.calmest if calm and self.coarsest == 0 else max(self.coarsest, self.usual)
        if self.good >= enough and self.level > limit and self.ticks % (1 << (LEVELS - self.level + 1)) == 0:
            self.level, self.good, self.grown = self.level - 1, 0, True

    def array(self) -> Array:
        """All of it, for a checkpoint."""
        own = self.largest, self.ticks, self.level, self.good, self.previous_step, self.coarsest, self.usual
        return np.array([*own, self.rough, self.grown, self.doubtful, self.patience])

    def restore(self, values: Array) -> None:
        """Take `array` back."""
        self.largest, self.previous_step = float(values[0]), float(values[4])
        self.ticks, self.level, self.good, self.coarsest, self.usual = (int(values[k]) for k in (1, 2, 3, 5, 6))
        self.rough, self.grown = int(values[7]), bool(values[8])
        self.doubtful, self.patience = int(values[9]), int(values[10])

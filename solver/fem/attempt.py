"""A step that has been solved, to be accepted or refused."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..integrators import Extrapolation
from .newton import Outcome

Array = NDArray[np.float64]


@dataclass
class Attempt:
    """A step that has been solved, to be accepted or refused.

    elastic_forces (n, 3) [N] are only what explicit steps know, surprise (step_control.py) only what implicit ones do.
    pull (1 or n, 3) [m/s^2]: gravity and force fields.
    spun (n, 3) [m/s]: velocities with the spin kept (fem/momentum.py), where they are not the scheme's own.
    held (h,): nodes that pins hold, and holding (h, 3) [N]: with what force; dragging None or (n, 3) [N]: how pins drag.
    company (MEMORY, b): in each of the last steps, this one too, the first of the bodies that each touches.
    acting: None or (n, 3) [N], what `outer` is where no balance tells it.
    """

    outcome: Outcome
    past: Extrapolation
    velocities: Array
    elastic_forces: Array
    pull: Array
    surprise: float = np.inf
    spun: Array | None = None
    company: NDArray[np.int64] | None = None
    held: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    holding: Array | float = 0.0
    dragging: Array | float = 0.0
    acting: Array | None = None

    @cached_property
    def pressed(self) -> NDArray[np.bool_]:
        """Which nodes (n,) colliders press on at the step's end."""
        outcome = self.outcome
        return outcome.entries.pressed_nodes(outcome.positions, len(outcome.positions))

    @property
    def moving(self) -> Array:
        """Velocities (n, 3) at the step's end [m/s]."""
        return self.velocities if self.spun is None else self.spun

    @property
    def outer(self) -> Array:
        """The forces (n, 3) of colliders, pins without give and pins' drag at the step's end [N]."""
        if self.acting is not None:
            return self.acting
        forces = self.outcome.gradient + self.dragging
        forces[self.held] += self.holding
        return forces

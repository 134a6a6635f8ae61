"""The energy of one implicit step and its gradient: inertia/2 |x - target|^2 + elastic, plastic and contact energy."""

import numpy as np
from numpy.typing import NDArray

from ..contact.contacts import Contacts
from ..contact.surfaces.surface_contact import SurfaceContact
from ..integrators import Extrapolation
from ..state import State
from .assembly import inertial_gradient
from .damping import Damping
from .restraint import Restraint
from .workspace import Workspace

Array = NDArray[np.float64]


class StepEnergy:
    """What one step minimises, and its gradient."""

    def __init__(
        self, state: State, space: Workspace, contacts: Contacts, damping: Damping, past: Extrapolation, step: float,
        surfaces: SurfaceContact | None = None, restraint: Restraint | None = None,
    ) -> None:  # fmt: skip
        self.state, self.space, self.contacts, self.damping, self.past, self.step = state, space, contacts, damping, past, step
        self.restraint = restraint or Restraint(len(state.masses))
        self.inertia, self.targets = self.restraint.joined(state.masses / past.inertial**2, past)
        # What holds a node while the others rest [N/m]
        self.hold = self.inertia + space.firmness + damping.hold(space.firmness, past.effective)
        self.held = self.restraint.held
        self.hold[self.held] = np.inf
        self.holding = np.zeros((len(self.held), 3))  # force on these, where the merit was asked for last [N]
        self.surfaces = surfaces  # contact of the bodies with each other, whose step has begun
        self.projected = 0  # iterations for which the stiffness stays projected
        self.first = True  # whether the next linear solve is the step's or its guess's first: those make the coarse level
        if space.volume is not None:
            space.volume.refresh(state)
        if space.tension is not None:
            space.tension.refresh(state)

    def evaluate(self, positions: Array) -> Array:
        """Fill tiles and energies at positions (n, 3), and return the tets' forces (n, 3) on the nodes [N]."""
        space, forces = self.space, np.empty_like(positions)
        space.forces.evaluate(positions, space.tiles, self.step, forces, space.energies)
        return forces

    def merit(self, positions: Array) -> tuple[float, Array]:
        """Energy but for contact with colliders [J], and its gradient (n, 3) [N]; leaves the tiles evaluated at `positions`."""
        return self._with_others(positions, self.evaluate(positions))

    def begin(self, positions: Array) -> tuple[float, Array]:
        """The merit at positions (n, 3), for which this step's damping is taken."""
        if not self.damping.active:
            return self.merit(positions)
        forces = self.evaluate(positions)
        self._keep_damping(positions)
        return self._with_others(positions, forces)

    def _with_others(self, positions: Array, forces: Array) -> tuple[float, Array]:
        """The energy of all but contact with colliders, and its gradient (n, 3), of the tets' forces (n, 3) and all others'."""
        space, gradient = self.space, np.empty_like(positions)
        inertial_gradient(forces, positions, self.targets, self.inertia, gradient, space.inertial)
        energy = float(space.energies.sum() + space.inertial.sum())
        if space.volume is not None:
            energy += space.volume.add_gradient(positions, gradient)
        if space.tension is not None:
            energy += space.tension.add_gradient(positions, gradient)
        if self.surfaces is not None:
            energy += self.surfaces.add_gradient(positions, gradient)
        if self.damping.active:
            velocities = self.past.velocities(positions)
            energy += self.damping.add_gradient(velocities, self.past.effective, gradient)
        self.holding = gradient[self.held]
        gradient[self.held] = 0.0
        return energy, gradient

    def outer(self, positions: Array) -> Array:
        """The part of the gradient (n, 3) that does not sum up to nothing over a body by itself: of inertia, pins and drag."""
        forces: Array = self.inertia[:, None] * (positions - self.targets)
        if self.damping.dragging:
            forces += self.damping.drag[:, None] * self.past.velocities(positions)
        return forces

    def freeze_damping(self, positions: Array) -> None:
        """Let this step's damping be that of the positions (n, 3)."""
        self.evaluate(positions)
        self._keep_damping(positions)

    def _keep_damping(self, positions: Array) -> None:
        self.damping.keep(positions, self.space, self.past.effective)
        self.first = True

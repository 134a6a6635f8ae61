"""The material and the gravity that an artist keys over time, put where a step of the draft model reads them."""

import numpy as np
from numpy.typing import NDArray

from ..contact.contacts import Contacts
from ..contact.points import contact_modulus
from ..fem.tile import pack
from ..fem.workspace import elastic_firmness
from ..keyframes import at_frame
from ..materials import Material
from ..scene import Body, Settings
from .slots import MATERIAL
from .state import DraftState, draft_rows
from .step import DraftWorkspace

Array = NDArray[np.float64]


class KeyedBody:
    """Writes a body's material of the moment into its state, tiles and contacts."""

    def __init__(self, body: Body, state: DraftState, space: DraftWorkspace, contacts: Contacts, settings: Settings) -> None:
        self.body, self.state, self.space, self.contacts = body, state, space, contacts
        self.frames_per_second = settings.frames_per_second
        keys = settings.gravity_keys
        self.gravities: Array = np.array([settings.gravity]) if keys is None else keys
        self.applied: Material | None = None
        self.weight = float(state.density.mean()) * settings.strongest_gravity * body.extent
        self.contact_stiffness = contacts.points.stiffness / contact_modulus(state.material, self.weight)

    def gravity(self, time: float) -> Array:
        """Gravity (3,) at a time [s] since the first frame [m/s^2]."""
        return np.asarray(at_frame(self.gravities, time * self.frames_per_second), dtype=np.float64)

    def restart(self, state: DraftState) -> None:
        """Work on the state of a checkpoint; its material is that of the step before."""
        self.state, self.applied = state, None
        pack(self.space.tiles, MATERIAL, state.material.T)

    def apply(self, time: float) -> None:
        """Let the material be that of a time [s] since the first frame."""
        body = self.body.at(time * self.frames_per_second)
        if body.material == self.applied:
            return
        self.applied = body.material
        material = self.state.material
        material[:] = draft_rows(body, 1)
        pack(self.space.tiles, MATERIAL, material.T)
        self.space.firmness = elastic_firmness(self.state)
        self.contacts.points.stiffness[:] = self.contact_stiffness * contact_modulus(material, self.weight)

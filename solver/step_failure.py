"""What is said when even the smallest step fails."""

import numpy as np

from .contact.contacts import Contacts
from .errors import StepError
from .fem.newton import Outcome
from .scene import Scene
from .state import Ranges, State


def step_failure(
    scene: Scene, state: State, ranges: Ranges, contacts: Contacts, outcome: Outcome, reason: str, step: float, frame: int
) -> StepError:
    """The error that names the body and the place, from the last good state and what the attempt came to."""
    bad = np.flatnonzero(~np.isfinite(outcome.positions).all(axis=1))
    node = int(bad[0]) if len(bad) else 0
    body = int(np.searchsorted(ranges.nodes, node, side="right")) - 1
    x, y, z = state.positions[node]
    remedy = "Bake it with a lower stiffness, or a collider that moves more slowly."
    holder = contacts.engulfing(state.positions, *map(int, ranges.nodes[body : body + 2]))
    if holder is not None and scene.colliders:
        name = scene.colliders[holder].name
        remedy = f"It lies inside the solid collider '{name}': move it clear at the first frame."
    return StepError(
        f"The motion could not be computed ({reason}), even with steps of {step:.1g} s.",
        body=scene.bodies[body].name,
        place=f"near ({x:.3g}, {y:.3g}, {z:.3g})",
        frame=frame,
        remedy=remedy,
    )

"""What is asked of what steers a body: goal shapes and fibres."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .errors import SceneError
from .keyframes import checked_keys

if TYPE_CHECKING:
    from .scene import Body


def with_checked_steering(body: "Body", frames: int) -> "Body":
    """Return the body with goal and fibres cast, given how many frames there are; SceneError where they do not fit it."""
    if body.goal is not None:
        body = replace(body, goal=_validated_goal(body))
    return body if body.fibres is None else _with_validated_fibres(body, frames)


def _validated_goal(body: "Body") -> NDArray[np.float64]:
    goal = np.ascontiguousarray(body.goal, dtype=np.float64)
    count = len(body.surface.positions)
    if goal.shape != (count, 3):
        raise SceneError(
            f"Its goal shape has {len(goal)} vertices, the object has {count}.",
            body=body.name,
            remedy="Choose a goal made from a copy of this object, with the same modifiers.",
        )
    if not np.isfinite(goal).all() or not body.goal_rate >= 0:
        raise SceneError("Its goal shape or goal rate is not a number that can be used.", body=body.name, remedy="Check both.")
    return goal


def _with_validated_fibres(body: "Body", frames: int) -> "Body":
    directions = np.ascontiguousarray(body.fibres, dtype=np.float64)
    count = len(body.surface.positions)
    if directions.shape not in ((3,), (count, 3), (count, 1)) or not np.isfinite(directions).all():
        raise SceneError(
            f"Its fibre directions have shape {directions.shape}, not (3,), ({count}, 3) or ({count}, 1), or are not "
            "finite.",
            body=body.name,
            remedy="Give one direction, or a direction or a weight a vertex.",
        )
    if directions.shape == (count, 1) and not np.ptp(directions) > 0.0:
        raise SceneError(
            "The weights along which its fibres run are the same all over.",
            body=body.name,
            remedy="Paint them from 0 at one end of the fibres to 1 at the other.",
        )
    if not directions.any():
        raise SceneError("Its fibres have no direction.", body=body.name, remedy="Set one, or remove the fibres.")
    if not (0 <= body.fibre_stiffness < np.inf and 0 <= body.fibre_tension < np.inf):
        raise SceneError(
            "The stiffness or the tension of its fibres is negative or not finite.",
            body=body.name,
            remedy="Set them to 0 or more.",
        )
    activation = checked_keys(
        body.activation, frames, "The activation of its fibres", least=0.0, most=1.0, body=body.name
    )
    return replace(body, fibres=directions, activation=activation)

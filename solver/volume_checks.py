"""What is asked of bodies whose volume changes, or is given back."""

from dataclasses import replace
from typing import TYPE_CHECKING

from .errors import SceneError
from .keyframes import checked_keys
from .materials import models

if TYPE_CHECKING:
    from .scene import Body

FASTEST = 20.0  # volume is given back [1/s]


def with_checked_volume(body: "Body", frames: int) -> "Body":
    """Return the body with its rise cast, given how many frames there are; SceneError where its volume cannot change so."""
    rise = checked_keys(body.rise, frames, "The rate at which it rises", least=-10.0, most=10.0, body=body.name)
    if not 0.0 <= body.volume_rate <= FASTEST:
        raise SceneError(f"The rate at which it gets its volume back is outside 0 to {FASTEST:g}.", body=body.name)
    for asked, what, verb in ((rise.any(), "the rise", "rise"), (body.volume_rate > 0.0, "Volume", "get its volume back")):
        if asked and body.goal is not None:
            raise SceneError(
                "It has a goal shape, which says how large it is.", body=body.name, remedy=f"Remove it, or {what}."
            )
        model = models()[body.material.model]
        if asked and model.dynamics != "newton":
            message = f"A body of the model {model.label} does not {verb}."
            raise SceneError(message, body=body.name, remedy="Choose another model.")
    return replace(body, rise=rise)

"""What is asked of remeshing, and of bodies whose surface may be cut at it, or sewn to others."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .errors import SceneError
from .keyframes import checked_keys

if TYPE_CHECKING:
    from .scene import Body

LEAST_CONDITION_CHANGE = 1.5  # times as badly shaped as when they were new: below that new tets would hardly be better
MOST_MERGE_GROUPS = 32
SWITCHES = {"merging": 1.0, "tear_thickness": np.inf, "keep_apart": 1.0}  # what may be keyed, and the most that it may be
_LABELS = {"merging": "Merge", "tear_thickness": "Tear Below", "keep_apart": "Keep Apart"}


def check_conditions(worst: float, change: float) -> None:
    """How badly shaped tets may become, and how many times worse than new ones, 0 being unasked; SceneError if out of range."""
    if not 2.0 <= worst < np.inf:
        raise SceneError("The worst condition that tets may have is below 2 or not finite.", remedy="Set it to 2 or more.")
    if change != 0.0 and not LEAST_CONDITION_CHANGE <= change < np.inf:
        raise SceneError(
            f"Tets that are {change:.3g} times as badly shaped as new ones are too good to be replaced.",
            remedy=f"Set Worsened By to {LEAST_CONDITION_CHANGE:g} or more, or to 0, where Worst Tet alone counts.",
        )


def with_checked_topology(body: "Body", frames: int) -> "Body":
    """Return the body with its switches cast, given how many frames there are; SceneError where they are out of range."""
    switches = {}
    for name, values in sorted(body.switches.items()):
        if name not in SWITCHES:
            raise SceneError(f"Its {name} cannot change over time.", body=body.name, remedy="Remove its keys.")
        what = f"The animation of {_LABELS[name]}"
        switches[name] = checked_keys(values, frames, what, least=0.0, most=SWITCHES[name], body=body.name)
    body = replace(body, switches=switches)
    _check_topology(body.at_most)
    return body


def _check_topology(body: "Body") -> None:
    """Tear thickness and merge group are in range; surfaces that cannot be cut get a copy (solver/tearing/closed_copy.py)."""
    if not 0 <= body.tear_thickness < np.inf:
        raise SceneError("Its tear thickness is negative or not finite.", body=body.name, remedy="Set it to 0 or more.")
    if not 0 <= body.merge_group <= MOST_MERGE_GROUPS:
        raise SceneError(f"Merge group {body.merge_group} is outside 0 to {MOST_MERGE_GROUPS}.", body=body.name)


def check_merging(bodies: "tuple[Body, ...]") -> None:
    """What is kept apart from another body must name one, and what has a goal may not merge with what gets its volume back."""
    known = {body.uid for body in bodies}
    for body in bodies:
        missing = [uid for uid in body.apart_from if uid not in known or uid == body.uid]
        if missing:
            raise SceneError(
                f"It is never to merge with '{missing[0]}', which is no other body of this scene.",
                body=body.name,
                remedy="Take it out of Except With.",
            )
    most = tuple(body.at_most for body in bodies)
    for body in most:
        others = [other for other in most if other is not body and other.merges_with(body)]
        if not body.merges_with_others or not others:
            continue
        restored = [other.name for other in others if other.volume_rate > 0.0]
        if body.goal is not None and restored:
            raise SceneError(
                f"It may merge with '{restored[0]}', which gets its volume back, but its own goal shape says how large it is.",
                body=body.name,
                remedy="Remove the goal or that one's Volume, or set its Merge Group to 0.",
            )

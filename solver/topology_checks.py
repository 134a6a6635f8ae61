"""What is asked of bodies whose surface may be cut, or sewn to others."""

from typing import TYPE_CHECKING

import numpy as np

from .errors import SceneError

if TYPE_CHECKING:
    from .scene import Body

MOST_MERGE_GROUPS = 32


def check_topology(body: "Body") -> None:
    """Tear thickness and merge group are in range; surfaces that cannot be cut get a copy (solver/tearing/closed_copy.py)."""
    if not 0 <= body.tear_thickness < np.inf:
        raise SceneError("Its tear thickness is negative or not finite.", body=body.name, remedy="Set it to 0 or more.")
    if not 0 <= body.merge_group <= MOST_MERGE_GROUPS:
        raise SceneError(f"Merge group {body.merge_group} is outside 0 to {MOST_MERGE_GROUPS}.", body=body.name)


def check_merging(bodies: "tuple[Body, ...]") -> None:
    """One body cannot be keyed in two ways: what is keyed is refused where bodies may become one."""
    for body in bodies:
        if not body.merges_with_others or not any(other.merges_with(body) for other in bodies if other is not body):
            continue
        kept = {
            "pins": bool(body.pins),
            "a goal shape": body.goal is not None,
            "a keyed material": bool(body.keys),
            "fibres whose activation is keyed": body.fibres is not None and len(body.activation) > 1,
            "a rise": bool(body.rise.any()),
        }
        for name, has in kept.items():
            if has:
                raise SceneError(
                    f"It has {name}, which a body merged of several cannot have in a part of it.",
                    body=body.name,
                    remedy="Remove that, or set its Merge Group to 0.",
                )

"""Wind: a push along the field's axis."""

from ..seen import Push, Seen

KIND = "WIND"


def push(seen: Seen) -> Push:
    """a = strength falloff z."""
    return Push((seen.strength * seen.falloff)[:, None] * seen.axis)

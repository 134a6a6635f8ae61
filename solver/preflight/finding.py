"""What a look over the scene brings up."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing to know before a bake.

    severity    : "error" (the bake would fail), "warning" (it may surprise) or "info"
    object_name : the artist's name; "" for the scene
    place       : where on the object, or ""
    message     : one sentence; remedy: what to do, or ""
    code        : a stable word for scripts
    """

    severity: str
    object_name: str
    place: str
    message: str
    remedy: str
    code: str

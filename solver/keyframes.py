"""Values over time: one a frame from the first on, linear between frames, constant after the last."""

import numpy as np
from numpy.typing import NDArray

from .errors import SceneError

Array = NDArray[np.float64]

SAME_PLACE = 1e-9  # frames by which a place may miss that of a key by rounding


def at_frame(keys: Array, place: float) -> Array:
    """The value of keys (k, ...) at a place in frames after the first."""
    last = len(keys) - 1
    before = min(max(int(place), 0), last)
    share = min(max(place - before, 0.0), 1.0)
    value: Array = (1.0 - share) * keys[before] + share * keys[min(before + 1, last)]
    return value


def rate_at_frame(keys: Array, place: float) -> Array:
    """By how much keys (k, ...) change a frame at a place in frames after the first; at a key's own time, on the way there.

    So a step, which ends at keys, sees the change that it has gone through, as that of a collider's motion is seen
    (colliders/motion.py).
    """
    before = int(np.ceil(place - SAME_PLACE)) - 1
    if not 0 <= before < len(keys) - 1:
        return np.zeros_like(keys[0])
    change: Array = keys[before + 1] - keys[before]
    return change


def checked_keys(
    keys: Array,
    frames: int,
    what: str,
    *,
    shape: tuple[int, ...] = (),
    least: float = -np.inf,
    most: float = np.inf,
    body: str = "",
) -> Array:
    """Return keys cast to (1, *shape) or (frames, *shape); SceneError names `what` when they are not, or leave their range."""
    values = np.ascontiguousarray(keys, dtype=np.float64)
    fits = values.shape in ((1, *shape), (frames, *shape))
    if not fits or not np.isfinite(values).all() or not ((values >= least) & (values <= most)).all():
        bounds = f", or leaves {least:g} to {most:g}" if np.isfinite(least) or np.isfinite(most) else ""
        raise SceneError(
            f"{what} has shape {values.shape}, not {(1, *shape)} or {(frames, *shape)}, is not finite{bounds}.",
            body=body,
            remedy="Check its keys.",
        )
    return values

"""Quiet for the time in which the scene is only read: no frame is played into the results."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

_PLAYBACK = f"{__package__}.playback"  # not imported: playback itself reads scenes


@contextmanager
def playback_paused() -> Iterator[None]:
    """Take playback's frame handlers out and put them back at their places."""
    handlers = bpy.app.handlers.frame_change_pre
    own = [(place, handler) for place, handler in enumerate(handlers) if handler.__module__ == _PLAYBACK]
    for _, handler in own:
        handlers.remove(handler)
    try:
        yield
    finally:
        for place, handler in own:
            handlers.insert(place, handler)

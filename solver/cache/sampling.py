"""A body between two frames and outside the range, as motion blur and slow motion ask for it."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..frame import BodyFrame
from .frame_store import FrameStore


@dataclass(frozen=True)
class Sample:
    """The body's surface at one time. held: it stands still because the time lies outside the baked range."""

    body: BodyFrame
    held: bool = False


def sample(store: FrameStore, uid: str, time: float) -> Sample:
    """Return a body at a whole or fractional frame.

    Before the first frame it is the first, from the last on the last, at rest. Between two frames of one topology it is
    interpolated linearly; between two topologies, or beside a frame that is not baked yet, the earlier one goes on with
    its velocity. Raises CacheError if a whole frame is missing, both neighbours are, or one is damaged.
    """
    first, last = store.manifest["frame_start"], store.manifest["frame_end"]
    if time < first or time > last:
        body = store.read_body_frame(first if time < first else last, uid)
        still = {k: np.zeros_like(v) if k == "velocity" else v for k, v in body.attributes.items()}
        return Sample(replace(body, attributes=still), held=True)
    number = math.floor(time)
    part = time - number
    if part == 0.0:
        return Sample(store.read_body_frame(number, uid))
    seconds = 1.0 / float(store.manifest["frames_per_second"])
    if not store.has_frame(number):
        return Sample(_drifted(store.read_body_frame(number + 1, uid), (part - 1.0) * seconds))
    before = store.read_body_frame(number, uid)
    if not store.has_frame(number + 1):
        return Sample(_drifted(before, part * seconds))
    after = store.read_body_frame(number + 1, uid)
    if after.topology != before.topology or len(after.positions) != len(before.positions):
        return Sample(_drifted(before, part * seconds))
    attributes = {
        name: _blend(values, after.attributes[name], part) if name in after.attributes else values
        for name, values in before.attributes.items()
    }
    return Sample(replace(before, positions=_blend(before.positions, after.positions, part), attributes=attributes))


def _drifted(body: BodyFrame, seconds: float) -> BodyFrame:
    """Return the body moved on with its velocity, if it has one."""
    velocity = body.attributes.get("velocity")
    return body if velocity is None else replace(body, positions=body.positions + velocity * np.float32(seconds))


def _blend(before: NDArray[np.float32], after: NDArray[np.float32], part: float) -> NDArray[np.float32]:
    return before + (after - before) * np.float32(part)

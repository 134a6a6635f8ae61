"""Who merges with whom at a moment: what is keyed, and what is kept apart.

A body that has taken others in keeps apart from all that one of them is to keep apart from.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..keyframes import at_frame
from ..scene import Body, Scene

IntArray = NDArray[np.int64]


def keeps_apart_at(body: Body, place: float) -> bool:
    """Return whether a body names others that it does not merge with at a place in frames after the first."""
    switch = body.switches.get("keep_apart")
    return bool(body.apart_from) and (switch is None or float(at_frame(switch, place)) > 0.5)


def merging_at(bodies: tuple[Body, ...], place: float) -> NDArray[np.bool_]:
    """Return which bodies merge at a place in frames after the first, and which keep apart from those that they name (b, 2)."""
    return np.array([[body.at(place).merging, keeps_apart_at(body, place)] for body in bodies], dtype=bool)


def any_may_merge(bodies: tuple[Body, ...]) -> bool:
    """Return whether pieces of any body may ever become one, or bodies."""
    return any(body.remeshing != "off" and body.at_most.merging for body in bodies)


def acting_scene(whole: Scene, hosts: IntArray, merging: NDArray[np.bool_]) -> Scene:
    """Return the scene with those bodies that are still one of their own, each as it merges now.

    hosts (b,) says as part of which body each of the scene's goes on, merging (b, 2) which of them merge and keep apart.
    """
    bodies = whole.bodies
    number = {body.uid: k for k, body in enumerate(bodies)}
    apart: dict[int, set[int]] = {int(host): set() for host in np.unique(hosts)}
    for k in np.flatnonzero(merging[:, 1]):
        # What was let become one stays one
        apart[int(hosts[k])] |= {int(hosts[number[uid]]) for uid in bodies[k].apart_from} - {int(hosts[k])}
    names = {host: tuple(bodies[k].uid for k in sorted(others)) for host, others in sorted(apart.items())}
    return replace(whole, bodies=tuple(
        replace(bodies[host], merging=bool(merging[host, 0]), switches={}, apart_from=others) for host, others in names.items()
    ))  # fmt: skip


def allowed(pairs: list[tuple[int, int]], bodies: tuple[Body, ...]) -> list[tuple[int, int]]:
    """Return those pairs of bodies, by number, that may become one at once, without any two becoming one that must not."""
    groups = {k: {k} for pair in pairs for k in pair}
    result = []
    for i, j in pairs:
        if groups[i] is not groups[j]:
            kept_apart = any(bodies[a].keeps_apart_from(bodies[b]) for a in groups[i] for b in groups[j])
            if kept_apart:
                continue
            groups[i] |= groups[j]
            for k in groups[i]:
                groups[k] = groups[i]
        result.append((i, j))
    return result

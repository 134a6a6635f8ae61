"""What a frame shows of a body that merges, where a few of its faces pass through others: their vertices are drawn apart.

Creases close where a surface is about to pass through itself (closing.py). What is left of one, or comes with the new tets of
that very moment, are single faces of some hundredths of an element: with the next step they are gone or closed. So nothing
that is simulated changes for them.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..frame import BodyFrame
from ..geometry.easing import eased
from ..geometry.edge_crossings import pairs_of_shells
from ..geometry.measures import box_middle

MOST = 0.1  # elements by which a vertex is moved in what is shown: more would be seen to jump
ROUNDINGS = 3  # times that vertices are moved on, as in single precision some pass through each other again


def drawn_apart(
    frames: Iterable[BodyFrame], triangles: Iterable[NDArray[np.int32]], sizes: Iterable[float], crossing: Iterable[int]
) -> tuple[BodyFrame, ...]:
    """Return frames of bodies with triangles (t, 3) on tets of some sizes [m], those apart of which faces are known to pass
    through their own body: `crossing`, one count a body."""
    every = zip(frames, triangles, sizes, crossing, strict=True)
    return tuple(_apart(frame, faces, MOST * size) if count > 0 else frame for frame, faces, size, count in every)


def _apart(frame: BodyFrame, triangles: NDArray[np.int32], most: float) -> BodyFrame:
    """The same; as it is where no vertex may go far enough, no further than `most` [m].

    Seen from the middle of it: so what rounds, and is no crossing, is least, and nobody else sees more of them.
    """
    middle = box_middle(frame.positions.astype(np.float64))
    shown, places = frame.positions.copy(), frame.positions - middle
    for _ in range(ROUNDINGS):
        moved = eased(places, triangles, most)
        if moved is None:
            return frame
        which = (moved != places).any(axis=1)
        shown[which] = (moved + middle)[which]
        places = shown - middle
        if not len(pairs_of_shells(places, triangles)):
            return replace(frame, positions=shown)
    return frame

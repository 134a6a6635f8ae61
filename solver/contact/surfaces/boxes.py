"""Which of many neighbourhoods have to be asked at all: of bodies that are far from each other there are the most.

Of b bodies b (b + 1) / 2 pairs may meet, and hardly any do. So the box around each body is found once, and pairs whose boxes
are apart, for which nothing has been searched, are passed over in one loop.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .clusters import box_around

if TYPE_CHECKING:
    from .candidates import Neighbourhood

Array = NDArray[np.float64]


class Boxes:
    """p neighbourhoods of `bodies`, pairs of numbers: which may have pairs on a way, all that have been searched or are of
    boxes close by."""

    def __init__(self, neighbourhoods: "list[Neighbourhood]", bodies: list[tuple[int, int]]) -> None:
        self.neighbourhoods, self.bodies = neighbourhoods, bodies
        sides = {id(side): side for each in neighbourhoods for side in each.sides}
        rank = {key: number for number, key in enumerate(sides)}
        self.spans = np.array([side.span for side in sides.values()], np.int64).reshape(-1, 2)
        ends = [(rank[id(each.first)], rank[id(each.second)]) for each in neighbourhoods]
        self.ends = np.array(ends, np.int64).reshape(-1, 2)
        self.reach = np.array([each.reach for each in neighbourhoods])
        self.own = np.array([each.own for each in neighbourhoods], dtype=bool)
        self.searched = self.own.copy()  # or those of one body with itself, which are always asked

    def asked(self, before: Array, after: Array) -> list[int]:
        """The numbers, rising, of those that may have pairs where points go between two places (n, 3)."""
        near = self.searched.copy()
        if not near.all():
            _near(self.spans, self.ends, self.reach, before, after, np.full((len(self.spans), 2, 3), np.nan), near)
        numbers: list[int] = np.flatnonzero(near).tolist()
        return numbers

    def cover(self, before: Array, after: Array, ways: Array | None = None) -> bool:
        """See to it that pairs hold for points anywhere between two places (n, 3); whether any had to be changed.

        ways (n, 3): what leads from one to the other, where that is at hand.
        """
        asked = self.asked(before, after)
        changed = [self.neighbourhoods[k].cover(before, after, ways) for k in asked]
        self.searched[asked] = [self.neighbourhoods[k].searched for k in asked]
        self.searched |= self.own
        return any(changed)

    def with_pairs(self) -> "list[tuple[tuple[int, int], Neighbourhood]]":
        """Those that may have pairs now, with the bodies that they are of: of all others nothing is near."""
        return [(self.bodies[k], self.neighbourhoods[k]) for k in np.flatnonzero(self.searched).tolist()]

    def ways(self) -> "dict[tuple[int, int], list[Neighbourhood]]":
        """The same by their bodies."""
        found: dict[tuple[int, int], list[Neighbourhood]] = {}
        for bodies, each in self.with_pairs():
            found.setdefault(bodies, []).append(each)
        return found


@kernel
def _near(spans, ends, reach, before, after, boxes, near):  # type: ignore[no-untyped-def]
    """Mark what is near (p,), but for what is marked already; boxes (s, 2, 3), nan where they are not known yet."""
    for p in range(len(ends)):
        if near[p]:
            continue
        for s in ends[p]:
            if np.isnan(boxes[s, 0, 0]):
                box_around(before[spans[s, 0] : spans[s, 1]], after[spans[s, 0] : spans[s, 1]], boxes[s, 0], boxes[s, 1])
        one, other = boxes[ends[p, 0]], boxes[ends[p, 1]]
        apart = False
        for axis in range(3):
            apart |= one[0, axis] > other[1, axis] + reach[p] or other[0, axis] > one[1, axis] + reach[p]
        near[p] = not apart

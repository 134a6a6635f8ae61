"""Which bodies have pieces that have come to touch and may merge."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..geometry.edge_crossings import crossing_pairs
from ..geometry.edges import connected
from ..geometry.triangle_tree import triangle_tree
from ..scene import Scene
from ..state import Ranges, State
from ..surface import Surface
from .acting import allowed
from .touching import DEEP, Part, parts_of, touching

Array = NDArray[np.float64]


class Watch:
    """Looks at the pieces of all bodies of an acting scene that merge; built anew with their tets.

    sizes: of the bodies' elements [m].
    """

    def __init__(self, scene: Scene, sizes: list[float], state: State, ranges: Ranges) -> None:
        self.sizes = sizes
        self.parts: list[Part] = []
        self.owners: list[int] = []
        for k, (body, (a, b)) in enumerate(zip(scene.bodies, pairwise(ranges.tets.tolist()), strict=True)):
            if body.merging and body.remeshing != "off":
                own = parts_of(state.tets[a:b])
                alone = len(own) == 1 and not any(body.merges_with(other) for other in scene.bodies if other is not body)
                self.parts += [] if alone else own
                self.owners += [k] * (0 if alone else len(own))
        self.bodies = bodies = scene.bodies
        self.pairs = [
            (i, j)
            for i, one in enumerate(self.owners)
            for j, other in enumerate(self.owners[:i])
            if one == other or bodies[one].merges_with(bodies[other])
        ]

    def met(self, positions: Array, waits: NDArray[np.int64], deep: float = DEEP) -> list[tuple[int, int]]:
        """Return the pairs of bodies, or a body twice, of which pieces touch with the nodes at positions (n, 3).

        waits (b,): how often new tets have failed to join them; each time they must have come deeper into each other, by so
        many elements.
        """
        owners, sizes = self.owners, self.sizes
        wanted = [
            (i, j, deep * min(sizes[owners[i]], sizes[owners[j]]) * (1 + max(waits[owners[i]], waits[owners[j]])))
            for i, j in self.pairs
        ]
        found = touching(positions, self.parts, wanted) if wanted else []
        return allowed(sorted({(min(owners[i], owners[j]), max(owners[i], owners[j])) for i, j in found}), self.bodies)


def lie_in_each_other(pair: tuple[int, int], seen: Callable[[int], Surface]) -> bool:
    """Whether what is seen of two bodies, or of pieces of one, passes through each other."""
    (one, other), alone = (seen(body) for body in pair), pair[0] == pair[1]
    count = len(one.positions)
    places = one.positions if alone else np.concatenate([one.positions, other.positions])
    faces = one.triangles if alone else np.concatenate([one.triangles, other.triangles + count])
    ends = np.stack([faces, np.roll(faces, -1, axis=1)]).reshape(2, -1)
    owner = connected(ends, count) if alone else np.arange(len(places)) >= count
    meeting = owner[faces[crossing_pairs(triangle_tree(places, faces)), 0]]
    return bool((meeting[:, 0] != meeting[:, 1]).any())

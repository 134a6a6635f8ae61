"""How deep edges of colliders were felt when a step ended: what is found deeper than that has not been pushed in.

Which places of an edge and a body touch is asked anew all the time (touching.py), and where the body crumples or turns over an
edge one may be found that has been inside it for long, beside all planes until then. As a spring that is pressed so far it
would throw the body away, by energy that nobody gave. So what lay deeper than was felt nearby is let out in a moment instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ...colliders import Field

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

AROUND = 0.25  # element sizes along a collider up to which what was felt at a place says what is felt beside it
LET_OUT = 1.0 / 24.0  # [s] in which what nobody has pushed in is let out, but for exp(-1) of it


@dataclass
class Felt:
    """Depths (f,) [m] at places (f, 3) [m] on colliders (f,), by their numbers, that push along normals (f, 3)."""

    places: Array = field(default_factory=lambda: np.zeros((0, 3)))
    normals: Array = field(default_factory=lambda: np.zeros((0, 3)))
    depths: Array = field(default_factory=lambda: np.zeros(0))
    colliders: IntArray = field(default_factory=lambda: np.zeros(0, np.int32))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return {f"felt_{name}": values.copy() for name, values in vars(self).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Felt":
        """That of a checkpoint; nothing was felt where it says nothing of it."""
        if "felt_places" not in arrays:
            return cls()
        places, normals, depths = (np.array(arrays[f"felt_{name}"], np.float64) for name in ("places", "normals", "depths"))
        return cls(places, normals, depths, np.array(arrays["felt_colliders"], np.int32))

    @classmethod
    def of(cls, places: Array, normals: Array, depths: Array, colliders: IntArray) -> "Felt":
        """Those of places (m, 3) that are pushed."""
        deep = depths > 0.0
        return cls(places[deep], normals[deep], depths[deep], colliders[deep])

    def carried(self, fields: Mapping[int, Field], begun: float, time: float) -> "Felt":
        """The same when the colliders have gone on from one time [s] to another; normals stay."""
        places = self.places.copy()
        for number in np.unique(self.colliders).tolist():
            own = self.colliders == number
            places[own] = fields[number].carried(places[own], begun, time)
        return Felt(places, self.normals, self.depths, self.colliders)

    def around(self, number: int, places: Array, normals: Array, element: float) -> Array:
        """How deep (m,) [m] it was felt at or near places (m, 3) on a collider by its number, for tets of a size [m]."""
        deepest, own = np.zeros(len(places)), self.colliders == number
        if not own.any() or not len(places):
            return deepest
        near = AROUND * element  # normals count as much: what points another way by 60 degrees is as far
        known = cKDTree(np.hstack([self.places[own], near * self.normals[own]]))
        distance, nearest = known.query(np.hstack([places, near * normals]), distance_upper_bound=near)
        found = np.isfinite(distance)
        deepest[found] = self.depths[own][nearest[found]]
        return deepest

"""What the springs of colliders' sharp edges held when a step ended: a later one may begin with no more.

Which places of an edge and a body touch is asked anew all the time (touching.py), and where the body crumples or turns over an
edge one may be found that has been inside it for long, beside all planes until then. As a spring that is pressed so far it
would throw the body away, by energy that nobody gave. So what the springs between a collider and a body hold when a step begins
is at most what they held when the last one ended: each what it held itself, the others what is left of those that are no more.
What finds nothing left begins where it is, and is let out as firmly as what merely lies is held.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..response import GIVING, gaps_of_energies, normal_energies
from ..surfaces.pairs import numbers_among

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass
class Stored:
    """Energies (s,) [J] of springs by their keys (s, 4), see Crossings; -1 for edges: of a surface that is no more."""

    keys: IntArray = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    energies: Array = field(default_factory=lambda: np.zeros(0))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return {f"stored_{name}": values.copy() for name, values in vars(self).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Stored":
        """That of a checkpoint; nothing was held where it says nothing of it."""
        if "stored_keys" not in arrays:
            return cls()
        return cls(np.array(arrays["stored_keys"], np.int32), np.array(arrays["stored_energies"], np.float64))

    @classmethod
    def of(cls, keys: IntArray, gap: Array, reach: Array, stiffness: Array) -> "Stored":
        """That of springs with keys (m, 4), gaps, reaches (m,) [m] and stiffnesses (m,) [N/m]."""
        energies = np.empty(len(gap))
        normal_energies(gap, reach, stiffness, energies)
        held = energies > 0.0
        return cls(keys[held], energies[held])

    def renumbered(self) -> "Stored":
        """The same for bodies whose edges have other numbers."""
        keys = self.keys.copy()
        keys[:, 2:] = -1
        return replace(self, keys=keys)

    def gaps(self, keys: IntArray, gap: Array, reach: Array, stiffness: Array) -> Array:
        """The gaps (m,) [m] with which springs of one collider and one body may begin, that ask for these (m,) [m]."""
        asked, at_ease = np.empty((2, len(gap)))
        normal_energies(gap, reach, stiffness, asked)
        normal_energies(np.maximum(gap, (1.0 - GIVING) * reach), reach, stiffness, at_ease)
        given = np.maximum(self._shared(keys, asked), at_ease)
        begun, limited = gap.copy(), given < asked
        begun[limited] = gaps_of_energies(given[limited], gap[limited], reach[limited], stiffness[limited])
        return begun

    def _shared(self, keys: IntArray, asked: Array) -> Array:
        """What springs of one collider and one body are given of what they ask for (m,) [J]."""
        if not len(keys):
            return asked
        held = float(self.energies[(self.keys[:, :2] == keys[:1, :2]).all(axis=1)].sum())
        if held == 0.0:
            return np.zeros(len(asked))
        number = numbers_among(self.keys, keys)
        own = np.minimum(asked, np.where(number >= 0, self.energies[number], 0.0))
        own *= min(1.0, held / max(float(own.sum()), 1e-300))  # a corner may have two springs by one key
        more = asked - own
        shared: Array = own + min(1.0, max(held - float(own.sum()), 0.0) / max(float(more.sum()), 1e-300)) * more
        return shared

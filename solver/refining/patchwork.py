"""A triangle surface that is being changed, and where on the old one each corner of it lies."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..geometry.back_to_back import back_to_back
from ..geometry.flipping import Flips, flipped
from ..geometry.measures import area_vectors
from ..geometry.splitting import parts
from ..surface import Surface
from ..tearing.surface_cut import Sources, SurfaceCut

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Patchwork:
    """Triangles of n' vertices, the first n of which are the old surface's.

    positions : (n', 3) [m]
    triangles : (t', 3) int32
    origin    : (t',) the old triangle whose material and face each has
    owners    : (t', 3) the old triangle in which each corner lies, and weights (t', 3, 3) of its corners there
    untouched : (t',) whether it is its origin, corner by corner
    """

    positions: Array
    triangles: IntArray
    origin: IntArray
    owners: IntArray
    weights: Array
    untouched: NDArray[np.bool_]

    @classmethod
    def of(cls, seen: Surface) -> Self:
        """The surface as it is."""
        count = len(seen.triangles)
        origin = np.arange(count, dtype=np.int32)
        weights = np.tile(np.eye(3), (count, 1, 1))
        return cls(
            seen.positions, seen.triangles, origin, np.repeat(origin[:, None], 3, axis=1), weights, np.ones(count, dtype=bool)
        )

    def chosen(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Patchwork":
        """Some of its triangles, in that order."""
        own = ("triangles", "origin", "owners", "weights", "untouched")
        return replace(self, **{name: getattr(self, name)[rows] for name in own})

    def cut(self, sides: NDArray[np.int64], added: Array, shares: Array, first_longer: NDArray[np.bool_]) -> "Patchwork":
        """The surface with points added on sides of its triangles (k, 3) [m], and the triangles cut at them.

        sides (t', 3) are the numbers of these points, -1 where a side stays whole, shares (t', 3) how far along its side each
        lies; first_longer (t',) as `splitting.parts` has it.
        """
        owner, points = parts(sides >= 0, first_longer)
        along = shares[:, :, None]
        between = (1.0 - along) * self.weights + along * np.roll(self.weights, -1, axis=1)
        weights = np.concatenate([self.weights, between], axis=1)
        return Patchwork(
            np.concatenate([self.positions, added]),
            np.concatenate([self.triangles, sides], axis=1)[owner[:, None], points].astype(np.int32),
            self.origin[owner], self.owners[owner], weights[owner[:, None], points],
            self.untouched[owner] & (sides[owner] < 0).all(axis=1),
        )  # fmt: skip

    def flipped(self, some: Flips) -> "Patchwork":
        """The surface after flips that have no triangle in common."""
        untouched = self.untouched.copy()
        untouched[some.rows] = untouched[some.beside] = False
        parts = {name: flipped(getattr(self, name), some) for name in ("triangles", "owners", "weights")}
        return replace(self, **parts, untouched=untouched)

    def restored(self, seen: Surface, whole: NDArray[np.bool_]) -> "Patchwork":
        """The surface with some of the old one's triangles (t,), given the `whole` ones, for their parts; they come last."""
        old, rest = Patchwork.of(seen).chosen(whole), self.chosen(~whole[self.origin])
        names = ("triangles", "origin", "owners", "weights", "untouched")
        return replace(self, **{name: np.concatenate([getattr(rest, name), getattr(old, name)]) for name in names})

    def change(self, seen: Surface) -> SurfaceCut:
        """What it changes of the old surface; of what has come to lie back to back nothing is left."""
        before, gone = len(seen.positions), back_to_back(self.triangles)
        gone[self.untouched] &= ~back_to_back(self.triangles[self.untouched])  # as the artist has made them
        made = self.chosen(np.flatnonzero(~gone)[np.argsort(self.origin[~gone], kind="stable")])
        loose = np.setdiff1d(np.arange(before), seen.triangles)
        used, first = np.unique(made.triangles, return_index=True)
        fresh = used >= before
        kept = np.union1d(used[~fresh], loose)
        number = np.full(len(made.positions), -1, dtype=np.int32)
        number[np.concatenate([kept, used[fresh]])] = np.arange(len(kept) + int(fresh.sum()), dtype=np.int32)
        at = first[fresh]
        return SurfaceCut(
            kept.astype(np.int32), made.positions[np.concatenate([kept, used[fresh]])], number[made.triangles], seen.triangles,
            made.origin, made.untouched, Sources(made.owners.ravel()[at], made.weights.reshape(-1, 3)[at]),
            Sources(made.owners, made.weights),
            float(np.sqrt((area_vectors(seen.positions, seen.triangles) ** 2).sum(axis=1)).sum()),
        )  # fmt: skip

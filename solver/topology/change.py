"""The one record of a change of topology, whoever has made it: remesh, tear, merge, refinement or surface laid anew.

It is a value of plain arrays that says where everything new comes from, and nothing of how it came about. Bodies, nodes and
tets are those of a simulation, numbered through (state.Ranges); surfaces have a list of their own, as the cache replays one
after another. replay.py is the door through which all that lies on meshes takes it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..frame import SurfaceChange
from ..state import Ranges
from .parentage import Parentage, beside

IntArray = NDArray[np.int64]


class TetChange(Protocol):
    """What a producer says of a body's new tets: all of them (remesh/record.py), or a few (remesh/patch.py)."""

    @property
    def nodes(self) -> Parentage:
        """The body's new nodes from its old ones."""

    @property
    def shares(self) -> Parentage:
        """The body's new tets from its old ones, by the volume that they share."""


@dataclass(frozen=True)
class TopologyChange:
    """b old bodies become b' new ones.

    old, new    : where the nodes and tets of each body lie, before and after
    into        : (b,) int64, the new body that each old one is part of
    order       : (b,) int64, the old bodies as they lie in the new ones, one after another; the first in each gives it its name
    nodes       : where new nodes come from: which are old ones, where they were, and what the others are between
    of_tets     : answers with `tets`, the same of tets by the volume that they share; of many tets it is long, so not unasked
    surfaces    : what is seen of bodies, change after change (frame.SurfaceChange): vertices and faces, their parents, weights
    """

    old: Ranges
    new: Ranges
    into: IntArray
    order: IntArray
    nodes: Parentage
    of_tets: Callable[[], Parentage]
    surfaces: tuple[SurfaceChange, ...] = ()

    @cached_property
    def tets(self) -> Parentage:
        """Where new tets come from: which are old ones, bit for bit, and what the others share volume with."""
        return self.of_tets()

    @classmethod
    def nothing(cls, ranges: Ranges, surfaces: tuple[SurfaceChange, ...] = ()) -> Self:
        """Nodes and tets stay, and at most what is seen of bodies changes."""
        bodies, nodes, tets = np.arange(len(ranges.nodes) - 1), int(ranges.nodes[-1]), int(ranges.tets[-1])
        return cls(ranges, ranges, bodies, bodies, Parentage.staying(nodes), lambda: Parentage.staying(tets), surfaces)

    @classmethod
    def of_joined(cls, old: Ranges, new: Ranges, groups: list[list[int]], surfaces: tuple[SurfaceChange, ...]) -> Self:
        """New body k is made of the old ones groups[k], as they are."""
        into, order = np.empty(len(old.nodes) - 1, dtype=np.int64), np.concatenate(groups)
        for number, group in enumerate(groups):
            into[group] = number

        def ordered(ends: IntArray) -> Parentage:
            return Parentage.staying(int(ends[-1]), np.concatenate([np.arange(*ends[k : k + 2]) for k in order]))

        return cls(old, new, into, order, ordered(old.nodes), lambda: ordered(old.tets), surfaces)

    @classmethod
    def of_new_tets(
        cls, old: Ranges, new: Ranges, changes: Mapping[int, TetChange], surfaces: tuple[SurfaceChange, ...]
    ) -> Self:  # fmt: skip
        """Some bodies get other tets, by their numbers; all others keep theirs."""
        if not changes:
            return cls.nothing(old, surfaces)

        def numbered(ends: IntArray, parts: Mapping[int, Parentage]) -> Parentage:
            own = [np.arange(a, b) for a, b in pairwise(ends.tolist())]
            each = [parts[k] if k in parts else Parentage.staying(len(mine)) for k, mine in enumerate(own)]
            return beside(each, own, int(ends[-1]))

        def shares() -> Parentage:
            return numbered(old.tets, {k: each.shares for k, each in changes.items()})

        bodies, nodes = np.arange(len(old.nodes) - 1), numbered(old.nodes, {k: each.nodes for k, each in changes.items()})
        return cls(old, new, bodies, bodies, nodes, shares, surfaces)

    @property
    def firsts(self) -> IntArray:
        """The old number (b',) of each new body that goes on, the first of those that it is made of."""
        return self.order[np.unique(self.into[self.order], return_index=True)[1]]

    def then(self, after: "TopologyChange") -> "TopologyChange":
        """This change and the one after it as one: who replays it replays both."""
        return TopologyChange(
            self.old, after.new, after.into[self.into],
            np.concatenate([self.order[self.into[self.order] == k] for k in after.order]),
            self.nodes.then(after.nodes), lambda: self.tets.then(after.tets), _one_after_another(self.surfaces, after.surfaces),
        )  # fmt: skip


def _one_after_another(first: tuple[SurfaceChange, ...], then: tuple[SurfaceChange, ...]) -> tuple[SurfaceChange, ...]:
    """The changes of both; one that only takes in other bodies is one with the next of that body, if there is one."""
    result, later = list[SurfaceChange](), list(then)
    for change in first:
        place = next((k for k, other in enumerate(later) if other.uid == change.uid), None)
        if change.waits and place is not None:
            later[place] = replace(later[place], taken=change.taken)
        else:
            result.append(change)
    gone = [change for change in result if change.cut is None and not change.taken]
    return (*(change for change in result if change not in gone), *later, *gone)

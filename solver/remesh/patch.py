"""Some of a body's tets replaced by others, the rest as it is: what local remeshing and fracture say of new tets.

Where tets go and come is a patch, with a record of its own (record.py) that knows of no other tets: fields, surface and contact
points go over within it. Tets that stay, and nodes of which no tet is replaced, keep every bit; nodes at the rim keep their
place, and take part in what the patch keeps: its momentum and spin.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, Spread, bind, joined_rows
from ..geometry.edges import connected
from ..state import State
from ..tetmesh.mesh import TetMesh
from ..tetmesh.quality import tet_volumes
from ..topology.parentage import Parentage
from .heirs import Families
from .record import MeshChange, mesh_change
from .transfer import AT_NODES, transferred

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Patch:
    """From n, m old to n', m' new nodes and tets.

    old, new   : the body's mesh before and after it
    kept_nodes : (l,) old nodes that stay, rising; they are the first l new ones
    kept_tets  : (k,) old tets that stay, rising; they are the first k new ones
    gone       : (g,) old tets that are replaced, rising
    change     : from the tets that go to those that come, each with no more nodes than they have
    old_nodes  : (a,) the old nodes of change.old, new_nodes (b,) the new nodes of change.new, both rising
    """

    old: TetMesh
    new: TetMesh
    kept_nodes: IntArray
    kept_tets: IntArray
    gone: IntArray
    change: MeshChange
    old_nodes: IntArray
    new_nodes: IntArray

    @cached_property
    def nodes(self) -> Parentage:
        """The new nodes from the old ones."""
        fresh = self.new_nodes >= len(self.kept_nodes)
        sources, weights = self.old_nodes[self.change.corners[fresh]], self.change.weights[fresh]
        return Parentage.between(len(self.old.positions), sources, weights, self.kept_nodes)

    @cached_property
    def shares(self) -> Parentage:
        """The new tets from the old ones."""
        come = self.change.shares
        same = np.concatenate([self.kept_tets, np.full(len(come.same), -1)])
        return Parentage(len(self.old.tets), same, come.start, self.gone[come.sources], come.weights)

    def state(self, old: State, step: float, counted: bool = False) -> State:
        """The state of the body on its new tets; step [s] is the last one taken, `counted` as in `transferred`."""
        parts = {
            name: values[self.old_nodes if name in AT_NODES else self.gone]
            for name, values in vars(old).items() if name not in ("material", "tets")
        }  # fmt: skip
        part = type(old)(**parts, tets=self.change.old.tets, material=old.material[:, self.gone])
        come = transferred(part, self.change, step, counted, self._beyond(old), self._clusters())
        fields: dict[str, Any] = {"tets": self.new.tets, "positions": self.new.positions}
        for name, values in vars(old).items():
            if name in AT_NODES - {"positions"}:
                fields[name] = np.empty((len(self.new.positions), *values.shape[1:]))
                fields[name][: len(self.kept_nodes)] = values[self.kept_nodes]
                fields[name][self.new_nodes] = getattr(come, name)
            elif name not in ("tets", "positions", "material"):
                fields[name] = np.concatenate([values[self.kept_tets], getattr(come, name)])
        material = np.zeros((len(old.material), len(self.new.tets)))
        for row in np.flatnonzero(old.material.any(axis=1)):  # others are never written: they take no memory
            material[row, : len(self.kept_tets)] = old.material[row, self.kept_tets]
            material[row, len(self.kept_tets) :] = come.material[row]
        return type(old)(**fields, material=material)

    def _beyond(self, old: State) -> Array:
        """The mass of tets that stay at the new nodes of the patch (b,) [kg]."""
        count = len(self.new.positions)
        near = np.flatnonzero(_named(self.new_nodes, count)[self.new.tets[: len(self.kept_tets)]].any(axis=1))
        own = self.kept_tets[near]
        quarters = np.repeat(old.density[own] * old.volumes[own] / 4.0, 4)
        masses: Array = np.bincount(self.new.tets[near].ravel(), quarters, count)[self.new_nodes].astype(np.float64)
        return masses

    def _clusters(self) -> Families:
        """The family of each tet that goes (g,) and that comes (h,): tets belong together that overlap, or share a node."""
        was, now, count = self.change.old.tets, self.change.new.tets, len(self.old_nodes)
        stay = np.flatnonzero(self.new_nodes < len(self.kept_nodes))
        names = self.kept_nodes[self.new_nodes[stay]]
        place = np.minimum(np.searchsorted(self.old_nodes, names), count - 1)
        known = self.old_nodes[place] == names
        sources, targets = self.change.pairs()
        ends = [
            *(np.stack([was[:, 0], was[:, k]]) for k in (1, 2, 3)),
            *(np.stack([now[:, 0], now[:, k]]) + count for k in (1, 2, 3)),
            np.stack([place[known], stay[known] + count]), np.stack([was[sources, 0], now[targets, 0] + count]),
        ]  # fmt: skip
        name = connected(np.concatenate(ends, axis=1).astype(np.int64), count + len(self.new_nodes))
        _, family = np.unique(name, return_inverse=True)
        return family[was[:, 0]].astype(np.int32), family[now[:, 0] + count].astype(np.int32)

    def bound(self, binding: Binding, points: Array) -> Binding:
        """The binding of points that lie at (p, 3) [m]: of those whose tet stays as it was, of the others to the patch."""
        nodes, tets = (np.full(len(part), -1, dtype=np.int32) for part in (self.old.positions, self.old.tets))
        nodes[self.kept_nodes], tets[self.kept_tets] = np.arange(len(self.kept_nodes)), np.arange(len(self.kept_tets))
        found, weights, rows = tets[binding.tets], binding.weights.copy(), list[Spread]()
        if (spread := binding.spread) is not None:
            lost = np.logical_or.reduceat(nodes[spread.nodes] < 0, spread.start[:-1])
            found[spread.points[lost]] = -1
            if (kept := spread.without(found < 0)) is not None:
                rows.append(Spread(kept.points, kept.start, nodes[kept.nodes], kept.weights))
        others = np.flatnonzero(found < 0)
        if len(others):
            own = bind(self.change.new, np.ascontiguousarray(points[others]))
            found[others], weights[others] = own.tets + len(self.kept_tets), own.weights
            if own.spread is not None:
                there = self.new_nodes[own.spread.nodes].astype(np.int32)
                rows.append(Spread(others[own.spread.points], own.spread.start, there, own.spread.weights))
        return Binding(found, weights, joined_rows(rows), binding.standby)


def patch(old: TetMesh, gone: NDArray[np.integer], places: Array, tets: NDArray[np.integer]) -> Patch:
    """Return what becomes of a mesh of n nodes whose tets `gone` (g,) are replaced by others (h, 4).

    These name old nodes by their numbers, and from n on nodes that come, at places (f, 3) [m]. Old nodes that no tet has any
    more go. ValueError where a tet that comes has no volume, a node that comes no tet, or a node between tets that go and such
    that stay none of those that come, which is to say that there would be a hole.
    """
    count, stays = len(old.positions), np.ones(len(old.tets), dtype=bool)
    stays[gone] = False
    every, left, lost = np.concatenate([old.positions, places]), old.tets[stays], np.flatnonzero(~stays)
    of_left, of_lost, of_come = (_named(each, len(every)) for each in (left, old.tets[lost], tets))
    if (tet_volumes(every, tets.astype(np.int32)) <= 0.0).any():
        raise ValueError("A tet that comes is flat, or inside out.")
    if not of_come[count:].all():
        raise ValueError("A node that comes is of no tet.")
    if (of_left & of_lost & ~of_come).any():
        raise ValueError("Tets that come leave a hole.")
    used = of_left | of_come
    number, place = (np.cumsum(some) - 1 for some in (used, of_lost))
    old_nodes, new_nodes = np.flatnonzero(of_lost), number[of_come]
    within = np.cumsum(of_come) - 1
    come = number[tets].astype(np.int32)
    new = TetMesh(every[used], np.concatenate([number[left].astype(np.int32), come]))
    was = TetMesh(old.positions[old_nodes], place[old.tets[lost]].astype(np.int32))
    now = TetMesh(every[of_come], within[tets].astype(np.int32))
    middle = was.middle  # far from the origin digits are lost
    made = mesh_change(was.moved(was.positions - middle), now.moved(now.positions - middle))
    change = MeshChange(was, now, made.start, made.sources, made.volumes, made.corners, made.weights)
    return Patch(old, new, np.flatnonzero(used[:count]), np.flatnonzero(stays), lost, change, old_nodes, new_nodes)


def _named(tets: NDArray[np.integer], count: int) -> NDArray[np.bool_]:
    """Which of so many nodes some tets (k, 4) have."""
    result = np.zeros(count, dtype=bool)
    result[tets] = True
    return result

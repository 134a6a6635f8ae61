"""Several bodies made one: nodes, tets, what is bound to them, and which body of the scene goes on as which.

The one with the largest rest volume takes the others in, with its own settings; tets keep their material. The two lie in each
other as they did: it is the next remesh that makes one piece of them.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, Spread, shifted
from ..frame import SurfaceChange
from ..geometry.edges import connected
from ..pins.bearing import Bearing
from ..refining.grain import joined_grains
from ..remesh.discretization import Discretization
from ..remesh.transfer import body_state, joined_states
from ..scene import Scene
from ..state import State
from ..tetmesh.mesh import TetMesh, joined_meshes
from ..topology.change import TopologyChange

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Joined:
    """A discretization with fewer bodies, and what has become of the old one's.

    change : the record: nodes and tets lie in another order, and surfaces beside each other
    taken  : by new number the places in the scene of those that it has taken in
    """

    mesh: Discretization
    change: TopologyChange
    taken: dict[int, list[int]]


def living(scene: Scene, hosts: IntArray) -> Scene:
    """Return the scene with those of its bodies that are still one of their own; hosts (b,) says what each is part of."""
    alive = np.unique(hosts)
    return scene if len(alive) == len(scene.bodies) else replace(scene, bodies=tuple(scene.bodies[k] for k in alive))


def element_sizes(scene: Scene, hosts: IntArray) -> list[float]:
    """The size [m] of new tets of each living body: the smallest of those that it is made of."""
    every = np.array([body.element_size for body in scene.bodies])
    return [float(every[hosts == host].min()) for host in np.unique(hosts)]


def joined(present: Discretization, pairs: list[tuple[int, int]], scene: Scene) -> Joined:
    """Return the discretization in which pairs of the scene's bodies, by number, are one."""
    count = len(present.surfaces)
    if all(one == other for one, other in pairs):
        return Joined(present, TopologyChange.nothing(present.ranges), {})
    name = connected(np.array(pairs, dtype=np.int64).reshape(-1, 2).T, count)
    volumes = np.array([present.state.volumes[a:b].sum() for a, b in zip(*_ends(present.ranges.tets), strict=True)])
    groups = []
    for one in np.unique(name):
        members = np.flatnonzero(name == one)
        first = int(members[volumes[members].argmax()])
        groups.append([first, *(int(k) for k in members if k != first)])
    groups.sort()
    states = [body_state(present.state, present.ranges, k) for k in range(count)]
    state, ranges = joined_states([_one(states, group) for group in groups])
    alive, hosts, topologies = np.unique(present.hosts), present.hosts.copy(), present.topologies.copy()
    for group in groups:
        hosts[np.isin(present.hosts, alive[group])] = alive[group[0]]
        topologies[alive[group[1:]]] += 1
    mesh = Discretization(
        state, ranges,
        [_bound(states, present.surfaces, group) for group in groups],
        [_bound(states, present.contacts, group) for group in groups],
        [_triangles(present, group) for group in groups],
        [_bearing([present.bearings[k] for k in group]) for group in groups],
        topologies, hosts, present.merging, [joined_grains([present.grains[k] for k in group]) for group in groups],
    )  # fmt: skip
    taken = {number: alive[group[1:]].tolist() for number, group in enumerate(groups) if len(group) > 1}
    surfaces = _surfaces(scene, topologies, [alive[group].tolist() for group in groups if len(group) > 1])
    return Joined(mesh, TopologyChange.of_joined(present.ranges, ranges, groups, surfaces), taken)


def _surfaces(scene: Scene, topologies: IntArray, groups: list[list[int]]) -> tuple[SurfaceChange, ...]:
    """What is seen: of each group, by places in the scene, the first takes in the others, of which nothing is left."""
    changes = []
    for host, *others in groups:
        names = [(scene.bodies[k].uid, int(topologies[k])) for k in others]
        taken = tuple((uid, topology - 1) for uid, topology in names)
        changes.append(SurfaceChange(scene.bodies[host].uid, int(topologies[host]) + 1, None, taken))
        changes += [SurfaceChange(uid, topology, None) for uid, topology in names]
    return tuple(changes)


def _ends(offsets: IntArray) -> tuple[list[int], list[int]]:
    return offsets[:-1].tolist(), offsets[1:].tolist()


def _one(states: list[State], group: list[int]) -> State:
    return states[group[0]] if len(group) == 1 else joined_states([states[k] for k in group])[0]


def _triangles(present: Discretization, group: list[int]) -> NDArray[np.int32]:
    first = np.cumsum([0, *(len(present.surfaces[k].tets) for k in group)]).tolist()
    parts = [present.triangles[k] + start for k, start in zip(group, first, strict=False)]
    return np.concatenate(parts).astype(np.int32)


def _bearing(parts: list[Bearing]) -> Bearing:
    """What pins of all of them lie on."""
    if len(parts) == 1:
        return parts[0]
    mesh = joined_meshes([part.mesh for part in parts])
    surface = joined_meshes([TetMesh(part.positions, part.triangles) for part in parts])
    names = np.concatenate([part.vertices for part in parts])
    return Bearing(mesh.positions, mesh.tets, surface.positions, surface.tets, names)


def _bound(states: list[State], bindings: list[Binding], group: list[int]) -> Binding:
    """The bindings of some bodies as one, to the tets that they have together."""
    if len(group) == 1:
        return bindings[group[0]]
    parts, spreads, points, tets, nodes = [], [], 0, 0, 0
    for k in group:
        one = bindings[k]
        parts.append(shifted(one, tets, nodes))
        if one.spread is not None:
            spreads.append(one.spread.shifted(points, nodes))
        points, tets, nodes = points + len(one.tets), tets + len(states[k].tets), nodes + len(states[k].masses)
    joined_tets, weights = (np.concatenate([getattr(part, name) for part in parts]) for name in ("tets", "weights"))
    standby = [np.zeros(len(part.tets), dtype=bool) if part.standby is None else part.standby for part in parts]
    standing_by = np.concatenate(standby)
    return Binding(joined_tets, weights, _rows(spreads), standing_by if standing_by.any() else None)


def _rows(spreads: list[Spread]) -> Spread | None:
    """Rows of several spreads, one after another, as one."""
    if not spreads:
        return None
    first = np.cumsum([0, *(len(one.nodes) for one in spreads)])
    starts = [one.start[:-1] + start for one, start in zip(spreads, first[:-1], strict=True)]
    return Spread(
        np.concatenate([one.points for one in spreads]), np.concatenate([*starts, first[-1:]]).astype(np.int64),
        np.concatenate([one.nodes for one in spreads]), np.concatenate([one.weights for one in spreads]),
    )  # fmt: skip

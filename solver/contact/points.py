"""The points of the bodies that may touch colliders: points of the artist's surface, and nodes inside."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, joined_rows
from ..filling import Covering, inner_nodes_outside
from ..geometry.measures import area_vectors
from ..scene import Scene
from ..slots import LAMBDA, MU
from ..state import Ranges, Solids, element_size
from ..tetmesh.boundary import face_table
from ..tetmesh.mesh import Topology
from .response import carry_some, carry_spread
from .surfaces.carried import Carried

Array = NDArray[np.float64]

REACH = 0.01  # gap at which a contact begins to push, in element sizes


@dataclass(frozen=True)
class Chosen:
    """Some of the contact points.

    points (c,)            : their numbers, rising
    blended (b,), rows (b,) : which of these are blended, and the rows that carry them
    """

    points: NDArray[np.int64]
    blended: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass
class ContactPoints:
    """The bodies' contact points, concatenated; k points.

    tets (k,), nodes (k, 4), weights (k, 4) : the tet at each, which carries it and takes its force, but where
    row       : (k,) is not -1: that row of `rows` does, as it is blended from the tets around it
    rows      : those of all blended points, whose nodes are those of all bodies
    bodies    : (k,) the number of its body
    boundary  : (f, 3) boundary faces of the tets
    size      : (k,) element size of its body [m]
    extent    : (k,) largest side of its body [m]
    stress    : (k,) how many times as large stresses are as at its body's real size
    inside    : (k,) whether it is a node inside its body
    standby   : (k,) whether it touches only once it is seen to sink in (embedding.contact_samples)
    stiffness : (k,) slope of the pushing force [N/m]: body modulus x area a point / reach, so the mesh does not matter
    """

    tets: NDArray[np.int32]
    nodes: NDArray[np.int32]
    weights: Array
    bodies: NDArray[np.int64]
    size: Array
    extent: Array
    stress: Array
    inside: NDArray[np.bool_]
    standby: NDArray[np.bool_]
    stiffness: Array
    row: NDArray[np.int64]
    rows: Carried
    boundary: NDArray[np.int32]

    def __post_init__(self) -> None:
        self.all = self.choose(np.arange(len(self.tets)))

    def choose(self, points: NDArray[np.int64]) -> Chosen:
        """Points by their numbers (c,), rising, ready to be looked at again and again."""
        row = self.row[points]
        blended = np.flatnonzero(row >= 0)
        return Chosen(points, blended, row[blended])

    def positions(self, nodes: Array, chosen: Chosen | None = None) -> Array:
        """World positions (k, 3) of the points, or (c, 3) of those chosen."""
        chosen = self.all if chosen is None else chosen
        here, rows = np.empty((len(chosen.points), 3)), self.rows
        carry_some(nodes, chosen.points, self.nodes, self.weights, here)
        if len(chosen.rows):
            carry_spread(nodes, chosen.blended, chosen.rows, rows.start, rows.nodes, rows.weights, here)
        return here


def gather_points(
    state: Solids, ranges: Ranges, bindings: list[Binding], tables: Sequence[Topology], extents: list[float],
    scales: list[float], gravity: float, coverings: Sequence[Covering] = (),
) -> ContactPoints:  # fmt: skip
    """Concatenate the bodies' contact bindings and size their stiffness. tables: how each body's tets hang together; scales:
    how many times as large stresses are in each as at its real size.

    Nodes inside a body are contact points too (claim I19): one that is crushed through the surface is stopped there. Those of
    tets that reach out of what is seen so far that they lie outside of it are none: it would stand off by as much. coverings:
    what is seen of each body about its mesh.
    """
    parts: list[tuple[NDArray[Any], ...]] = []
    faces: list[NDArray[np.int32]] = []
    spreads, before = [], 0
    for body, binding in enumerate(bindings):
        first, last = ranges.tets[body], ranges.tets[body + 1]
        own = state.tets[first:last]
        faces.append((tables[body].faces.boundary + ranges.nodes[body]).astype(np.int32))
        hidden = ranges.nodes[body] + inner_nodes_outside(coverings[body]) if len(coverings) else ()
        inner, inner_weights = _inner_nodes(own, faces[-1], hidden)
        element = element_size(state.volumes[first:last])
        weight = float(state.density[first:last].mean()) * gravity * extents[body]
        modulus = contact_modulus(state.material[:, first:last], weight)
        standby = np.zeros(len(binding.tets), dtype=bool) if binding.standby is None else binding.standby
        area = _area(state.positions, faces[-1]) / max(int((~standby).sum()), 1)
        tets: NDArray[Any] = (np.concatenate([binding.tets, inner]) + first).astype(np.int32)
        count = len(tets)
        parts.append((
            tets, state.tets[tets], np.concatenate([binding.weights, inner_weights]), np.full(count, body),
            np.full(count, element), np.full(count, extents[body]), np.full(count, scales[body]),
            np.arange(count) >= len(binding.tets),
            np.concatenate([standby, np.zeros(len(inner), dtype=bool)]), np.full(count, modulus * area / (REACH * element)),
        ))  # fmt: skip
        if binding.spread is not None:
            spreads.append(binding.spread.shifted(before, int(ranges.nodes[body])))
        before += count
    arrays = (np.concatenate(each) for each in zip(*parts, strict=True))
    tets, nodes, weights, bodies, size, extent, stress, inside, standby, stiffness = arrays
    spread, row, rows = joined_rows(spreads), np.full(before, -1), Carried.nothing()
    if spread is not None:
        row[spread.points] = np.arange(len(spread.points))
        rows = Carried(spread.start, spread.nodes, spread.weights)
    return ContactPoints(
        tets, nodes, weights, bodies, size, extent, stress, inside, standby, stiffness, row, rows, np.concatenate(faces)
    )  # fmt: skip


def meeting(scene: Scene, tets: NDArray[np.int32], ranges: Ranges, colliders: int) -> NDArray[np.bool_] | None:
    """Which of so many colliders the points of tets (k,) meet (colliders, k) by collision groups; None: every one."""
    if len(scene.colliders) != colliders:  # they were not built from the scene
        return None
    bodies = np.array([body.groups for body in scene.bodies])
    own = bodies[np.searchsorted(ranges.tets, tets, side="right") - 1]
    met = np.array([collider.groups for collider in scene.colliders], dtype=np.int64)[:, None] & own != 0
    return None if met.all() else met


def contact_modulus(material: Array, weight: float) -> float:
    """What sizes a body's contacts [Pa]: the modulus of its material (rows, m), or ten times its weight an area [Pa]."""
    return max(float((material[LAMBDA] + 2.0 * material[MU]).mean()), 10.0 * weight)


def _inner_nodes(
    tets: NDArray[np.int32], boundary: NDArray[np.int32], hidden: Sequence[int] | NDArray[np.int64]
) -> tuple[NDArray[np.int64], Array]:
    """Every node that is on no boundary face, nor hidden, as a point of one of its tets: tets (k,), weights (k, 4)."""
    nodes = tets.ravel()
    first = np.full(int(nodes.max()) + 1, -1, dtype=np.int64)
    first[nodes[::-1]] = np.arange(len(nodes))[::-1]
    first[boundary] = -1
    first[np.asarray(hidden, dtype=np.int64)] = -1
    where = first[first >= 0]
    weights = np.zeros((len(where), 4))
    weights[np.arange(len(where)), where % 4] = 1.0
    return where // 4, weights


def boundary_area(positions: Array, tets: NDArray[np.int32]) -> float:
    """Area [m^2] of the boundary faces."""
    return _area(positions, face_table(tets).boundary)


def _area(positions: Array, faces: NDArray[np.int32]) -> float:
    return float(np.sqrt((area_vectors(positions, faces) ** 2).sum(axis=1)).sum())

"""What is seen stays with its neighbours on the surface where new tets have bound a small patch of it to another limb.

A part that is thinner than new tets vanishes from them, and a point seen of it is bound to what is nearest: to another limb, or
to another body, that only passes by, while its neighbours stay at the stump. As both go their ways, the surface would be drawn
out between them, to a spike. No tets lead from one to the other: by that such a patch is known.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, Spread, bind, evaluate, joined_rows
from ..geometry.edges import connected
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..jit import kernel
from ..surface import Surface
from ..tetmesh.compaction import compacted
from ..tetmesh.mesh import TetMesh

NEAR = 2  # rings of tets, across faces, within which a tet's neighbours on the surface are bound at least,
PER_LENGTH = 2.0  # and more of them for each element size that they are apart
LARGEST = 4.0  # element sizes that a patch which has strayed is across at most
AROUND = 4  # rings of tets around the border's, to which it is bound then
MOST_RINGS = 512  # tets looked at around one


def gathered(surface: Binding, contacts: Binding, seen: Surface, new: TetMesh, element_size: float) -> tuple[Binding, Binding]:
    """Return the bindings of a surface and of its contact points with patches that have strayed back at their neighbours'."""
    sides = np.stack([seen.triangles, np.roll(seen.triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    ends = sides[sides[:, 0] < sides[:, 1]]  # all edges where the surface is closed and turned one way
    lengths = np.sqrt(((seen.positions[ends[:, 0]] - seen.positions[ends[:, 1]]) ** 2).sum(axis=1))
    rings = NEAR + np.ceil(PER_LENGTH * lengths / element_size).astype(np.int32)
    apart = leads_nowhere(new.tets, new.faces.neighbours, surface.tets[ends], rings)
    if not apart.any():
        return surface, contacts
    patch = connected(ends[~apart].T, len(seen.positions))
    strayed = _small(seen, patch, connected(ends.T, len(seen.positions)), LARGEST * element_size)
    if not strayed.any():
        return surface, contacts
    places = evaluate(contacts, new.tets, new.positions)
    found = closest_points(triangle_tree(seen.positions, seen.triangles), places)
    nearest = seen.triangles[found.triangle, found.weights.argmax(axis=1)]
    for label in np.unique(patch[strayed]):
        own = patch == label
        across = ends[apart & (own[ends[:, 0]] != own[ends[:, 1]])]
        border = across[~own[across] & ~strayed[across]]  # the neighbours that have not strayed
        if not len(border):
            continue  # it lies within another patch, and goes where that one goes at the next remesh
        part = _around(new.faces.neighbours, np.unique(surface.tets[border]), AROUND)
        surface = _moved(surface, np.flatnonzero(own), seen.positions, new, part)
        contacts = _moved(contacts, np.flatnonzero(own[nearest]), places, new, part)
    return surface, contacts


def _small(seen: Surface, patch: NDArray[np.int64], shell: NDArray[np.int64], largest: float) -> NDArray[np.bool_]:
    """Which vertices (n,) are of a patch no larger than that [m] that is not the largest of its shell."""
    count = len(patch)
    vertices = np.bincount(patch, minlength=count)
    most = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, shell, vertices[patch])
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, patch, seen.positions)
    np.maximum.at(high, patch, seen.positions)
    across = (high - low)[patch].max(axis=1)
    return np.asarray((vertices[patch] < most[shell]) & (across <= largest))


def _moved(
    binding: Binding, which: NDArray[np.int64], places: NDArray[np.float64], mesh: TetMesh, part: NDArray[np.int64]
) -> Binding:
    """The binding with some points, by number, bound to some of the tets alone."""
    if not len(which):
        return binding
    own = bind(compacted(mesh.positions, mesh.tets[part]), np.ascontiguousarray(places[which]))
    nodes = np.unique(mesh.tets[part])
    tets, weights, others = binding.tets.copy(), binding.weights.copy(), np.zeros(len(binding.tets), dtype=bool)
    tets[which], weights[which], others[which] = part[own.tets], own.weights, True
    spreads = [binding.spread.without(others)] if binding.spread else []
    if own.spread:
        spreads.append(Spread(which[own.spread.points], own.spread.start, nodes[own.spread.nodes], own.spread.weights))
    return replace(binding, tets=tets, weights=weights, spread=joined_rows([one for one in spreads if one]))


def _around(neighbours: NDArray[np.int32], tets: NDArray[np.int32], rings: int) -> NDArray[np.int64]:
    """The tets within so many rings, across faces, of some, rising."""
    inside = np.zeros(len(neighbours), dtype=bool)
    inside[tets] = True
    for _ in range(rings):
        beside = neighbours[inside]
        inside[beside[beside >= 0]] = True
    return np.flatnonzero(inside)


@kernel
def leads_nowhere(tets, neighbours, bound, rings):  # type: ignore[no-untyped-def]
    """Whether no way over so many faces (e,) leads from a tet to one that shares a node with the other, of pairs (e, 2)."""
    apart = np.zeros(len(bound), dtype=np.bool_)
    ring = np.empty(MOST_RINGS, dtype=np.int32)
    for e in range(len(bound)):
        ring[0], begin, end, met = bound[e, 0], 0, 1, False
        for step in range(rings[e] + 1):
            for r in range(begin, end):
                for a in range(4):
                    for b in range(4):
                        met |= tets[ring[r], a] == tets[bound[e, 1], b]
            if met or step == rings[e] or begin == end:
                break
            last = end
            for r in range(begin, last):
                for face in range(4):
                    other = neighbours[ring[r], face]
                    known = other < 0 or end == MOST_RINGS
                    for q in range(end):
                        known |= ring[q] == other
                    if not known:
                        ring[end] = other
                        end += 1
            begin = last
        apart[e] = not met and end < MOST_RINGS
    return apart

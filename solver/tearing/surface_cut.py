"""Cutting a closed triangle surface by a solid, and what of the old surface each new corner and vertex comes from.

A boolean (booleans.py) leaves corners that it does not cut where they are, to the last bit, and says of every triangle which
one it is a part of. So what is away from the cut stays as it is, and all else is found again by its place in a triangle.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.back_to_back import back_to_back
from ..geometry.edges import unpaired_edges
from ..geometry.measures import area_vectors, box_middle
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..geometry.weights import clamped_weights
from ..surface import Surface
from .booleans import Made, difference, self_union, union
from .short_edges import without_short_edges

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Sources:
    """Old triangles (k, ...) int32 and weights (k, ..., 3) between their corners, from which values are taken."""

    triangles: IntArray
    weights: Array


@dataclass(frozen=True)
class SurfaceCut:
    """A surface's change by a cut: n, t old and n', t' new vertices and triangles.

    kept      : (k,) old vertices that are still there, rising; they are the first k new ones, the others are new
    positions : (n', 3) as the surface lies at the cut [m]
    triangles : (t', 3) int32
    old_triangles : (t, 3) int32
    origin    : (t',) the old triangle that each is or is a part of, rising; last those that close the cut, INNER
    whole     : (t',) whether it is that triangle, corner by corner
    vertices  : Sources of the new vertices (n' - k)
    corners   : Sources of every corner (t', 3)
    area      : of the old surface [m^2]
    weld      : (n,) the old vertex that each goes by, several that lie in one place by the same; None: each by itself
    laid      : (n, 3) where the old vertices lay, of a surface laid anew (solver/tet_surface) [m]; None: it was cut or sewn
    """

    kept: IntArray
    positions: Array
    triangles: IntArray
    old_triangles: IntArray
    origin: IntArray
    whole: NDArray[np.bool_]
    vertices: Sources
    corners: Sources
    area: float
    weld: IntArray | None = None
    laid: Array | None = None

    @property
    def were(self) -> IntArray:
        """Which old vertex (n',) each new one is, -1 none; where all are new, the one that it lies nearest to."""
        if self.laid is not None:
            return self.old_triangles[self.vertices.triangles, self.vertices.weights.argmax(axis=1)]
        return np.concatenate([self.kept, np.full(len(self.positions) - len(self.kept), -1, dtype=np.int32)])

    def carried_as(self, carrying: IntArray) -> IntArray:
        """Which old tet (n',) carries each vertex, given those of the old ones (n,); a new one goes by the nearest of these."""
        main = self.vertices.weights.argmax(axis=1)
        return np.concatenate([carrying[self.kept], carrying[self.old_triangles[self.vertices.triangles, main]]])


def cut_surface(surface: Surface, solid: Surface, element_size: float = 0.0) -> SurfaceCut | None:
    """Return what cutting a solid out of a surface changes; None where they do not meet, or the surface is not closed.

    Where edges come that are short beside an element_size [m], their ends are drawn together.
    """
    old, middle = _centred(surface)
    if unpaired_edges(old.triangles):
        return None
    made = difference(old, Surface(solid.positions - middle, solid.triangles))
    return None if made is None else _met(change_of(surface, old, middle, tidied(made, old, element_size)))


def united_surface(surface: Surface, part: IntArray, element_size: float = 0.0) -> SurfaceCut | None:
    """Return what uniting parts of a surface changes, given the part (t,) of each triangle; -1 stays as it is.

    What of one lies inside another goes, without new faces. None where they do not meet, or one is not closed. Where edges come
    that are short beside an element_size [m], their ends are drawn together.
    """
    old, middle = _centred(surface)
    if any(unpaired_edges(old.triangles[part == k]) for k in range(int(part.max()) + 1)):
        return None
    made = union(old, part)
    return None if made is None else _met(change_of(surface, old, middle, tidied(made, old, element_size)))


def self_united_surface(surface: Surface, own: NDArray[np.bool_], element_size: float = 0.0) -> SurfaceCut | None:
    """Return what uniting a surface's own triangles (t,) with themselves changes: no two of them pass through each other then.

    What of them lies inside goes, and what is turned inside out; the others stay as they are. None where none pass through
    others, or they are not closed, or would not be. Where edges come that are short beside an element_size [m], their ends are
    drawn together.
    """
    old, middle = _centred(surface)
    if unpaired_edges(old.triangles[own]):
        return None
    made = self_union(old, own)
    return None if made is None else _met(change_of(surface, old, middle, tidied(made, old, element_size)))


def tidied(made: Made, old: Surface, element_size: float) -> Made:
    """What a boolean has made of a surface, without edges that are short beside an element, and what lies back to back then."""
    places, triangles, origin = made
    fresh = np.ones(len(places), dtype=bool)
    fresh[triangles[_same(made, old).any(axis=2)]] = False
    triangles, were = without_short_edges(places, triangles, fresh, element_size)
    left = ~back_to_back(triangles)
    return places, triangles[left], origin[were[left]]


def _same(made: Made, old: Surface) -> NDArray[np.bool_]:
    """Whether each corner (t, 3) of what a boolean has made of a surface lies where one (3) of its old triangle's does."""
    places, triangles, origin = made
    equal = np.asarray(places[triangles][:, :, None] == old.positions[old.triangles[origin]][:, None])
    return np.asarray(equal.all(axis=3) & (origin >= 0)[:, None, None])


def _met(cut: SurfaceCut) -> SurfaceCut | None:
    """A change; None where every triangle is still what it was."""
    return None if cut.whole.sum() == len(cut.old_triangles) else cut


def _centred(surface: Surface) -> tuple[Surface, Array]:
    """The surface about its middle, and that: far from the world's origin no digit is lost."""
    middle = box_middle(surface.positions)
    return Surface(surface.positions - middle, surface.triangles), middle


def change_of(surface: Surface, old: Surface, middle: Array, made: Made) -> SurfaceCut:
    """What a boolean has made of a surface, old being the same about its middle.

    Where vertices lie in one place, old may name one of them for all.
    """
    places, triangles, origin = made
    corners, equal = old.triangles[origin], _same(made, old)
    matched, same = np.asarray(equal.any(axis=2)), equal.argmax(axis=2)  # corner k of a part is corner same[k] of its triangle
    whole = matched.all(axis=1) & ((same[:, 1] - same[:, 0]) % 3 == 1) & ((same[:, 2] - same[:, 1]) % 3 == 1)
    name = np.full(len(places), -1, dtype=np.int64)
    name[triangles[matched]] = corners[np.nonzero(matched)[0], same[matched]]
    staying = np.zeros(len(old.positions), dtype=bool)
    staying[name[name >= 0]] = True
    staying[np.setdiff1d(np.arange(len(old.positions)), surface.triangles)] = True  # vertices without faces
    kept = np.flatnonzero(staying)
    fresh = np.setdiff1d(triangles[~matched], np.flatnonzero(name >= 0))
    number = np.where(name >= 0, np.cumsum(staying)[name] - 1, 0)
    number[fresh] = len(kept) + np.arange(len(fresh))
    numbered = number[triangles].astype(np.int32)
    numbered[whole] = (np.cumsum(staying) - 1)[old.triangles[origin[whole]]]
    sources = _corner_sources(old, places, triangles, origin, matched, same)
    sources.weights[whole], sources.triangles[whole] = np.eye(3), origin[whole, None]
    return SurfaceCut(
        kept.astype(np.int32),
        np.concatenate([surface.positions[kept], places[fresh] + middle]),
        numbered, surface.triangles, origin.astype(np.int32), whole,
        _vertex_sources(triangles, fresh, origin, sources), sources,
        float(np.sqrt((area_vectors(old.positions, old.triangles) ** 2).sum(axis=1)).sum()), _weld(surface, old),
    )  # fmt: skip


def _weld(surface: Surface, old: Surface) -> IntArray | None:
    """The vertex (n,) that each of a surface's goes by in the same one welded; None where none of them is."""
    if old.triangles is surface.triangles or (old.triangles == surface.triangles).all():
        return None
    names = np.arange(len(surface.positions), dtype=np.int32)
    names[surface.triangles] = old.triangles
    return names


def _corner_sources(
    old: Surface, places: Array, triangles: NDArray[np.int64], origin: NDArray[np.int64],
    matched: NDArray[np.bool_], same: NDArray[np.int64],
) -> Sources:  # fmt: skip
    """The sources of all corners: their own triangle's, or for those that close the cut the closest one's."""
    owners = np.repeat(origin[:, None], 3, axis=1)
    weights = np.empty((len(triangles), 3, 3))
    mine = origin >= 0
    weights[mine] = clamped_weights(old.positions[old.triangles[origin[mine]]], places[triangles[mine]])
    weights[matched] = np.eye(3)[same[matched]]
    tree = triangle_tree(old.positions, old.triangles)
    found = closest_points(tree, np.ascontiguousarray(places[triangles[~mine]].reshape(-1, 3)))
    owners[~mine], weights[~mine] = found.triangle.reshape(-1, 3), found.weights.reshape(-1, 3, 3)
    return Sources(owners.astype(np.int32), weights)


def _vertex_sources(
    triangles: NDArray[np.int64], fresh: NDArray[np.int64], origin: NDArray[np.int64], corners: Sources
) -> Sources:
    """The sources of new vertices: those of the first corner there, one of the old surface's before one that closes the cut."""
    order = np.argsort(np.repeat(origin < 0, 3), kind="stable")
    names, first = np.unique(triangles.ravel()[order], return_index=True)
    chosen = order[first[np.searchsorted(names, fresh)]]
    return Sources(corners.triangles.ravel()[chosen], corners.weights.reshape(-1, 3)[chosen])


def still_carrying(carrying: NDArray[np.int32], cuts: list[SurfaceCut]) -> NDArray[np.int32]:
    """The old tet (n',) that carries each vertex of a surface that has been cut; -1 for new vertices."""
    for cut in cuts:
        known = carrying[cut.kept]
        carrying = np.concatenate([known, np.full(len(cut.positions) - len(known), -1, dtype=np.int32)])
    return carrying

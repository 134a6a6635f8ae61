"""What is seen where it has been cut or sewn: vertices moved so that nothing crosses and no volume is lost."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.easing import eased
from ..geometry.edge_crossings import crossing_vertices, piercing_pairs
from ..geometry.edges import unpaired_edges
from ..geometry.measures import area_vectors, signed_volumes
from ..geometry.triangle_tree import triangle_tree
from ..remesh.drawing_in import Refused
from ..remesh.volume import FARTHEST
from ..surface import Surface
from .surface_cut import SurfaceCut, self_united_surface, united_surface

Array = NDArray[np.float64]

EASED = 0.25  # element sizes by which a vertex may be moved where a few faces cross at a cut
# How parts are sewn, best first: whether short edges go at the seam, whether they grow by what overlapped. As a boolean
# leaves it nothing crosses that did not before.
SEAMS = (True, True), (False, True), (False, False)
HELD_BACK = 8  # times that what would pass through itself is kept where it is, before nothing moves


class PassesThrough(Refused):
    """What is seen would pass through itself where a tear has cut it."""


def parted(cut: SurfaceCut, element_size: float) -> SurfaceCut:
    """The cut with what few faces pass through others drawn apart."""
    moved = eased(cut.positions, cut.triangles, EASED * element_size, len(cut.kept))
    return cut if moved is None else replace(cut, positions=moved)


def sew(seen: Surface, part: NDArray[np.int32], element_size: float) -> tuple[SurfaceCut, Array] | None:
    """What unites parts (t,) of what is seen, those of each triangle, and the middles (k, 3) of faces that pass through others
    then that did not before [m], if there is no way without; None where the parts do not meet, or one is open, or would be."""
    first = united_surface(seen, part, element_size)
    if first is None:
        return None
    made = _best(seen, part >= 0, element_size, lambda tidy: first if tidy else united_surface(seen, part), False)
    if made is not None and not len(made[1]):
        return made
    exact = sew_to_itself(seen, part >= 0, element_size)
    return min((each for each in (made, exact) if each is not None), key=lambda each: len(each[1]), default=None)


def sew_to_itself(seen: Surface, own: NDArray[np.bool_], element_size: float) -> tuple[SurfaceCut, Array] | None:
    """The same of some of its triangles (t,) of which some pass through others; of those too that did so before."""
    return _best(seen, own, element_size, lambda tidy: self_united_surface(seen, own, tidy), True)


def _best(
    seen: Surface, own: NDArray[np.bool_], element_size: float, united: Callable[[float], SurfaceCut | None], itself: bool
) -> tuple[SurfaceCut, Array] | None:
    """What unites triangles (t,), if need be `itself`, given the length of edges that are drawn together: in the first way
    that leaves nothing passing through others that did not before, else in that by which the fewest faces do."""
    had, found = float(signed_volumes(seen.positions, seen.triangles[own]).sum()), list[tuple[SurfaceCut, Array]]()
    open_edges = unpaired_edges(seen.triangles)
    for tidies, grows in SEAMS:
        cut = united(element_size if tidies else 0.0)
        if cut is None or unpaired_edges(cut.triangles) > open_edges:
            continue  # what passes through itself at the seam
        if grows:
            seam, triangles = np.arange(len(cut.kept), len(cut.positions)), cut.triangles[own[cut.origin]]
            cut = replace(cut, positions=grown(cut, triangles, had, seam, element_size))
        cut = parted(cut, element_size)
        found.append((cut, new_crossings(cut, seen, united=own if itself else None)))
        if not len(found[-1][1]):
            break
    return min(found, key=lambda made: len(made[1]), default=None)


def new_crossings(cut: SurfaceCut, old: Surface, sewn: bool = True, united: NDArray[np.bool_] | None = None) -> Array:
    """Return the middles (k, 3) of faces of a cut surface that pass through others where those of the old one did not [m].

    But none of one that is cut, not sewn, where no more pairs do so than before: what passed through itself goes on to there.
    Of triangles (t,) that have been `united` with themselves those too that did so before.
    """
    pairs = piercing_pairs(cut.positions, cut.triangles)
    if len(pairs):
        before = piercing_pairs(old.positions, old.triangles).astype(np.int32)
        if united is not None:
            before = before[~united[before].all(axis=1)]
        known = np.isin(_names(cut.origin[pairs], old), _names(before, old)) | (not sewn and len(pairs) <= len(before))
        pairs = pairs[~known]
    return np.asarray(cut.positions[cut.triangles[np.unique(pairs)]].mean(axis=1))


def _names(pairs: NDArray[np.int32], old: Surface) -> NDArray[np.int64]:
    """A number for each pair (k, 2) of old triangles, whichever comes first; below 0 where one is none of them."""
    low, high = np.sort(pairs.astype(np.int64), axis=1).T
    return np.asarray(low * len(old.triangles) + high)


def grown(cut: SurfaceCut, own: NDArray[np.int32], had: float, seam: NDArray[np.int64], element_size: float) -> Array:
    """The vertices (n, 3) of a cut surface, its own triangles (t, 3) moved outwards for the volume in which they overlapped.

    had: the volume [m^3] that they had before, what overlaps counted twice; seam: the vertices where it was sewn. Evenly, but
    less the nearer to the seam, and not at all where it would pass through itself, as in creases.
    """
    vectors = area_vectors(cut.positions, own)
    normals = np.zeros_like(cut.positions)
    np.add.at(normals, own, vectors[:, None] / 3.0)
    area = np.sqrt((normals**2).sum(axis=1))
    away = cKDTree(cut.positions[seam]).query(cut.positions, distance_upper_bound=element_size)[0]
    share = np.minimum(away / element_size, 1.0)
    missing, unit = had - signed_volumes(cut.positions, own).sum(), normals / np.where(area > 0.0, area, 1.0)[:, None]
    for _ in range(HELD_BACK):
        step = np.clip(missing / max((share * area).sum(), 1e-300), 0.0, FARTHEST * element_size)
        moved = cut.positions + (step * share)[:, None] * unit
        crossing = crossing_vertices(triangle_tree(moved, own))
        if not share[crossing].any():
            return np.asarray(moved)
        around = np.isin(own, crossing).any(axis=1)
        share[own[around]] = 0.0
    return cut.positions

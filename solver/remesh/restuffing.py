"""A new mesh for a deformed body: isosurface stuffing of what its old tets fill.

Inside is whatever lies in an old tet, so parts that touch or overlap become one, unless they are to stay apart (unfused.py),
and parts thinner than an element vanish (Bargteil 2007, claim B19). The lattice, its cuts and stencils are those of the cage
(solver/tetmesh).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..errors import MeshingError
from ..geometry.chunks import side_by_side
from ..geometry.measures import bounding_box, within_box
from ..geometry.triangle_tree import triangle_tree
from ..geometry.winding import winding_numbers, winding_tree
from ..lookup import Lookup
from ..surface import Surface
from ..tetmesh.cage import ASIDE, MOST_POINTS
from ..tetmesh.compaction import compacted
from ..tetmesh.crossings import INSIDE
from ..tetmesh.lattice_points import Lattice, lattice_around, lattice_points, point_count
from ..tetmesh.mesh import TetMesh
from ..tetmesh.padding import cut, padded_cut
from ..tetmesh.pieces import CRUMB
from .fitting import Outline, fitted, outline
from .folding import is_folded
from .held_points import held_points
from .sheets import sheets_of
from .unfused import OfSheets, unfused
from .volume import with_volumes

Array = NDArray[np.float64]

# Where something seen is left more than NEAR element sizes outside, and further than it was, or a piece falls apart or is lost,
# the lattice is moved so far, in cells, and what leaves least is taken: parts as thick as a tet may lie between its points
NEAR = 0.15
SHIFTS = ((0.25, 0.25, 0.25), (0.0, 0.25, 0.5), (0.5, 0.0, 0.25))
GOLDEN_ANGLE = float(np.pi * (3.0 - np.sqrt(5.0)))  # no multiple of it comes back to a symmetry of the lattice


class Vanished(MeshingError):
    """Nothing of a body is as thick as new tets would be, or not enough of a folded one for it to stay in one piece."""


def lattice_turn(count: int) -> Array:
    """The rotation (3, 3) of the lattice of a body's count-th new mesh; the first mesh of all, count 0, has none.

    Tets resist a little more along some directions of their lattice than along others, and round goo would run into squares.
    """
    c, s = np.cos(count * GOLDEN_ANGLE), np.sin(count * GOLDEN_ANGLE)
    k, m = np.cos(float(count)), np.sin(float(count))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array([[1.0, 0.0, 0.0], [0.0, k, -m], [0.0, m, k]])


def restuffed_sheets(
    old: TetMesh, element_size: float, fit: bool = True, fuse: bool = False, seen: Surface | None = None, filled: bool = False,
    joins: bool = False,
) -> tuple[TetMesh, OfSheets | None]:  # fmt: skip
    """Return tets on a lattice of cells of `element_size` [m] that fill what the old ones do, with as much volume.

    The old ones lie about the origin, and the lattice along the axes (lattice_frame.py). Where the body has folded onto itself,
    new tets of each side are by themselves, unless they are to `fuse`; then it is returned as well of which side they are. The
    boundary lies about the old one and what is `seen` of it (fitting.py), but for the little that gives each
    piece back its volume, and is a closed manifold. Without `fit`, and where it falls apart, it has its vertices on the old
    one, and cuts off what is round.
    Where some of what is seen is left outside that was not, a piece would fall apart, or nothing of it is left, other places
    of the lattice are tried.
    With `filled` they fill what the closed surface that is seen does, and are laid on that: so where old ones have left a gap
    within it, as below a rim that has rolled over, new ones do not.
    With `joins` they are to be in one piece: if they are not, or leave something seen outside, what is seen is padded to about
    an element where it is thinner, and new tets are as much larger than old ones.
    MeshingError when nothing is left, when a folded body would fall apart, or when the lattice would not fit in memory.
    """
    solid = seen if filled else None
    within = old.positions if solid is None else solid.positions
    lattice = lattice_around(*bounding_box(within), element_size)
    if point_count(lattice) > MOST_POINTS:
        raise MeshingError("Its parts are too far apart to be remeshed together.", remedy="Set Remeshing to Off.")
    _ = old.boxes, old.faces  # both ask for these
    (mesh, sheets), shape = side_by_side(
        lambda: _stuffed(old, lattice, fuse, solid), lambda: outline(old, element_size, seen, filled) if fit else None
    )
    best, near, vanished, most = None, NEAR * element_size, None, 0 if joins else int(old.piece.max())
    for shift in ((0.0, 0.0, 0.0), *SHIFTS):
        try:
            if any(shift):
                moved = lattice._replace(origin=lattice.origin + element_size * np.array(shift))
                mesh, sheets = _stuffed(old, moved, fuse, solid)
            made = _finished(old, mesh, sheets, shape, element_size)
        except Vanished as error:
            if seen is None:
                raise
            vanished = vanished or error
            continue
        best = made if best is None or made.rank < best.rank else best
        if seen is None:
            break
        if best.outside > near:
            before = Lookup.about(old, seen.positions)
            near = float(before.closest.distance[before.tets < 0].max(initial=near))
        if best.outside <= near and best.mesh.piece.max() <= most:
            break
    failed = best is None or best.mesh.piece.any() or best.outside > near
    if failed and joins and seen is not None and len(seen.triangles) and solid is None:
        best = _padded(old, seen, shape, element_size) or best
    if best is None:
        assert vanished is not None
        raise vanished
    return best.mesh, best.sheets


def folded(old: TetMesh, element_size: float) -> bool:
    """Whether a body has folded onto itself, or lies in itself, as a lattice of cells of `element_size` [m] sees it."""
    lattice = lattice_around(*bounding_box(old.positions), element_size)
    if point_count(lattice) > MOST_POINTS:
        raise MeshingError("Its parts are too far apart to be remeshed together.", remedy="Set Remeshing to Off.")
    points = lattice_points(lattice)
    return is_folded(sheets_of(old, lattice, points), lattice, points, old)


class _Stuffing(NamedTuple):
    """New tets, of which sheets they are where it is folded, and how far outside them the farthest is that is seen [m]."""

    mesh: TetMesh
    sheets: OfSheets | None
    outside: float

    @property
    def rank(self) -> tuple[int, float]:
        """The less the better: how many pieces it is in, and what is left outside."""
        return int(self.mesh.piece.max()), self.outside


def _finished(old: TetMesh, mesh: TetMesh, of_sheets: OfSheets | None, shape: Outline | None, element_size: float) -> _Stuffing:
    """Tets that have been stuffed without crumbs, fitted, and with the volume of the old ones."""
    if not len(mesh.tets):
        raise Vanished("It has become thinner than its tets everywhere.", remedy="Raise the Resolution.")
    kept = _large_enough(mesh)
    if not kept.all():
        mesh, of_sheets = compacted(mesh.positions, mesh.tets[kept]), of_sheets and of_sheets.chosen(kept)
    if of_sheets is not None and mesh.piece.max() > old.piece.max():
        raise Vanished("It has become thinner than its tets at a fold.", remedy="Raise the Resolution.")
    piece, wanted = wanted_volumes(old, mesh)
    outside = 0.0
    if shape is not None and int(piece.max()) <= int(old.piece.max()):  # what has vanished between pieces would pull at both
        mesh, outside = fitted(mesh, shape, element_size, folded=of_sheets is not None)
    return _Stuffing(with_volumes(mesh, piece, wanted, element_size), of_sheets, outside)


def _padded(old: TetMesh, seen: Surface, shape: Outline | None, element_size: float) -> _Stuffing | None:
    """Tets in one piece about what old ones fill and what is seen of them, which is padded where it is thin; None if they are
    not."""
    lattice = lattice_around(*bounding_box(np.concatenate([old.positions, seen.positions])), element_size)
    if point_count(lattice) > MOST_POINTS:
        return None
    points, surface = lattice_points(lattice), triangle_tree(seen.positions, seen.triangles)
    inside = _held_by(old, lattice, points)

    def holds(made: TetMesh) -> bool:
        return not without_crumbs(made).piece.any()

    mesh = padded_cut(winding_tree(old.hull), lattice, points, inside, surface, holds, alone=True)
    if not len(mesh.tets) or not holds(mesh):
        return None
    mesh = without_crumbs(mesh)
    mesh, outside = fitted(mesh, shape, element_size) if shape is not None else (mesh, 0.0)
    return _Stuffing(mesh, None, outside)


def _held_by(old: TetMesh, lattice: Lattice, points: Array) -> NDArray[np.bool_]:
    """Which points (n,) of a lattice old tets hold, looking ASIDE; never one on their box's face."""
    aside = lattice.size * np.array(ASIDE)
    lower, upper = bounding_box(old.positions)
    inside: NDArray[np.bool_] = np.diff(held_points(old, lattice, aside)[0]) > 0
    return inside & within_box(points, lower + aside, upper - aside)


def _stuffed(old: TetMesh, lattice: Lattice, fuse: bool, solid: Surface | None) -> tuple[TetMesh, OfSheets | None]:
    """Tets on a lattice that fill the old ones, and of which sheets they are where it is folded and is not to `fuse`.

    Those that fill a solid are one where its parts lie in each other.
    """
    points = lattice_points(lattice)
    around = winding_tree(old.hull if solid is None else triangle_tree(solid.positions, solid.triangles))
    if solid is not None:
        aside = lattice.size * np.array(ASIDE)
        lower, upper = bounding_box(around.surface.positions)
        inside = (winding_numbers(around, points + aside) > INSIDE) & within_box(points, lower + aside, upper - aside)
    elif fuse:
        inside = _held_by(old, lattice, points)
    else:
        sheets = sheets_of(old, lattice, points)
        if is_folded(sheets, lattice, points, old):
            return unfused(sheets, old, lattice, points)
        inside = np.diff(sheets.begin) > 0
    return cut(around, lattice, points, inside, np.zeros(len(points), dtype=bool)), None


def kinship(
    first: NDArray[np.int32], second: NDArray[np.int32], old: int, new: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the family (old,), (new,) of so many old and new pieces, given pairs (k,), (k,) that share some place.

    Pieces that merge and that split are of one family. Old ones that nothing is left of join the first.
    """
    if old == new == 1:
        return np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    graph = coo_matrix((np.ones(len(first)), (first, second + old)), shape=(old + new, old + new))
    families = np.asarray(connected_components(graph, directed=False)[1], dtype=np.int32)
    left = np.isin(families[:old], families[old:])
    families[:old][~left] = families[old]
    return families[:old], families[old:]


def without_crumbs(mesh: TetMesh) -> TetMesh:
    """Return the mesh without pieces that are too small to be a body of their own; what they weigh goes to the others."""
    kept = _large_enough(mesh)
    return mesh if kept.all() else compacted(mesh.positions, mesh.tets[kept])


def _large_enough(mesh: TetMesh) -> NDArray[np.bool_]:
    """Which tets (m,) are not of such pieces."""
    large: NDArray[np.bool_] = (mesh.piece_volumes >= CRUMB * mesh.piece_volumes.max())[mesh.piece]
    return large


def wanted_volumes(old: TetMesh, new: TetMesh) -> tuple[NDArray[np.int32], Array]:
    """Return the piece (m,) of each new tet, and the volume (pieces,) [m^3] that each is to have.

    A family of pieces keeps its volume; new ones share it as they lie.
    """
    before, after = old.piece, new.piece
    old_volume, new_volume = old.piece_volumes, new.piece_volumes
    if len(old_volume) == 1 and len(new_volume) == 1:
        return after, old_volume
    holders = old.located(new.positions[new.tets].mean(axis=1))[0]
    found = holders >= 0
    old_family, new_family = kinship(before[holders[found]], after[found], len(old_volume), len(new_volume))
    count = int(max(old_family.max(), new_family.max())) + 1
    had, has = np.bincount(old_family, old_volume, count), np.bincount(new_family, new_volume, count)
    return after, new_volume * (had / np.where(has > 0.0, has, 1.0))[new_family]

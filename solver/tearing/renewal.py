"""A body's remesh where it is in pieces, or may come to be: new tets, its surface cut or sewn, and bound to each piece apart.

Pieces stay pieces, however near they are, but for those that may merge and touch (solver/merging). So do the two sides of a
fold of a body that does not merge (remesh/unfused.py).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, bind_surface, evaluate
from ..errors import MeshingError
from ..geometry.chunks import side_by_side
from ..geometry.edge_crossings import crossing_pairs
from ..geometry.measures import signed_volumes
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..lookup import Lookup
from ..merging.touching import DEEP, clumps
from ..merging.unfolding import unfolded
from ..remesh.drawing_in import drawn_in, left_behind, outside, refuse
from ..remesh.lattice_frame import LatticeFrame
from ..remesh.own_sheet import own_binding
from ..remesh.record import MeshChange, joined_changes, mesh_change
from ..remesh.remeshers import remeshed_sheets
from ..remesh.restuffing import Vanished
from ..remesh.strayed import gathered
from ..remesh.unfused import OfSheets
from ..scene import Body
from ..surface import Surface
from ..tet_surface.folds import fills
from ..tet_surface.renewal import relaid
from ..tetmesh.compaction import compacted
from ..tetmesh.manifold import components
from ..tetmesh.mesh import TetMesh, joined_meshes
from .cutter import cutter
from .pieces import Pieces, voted
from .renewed_body import RenewedBody
from .seams import PassesThrough, new_crossings, parted, sew
from .surface_cut import SurfaceCut, cut_surface, still_carrying
from .thin import Torn, torn, untorn

Array = NDArray[np.float64]

MOST_GONE = 0.1  # of what is no fragment, of tets or of what is seen, with a tear: else nothing tears
MOST_LEFT = 0.01  # of what is seen of a body that may not tear: then it keeps the tets that it has


@dataclass(frozen=True)
class _Part:
    """Some of the old tets by number (k,), and the new mesh for them; and of which sheet of theirs, where they are folded."""

    tets: NDArray[np.int64]
    new: TetMesh
    sheets: OfSheets | None = None


@dataclass(frozen=True)
class _Seen:
    """What is seen of a body, and the old tet (n,) that carries each vertex; laid: whether it is the surface of its tets."""

    surface: Surface
    carrying: NDArray[np.int32]
    laid: bool

    def on(self, tets: NDArray[np.int64]) -> Surface:
        """What is seen on some of the old tets (k,)."""
        triangles = self.surface.triangles[np.isin(self.carrying, tets)[self.surface.triangles].all(axis=1)]
        used, numbered = np.unique(triangles, return_inverse=True)
        return Surface(self.surface.positions[used], numbered.reshape(-1, 3).astype(np.int32))


def renewed_body(
    body: Body, element_size: float, old: TetMesh, seen: Surface, carrying: NDArray[np.int32], turn: Array,
    soon: Array | None = None, insist: bool = False, grazing: bool = False,
) -> RenewedBody:  # fmt: skip
    """Return a body on new tets of a size [m], on a lattice that is turned so.

    seen is its surface on the old ones, carrying (n,) the old tet that carries each of its vertices. Of a body that merges
    creases are closed first where it passes through itself, or will with its vertices `soon` (n, 3), and shells united that
    pass through each other. PassesThrough where it would pass through itself at a tear. LeftOutside where some of what is seen
    would be left behind, and neither a tear, a merge nor a crease leaves it there; but for those who `insist`. Nor but for
    those are pieces joined where it would pass through itself at the seam. Pieces are joined that are DEEP in each other,
    and `grazing` those that are seen in each other, however little that is.
    """
    cuts = list[SurfaceCut]()
    if body.merging and body.seen == "artist" and soon is not None:
        cuts = unfolded(seen, soon, components(old.tets)[carrying].astype(np.int32), element_size)
    if not cuts:
        return _renewed_body(body, element_size, old, seen, carrying, turn, insist, grazing)
    carriers = carrying
    for cut in cuts:
        carriers = cut.carried_as(carriers)
    result = _renewed_body(body, element_size, old, _after(cuts, seen), carriers, turn, insist, grazing, creased=True)
    # Where shells are united too, nothing is left of what a crease's band has gone through
    left = new_crossings(cuts[0], seen) if len(cuts) == 1 else np.zeros((0, 3))
    crossing = np.concatenate([left, result.crossing])
    return replace(result, cuts=(*cuts, *result.cuts), sewn=True, creased=True, crossing=crossing)


def _renewed_body(
    body: Body, element_size: float, old: TetMesh, seen: Surface, carrying: NDArray[np.int32], turn: Array, insist: bool,
    grazing: bool, creased: bool = False, tears: bool = True,
) -> RenewedBody:  # fmt: skip
    """The same as `renewed_body` of a body none of whose creases closes, or whose have been closed; it may be that `tears`."""
    frame, spacing, first = LatticeFrame(turn, old.middle), 0.5 * element_size / body.contact_detail, seen
    if body.tear_thickness == 0.0 and not old.piece.any():
        return _renewed_whole(body, element_size, old, seen, carrying, frame, spacing, insist or creased)
    here, shell = frame.mesh(old), Surface(frame.points(seen.positions), seen.triangles)
    carriers, left, torn_parts = _Seen(shell, carrying, body.seen == "tets"), untorn(old), list[_Part]()
    apart, cuts, crossing, parts = False, list[SurfaceCut](), [np.zeros((0, 3))], list[_Part]()
    merging = _Merging(body, here, seen, carriers, element_size, insist, grazing) if body.merging else None
    together = merging is not None and merging.several
    if merging is not None and together:
        # What lies in each other becomes one before it tears: a cut through both would cross itself
        parts, apart = merging.parts(element_size)
    if apart or not together:
        left, torn_parts = _torn(body, old, frame, element_size) if tears else (left, torn_parts)
    if left.mesh is not old:
        sheets = _joined_sheets([replace(part, tets=left.kept[part.tets]) for part in torn_parts])
        parts = [_Part(np.arange(len(old.tets)), joined_meshes([part.new for part in torn_parts]), sheets)]
    elif merging is not None:
        parts, apart = (parts, apart) if together else merging.parts(element_size)
        cuts, crossing = merging.cuts, crossing + merging.crossing
    else:
        parts = _singly(body, here, element_size, carriers)
    sewn = bool(cuts)
    before = [compacted(here.positions, here.tets[part.tets]) for part in parts]
    changes = [(p.tets, mesh_change(was, p.new, p.sheets)) for p, was in zip(parts, before, strict=True)]
    change, sheets = joined_changes(here, changes).in_world(old, frame), _joined_sheets(parts)
    if body.seen == "tets":
        laid = _laid(body, element_size, change, seen, carrying)
        return replace(laid, apart=apart, fragments=(left.fragments, left.volume), folded=sheets is not None)
    had = _enclosed(_after(cuts, seen)) - left.volume
    for part, was in zip(parts, before, strict=True):
        seen = _after(cuts, seen)
        solid = cutter(frame.in_world(was), frame.in_world(part.new), element_size, left.holes)
        if solid is not None and (cut := cut_surface(seen, solid, element_size)) is not None:
            cuts.append(parted(cut, element_size))
            if len(new_crossings(cuts[-1], seen, sewn=False)):
                raise PassesThrough("It would pass through itself where it tears.", remedy="Raise the Resolution.")
    seen = _after(cuts, seen)
    if left.mesh is not old and _enclosed(seen) < (1.0 - MOST_GONE) * had:
        return _renewed_body(body, element_size, old, first, carrying, turn, insist, grazing, creased, tears=False)
    bound = _bound(seen, change.new, element_size, spacing)
    bound = _on_own_sheets(*bound, seen, still_carrying(carrying, cuts), change, sheets)
    bound = gathered(*bound, seen, change.new, element_size)
    look = Lookup.about(frame.mesh(change.new), frame.points(seen.positions))
    refuse(body, left_behind(here, look, element_size)[0], sheets, insist or creased or bool(cuts) or apart)
    fragments = left.fragments, left.volume
    made = RenewedBody(change, *bound, seen, tuple(cuts), apart=apart, sewn=sewn, fragments=fragments)
    farthest = float(outside(look).max())
    return replace(made, outside=farthest, folded=sheets is not None, crossing=np.concatenate(crossing))


def _torn(body: Body, old: TetMesh, frame: LatticeFrame, element_size: float) -> tuple[Torn, list[_Part]]:
    """A body as it tears, and the new tets of its pieces; as it is, and none, where too much would be gone with that.

    A puddle that is thin all over may be through in many places at once, with little left of what lies between these.
    """
    left = torn(old, body.tear_thickness, element_size)
    if left.mesh is old:
        return left, []
    parts = _singly(body, frame.mesh(left.mesh), element_size, None)
    has = sum(float(np.abs(part.new.volumes).sum()) for part in parts)
    if has < (1.0 - MOST_GONE) * (np.abs(old.volumes).sum() - left.volume):
        return untorn(old), []
    return left, parts


def _renewed_whole(
    body: Body, element_size: float, old: TetMesh, seen: Surface, carrying: NDArray[np.int32], frame: LatticeFrame,
    spacing: float, insist: bool,
) -> RenewedBody:  # fmt: skip
    """The same of a body in one piece that may not tear."""
    here, points = frame.mesh(old), frame.points(seen.positions)
    shell = Surface(points, seen.triangles)
    filled = body.seen == "tets" and fills(shell, element_size, body.merging)
    fuse = body.merging
    new, sheets = remeshed_sheets(body.remesher, here, element_size, fuse=fuse, seen=shell, filled=filled, joins=fuse)
    look = Lookup.about(new, points)
    farthest, share = left_behind(here, look, element_size)
    if new.piece.any() or (body.remesher == "stuffing" and share > MOST_LEFT):
        raise Vanished("It has become thinner than its tets somewhere.", remedy="Raise the Resolution, or let it tear.")
    if body.seen == "tets":
        change = mesh_change(here, new, sheets).in_world(old, frame)
        return replace(_laid(body, element_size, change, seen, carrying), folded=sheets is not None)
    refuse(body, farthest, sheets, insist)
    change, (drawn, surface, contacts) = side_by_side(
        lambda: mesh_change(here, new, sheets).in_world(old, frame),
        lambda: _drawn_in_and_bound(seen, look, frame, element_size, spacing, sheets is None),
    )
    if sheets is not None:
        surface, contacts = _on_own_sheets(surface, contacts, drawn, carrying, change, sheets)
        surface, contacts = gathered(surface, contacts, drawn, change.new, element_size)
    farthest = float(outside(look).max())
    return RenewedBody(change, surface, contacts, drawn, (), outside=farthest, folded=sheets is not None)


def _laid(body: Body, element_size: float, change: MeshChange, seen: Surface, carrying: NDArray[np.int32]) -> RenewedBody:
    """A body of which the surface of its tets is seen, on new ones; of one that merges tets that overlapped are no more."""
    laid, cut, shown = relaid(body, element_size, change, seen, carrying)
    whole = int(change.new.piece.max()) <= int(change.old.piece.max())
    return RenewedBody(change, laid.bound, laid.contacts, laid.surface, (cut,), shown, sewn=body.merging, laid=whole)


def _bound(seen: Surface, new: TetMesh, element_size: float, spacing: float) -> tuple[Binding, Binding]:
    """The bindings of a surface's vertices and of its contact points, each to the piece that it belongs to."""
    if not new.piece.any():
        return bind_surface(seen, new, spacing)
    pieces = Pieces(new)
    owners = pieces.owners(seen, element_size)
    return pieces.bound(seen, owners), pieces.contacts(seen, owners, spacing)


def _drawn_in_and_bound(
    seen: Surface, look: Lookup, frame: LatticeFrame, element_size: float, spacing: float, flat: bool
) -> tuple[Surface, Binding, Binding]:
    """The surface with what is far outside drawn in, and the bindings of its vertices and of its contact points.

    look: its vertices about the new mesh, in a frame; `flat`: nothing is folded, so that what has strayed is brought back here.
    """
    drawn = drawn_in(seen, look, frame.turn, element_size)
    again = look if drawn is seen else Lookup.about(look.mesh, frame.points(drawn.positions))
    bound = bind_surface(drawn, look.mesh, spacing, again)
    return drawn, *(gathered(*bound, drawn, frame.in_world(look.mesh), element_size) if flat else bound)


def _after(cuts: list[SurfaceCut], seen: Surface) -> Surface:
    """The surface after the last cut, if there was one."""
    return Surface(cuts[-1].positions, cuts[-1].triangles) if cuts else seen


def _enclosed(seen: Surface) -> float:
    return float(signed_volumes(seen.positions, seen.triangles).sum())


def _joined_sheets(parts: list[_Part]) -> OfSheets | None:
    """The sheets of all parts as one, by old tets of the body; None where nothing is folded."""
    if all(part.sheets is None for part in parts):
        return None
    anchors, at_fold = [], []
    for part in parts:
        none = OfSheets(np.full((len(part.new.tets), 4), -1, dtype=np.int32), np.zeros(len(part.new.tets), dtype=bool))
        own = part.sheets or none
        anchors.append(np.where(own.anchors >= 0, part.tets[own.anchors], -1).astype(np.int32))
        at_fold.append(own.at_fold)
    return OfSheets(np.concatenate(anchors), np.concatenate(at_fold))


def _on_own_sheets(
    surface: Binding, contacts: Binding, seen: Surface, carrying: NDArray[np.int32], change: MeshChange, sheets: OfSheets | None
) -> tuple[Binding, Binding]:
    """The bindings of a surface (n,) and of its contact points with those at a fold on their own side of it.

    carrying (n,) are the old tets of the surface's vertices; a contact point is where the vertex nearest to it is.
    """
    if sheets is None:
        return surface, contacts
    places = evaluate(contacts, change.new.tets, change.new.positions)
    found = closest_points(triangle_tree(seen.positions, seen.triangles), places)
    nearest = seen.triangles[found.triangle, found.weights.argmax(axis=1)]
    own = own_binding(surface, seen.positions, carrying, change, sheets.at_fold)
    return own, own_binding(contacts, places, carrying[nearest], change, sheets.at_fold)


def _singly(body: Body, old: TetMesh, element_size: float, seen: _Seen | None) -> list[_Part]:
    """New tets for each piece by itself; one that is thinner than new tets would be keeps its old ones."""
    piece = components(old.tets)
    count = int(piece.max()) + 1
    return [_renewed(body, old, np.flatnonzero(piece == k), count == 1, element_size, seen) for k in range(count)]


def _renewed(
    body: Body, old: TetMesh, own: NDArray[np.int64], alone: bool, element_size: float, seen: _Seen | None, joins: bool = False
) -> _Part:  # fmt: skip
    """New tets for some of the old ones, fitted to these and what is seen on them; where nothing is, to none.

    Old ones that there can be none for stay, and so do those that may not tear and that new ones would part.
    """
    part = compacted(old.positions, old.tets[own])
    theirs = None if seen is None else seen.on(own)
    filled = seen is not None and seen.laid and theirs is not None and fills(theirs, element_size, body.merging)
    try:
        new, sheets = remeshed_sheets(body.remesher, part, element_size, seen is not None, body.merging, theirs, filled, joins)
        if body.tear_thickness == 0.0 and new.piece.max() > part.piece.max():
            raise Vanished("It has become thinner than its tets somewhere.", remedy="Raise the Resolution, or let it tear.")
    except MeshingError:
        if alone:
            raise
        return _Part(own, part)
    return _Part(own, new, sheets)


class _Merging:
    """Pieces of a mesh that become one where they touch, and what sews the surface seen on them: `cuts`.

    `crossing` are the middles (k, 3) of faces that pass through others at a seam, as only those take who `insist`. The surface
    lies in the world; the mesh, and what is seen as new tets are fitted to it, in the frame of the lattice.
    """

    def __init__(
        self, body: Body, old: TetMesh, seen: Surface, first: _Seen, element_size: float, insist: bool, grazing: bool
    ) -> None:  # fmt: skip
        self.body, self.first, self.insist = body, first, insist
        self.old, self.piece, self.seen = old, components(old.tets), seen
        self.owner = voted(seen, self.piece[first.carrying])[seen.triangles[:, 0]]  # the piece of each triangle
        through = self.owner[crossing_pairs(triangle_tree(seen.positions, seen.triangles))] if grazing else ()
        self.groups = clumps(old.positions, old.tets, DEEP * element_size, through)
        self.several = any(len(group) > 1 for group in self.groups)
        self.cuts: list[SurfaceCut] = []
        self.crossing: list[Array] = []

    def parts(self, element_size: float) -> tuple[list[_Part], bool]:
        """New tets for pieces that touch as one, and for others apart.

        Also whether some that touch had to stay apart, as new tets or the surfaces do not join them yet.
        """
        old, seen, found, apart = self.old, self.first, [], False
        count = int(self.piece.max()) + 1
        for group in self.groups:
            if len(group) > 1:
                own = np.flatnonzero(np.isin(self.piece, group))
                made = _renewed(self.body, old, own, False, element_size, seen, joins=True)
                if not components(made.new.tets).any() and (seen.laid or self._sewn(group, element_size)):
                    found.append(made)
                    continue
                apart = True
            each = [np.flatnonzero(self.piece == k) for k in group]
            found += [_renewed(self.body, old, own, count == 1, element_size, seen, joins=True) for own in each]
        return found, apart

    def _sewn(self, group: list[int], element_size: float) -> bool:
        """Unite the shells that belong to some pieces; False where they do not meet, are open, or would cross at the seam."""
        present = [k for k in group if (self.owner == k).any()]
        part = np.full(len(self.owner), -1, dtype=np.int32)
        for number, k in enumerate(present):
            part[self.owner == k] = number
        if len(present) > 1:
            made = sew(self.seen, part, element_size)
            if made is None:
                return False
            cut, through = made
            if len(through) and not self.insist:
                return False
            self.cuts.append(cut)
            self.crossing.append(through)
            self.seen, self.owner = Surface(cut.positions, cut.triangles), self.owner[cut.origin]
        return True

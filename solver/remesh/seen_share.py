"""How much of what is to be seen of a body's new tets is seen of them at once: rest volumes follow that (transfer.py)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix

from ..fem.rise import resize
from ..fem.seen_volume import SeenVolume, shown_at_rest
from ..filling import Covering
from ..geometry.edges import unpaired_edges
from ..geometry.measures import signed_volumes
from ..state import State
from ..surface import Surface
from .heirs import Families, kinship_of_pieces
from .record import MeshChange

Array = NDArray[np.float64]

MORE = 0.01  # by which what is seen may come to be more where a surface is cut or sewn, rest volumes staying just as they are
PRESSED = 0.9, 1.1  # times as much as means over tets say is what is seen pressed, if new tets take no more than old ones
LARGER = 1.02  # times that of old ones, of full tets, say that what is thin is padded by new ones
FULL = 0.9  # of tets that what is seen fills: in those nothing that matters goes from what is seen of them to what is not
STRAYED = 0.01  # share of rest volume that comes back at a remesh of what has gone astray or was won
ASTRAY = 2.0 / 3.0, 1.5  # times what is seen at rest: what is to be seen counts for no less and no more where surfaces change
LITTLE = 0.1  # of a new piece's volume: how what was seen of so much was measured does not matter
ALIKE = 0.1  # by which what is seen may be more or less than it was, for it to be the same surface


@dataclass(frozen=True)
class Lineage:
    """Which new pieces come of which old ones: by the volume that they share, and by family."""

    change: MeshChange

    @cached_property
    def families(self) -> Families:
        """The family (m,), (m',) of each old and each new tet."""
        return kinship_of_pieces(self.change)

    @cached_property
    def shared(self) -> Array:
        """The volume (p, p') that an old piece shares with a new one [m^3]."""
        old, new = self.change.old.piece, self.change.new.piece
        shape = int(old.max()) + 1, int(new.max()) + 1
        if shape == (1, 1):
            return np.array([[self.change.volumes.sum()]])
        sources, targets = self.change.pairs()
        shared: Array = coo_matrix((self.change.volumes, (old[sources], new[targets])), shape=shape).toarray()
        return shared

    @property
    def several(self) -> bool:
        """Whether there is more than one piece, before or after."""
        return self.shared.size > 1

    @cached_property
    def of_several(self) -> NDArray[np.bool_]:
        """Whether the family of each new piece (p',) has several pieces, before or after."""
        (old, new), change = self.families, self.change
        before, after = _of_pieces(old, change.old.piece), _of_pieces(new, change.new.piece)
        count = int(max(before.max(), after.max())) + 1
        most = np.maximum(np.bincount(before, minlength=count), np.bincount(after, minlength=count))
        result: NDArray[np.bool_] = most[after] > 1
        return result


def _of_pieces(values: NDArray[Any], piece: NDArray[np.int32]) -> NDArray[np.int64]:
    """What is said of each piece (p,), given what is said of each tet (m,), alike on all of a piece, and its piece (m,)."""
    result = np.zeros(int(piece.max()) + 1, dtype=np.int64)
    result[piece] = values
    return result


def handed_on(lineage: Lineage, seen: Surface, carrying: NDArray[np.int32]) -> Array:
    """Return the volume (p',) that is to be seen of each new piece [m^3], carrying (n,) the old tet of each vertex seen.

    What was seen of an old piece goes to the new ones as they share its tets: so the sum is kept, whatever merges or tears.
    """
    old, shared = lineage.change.old.piece, lineage.shared
    had = np.bincount(old[carrying[seen.triangles[:, 0]]], signed_volumes(seen.positions, seen.triangles), len(shared))
    had = np.where(had > 0.0, had, lineage.change.old.piece_volumes)  # of what shares a shell with others nothing is seen alone
    total = shared.sum(axis=1)
    wanted: Array = (had / np.where(total > 0.0, total, 1.0)) @ shared
    return wanted


def share_shown(change: MeshChange, wanted: Array, surface: Surface, carrying: NDArray[np.int32]) -> Array:
    """Return the share (p',) of what is to be seen of each new piece, wanted (p',) [m^3], that a surface encloses whose
    vertices new tets carry (n',); 1 where nothing is."""
    piece = change.new.piece[carrying[surface.triangles[:, 0]]]
    has = np.bincount(piece, signed_volumes(surface.positions, surface.triangles), len(wanted))
    return np.divide(has, wanted, out=np.ones(len(wanted)), where=(has > 0.0) & (wanted > 0.0))


def known_share(
    lineage: Lineage, before: Surface, carried: NDArray[np.int32], after: Surface, carrying: NDArray[np.int32]
) -> Array:  # fmt: skip
    """Return the share (p',) that a surface, after a change, encloses of what was to be seen of each new piece before it; nan
    where that says little, as pieces have torn or merged, or it is another surface.

    carried (n,) and carrying (n',) are the old and new tets of the vertices of both.
    """
    shown = share_shown(lineage.change, handed_on(lineage, before, carried), after, carrying)
    return np.where(lineage.of_several | (np.abs(shown - 1.0) > ALIKE), np.nan, shown)


def measured_otherwise(lineage: Lineage, before: SeenVolume, after: SeenVolume) -> NDArray[np.bool_]:
    """Return of which new tets (m',) what is seen is measured otherwise than of an old piece that their own is of.

    By the surface where it is closed, and by the tets where it is not: a piece that goes from one to the other would swell, or
    shrink, to what the other says. Not where that is little of what a new one is made of: it would forget all else.
    """
    old, new = lineage.change.old.piece, lineage.change.new.piece
    other = _of_pieces(before.closed[before.piece], old)[:, None] != _of_pieces(after.closed[after.piece], new)
    found: NDArray[np.bool_] = ((lineage.shared * other).sum(axis=0) > LITTLE * lineage.shared.sum(axis=0))[new]
    return found


def pressed_alike(lineage: Lineage, old: State, before: Covering, new: State, after: Covering) -> Array:
    """Return the logarithms (m',) by which rest volumes of new tets are to grow for what is seen to be pressed as it was.

    before and after are what is seen of a body on its old tets and on its new ones. Where tets reach far out of it, means over
    them mix what is seen with what is not: without this some of it would be gone with each of many remeshes in a blow, in which
    only what is seen is pressed. And tets that pad what is thin are more than there were.
    """
    was, now = (np.abs(mesh.volumes) for mesh in (lineage.change.old, lineage.change.new))
    full = _is_full(after)
    if full and not lineage.several:
        return np.zeros(len(now))
    old_family, new_family = lineage.families
    had = _densities(old_family, before.filled, old.volumes, was)
    has = _densities(new_family, after.filled, new.volumes, now)
    least, most = PRESSED
    times = np.clip(had / has, least, most * max(1.0, now.sum() / was.sum()))
    if full:
        times = np.where(times > LARGER, times, 1.0)  # what overlapped is pressed more, and is to come back
    grown: Array = np.log(times)[new_family]
    return grown


def drawn_back(lineage: Lineage, state: State, after: Covering) -> float:
    """Return the logarithm by which all rest volume of new tets is to grow for as much to be seen of them at rest as is to be.

    A hundredth at most: what creases that close and steps let stray adds up through many remeshes.
    0 where tets are full, pieces of several families have a volume each, or what is seen encloses none.
    """
    if _is_full(after) or lineage.families[1].any() or unpaired_edges(after.seen.triangles):
        return 0.0
    density = _densities(lineage.families[1], after.filled, state.volumes, np.abs(lineage.change.new.volumes))[0]
    has = density * after.enclosed
    return float(np.clip(np.log(state.shown.sum() / has), -STRAYED, STRAYED)) if has > 0.0 else 0.0


def _is_full(covering: Covering) -> bool:
    """Whether what is seen fills nearly all of its tets."""
    return bool(covering.enclosed > FULL * np.abs(covering.mesh.volumes).sum())


def _densities(family: NDArray[np.int32], filled: Array, rest: Array, now: Array) -> Array:
    """Return how much rest volume what is seen of each family of pieces has for what it takes now; 1 where nothing is seen."""
    count = int(family.max()) + 1
    at_rest, there = (np.bincount(family, filled * each, count) for each in (rest, now))
    result: Array = np.divide(at_rest, there, out=np.ones(count), where=(at_rest > 0.0) & (there > 0.0))
    return result


def gone_astray(lineage: Lineage, old: State, seen: SeenVolume, rest: Array) -> Array:
    """Return how many times more is to be seen of new tets (m',) than would be, were their family's old tets as large as at
    rest (m,) [m^3]: what has run into the parts of tets that reach out of what is seen, which will come back."""
    old_family, new_family = lineage.families
    count = int(max(old_family.max(), new_family.max())) + 1
    wanted, has = (np.bincount(old_family, each, count) for each in (old.shown, shown_at_rest(old, seen, rest)))
    times = np.divide(wanted, has, out=np.ones(count), where=(wanted > 0.0) & (has > 0.0))
    result: Array = np.clip(times, *ASTRAY)[new_family]
    return result


def hold_back(state: State, lineage: Lineage, had: Array, least: float, otherwise: NDArray[np.bool_]) -> None:
    """Let what is to be seen of new tets not be MORE than what was, had (m',) [m^3], where a surface was cut or sewn: seams and
    holes take other shares of tets than of what is seen, which would swell with each. Rest volumes shrink to `least` at most.

    otherwise (m',): tets of which that says nothing. Weight stays.
    """
    family = lineage.families[1]
    before, now = (np.bincount(family, values) for values in (had, state.shown))
    swells = (before > 0.0) & (now > (1.0 + MORE) * before)
    swells[family[otherwise]] = False
    grown = np.log(np.maximum(np.divide(before, now, out=np.ones(len(now)), where=swells), least))[family]
    resize(state, grown)
    state.shown, state.wanted = state.shown * np.exp(grown), state.wanted * np.exp(grown)

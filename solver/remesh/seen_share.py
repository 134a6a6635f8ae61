"""How much of what is to be seen of a body's new tets is seen of them at once: rest volumes follow that (transfer.py)."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix

from ..fem.rise import resize
from ..fem.seen_volume import SeenVolume
from ..geometry.measures import signed_volumes
from ..state import State
from ..surface import Surface
from .heirs import kinship_of_pieces
from .record import MeshChange

Array = NDArray[np.float64]

MORE = 0.01  # by which what is seen may come to be more where a surface is cut or sewn, rest volumes staying just as they are
ALIKE = 0.1  # by which what is seen may be more or less than it was, for it to be the same surface


def handed_on(change: MeshChange, seen: Surface, carrying: NDArray[np.int32]) -> Array:
    """Return the volume (p',) that is to be seen of each new piece [m^3], carrying (n,) the old tet of each vertex seen.

    What was seen of an old piece goes to the new ones as they share its tets: so the sum is kept, whatever merges or tears.
    """
    old, new = change.old.piece, change.new.piece
    had = np.bincount(
        old[carrying[seen.triangles[:, 0]]], signed_volumes(seen.positions, seen.triangles), int(old.max()) + 1
    )
    had = np.where(had > 0.0, had, change.old.piece_volumes)  # of what shares a shell with others nothing is seen by itself
    sources, targets = change.pairs()
    shape = len(had), int(new.max()) + 1
    shared = coo_matrix((change.volumes, (old[sources], new[targets])), shape=shape).toarray()
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
    change: MeshChange, before: Surface, carried: NDArray[np.int32], after: Surface, carrying: NDArray[np.int32]
) -> Array:  # fmt: skip
    """Return the share (p',) that a surface, after a change, encloses of what was to be seen of each new piece before it; nan
    where that says little, as pieces have torn or merged, or it is another surface.

    carried (n,) and carrying (n',) are the old and new tets of the vertices of both.
    """
    shown = share_shown(change, handed_on(change, before, carried), after, carrying)
    old, new = kinship_of_pieces(change)
    count = int(max(old.max(), new.max())) + 1
    several = np.zeros(count, dtype=bool)
    for family, piece in ((old, change.old.piece), (new, change.new.piece)):
        pairs = np.unique(np.stack([family, piece]), axis=1)
        several |= np.bincount(pairs[0], minlength=count) > 1
    families = np.zeros(len(shown), dtype=np.int64)
    families[change.new.piece] = new
    return np.where(several[families] | (np.abs(shown - 1.0) > ALIKE), np.nan, shown)


def measured_otherwise(change: MeshChange, before: SeenVolume, after: SeenVolume) -> NDArray[np.bool_]:
    """Return of which new pieces (p',) what is seen is measured otherwise than of an old one that they are of.

    By the surface where it closes a piece, and by the tets of pieces that share one: a piece that goes from one to the other
    would swell, or shrink, to what the other says.
    """
    sources, targets = change.pairs()
    both = before.piece[sources] * after.count + after.piece[targets]
    shared = np.bincount(both, minlength=before.count * after.count).reshape(before.count, after.count) > 0
    found: NDArray[np.bool_] = (shared & (before.closed[:, None] != after.closed)).any(axis=0)
    return found


def hold_back(state: State, change: MeshChange, had: Array, least: float, otherwise: NDArray[np.bool_] | None) -> None:
    """Let what is to be seen of new tets not be MORE than what was, had (m',) [m^3], where a surface was cut or sewn: seams and
    holes take other shares of tets than of what is seen, which would swell with each. Rest volumes shrink to `least` at most.

    otherwise (p',): new pieces of which that says nothing. Weight stays.
    """
    family = kinship_of_pieces(change)[1]
    before, now = (np.bincount(family, values) for values in (had, state.shown))
    swells = (before > 0.0) & (now > (1.0 + MORE) * before)
    if otherwise is not None:
        swells[family[otherwise[change.new.piece]]] = False
    grown = np.log(np.maximum(np.divide(before, now, out=np.ones(len(now)), where=swells), least))[family]
    resize(state, grown)
    state.shown, state.wanted = state.shown * np.exp(grown), state.wanted * np.exp(grown)

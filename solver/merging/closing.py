"""Creases of a body that merges, closed where its surface passes through itself, or is about to.

Nothing keeps apart the two sides of such a crease. So the faces in it are taken out, as far as a ball does not get to them that
rolls around the body, and with them what is inside out or enclosed twice; and the borders that are left are joined by
a band from side to side (bands.py), along rims that are cut smooth (rims.py), in the middle of which their looks meet
(meeting_lines.py). Faces, vertices and all that lies on them stay as
they are everywhere else, to the last bit; where a few faces still pass through others, their vertices are moved a little
(geometry/easing.py).
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.easing import eased
from ..geometry.edge_crossings import pairs_of_shells
from ..geometry.edges import connected, unpaired_edges
from ..geometry.measures import area_vectors, box_middle, signed_volumes
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..geometry.weights import clamped_weights
from ..geometry.winding import winding_numbers, winding_tree
from ..refining.patchwork import Patchwork
from ..surface import Surface
from ..tearing.seams import new_crossings
from ..tearing.surface_cut import SurfaceCut
from .bands import Cleared, across_sides, patches, tidied
from .meeting_lines import halved, looks
from .rims import Rimmed, smoothly_cut

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
IntArray = NDArray[np.int32]

# Lengths in elements
BALL = 0.3  # radius of the ball
TIGHT = 0.9  # share of it within which something else lies, in a crease
ALONG = 0.7  # from where the surface crosses itself up to which a crease is closed
BESIDE = 0.01  # from a face to where it is asked whether it is enclosed twice
ISLAND = 1.0  # across which what is left in the middle of a crease goes as well
FAR = 4.0  # from where it crosses itself up to which it is asked at all
POCKET = 3.0  # across which a shell is that goes when a crease has left it behind,
THIN = 1.0  # or side of a cube that holds no less than it
LOST, GAINED = 0.1, 0.3  # shares of its volume that a surface may lose and gain as its creases close, by what was enclosed
# twice and what is between two sides: what changes by more are long faces that go with what passes through them
EASED = 0.5  # by which a vertex may be moved where a few faces still pass through others
EASY = 4  # so few of them are seldom in the way of that: such ways to close creases come first,
FILLED = 0.03  # and of these those that change the volume by no more than this share of it: more shows
MOST_EASED = 8  # of all ways, by what they leave then, that are tried with vertices moved
ROUNDS = 5  # in which more is taken out, a ring of faces at a time, where what is left still crosses itself


def creases_closed(seen: Surface, soon: Array, element_size: float) -> SurfaceCut | None:
    """Return a surface's change where its creases are closed, given its vertices `soon` (n, 3); None where none is.

    element_size [m] is that of the tets. A crease for which no band is found that passes through less than it does itself, and
    through nothing that it did not, or only one that takes too much of the volume, stays as it is.
    """
    met, ahead = (pairs_of_shells(places, seen.triangles) for places in (seen.positions, soon))
    if not (len(met) or len(ahead)) or unpaired_edges(seen.triangles):
        return None
    found, volume = list[_Closing](), float(signed_volumes(seen.positions, seen.triangles).sum())
    met, both = (np.unique(np.sort(pairs, axis=1), axis=0) for pairs in (met, np.concatenate([met, ahead])))
    closers = [_Closer(seen, pairs, element_size) for pairs in ((both, met) if 0 < len(met) < len(both) else (both,))]
    for smooth in (True, False):
        for closer in closers:
            if not (found and min(one.left for one in found) == 0):
                closings = closer.closings(smooth)
                found += [one for one in closings if -LOST * volume <= one.volume - volume <= GAINED * volume]
    found = [one for one in found if one.out.any()]
    if len(met):
        none = np.zeros(len(seen.triangles), dtype=bool)
        found.append(_Closing(Patchwork.of(seen), none, np.zeros((0, 3), dtype=np.int32), len(np.unique(met))))
    found.sort(key=lambda one: (2 if one.left > EASY else abs(one.volume - volume) > FILLED * volume, one.left))
    for one in found[:MOST_EASED]:
        cut = _parted(seen, _without_pockets(one, element_size), element_size)
        if cut is not None:
            return cut
    better = (_without_pockets(one, element_size) for one in found if one.out.any() and one.left < len(np.unique(met)))
    cuts = (_change(seen, one, one.made.positions) for one in better)
    return next((cut for cut in cuts if not len(new_crossings(cut, seen))), None)


def _parted(seen: Surface, closing: "_Closing", element_size: float) -> SurfaceCut | None:
    """The surface's change where nothing passes through itself any more, if need be once a few vertices have moved."""
    made, places = closing.made, closing.made.positions
    if not closing.left:
        return _change(seen, closing, places)
    moved = eased(places, np.concatenate([made.triangles[~closing.out], closing.bands]), EASED * element_size)
    return None if moved is None else _change(seen, closing, moved)


class _Closing(NamedTuple):
    """What closes creases of a surface, as cut along their rims: out (t',) says which triangles go, bands (k, 3) come; `left`
    still cross then."""

    made: Patchwork
    out: Flags
    bands: IntArray
    left: int

    @property
    def volume(self) -> float:
        """What it leaves enclosed [m^3]."""
        triangles = np.concatenate([self.made.triangles[~self.out], self.bands])
        return float(signed_volumes(self.made.positions, triangles).sum())


class _Closer:
    """A surface that passes through itself by some pairs (k, 2) of triangles."""

    def __init__(self, seen: Surface, pairs: NDArray[np.int64], element_size: float) -> None:
        self.seen, self.pairs, self.size = seen, pairs, element_size
        self.beside = across_sides(seen.triangles)
        self.middles = seen.positions[seen.triangles].mean(axis=1)

    @cached_property
    def creases(self) -> tuple[Flags, Flags]:
        """Which triangles (t,) cross, are inside out or enclosed twice, and which (t,) else lie in the creases that close."""
        seen, crossing = self.seen, np.unique(self.pairs)
        vectors = area_vectors(seen.positions, seen.triangles)
        normals = vectors / np.maximum(np.sqrt((vectors**2).sum(axis=1, keepdims=True)), 1e-300)
        tree = triangle_tree(seen.positions, seen.triangles)
        wound = winding_tree(tree)
        away = cKDTree(self.middles[crossing]).query(self.middles, distance_upper_bound=FAR * self.size)[0]
        asked = np.flatnonzero(away < FAR * self.size)
        ball, places = BALL * self.size, self.middles[asked]
        inside = winding_numbers(wound, places - BESIDE * self.size * normals[asked])
        centres = places + ball * normals[asked]
        reached = closest_points(tree, centres, ball).distance >= TIGHT * ball
        reached &= winding_numbers(wound, centres) < 0.5
        wrong, tight = np.zeros(len(seen.triangles), dtype=bool), np.zeros(len(seen.triangles), dtype=bool)
        wrong[asked] = np.abs(inside - 1.0) > 0.5
        wrong[crossing] = True
        tight[asked] = ~reached & (away[asked] < ALONG * self.size)
        wrong &= np.isin(name := self._patches(wrong), name[crossing])
        both = wrong | tight
        return wrong, both & np.isin(name := self._patches(both), name[crossing])

    def closings(self, smooth: bool) -> list[_Closing]:
        """Ways to close the creases; where some are not closed well, others take out a ring of faces more each.

        smooth: whether their rims are drawn smooth, triangles being cut there.
        """
        wrong, tight = self.creases
        left, done, found = wrong | tight, np.zeros(len(wrong), dtype=bool), []
        for number in range(ROUNDS):
            out = tidied(self.seen, self.beside, left | done, ISLAND * self.size)
            rimmed = smoothly_cut(self.seen, out, wrong & out, self.size) if smooth else Rimmed(Patchwork.of(self.seen), out)
            cleared = Cleared(rimmed.seen, rimmed.out, rimmed.parts_of(self.pairs), BALL * self.size, ISLAND * self.size)
            failed = cleared.failed()
            good = [label for label in cleared.sound if label not in failed]
            for labels in (good, list(cleared.sound)) if len(good) < len(cleared.sound) else (good,):
                found.append(self._closing(rimmed, cleared, labels))
            if not len(failed):
                break
            name = self._patches(out)
            bad = out & np.isin(name, name[rimmed.made.origin[np.isin(cleared.group, failed)]])
            done, left = out & ~bad, bad
            left = left & wrong if number == 0 else left | left[self.beside].any(axis=1)
        return found

    def _closing(self, rimmed: Rimmed, cleared: Cleared, labels: list[int]) -> _Closing:
        """The closing of some creases; about the others no triangle is cut."""
        chosen = np.isin(cleared.group, labels)
        whole = np.zeros(len(self.seen.triangles), dtype=bool)
        whole[rimmed.made.origin[cleared.out & ~chosen]] = True
        stays = ~whole[rimmed.made.origin]
        made, out = rimmed.made.restored(self.seen, whole), np.append(chosen[stays], np.zeros(int(whole.sum()), dtype=bool))
        bands = np.concatenate([np.zeros((0, 3), dtype=np.int32), *(cleared.sound[label] for label in labels)])
        after = np.concatenate([made.triangles[~out], bands])
        return _Closing(made, out, bands, len(np.unique(pairs_of_shells(made.positions, after))))

    def _patches(self, chosen: Flags) -> NDArray[np.int64]:
        return patches(chosen, self.beside)


def _without_pockets(best: _Closing, element_size: float) -> _Closing:
    """What goes and comes without small shells, as those around air that a crease has enclosed."""
    seen, new = best.made, len(best.bands)
    triangles, out = np.concatenate([seen.triangles, best.bands]), np.append(best.out, np.zeros(new, dtype=bool))
    ends = np.stack([triangles[~out], np.roll(triangles[~out], -1, axis=1)]).reshape(2, -1)
    shell = connected(ends, len(seen.positions))[triangles[:, 0]]
    count = np.bincount(shell[~out])
    for label in np.unique(shell[len(seen.triangles) :]):
        own = (shell == label) & ~out
        if count[label] == count.max():
            continue
        flat = abs(signed_volumes(seen.positions, triangles[own]).sum()) < (THIN * element_size) ** 3
        if flat or np.ptp(seen.positions[triangles[own]].reshape(-1, 3), axis=0).max() < POCKET * element_size:
            out |= own
    return best._replace(out=out[: len(seen.triangles)], bands=best.bands[~out[len(seen.triangles) :]])


def _change(seen: Surface, best: _Closing, moved: Array) -> SurfaceCut:
    """The surface's change: some triangles go, others come, halved where two sides meet, which take all from the former next to
    them; vertices lie where they are moved to (n', 3)."""
    middle = box_middle(seen.positions)
    left, bands = best.made.chosen(~best.out), best.bands
    places, gone = best.made.positions - middle, np.flatnonzero(best.out)
    origin, weights = best.made.origin[:0], np.zeros((0, 3, 3))
    if len(bands):
        made = halved(bands, len(places))
        origin = best.made.origin[gone[looks(places, best.made.triangles[gone], made)]]
        bands, (places, moved) = made.triangles, (_with_middles(where, made.ends) for where in (places, moved))
        weights = clamped_weights(places[seen.triangles[origin]], places[bands])
    whole = Patchwork(
        moved, np.concatenate([left.triangles, bands]), np.concatenate([left.origin, origin]),
        np.concatenate([left.owners, np.repeat(origin[:, None], 3, axis=1)]), np.concatenate([left.weights, weights]),
        np.append(left.untouched, np.zeros(len(bands), dtype=bool)),
    )  # fmt: skip
    return whole.change(seen)


def _with_middles(places: Array, ends: IntArray) -> Array:
    return np.concatenate([places, places[ends].mean(axis=1)])

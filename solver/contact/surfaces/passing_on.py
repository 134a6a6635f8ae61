"""What contact of surfaces tells the one after it, where some of them are refined: which pairs there were, and how near.

With that the pairs that the new surfaces bring begin where they are (fresh_pairs.py), and checkpoints keep how far they have
come.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .fresh_pairs import SAME, Begun, FreshPairs, Told, softened
from .pairs import joined
from .surface_contact import SurfaceContact

Array = NDArray[np.float64]
Bodies = tuple[int, int]
PREFIX = "fresh."


def told_by(contact: SurfaceContact, positions: Array) -> dict[Bodies, Told]:
    """What pairs of two bodies, or of one with itself, tell the next contact, nodes being at positions (n, 3)."""
    contact.cover(positions, positions)
    places, found = contact.carried.places(positions), dict[Bodies, Told]()
    for bodies, own in contact.boxes.ways().items():
        found[bodies] = Told.of(joined([each.pairs for each in own]), max(each.reach for each in own), places)
    return found


def begin_fresh(contact: SurfaceContact, told: Mapping[Bodies, Told], into: NDArray[np.int64], positions: Array) -> None:
    """Let pairs that no old surface had begin where they are with nodes at positions (n, 3), by what these have told.

    into (b,): of what body each of the old ones is part now.
    """
    contact.cover(positions, positions)
    places = contact.carried.places(positions)
    known = {bodies: each for bodies, each in told.items() if into[bodies[0]] != into[bodies[1]] or bodies[0] == bodies[1]}
    known = {_ordered(into, bodies): each for bodies, each in known.items()}
    for bodies, own in contact.boxes.ways().items():
        old = known.get(bodies)
        same = SAME * min(own[0].first.surface.element, own[0].second.surface.element)
        begun = [Begun.of(each.pairs, places, old, each.edge, same) for each in own]
        begun = softened(begun, places, 0.0 if old is None else old.energy)
        for each, pairs in zip(own, begun, strict=True):
            each.begin(pairs.fresh)
    contact.take_found()


def kept(contact: SurfaceContact) -> dict[str, NDArray[np.generic]]:
    """What checkpoints keep of fresh pairs."""
    found: dict[str, NDArray[np.generic]] = {}
    for number, each in enumerate(contact.neighbourhoods):
        if each.fresh is not None:
            found |= {f"{PREFIX}{number}.{name}": values for name, values in each.fresh.arrays().items()}
    return found


def restore(contact: SurfaceContact, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Take back what was kept; what reaches as far as it will by then does so again, whatever a new contact has begun with."""
    for number, each in enumerate(contact.neighbourhoods):
        start = f"{PREFIX}{number}."
        own = {name.removeprefix(start): values for name, values in arrays.items() if name.startswith(start)}
        each.begin(FreshPairs.from_arrays(own) if own else None)
    contact.take_found()


def _ordered(into: NDArray[np.int64], bodies: Bodies) -> Bodies:
    one, other = (int(into[body]) for body in bodies)
    return min(one, other), max(one, other)

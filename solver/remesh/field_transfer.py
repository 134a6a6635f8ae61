"""Scalars that go over to new tets by themselves (solver/transferred_fields.py), each as its field says; m old and m' new tets.

What is to stay in sum is made up for piece by piece (heirs.py): new tets never fill quite what the old ones did.
"""

import numpy as np
from numpy.typing import NDArray

from ..state import State
from ..transferred_fields import AMOUNT, HELD, Transferred, marks
from .heirs import Heirs

Array = NDArray[np.float64]


def columns_of_fields(old: State, present: Array) -> dict[str, list[Array]]:
    """What of each field is to be averaged over shared volume, (m,) by name; present (m,) are the volumes as tets lie [m^3]."""
    measure = {AMOUNT: present, HELD: present / (old.density * old.volumes)}
    found = {name: (getattr(old, name), mark.how) for name, mark in marks(type(old)).items()}
    return {name: [values / measure[how] if how in measure else values] for name, (values, how) in found.items()}


def fields_gone_over(
    old: State, averages: dict[str, Array], dense: Array, volumes: Array, masses: Array, to: Heirs
) -> dict[str, Array]:
    """The fields of the new tets, (m',) by name, from the averages of `columns_of_fields`.

    dense, volumes, masses : (m',) mass by the volume as averaged [kg/m^3], volume as they lie [m^3], mass [kg]
    """

    def over(name: str, mark: Transferred) -> Array:
        had = getattr(old, name)
        if mark.how == AMOUNT:
            return conserved(averages[name] * volumes, had, to)
        if mark.how == HELD:
            return _held(averages[name] / dense, had, old.density * old.volumes, masses, to)
        return averages[name].copy()

    return {name: over(name, mark) for name, mark in marks(type(old)).items()}


def conserved(new: Array, old: Array, to: Heirs) -> Array:
    """A quantity (m',) scaled so that every new piece has as much of it as it takes over (m,)."""
    has = to.has(new)
    scaled: Array = new * to.of_tets(to.had(old) / np.where(has > 0.0, has, 1.0))
    return scaled


def _held(new: Array, old: Array, old_masses: Array, masses: Array, to: Heirs) -> Array:
    """What is by the mass (m',), led towards the most or the least that its piece takes over (m,), all by the same share of the
    way, so far that every piece's integral is what it takes over."""
    least, most = np.full(to.count, np.inf), np.full(to.count, -np.inf)
    np.minimum.at(least, to.pieces, old[to.tets])
    np.maximum.at(most, to.pieces, old[to.tets])
    new = np.clip(new, to.of_tets(least), to.of_tets(most))
    missing = to.had(old_masses * old) - to.has(masses * new)
    way = to.of_tets(np.where(missing > 0.0, most, least)) - new
    room = to.has(masses * way)
    share = np.divide(missing, room, out=np.zeros(to.count), where=room != 0.0)
    led: Array = new + to.of_tets(np.minimum(share, 1.0)) * way
    return led

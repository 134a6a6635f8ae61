"""Scalars that go over to new tets by themselves (solver/transferred_fields.py), each as its field says; m old and m' new tets.

What is to stay in sum is made up for family by family, a family being the pieces that merge or split (transfer.py): new tets
never fill quite what the old ones did.
"""

import numpy as np
from numpy.typing import NDArray

from ..state import State
from ..transferred_fields import AMOUNT, HELD, Transferred, marks

Array = NDArray[np.float64]
Families = tuple[NDArray[np.int32], NDArray[np.int32]]


def columns_of_fields(old: State, present: Array) -> dict[str, list[Array]]:
    """What of each field is to be averaged over shared volume, (m,) by name; present (m,) are the volumes as tets lie [m^3]."""
    measure = {AMOUNT: present, HELD: present / (old.density * old.volumes)}
    found = {name: (getattr(old, name), mark.how) for name, mark in marks(type(old)).items()}
    return {name: [values / measure[how] if how in measure else values] for name, (values, how) in found.items()}


def fields_gone_over(
    old: State, averages: dict[str, Array], dense: Array, volumes: Array, masses: Array, families: Families
) -> dict[str, Array]:
    """The fields of the new tets, (m',) by name, from the averages of `columns_of_fields`.

    dense, volumes, masses : (m',) mass by the volume as averaged [kg/m^3], volume as they lie [m^3], mass [kg]
    """

    def over(name: str, mark: Transferred) -> Array:
        had = getattr(old, name)
        if mark.how == AMOUNT:
            return conserved(averages[name] * volumes, had, families)
        if mark.how == HELD:
            return _held(averages[name] / dense, had, old.density * old.volumes, masses, families)
        return averages[name].copy()

    return {name: over(name, mark) for name, mark in marks(type(old)).items()}


def conserved(new: Array, old: Array, families: Families) -> Array:
    """A quantity (m',) scaled so that every family has as much of it as before (m,)."""
    before, after = families
    count = int(max(before.max(), after.max())) + 1
    has = np.bincount(after, new, count)
    scaled: Array = new * (np.bincount(before, old, count) / np.where(has > 0.0, has, 1.0))[after]
    return scaled


def _held(new: Array, old: Array, old_masses: Array, masses: Array, families: Families) -> Array:
    """What is by the mass (m',), led towards the most or the least that its family had (m,), all by the same share of the way,
    so far that every family's integral is what it was."""
    before, after = families
    count = int(max(before.max(), after.max())) + 1
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, before, old)
    np.maximum.at(most, before, old)
    new = np.clip(new, least[after], most[after])
    missing = np.bincount(before, old_masses * old, count) - np.bincount(after, masses * new, count)
    way = np.where(missing > 0.0, most, least)[after] - new
    room = np.bincount(after, masses * way, count)
    share = np.divide(missing, room, out=np.zeros(count), where=room != 0.0)
    led: Array = new + np.minimum(share, 1.0)[after] * way
    return led

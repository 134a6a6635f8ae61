"""Which scalars of tets go over to new ones by themselves: the type of a state's field says how.

    heat: Annotated[Array, Transferred(HELD, start=20.0)]

is all that a new one takes: bodies start with it, and remeshes, merges and tears hand it on (solver/remesh/transfer.py), as
checkpoints do with every field of a state. What a step changes of it goes into a new array.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

import numpy as np

MEAN = "mean"  # averaged over the volume that tets share
AMOUNT = "amount"  # how much a tet has [x m^3]: its sum stays, piece by piece (solver/remesh/heirs.py)
HELD = "held"  # by the mass [x/kg]: its integral stays, piece by piece, and no new tet has more or less of it than old ones


@dataclass(frozen=True)
class Transferred:
    """That a field (m,) goes over so; where it has no start, who builds the state sets it."""

    how: str
    start: float | None = None


def marks(state: type) -> dict[str, Transferred]:
    """What the fields of a class of states say of themselves, by name, in their order."""
    return dict(_marks(state))


@cache  # to read a class takes milliseconds
def _marks(state: Any) -> dict[str, Transferred]:
    hints = get_type_hints(state, include_extras=True)
    said = [(name, mark) for name, hint in hints.items() for mark in getattr(hint, "__metadata__", ())]
    return {name: mark for name, mark in said if isinstance(mark, Transferred)}


def at_start(state: type, count: int) -> dict[str, Any]:
    """What `count` tets start with of the fields of a class of states that say so, by name."""
    return {name: np.full(count, mark.start) for name, mark in marks(state).items() if mark.start is not None}

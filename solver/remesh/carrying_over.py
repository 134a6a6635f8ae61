"""A body's state on its new tets, and how much is to be seen of it from then on (Bargteil 2007, section 4.4, goes no further
than the state of tets)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding
from ..fem.rise import resize
from ..fem.seen_volume import show, whole
from ..filling import Covering
from ..painted import painted_rows
from ..scene import Body
from ..slots import PLASTIC_LIMIT
from ..state import State, material_rows
from ..surface import Surface
from ..tearing.renewed_body import RenewedBody
from .seen_share import Lineage, drawn_back, gone_astray, hold_back, known_share, measured_otherwise, pressed_alike
from .transfer import OF_FIBRES, transferred

ROOM = 0.5, 1.05  # times as much rest volume as it had at least and at most, for what is seen to keep its own
BACK = 0.1  # of the volume seen of what has merged, that may come back of what overlapped just then


def carried_over(
    body: Body, old: State, seen: Surface, surface: Binding, new: RenewedBody, step: float, counted: bool
) -> State:
    """Return a body's state on its new tets, given that on the old ones, what was seen of it and its binding to them.

    step [s] is the last one taken, `counted` what `counts_flow` says. Mass, momentum and spin stay; rest volume is what leaves
    what is seen as large as it was.
    """
    lineage = Lineage(new.change)
    shown, room = new.shown, (0.0, np.inf)
    if shown is None and not new.cut:
        shown, room = known_share(lineage, seen, surface.tets, new.seen, new.surface.tets), ROOM
    result = transferred(old, new.change, step, counted, families=lineage.families, shown=shown, bounds=room)
    if body.seen == "artist":
        _grow(result, pressed_alike(lineage, old, Covering(new.change.old, seen), result, new.covering))
    _settle(body, old, seen, surface, new, lineage, result)
    if body.seen == "artist":
        _grow(result, np.full(len(result.tets), drawn_back(lineage, result, new.covering)))
    return result


def _grow(state: State, grown: NDArray[np.float64]) -> None:
    """Let rest volumes grow by logarithms (m,), and those that they are measured by."""
    if grown.any():
        resize(state, grown)
        state.wanted = state.wanted * np.exp(grown)


def _settle(
    body: Body, old: State, seen: Surface, surface: Binding, new: RenewedBody, lineage: Lineage, result: State
) -> None:
    """Say what is to be seen of a body whose surface has been cut or sewn, or that is in several pieces."""
    # What is seen is another surface from now on; but of closed creases and merged bodies most that overlapped comes back
    anew = new.cut and not new.laid
    if not anew and not lineage.several:
        return
    had, before, after = result.shown, whole(old, surface, seen.triangles), whole(result, new.surface, new.seen.triangles)
    rest, old_rest = (state.wanted if body.volume_rate > 0.0 else state.volumes for state in (result, old))
    otherwise = np.zeros(len(result.tets), dtype=bool)
    if anew:
        astray = gone_astray(lineage, old, before, old_rest)
        show(result, after, rest, BACK if new.sewn else 0.0, astray=astray, family=lineage.families[1])
    if lineage.several:
        otherwise = measured_otherwise(lineage, before, after)
        show(result, after, rest, some=otherwise)
    if anew:
        hold_back(result, lineage, had, ROOM[0], otherwise)


def counts_flow(bodies: Sequence[Body], state: State) -> bool:
    """Whether it matters how far a body has flowed before it got new tets, given what its own are made of, and of which of
    all bodies of the scene."""
    limited = bool(state.material[PLASTIC_LIMIT].any()) or any("plastic_limit" in bodies[k].keys for k in _origins(state))
    return limited or bool((state.goal_rate >= 0.0).any())


def with_first_material(state: State, bodies: Sequence[Body]) -> State:
    """A body's state with the material that keys begin with: what firmness is sized by (solver/keyed.py).

    bodies are all of the scene. What is keyed is written into the arrays again before the next step.
    """
    keyed = [k for k in _origins(state) if bodies[k].keys]
    if not keyed:
        return state
    material = state.material.copy()
    for k in keyed:
        own = state.origin == k
        material[:, own] = painted_rows(material_rows(bodies[k], 1), state.painted[own])
    material[OF_FIBRES] = state.material[OF_FIBRES]
    return replace(state, material=material)


def _origins(state: State) -> list[int]:
    """The places in the scene of the bodies that tets are of."""
    if (state.origin == state.origin[0]).all():
        return [int(state.origin[0])]
    return [int(k) for k in np.unique(state.origin)]

"""A simulation's remesh: which bodies want new tets, whether these may be taken, and what is said of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contact.surfaces.bodies import left_out, passes_through_itself, touching_bodies
from ..contact.surfaces.surface_contact import SurfaceContact
from ..frame import SurfaceChange
from ..geometry.edges import connected
from ..merging.acting import acting_scene, merging_at
from ..merging.joining import Joined, joined
from ..merging.touching import DEEP
from ..merging.watch import lie_in_each_other
from ..topology.consumer import Ready
from ..topology.replay import NO_BENDS, replay, with_rest
from .discretization import Discretization
from .drawing_in import FAR
from .remeshing import MOST_REFUSED, Remeshing
from .renewed import Renewed

if TYPE_CHECKING:
    from ..simulate import Simulation

TRIED = 8  # times that creases of a body thinner than its tets are closed until new tets are tried again for that
CREASED = 0.05  # of its faces: of several pairs what would pass through itself by so many a step later waits,
A_PLACE = 0.1  # where that is in more than one place, each with such a share of these
LOOK = 1.0 / 192.0  # seconds for which creases are looked for at once, where steps are shorter: else each would close some


class Wanted(NamedTuple):
    """What is due: bodies that get new tets, pairs of them that have met, those of which creases alone are closed, those of
    which what is seen is refined, how long ahead creases are looked for [s], and whether pairs become one that are seen in each
    other although their tets hardly are."""

    due: list[int]
    met: list[tuple[int, int]]
    alone: Sequence[int] = ()
    coarse: Sequence[int] = ()
    ahead: float = 0.0
    grazing: bool = False


def renew(simulation: "Simulation", shown: bool = False) -> int:
    """Give new tets to bodies whose own are worn out or that have come to touch what they merge with; how many.

    And to those that merge and will soon pass through themselves: their creases are closed (merging/closing.py).
    With `shown` nothing is done unless one does so now, or passes through what it merges with, as a frame would show it.
    What is seen of bodies is refined with that, and by itself where it is drawn out (solver/refining).
    But none that would make a body cross another one, or itself more than it does. Where Merge is switched on or off,
    everything is built anew at once: from then on bodies collide, or do so no more.
    """
    now = simulation
    place, step = now.keyed.place(now.clock.time), now.clock.previous_step
    met, merged = _met(now, shown), 0
    if shown and not met and not (now.remeshing.crossing(now.present, 0.0, place) > now.remeshing.creases).any():
        return 0
    if _switch(now, place):
        met = _met(now, shown)
    now.remeshing.heed(now.keyed.place(now.clock.time - step), place)
    if shown:
        merged, met = _joined_early(now, met), []
    worn, present = now.remeshing.due(now.state, now.ranges), now.present
    ahead = 0.0 if shown else max(step, LOOK)
    looks = shown or _looks(now.clock.time, step)
    crossing = now.remeshing.crossing(present, ahead, place) if looks else now.remeshing.creases
    creased = crossing > now.remeshing.creases
    coarse = now.remeshing.overdrawn(present)
    now.remeshing.creases = crossing if creased.any() else np.minimum(crossing, now.remeshing.creases)
    due = sorted({*worn, *np.flatnonzero(creased).tolist(), *_members(met)})
    thin = now.remeshing.thin % TRIED > 0  # only creases of these are closed
    alone = [] if met else [k for k in due if k not in worn and thin[k]]
    return merged + _exchange(now, Wanted(due, met, alone, coarse, ahead))


def _exchange(now: "Simulation", wanted: Wanted, early: bool = False) -> int:
    """Do what is wanted; to how many bodies. Where that fails `early` it is as if it had not been tried.

    Nor is it done early where many that come at once would then be all creases: some of these do not close, and what lies
    deeper in each other becomes one without any.
    """
    place, step, present = now.keyed.place(now.clock.time), now.clock.previous_step, now.present
    if not wanted.due and not wanted.coarse:
        return 0
    made, before = joined(present, wanted.met, now.whole), (now.remeshing.thin.copy(), now.remeshing.counts.copy())
    remeshing = now.remeshing.after(now.whole, made) if made.taken else now.remeshing
    finer_ones, due = (np.unique(made.change.into[some]).tolist() for some in ([*wanted.due, *wanted.coarse], wanted.due))
    finer, refinement = remeshing.refined(made.mesh, finer_ones, due)
    renewed = remeshing.renewed(finer, due, step, place, wanted.ahead, wanted.alone, wanted.grazing)
    due = [body for body in due if body not in wanted.alone]
    if not renewed.changes and not made.taken and not refinement.surfaces and not renewed.change.surfaces:
        if early:
            now.remeshing.thin, now.remeshing.counts = before
        else:
            now.news += tuple(_news(now, made, renewed))
            now.remeshing.note(due, now.state, now.ranges, renewed)
        return 0
    change = made.change.then(refinement).then(renewed.change)
    new, surfaces, crosses = _with_contact(now, renewed.mesh, made.change.into, change.surfaces)
    heap = early and len(wanted.met) > 1
    passing = bool(left_out(remeshing.scene, surfaces) - left_out(now.scene, now.surfaces))
    unsewn = bool(renewed.apart.union(renewed.refused) & made.taken.keys()) or any(each.waits for each in change.surfaces)
    if passing or (crosses and not renewed.crossing) or unsewn or (heap and _all_creases(remeshing, renewed.mesh, step, place)):
        if early:
            now.remeshing.thin, now.remeshing.counts = before
        else:
            _put_off(now, renewed, [] if made.taken else due, _members(wanted.met))
        return 0
    replay(now, new, change, Ready(renewed.unknowns, surfaces))
    now.remeshing = remeshing
    now.news += tuple(_news(now, made, renewed))
    now.remeshing.note(due, now.state, now.ranges, renewed)
    crossing, known = now.remeshing.crossing(renewed.mesh, 0.0, place), now.remeshing.creases
    other = ~np.isin(np.arange(len(known)), due)  # what nobody has closed there is not known for that
    now.remeshing.creases = np.where(other, np.minimum(crossing, known), crossing)
    now.remeshing.drawn = now.remeshing.coarse(renewed.mesh)
    return len(renewed.changes)


def _all_creases(remeshing: Remeshing, mesh: Discretization, step: float, place: float) -> bool:
    """Whether any body would pass through itself in several places, with many of its faces, after another step [s]."""
    for faces, triangles in zip(remeshing.passing(mesh, max(step, LOOK), place), mesh.triangles, strict=True):
        if len(faces) > CREASED * len(triangles):
            own = triangles[faces]
            part = connected(np.stack([own, np.roll(own, -1, axis=1)]).reshape(2, -1), int(own.max()) + 1)[own[:, 0]]
            if np.count_nonzero(np.bincount(part) > A_PLACE * len(faces)) > 1:
                return True
    return False


def _met(now: "Simulation", shown: bool) -> list[tuple[int, int]]:
    """The pairs of bodies, or a body twice, that are to become one: as deep in each other as what joins them needs, or with
    `shown` those that are seen to be in each other, however deep."""
    waits = now.remeshing.waits
    if not shown:
        return now.watch.met(now.state.positions, waits, DEEP)
    met = now.watch.met(now.state.positions, np.zeros_like(waits), 0.0)
    return [pair for pair in met if lie_in_each_other(pair, now.present.seen)]


def _joined_early(now: "Simulation", met: list[tuple[int, int]]) -> int:
    """Let pairs of bodies become one, all that have met, or those that can be; to how many bodies it has been done.

    A pair that meets while nothing else does becomes one however little they overlap. In a heap that goes on into each other
    such necks are many, with a crease around each: there pairs wait until they are as deep in each other as new tets need else.
    """
    done, grazing = 0, len(met) == 1
    while met:
        deep = now.watch.met(now.state.positions, np.zeros_like(now.remeshing.waits), DEEP)
        some = met if grazing else [pair for pair in met if pair in deep]
        count, tries = len(now.scene.bodies), [some, *([pair] for pair in some if len(some) > 1)]
        wanted = (Wanted(_members(each), each, grazing=grazing) for each in tries)
        done += next(filter(None, (_exchange(now, each, early=True) for each in wanted)), 0)
        # What has become one may be seen in others only now
        met = _met(now, True) if len(now.scene.bodies) < count else []
    return done


def _members(pairs: list[tuple[int, int]]) -> list[int]:
    """The bodies of some pairs, each once, rising."""
    return sorted({*chain.from_iterable(pairs)})


def _looks(time: float, step: float) -> bool:
    """Whether creases are looked for at a time [s], after a step [s]: not in each of many short ones."""
    looks, before = (np.floor(moment / LOOK + 1e-6) for moment in (time, time - step))
    return bool(looks > before or step == 0.0)


def _put_off(now: "Simulation", renewed: Renewed, due: list[int], together: list[int]) -> None:
    """Leave bodies as they are; those that were to be one must come deeper into each other first."""
    waits = now.remeshing.waits.copy()
    if due:
        now.remeshing.note(due, now.state, now.ranges, renewed)
    now.remeshing.waits[together] = waits[together] + 1


def follow(simulation: "Simulation", positions: NDArray[np.float64]) -> bool:
    """Let what is seen have points of its own where it would bend off what carries its contact, nodes going to (n, 3).

    Whether any has come; none where a body would cross itself more by that, or others, where it is now.
    """
    now = simulation
    bent = now.remeshing.bent(now.present, now.surfaces, positions)
    if not bent:
        return False
    place, step = now.keyed.place(now.clock.time), now.clock.previous_step
    same = now.remeshing.renewed(now.present, [], step, place)
    new, surfaces, crosses = _with_contact(now, same.mesh, np.arange(len(now.scene.bodies)), bent=bent)
    if crosses or left_out(now.scene, surfaces) - left_out(now.scene, now.surfaces):
        return False
    now.remeshing.off[:] = 0.0
    replay(now, new, same.change, Ready(surfaces=surfaces))
    return True


def _with_contact(
    now: "Simulation", mesh: Discretization, into: NDArray[np.int64], changes: Sequence[SurfaceChange] = (),
    bent: Mapping[int, NDArray[np.int32]] = NO_BENDS,
) -> tuple[Discretization, SurfaceContact | None, bool]:
    """The meshes to go on with and where they are at rest, the contact of what is seen of them, and whether a body would pass
    through itself at more places than what goes into it does now. Where it does only by what is merged, nothing of it is.

    into (b,): of what body each of the old ones is part; changes: of what is seen; bent (v,): what of bodies whose surface has
    not changed is not merged from now on.
    """
    new = with_rest(now, mesh, changes, bent)
    surfaces, crossing = _contact(now, new, into)
    if len(crossing) and new.rest is not None:
        kept = list(new.rest.bent or [np.zeros(0, dtype=np.int32)] * len(new.surfaces))
        for body in crossing.tolist():
            kept[body] = np.arange(len(new.surfaces[body].tets), dtype=np.int32)
        new = replace(new, rest=replace(new.rest, bent=tuple(kept)))
        surfaces, crossing = _contact(now, new, into)
    return new, surfaces, bool(len(crossing))


def _contact(
    now: "Simulation", new: Discretization, into: NDArray[np.int64]
) -> tuple[SurfaceContact | None, NDArray[np.int64]]:  # fmt: skip
    """The contact of what is seen of meshes, and the bodies (k,) that would pass through themselves more than they do now."""
    acting = acting_scene(now.whole, new.hosts, new.merging)
    surfaces = touching_bodies(acting, new.state, new.ranges, new.surfaces, new.triangles, new.rest)
    found = passes_through_itself(surfaces, new.state.positions, len(new.ranges.nodes) - 1)
    if not found.any():
        return surfaces, np.zeros(0, dtype=np.int64)
    known = passes_through_itself(now.surfaces, now.state.positions, len(into))
    return surfaces, np.flatnonzero(found > np.bincount(into, known, minlength=len(found)))


def _switch(now: "Simulation", place: float) -> bool:
    """Let bodies merge, or not, from now on, where their keys say so at a place in frames after the first; no new tets.

    Whether any does now, or no longer.
    """
    present, merging = now.present, merging_at(now.whole.bodies, place)
    other, alive = merging != present.merging, np.unique(present.hosts)
    if not other[alive, 0].any() and not other[:, 1].any():
        return False
    before = left_out(now.scene, now.surfaces)
    switched = replace(present, merging=merging)
    same = now.remeshing.renewed(switched, [], now.clock.previous_step, place)
    replay(now, same.mesh, same.change)
    now.news += tuple(
        f"Frame {now.frame}: Merge is off from here on, but {sentence}"
        for sentence in sorted(left_out(now.scene, now.surfaces) - before)
    )
    return True


def _news(now: "Simulation", made: Joined, renewed: Renewed) -> Iterator[str]:
    """Sentences on what an artist would look for: bodies that have become part of others, fragments that have vanished."""
    for number, others in made.taken.items():
        names = ", ".join(f"'{now.whole.bodies[k].name}'" for k in others)
        host = now.scene.bodies[number].name
        yield f"'{host}', frame {now.frame}: {names} merged with it; from here on its object shows what is seen of both."
    for number in renewed.thin:
        name = now.scene.bodies[number].name
        yield f"'{name}', frame {now.frame}: it has become thinner than its tets and keeps them; raise its Resolution."
    for number in renewed.refused:
        if now.remeshing.refused[number] == MOST_REFUSED:  # what is left outside is taken by then
            yield (
                f"'{now.scene.bodies[number].name}', frame {now.frame}: it would pass through itself where it tears, and keeps "
                "its tets until it would not. Raise its Resolution."
            )
    for number, farthest in renewed.outside.items():
        name, elements = now.scene.bodies[number].name, farthest / now.remeshing.sizes[number]
        if now.remeshing.refused[number] >= MOST_REFUSED and elements > FAR:
            yield (
                f"'{name}', frame {now.frame}: of {MOST_REFUSED + 1} new meshes none reaches all that is seen, the last one is "
                f"taken; up to {elements:.2g} elements lie outside it. Raise its Resolution."
            )
    for number in renewed.folded:
        name = now.scene.bodies[number].name
        yield f"'{name}' has folded onto itself: until it opens its tets are stuffed, as the Variational remesher fuses folds."
    for number, places in renewed.crossing.items():
        (x, y, z), name = places[0], now.scene.bodies[number].name
        yield (
            f"'{name}', near ({x:.3g}, {y:.3g}, {z:.3g}), frame {now.frame}: {len(places)} of its faces pass through others "
            "where it was sewn."
        )
    for number, (count, volume) in renewed.fragments.items():
        name, which = now.scene.bodies[number].name, "a fragment" if count == 1 else f"{count} fragments"
        yield f"'{name}', frame {now.frame}: {which} of {volume:.2g} m3, too small for tets of their own, vanished at a tear."

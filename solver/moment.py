"""What a frame shows of the state, at a step's end or between two."""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .contact.shown import LEFT, NO_WALLS, Look, Way
from .jit import kernel
from .state import Ranges, Solids

if TYPE_CHECKING:
    from .contact.surfaces.surface_contact import SurfaceContact
    from .simulate import Simulation

Array = NDArray[np.float64]

# Change of acceleration within a step, over acceleration, up to which a body is drawn on cubics, and from which on lines:
# a free fall, a spin or a wave that steps resolve have less, a blow has more.
SMOOTH, ROUGH = 0.05, 0.15

MOST_MET = 3  # times that what surfaces meet on the way out of colliders is asked for


@dataclass
class Snapshot:
    """What a frame shows of the state; n nodes, m tets.

    positions, velocities (n, 3) [m], [m/s]; plastic_strain (m,); stress (m,) von Mises [Pa]
    """

    positions: Array
    velocities: Array
    plastic_strain: Array
    stress: Array

    @classmethod
    def of(cls, state: Solids) -> "Snapshot":
        """The present, until the state goes on."""
        return cls(state.positions, state.velocities, state.plastic_strain, state.stress)

    @classmethod
    def kept(cls, state: Solids) -> "Snapshot":
        """The present, for good."""
        return cls(state.positions.copy(), state.velocities.copy(), state.plastic_strain.copy(), state.stress.copy())


def moment_at_end(now: "Simulation") -> Snapshot:
    """What a frame shows with which the last step has ended: out of colliders."""
    return _out_of_colliders(now, Snapshot.of(now.state), 0.0)


def moment_between(now: "Simulation", late: float) -> Snapshot:
    """What a frame shows that was due so long before the last step has ended [s]: out of colliders, and free of each other."""
    before, after, surfaces, step = now.before, Snapshot.of(now.state), now.surfaces, now.clock.previous_step
    moment = between(before, after, 1.0 - late / step, step, now.ranges)
    if surfaces is not None:
        moment.positions = free_between(surfaces, before.positions, after.positions, moment.positions)
    return _out_of_colliders(now, moment, late)


def _out_of_colliders(now: "Simulation", moment: Snapshot, late: float) -> Snapshot:
    """What a frame shows, moved out of colliders."""
    clock, surfaces = now.clock, now.surfaces
    way = Way(now.before.positions, now.state.positions, clock.time - clock.previous_step, clock.time - late, clock.time)
    look = Look(now.contacts, way, moment.positions, now.state)
    kept = look.kept_out()
    if surfaces is not None and kept is not moment.positions:
        kept = _free_on_the_way(surfaces, look, kept, now.ranges)
    moment.positions = kept
    return moment


def _free_on_the_way(surfaces: "SurfaceContact", look: Look, kept: Array, ranges: Ranges) -> Array:
    """Where nodes are led from where they are drawn to where they are out of colliders (n, 3), through no other surface.

    What is in the way gives way. Where not all bodies can go all of their way even so, they go one after the other: one that is
    held by another leaves the rest free. Of all that has been tried it is what lies least deep.
    """
    drawn, walls = look.drawn, NO_WALLS
    reached = surfaces.reachable(drawn, kept)
    if reached is kept:
        return kept
    tried = [drawn, reached]
    for _ in range(MOST_MET):
        way = kept - drawn
        # Those within reach that are stopped late count for a direction that is twice as long
        met = surfaces.meetings(drawn, way) or surfaces.meetings(drawn, 2.0 * way)
        if not met:
            break
        walls = walls.with_met(met, LEFT * look.least)
        kept = look.kept_out(walls)
        reached = surfaces.reachable(drawn, kept)
        tried.append(reached)
        if reached is kept:
            break
    spans = [slice(a, b) for a, b in pairwise(ranges.nodes.tolist()) if (drawn[a:b] != kept[a:b]).any()]
    if reached is not kept and len(spans) > 1:
        reached = drawn
        for own in spans:
            further = reached.copy()
            further[own] = kept[own]
            reached = surfaces.reachable(reached, further)
        tried.append(reached)
    return min(tried, key=look.farthest)


def free_between(surfaces: "SurfaceContact", before: Array, after: Array, shown: Array) -> Array:
    """Positions as shown (n, 3) between two at which surfaces are free, or the nearest that can be reached from either."""
    one = surfaces.reachable(before, shown)
    if one is shown:
        return shown
    other = surfaces.reachable(after, shown)
    return one if np.abs(one - shown).max() < np.abs(other - shown).max() else other


def between(before: Snapshot, after: Snapshot, fraction: float, step: float, ranges: Ranges) -> Snapshot:
    """The moment at `fraction` of the step [s] between two: every body on cubics through both positions and velocities.

    A body that is struck within the step has velocities at its ends that tell little of the way between: cubics run on
    through the ground and back, and squeeze and swell it. It goes on straight lines, which leave no half-space that both ends
    are in, and in between the share of the cubic falls from one to nothing.
    """
    f = fraction
    positions = np.empty_like(before.positions)
    places, speeds = (before.positions, after.positions), (before.velocities, after.velocities)
    for begin, end in zip(ranges.nodes[:-1], ranges.nodes[1:], strict=True):
        along(f, step, int(begin), int(end), *places, *speeds, positions)
    return Snapshot(
        positions,
        _mixed(1 - f, before.velocities, f, after.velocities),
        _mixed(1 - f, before.plastic_strain, f, after.plastic_strain),
        _mixed(1 - f, before.stress, f, after.stress),
    )


@kernel
def along(f, step, begin, end, start, last, start_velocity, last_velocity, result):  # type: ignore[no-untyped-def]
    """Rows begin .. end - 1, one body's, of result (n, 3): where nodes are at a fraction f of the step, all (n, 3).

    Of a cubic through both ends the line is left out by a = v0 - d at the start and b = v1 - d at the end, where d is the mean
    velocity; a - b is an acceleration times the step, a + b half of its change within it (0 where it is constant).
    """
    bend, jerk = 0.0, 0.0
    for i in range(begin, end):
        for k in range(3):
            d = (last[i, k] - start[i, k]) / step
            a, b = start_velocity[i, k] - d, last_velocity[i, k] - d
            bend, jerk = bend + (a - b) ** 2, jerk + (a + b) ** 2
    rough = np.sqrt(jerk / bend) if bend > 0.0 else 0.0
    share = min(max((ROUGH - rough) / (ROUGH - SMOOTH), 0.0), 1.0) * step * f * (1.0 - f)
    for i in range(begin, end):
        for k in range(3):
            way = last[i, k] - start[i, k]
            d = way / step
            a, b = start_velocity[i, k] - d, last_velocity[i, k] - d
            result[i, k] = start[i, k] + f * way + share * ((1.0 - f) * a - f * b)


def _mixed(a: float, x: Array, b: float, y: Array) -> Array:
    """a x + b y in one pass."""
    result = np.empty(x.shape)
    mix(a, x.ravel(), b, y.ravel(), result.reshape(-1))
    return result


@kernel
def mix(a, x, b, y, result):  # type: ignore[no-untyped-def]
    """result := a x + b y, flat, all (k,)."""
    for i in range(len(result)):
        result[i] = a * x[i] + b * y[i]

"""Bodies that start in each other go apart: as a damped swing that comes to its end without swinging back.

Each part that two bodies share (overlapping.py) is led along its way out with the acceleration w^2 depth - 2 w u, u being how
fast they go apart there. From rest that is a critically damped swing: never faster than 0.37 w times the depth, and slow when
it ends; w is higher the faster both go, so that what falls has parted when it lands (`_swing`). What is held is not the surface
but the mass around the part, so bodies are moved rather than dented, and neither substep nor resolution nor stiffness says how
fast they go. Across their way out they drag on each other at the same rate, or
they would slide down on each other where it is steep.

What that takes is a force in the step's own solve (grips.py), on both alike: on nodes by shares that add up to one and have one
and the same point for their mean, so that momentum and spin stay. It pushes as hard as the other forces ask, up to what the
bodies bear (less and less where pins or others leave them no room: such a force, new in each step, would shake them for ever),
and pulls back what goes apart too fast, about as hard as the swing itself asks. What several forces hold at once,
each moves by its share. So of many bodies in one place those two that are furthest apart go as fast as the swings between
them, one after the other, add up to. What goes apart much faster by itself is let go. The barriers of the two act all the same,
but where their surfaces pass through each other and one ring of triangles around it, until they share nothing; there only what
faces each other from outside pushes (facing.py).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...integrators import Extrapolation
from .candidates import Neighbourhood
from .carried import Carried
from .crossing import crossings, surfaces_cross
from .facing import Facing, begin_new
from .grips import Grips, apart
from .overlapping import MARGIN, Overlap
from .pairs import NOTHING, Pairs, distances, taken
from .region import Region

Array = NDArray[np.float64]

SWING = 6.0  # [1/s] of bodies at rest: a depth is halved in 0.28 s
FALLING, MOST_SWING = 4.0, 30.0  # times the rate at which they go by their own size, if that is more, at most so much [1/s]
FASTER = 2.0  # times as fast as the swing is at most: what goes apart so fast was thrown apart
PULL = 4.0  # times the force that slows down the mass that is held as the swing asks: what springs goes on pushing it
AROUND = 2.0  # radii of a part, and as many element sizes, within which it holds nodes
CLEAR = 0.25  # of the reach: so far apart bodies are apart
NEAREST = 0.12  # of the reach, below which a pair of them does not push yet: it has only just come apart
FIRM = 300.0  # times the inertia: how closely a step keeps to the swing; of what is held and does not come apart it becomes 1,
PROGRESS = 0.05  # element sizes by which a depth has to shrink to be on its way,
PATIENCE, FADE = 0.25, 0.5  # [s] after so long without, and in so long a time
BEARS = 0.5  # of their modulus, on the cross-section of the smaller body: the largest force
LEAST_NODES = 8  # that a part holds; else it holds the whole body
DEEPER = 1.001  # times the margin: what has no more of a way to go only touches
FLAT = 1e-6  # of the largest second moment: less is none


class Parting:
    """Two bodies that lie in each other; bodies: their numbers."""

    def __init__(self, bodies: tuple[int, int], pairs: Sequence[Neighbourhood]) -> None:
        """pairs: the ways in which their surfaces will collide, with the finer ones first."""
        self.bodies, self.pairs = bodies, list(pairs)
        self.overlap = Overlap(self.pairs[0].first, self.pairs[0].second)
        self.regions: list[Region] = []
        self.overlaps = False  # and not only touch
        self.least, self.stalled = np.inf, 0.0  # the least depth [m] that has been seen, and for how long [s] none less
        self.sides: Facing | None = None  # where they are mixed, and on which side of each other points are

    def look(self, places: Array, step: float = 0.0) -> bool:
        """Find what they share with points at places (k, 3), a step [s] after the last look; whether any, or they touch."""
        self.regions = self.overlap.regions(places)
        self.overlaps = any(region.depth > DEEPER * MARGIN * self.overlap.element for region in self.regions)
        deepest = max((region.depth for region in self.regions), default=0.0)
        self.stalled += step
        if deepest < self.least - PROGRESS * self.overlap.element:
            self.least, self.stalled = deepest, 0.0
        mixed, touching = self._mixed(places)
        surfaces = [side.surface for pair in self.pairs for side in (pair.first, pair.second)]
        known, self.sides = self.sides, Facing(places, surfaces, self.overlap.inside, mixed)
        if known is not None:
            for pair in self.pairs:
                begin_new(pair, places, known, self.sides)
        if len(touching) and not self.regions:
            self.regions = [self.overlap.touching(places, touching)]
        return bool(self.regions)

    def _mixed(self, places: Array) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Which of points at places (k, 3) lie where they pass through each other, and next to that; and which touch (t,)."""
        mixed = np.zeros(len(places), dtype=np.bool_)
        mixed[self.overlap.inside] = True
        touching = [np.zeros(0, np.int32)]
        for pair in self.pairs:
            pair.cover(places, places)
            nodes, gaps = pair.pairs.nodes, distances(places, pair.pairs.nodes, pair.pairs.points)
            mixed[nodes[gaps < NEAREST * pair.reach]] = True
            touching.append(nodes[gaps < CLEAR * pair.reach].ravel())
            one, other = pair.first.surface, pair.second.surface
            crossed = self.overlap.crossings if pair is self.pairs[0] else crossings(pair.first, pair.second, places)
            for side, across, found in zip((one, other), (other, one), crossed, strict=True):
                mixed[side.edges[found.edges]] = True
                mixed[across.triangles[found.triangles]] = True
                touching.append(side.edges[found.edges].ravel())
        for each in self.overlap.clusters:
            triangles = each.surface.triangles
            mixed[triangles[mixed[triangles].any(axis=1)]] = True
        return mixed, np.concatenate(touching)

    @property
    def firm(self) -> float:
        """How firmly they are led, in inertias."""
        return float(FIRM ** min(max(1.0 - (self.stalled - PATIENCE) / FADE, 0.0), 1.0))

    def others(self, pairs: Pairs) -> Pairs:
        """Those pairs of their surfaces that push already."""
        return pairs if self.sides is None else taken(pairs, self.sides.pushing(pairs))


def perhaps_together(pair: Neighbourhood, places: Array) -> bool:
    """Whether two surfaces, points at places (k, 3) that their pairs hold for, touch, cross, or lie one in the other."""
    if (distances(places, pair.pairs.nodes, pair.pairs.points) < NOTHING * pair.reach).any():
        return True
    if surfaces_cross(pair.first, pair.second, places):
        return True
    (low, high), (other_low, other_high) = pair.first.around(places, places), pair.second.around(places, places)
    within = (low >= other_low) & (high <= other_high), (low <= other_low) & (high >= other_high)
    if not (within[0].all() or within[1].all()):
        return False
    # A puddle's box may hold that of a drop on it; what only presses on the other must go on to be kept apart from it
    return bool(Overlap(pair.first, pair.second).regions(places))


def lead_apart(
    partings: Sequence[Parting], positions: Array, velocities: Array, masses: Array, nodes: NDArray[np.int64],
    past: Extrapolation, step: float,
) -> Grips | None:  # fmt: skip
    """What leads the parts of all of them in a step [s] from positions, with velocities (n, 3) and masses (n,); None if none.

    nodes (b + 1,): where each body's nodes begin.
    """
    rows, ways = list[tuple[NDArray[np.int64], Array]](), list[tuple[Array, float, float, int, float, float]]()
    for each in partings:
        sides = [np.arange(*nodes[body : body + 2]) for body in each.bodies]
        element = each.overlap.element
        size = min(float(np.cbrt(np.ptp(positions[own], axis=0).prod())) for own in sides)
        most, swing = BEARS * each.pairs[0].modulus * size**2, _swing(velocities, masses, sides, size)
        for region in each.regions:
            around = AROUND * (region.radii + element)
            held = [_shares(region.centers, around, positions[own], masses[own]) for own in sides]
            for one, other in zip(*held, strict=True):
                rows += [(own[shares != 0.0], shares[shares != 0.0]) for own, shares in zip(sides, (one, other), strict=True)]
            ways += [(region.normal, region.depth, most, len(region.radii), each.firm, swing)] * len(region.radii)
    if not ways:
        return None
    normal, ahead, bears, pieces, firm, rates = (np.array(column, dtype=np.float64) for column in zip(*ways, strict=True))
    return _grips(_carried(rows), normal, ahead, bears, pieces, firm, rates, velocities, masses, past, step)


def _swing(velocities: Array, masses: Array, sides: Sequence[NDArray[np.int64]], size: float) -> float:
    """At what rate [1/s] two bodies part, nodes of both, the smaller so large [m]: what is about to land has to be apart then,
    as runny goo would wind through the other on the ground."""
    own = np.concatenate(sides)
    fall = np.sqrt(((masses[own] @ velocities[own] / masses[own].sum()) ** 2).sum())
    return float(min(max(FALLING * fall / max(size, 1e-300), SWING), MOST_SWING))


def _grips(
    carried: Carried, normal: Array, ahead: Array, most: Array, pieces: Array, firm: Array, swing: Array, velocities: Array,
    masses: Array, past: Extrapolation, step: float,
) -> Grips:  # fmt: skip
    """What leads g pairs of places along normals (g, 3) that have a way `ahead` (g,) [m], each one of some pieces (g,) of a
    part, so many inertias `firm` (g,), as a swing of a rate (g,) [1/s].

    most (g,) [N]: what the pieces of a part bear together. Where several hold the same nodes each acts with its share, so
    that none of all this depends on how many they are.
    """
    share, node, begin = np.abs(carried.weights), carried.nodes, carried.start[:-2]

    def summed(weights: Array) -> Array:
        found: Array = np.add.reduceat(weights, begin[::2])
        return found

    gives = past.inertial**2 / masses  # [m/N]
    give, lag = summed(share**2 * gives[node]), summed(share * past.effective[node]) / summed(share)
    # How many hold the same nodes, counted by how far they move with each other
    alike = summed(share * (gives * np.bincount(node, weights=share, minlength=len(masses)))[node]) / give
    speed = (apart(carried, velocities) * normal).sum(axis=1)
    urge = swing * (swing * ahead - 2.0 * speed)
    goal = apart(carried, past.base) + (lag * (speed + step * urge))[:, None] * normal
    held = np.add.reduceat(masses[node], begin).reshape(-1, 2).min(axis=1)  # [kg] of the lighter side
    push = most / np.maximum(pieces, alike)
    pull = np.clip(-PULL * held * urge / alike, 0.0, push)
    drag = 2.0 * swing / lag / summed(share**2 / masses[node]) / alike
    # Where others push too, those of all of them add up
    loose = speed > FASTER * swing * ahead * np.maximum(alike / pieces, 1.0)
    pull[loose] = drag[loose] = 0.0
    need = ((goal - apart(carried, past.targets)) * normal).sum(axis=1) / give / alike
    return Grips(carried, normal, goal, firm / give / alike, push, pull, drag, need > push)


def _carried(rows: Sequence[tuple[NDArray[np.int64], Array]]) -> Carried:
    """Places of nodes by shares, and one of none."""
    start = np.cumsum([0, *(len(nodes) for nodes, _ in rows), 0])
    return Carried(start, np.concatenate([nodes for nodes, _ in rows]).astype(np.int32), np.concatenate([s for _, s in rows]))


def _shares(centers: Array, around: Array, positions: Array, masses: Array) -> Array:
    """Shares (c, k) of nodes at positions (k, 3) with masses (k,) that add up to one and have a center (c, 3) for their mean.

    By mass, fading out `around` (c,) [m] from there, and linear in the place: so a force at the centre, handed on to nodes by
    these shares, has the same sum and the same moment. Where the nodes lie in a plane only as far as they reach.
    """
    away = positions - centers[:, None]
    near = np.maximum(0.0, 1.0 - (away**2).sum(axis=2) / around[:, None] ** 2) ** 2
    near[np.count_nonzero(near, axis=1) < LEAST_NODES] = 1.0
    weights = masses * near
    total = weights.sum(axis=1)
    # No product of BLAS here: the same bytes on any number of its threads
    mean = np.einsum("ck,cki->ci", weights, away) / total[:, None]
    arms = away - mean[:, None]
    moments, axes = np.linalg.eigh(np.einsum("ck,cki,ckj->cij", weights, arms, arms))
    inverse = np.where(moments > FLAT * moments[:, -1:], 1.0 / np.maximum(moments, 1e-300), 0.0)
    lean = np.einsum("cij,cj,ckj,ck->ci", axes, inverse, axes, -mean)
    shares: Array = weights * (1.0 / total[:, None] + np.einsum("cki,ci->ck", arms, lean))
    return shares

"""Bodies that start in each other go apart: as a damped swing that comes to its end without swinging back.

Each part that two bodies share (overlapping.py) is led along its way out with the acceleration w^2 depth - 2 w u, u being how
fast they go apart there. From rest that is a critically damped swing: never faster than 0.37 w times the depth, and slow when
it ends. What is held is not the surface but the mass around the part, so bodies are moved rather than dented, and neither
substep nor resolution nor stiffness says how fast they go. Across their way out they drag on each other at the same rate, or
they would slide down on each other where it is steep.

What that takes is a force in the step's own solve, on both alike: on nodes by shares that add up to one and have one and the
same point for their mean, so that momentum and spin stay. It is as large as the other forces ask, up to what the bodies bear.
What goes apart faster by itself is let go. The barriers of the two act all the same, but where their surfaces pass through each
other and one ring of triangles around it, until they share nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...fem.pair_coupling import PairStiffness
from ...integrators import Extrapolation
from .candidates import Neighbourhood
from .crossing import crossings, surfaces_cross
from .overlapping import MARGIN, Overlap, Region
from .pairs import Pairs, distances, taken

Array = NDArray[np.float64]

SWING = 6.0  # [1/s]: a depth is halved in 0.28 s
FASTER = 1.2  # times as fast as the swing is at most: what goes apart so fast was thrown apart
AROUND = 2.0  # radii of a part, and as many element sizes, within which it holds nodes
CLEAR = 0.25  # of the reach: so far apart bodies are apart
NEAREST = 0.02  # of the reach, below which a pair of them does not push yet: it has only just come apart
FIRM = 300.0  # times the inertia: how closely a step keeps to the swing
BEARS = 0.5  # of their modulus, on the cross-section of the smaller body: the largest force
LEAST_NODES = 8  # that a part holds; else it holds the whole body
DEEPER = 1.001  # times the margin: what has no more of a way to go only touches
NOTHING = 1e-6  # share of the reach that is no distance
FLAT = 1e-6  # of the largest second moment: less is none


@dataclass(frozen=True)
class Grip:
    """What leads one part in one step: nodes (k,) by shares (k,), those of the first body add up to 1, of the second to -1.

    normal (3,)  : the way that the first body goes
    goal (3,)    : [m] where the one mean is to be, seen from the other, at the step's end; across the normal: at rest
    firm, most   : [N/m] and [N], a spring towards the goal along the normal that never pulls harder
    drag         : [N/m] a spring towards it across the normal
    first        : how many of the nodes are the first body's
    """

    nodes: NDArray[np.int64]
    shares: Array
    normal: Array
    goal: Array
    firm: float
    most: float
    drag: float
    first: int

    def force(self, positions: Array) -> Array:
        """The force (3,) [N] on the first body with nodes at positions (n, 3); on the second it is the opposite."""
        along, across = self._missing(positions)
        force: Array = np.clip(self.firm * along, -self.most, self.most) * self.normal + self.drag * across
        return force

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add to gradient (n, 3) [N] at positions (n, 3); return the energy [J], that of a spring which yields at its most."""
        along, across = self._missing(positions)
        push = float(np.clip(self.firm * along, -self.most, self.most))
        gradient[self.nodes] -= self.shares[:, None] * (push * self.normal + self.drag * across)
        return push * along - 0.5 * push * push / self.firm + 0.5 * self.drag * float(across @ across)

    def stiffness(self, positions: Array) -> Array:
        """(9,) [N/m], the secant where it yields."""
        firm = min(self.firm, self.most / max(abs(self._missing(positions)[0]), 1e-300))
        flat = np.outer(self.normal, self.normal)
        block: Array = (firm * flat + self.drag * (np.eye(3) - flat)).ravel()
        return block

    def _missing(self, positions: Array) -> tuple[float, Array]:
        """How far [m] from the goal, along the normal and across it (3,)."""
        away = self.goal - np.einsum("k,ki->i", self.shares, positions[self.nodes])
        along = float(away @ self.normal)
        return along, away - along * self.normal


class Parting:
    """Two bodies that lie in each other; bodies: their numbers."""

    def __init__(self, bodies: tuple[int, int], pairs: Sequence[Neighbourhood]) -> None:
        """pairs: the ways in which their surfaces will collide, with the finer ones first."""
        self.bodies, self.pairs = bodies, list(pairs)
        self.overlap = Overlap(self.pairs[0].first, self.pairs[0].second)
        self.grips: list[Grip] = []
        self.regions: list[Region] = []
        self.overlaps = False  # and not only touch
        self.mixed = np.zeros(0, dtype=np.bool_)  # of all points, those where they pass through each other, and next to them

    def look(self, places: Array) -> bool:
        """Find what they share with points at places (k, 3); whether they share anything, or touch."""
        self.regions = self.overlap.regions(places)
        self.overlaps = any(region.depth > DEEPER * MARGIN * self.overlap.element for region in self.regions)
        self.mixed = np.zeros(len(places), dtype=np.bool_)
        self.mixed[self.overlap.inside] = True
        touching = [np.zeros(0, np.int32)]
        for pair in self.pairs:
            pair.cover(places, places)
            nodes, gaps = pair.pairs.nodes, distances(places, pair.pairs.nodes, pair.pairs.points)
            self.mixed[nodes[gaps < NEAREST * pair.reach]] = True
            touching.append(nodes[gaps < CLEAR * pair.reach].ravel())
            one, other = pair.first.surface, pair.second.surface
            for side, across, found in zip((one, other), (other, one), crossings(pair.first, pair.second, places), strict=True):
                self.mixed[side.edges[found.edges]] = True
                self.mixed[across.triangles[found.triangles]] = True
                touching.append(side.edges[found.edges].ravel())
        for each in self.overlap.clusters:
            triangles = each.surface.triangles
            self.mixed[triangles[self.mixed[triangles].any(axis=1)]] = True
        points = np.concatenate(touching)
        if len(points) and not self.regions:
            self.regions = [self.overlap.touching(places, points)]
        return bool(self.regions)

    def others(self, pairs: Pairs) -> Pairs:
        """Those pairs of their surfaces that push already: far enough from where these are mixed."""
        return taken(pairs, np.asarray(~self.mixed[pairs.nodes].any(axis=1)))

    def lead(
        self, positions: Array, velocities: Array, masses: Array, nodes: NDArray[np.int64], past: Extrapolation, step: float
    ) -> None:
        """Set what leads the parts in a step [s] from positions, with velocities (n, 3) and masses (n,).

        nodes (b + 1,): where each body's nodes begin.
        """
        sides = [np.arange(*nodes[body : body + 2]) for body in self.bodies]
        element = min(each.surface.element for each in (self.pairs[0].first, self.pairs[0].second))
        extents = [np.ptp(positions[own], axis=0) for own in sides]
        most = BEARS * self.pairs[0].modulus * min(float(np.cbrt(extent.prod())) for extent in extents) ** 2
        self.grips = []
        for region in self.regions:
            share = most / len(region.radii)
            for center, radius in zip(region.centers, region.radii, strict=True):
                around = AROUND * (radius + element)
                held = [_shares(center, around, positions[own], masses[own]) for own in sides]
                nodes, shares = np.concatenate(sides), np.concatenate([held[0], -held[1]])
                kept, first = shares != 0.0, int(np.count_nonzero(held[0]))
                led = _led(nodes[kept], shares[kept], first, region.normal, region.depth, share, velocities, masses, past, step)
                self.grips += [] if led is None else [led]


def perhaps_together(pair: Neighbourhood, places: Array) -> bool:
    """Whether two surfaces, points at places (k, 3) that their pairs hold for, touch, cross, or may lie one in the other."""
    if (distances(places, pair.pairs.nodes, pair.pairs.points) < NOTHING * pair.reach).any():
        return True
    (low, high), (other_low, other_high) = pair.first.around(places, places), pair.second.around(places, places)
    within = (low >= other_low) & (high <= other_high), (low <= other_low) & (high >= other_high)
    return bool(within[0].all() or within[1].all()) or surfaces_cross(pair.first, pair.second, places)


def _led(
    nodes: NDArray[np.int64], shares: Array, first: int, normal: Array, ahead: float, most: float,
    velocities: Array, masses: Array, past: Extrapolation, step: float,
) -> Grip | None:  # fmt: skip
    """What leads nodes by shares, as in Grip, that have a way `ahead` [m]; None of what goes apart by itself."""
    speed = float(np.einsum("k,ki->i", shares, velocities[nodes]) @ normal)
    if speed > FASTER * SWING * ahead:
        return None
    wanted = speed + step * SWING * (SWING * ahead - 2.0 * speed)
    lag = float((np.abs(shares) * past.effective[nodes]).sum() / np.abs(shares).sum())
    goal = np.einsum("k,ki->i", shares, past.base[nodes]) + lag * wanted * normal
    inertia = 1.0 / float((shares**2 * (past.inertial[nodes] ** 2 / masses[nodes])).sum())
    drag = 2.0 * SWING / lag / float((shares**2 / masses[nodes]).sum())
    return Grip(nodes, shares, normal, goal, FIRM * inertia, most, drag, first)


def _shares(center: Array, around: float, positions: Array, masses: Array) -> Array:
    """Shares (k,) of nodes at positions (k, 3) with masses (k,) that add up to one and have `center` for their mean place.

    By mass, fading out `around` [m] from there, and linear in the place: so a force at the centre, handed on to nodes by these
    shares, has the same sum and the same moment. Where the nodes lie in a plane only as far as they reach.
    """
    away = positions - center
    near = np.maximum(0.0, 1.0 - (away**2).sum(axis=1) / around**2) ** 2
    if np.count_nonzero(near) < LEAST_NODES:
        near = np.ones(len(masses))
    weights = masses * near
    total = weights.sum()
    mean = np.einsum("k,ki->i", weights, away) / total  # no product of BLAS here: the same bytes on any number of its threads
    arms = away - mean
    moments, axes = np.linalg.eigh(np.einsum("k,ki,kj->ij", weights, arms, arms))
    inverse = np.where(moments > FLAT * moments[-1], 1.0 / np.maximum(moments, 1e-300), 0.0)
    lean = axes @ (inverse * (axes.T @ -mean))
    shares: Array = weights * (1.0 / total + np.einsum("ki,i->k", arms, lean))
    return shares


def parting_stiffness(grips: Sequence[Grip], positions: Array, rank: NDArray[np.int32]) -> PairStiffness:
    """That of all of them at positions (n, 3), each as a pair of two points, with node i at row rank[i] of the matrix."""
    count = len(grips)
    points = np.array([(3 * k, 3 * k + 1, 3 * k + 2, 3 * k + 2) for k in range(count)], np.int32)  # the last one is of no node
    weights = np.tile((1.0, -1.0, 0.0, 0.0), (count, 1))
    blocks = np.array([grip.stiffness(positions) for grip in grips])
    lengths = np.array([(grip.first, len(grip.nodes) - grip.first, 0) for grip in grips]).ravel()
    rows = rank[np.concatenate([grip.nodes for grip in grips])]
    shares = np.concatenate([np.concatenate([g.shares[: g.first], -g.shares[g.first :]]) for g in grips])
    return PairStiffness(points, weights, blocks, np.concatenate([[0], np.cumsum(lengths)]), rows, shares)

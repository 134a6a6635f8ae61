"""Pairs within reach that a direction of Newton's method crushes: with what firms them, so that it no longer does."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .barrier import SPRING, held_by
from .carried import Carried
from .free_way import EARLY, free_shares
from .meetings import Meetings, growth
from .standing import Standing

Array = NDArray[np.float64]


def crushed(stand: Standing, struck: NDArray[np.bool_], ways: Array, carried: Carried) -> Meetings:
    """Of pairs within reach those struck (k,) that ways (p, 3) of their points crush, with what firms them.

    Some, all but touching, do not come closer at first, but would slide or turn into each other. What the turning of their
    normals does to their forces is as firm as their barriers are; so firmly they are made to go together.
    """
    close, pairs = stand.close.taken(struck[stand.close.which]), stand.pairs
    points, reach, slope = pairs.nodes[close.which], pairs.reach[close.which], close.slope
    gap = growth(stand.places, points, close.weights, close.normal)
    held = np.where(gap < SPRING * reach, close.force * gap**3, held_by(slope, reach))
    free, nothing = np.empty_like(gap), np.zeros_like(gap)
    free_shares(stand.places, ways, pairs.nodes, pairs.points, pairs.reach, stand.distance, close.which, free)
    given = points, close.weights, close.normal, gap, gap, nothing, slope, close.force, held, nothing
    near = Meetings(*given, pairs.stiffness[close.which], carried)
    left = gap + growth(ways, points, close.weights, close.normal)
    deep = near.crushed(left)
    near = replace(near, across=np.where((free < EARLY) & ~deep, slope, 0.0))
    firm = (deep | (near.across > 0.0)) & (slope > 0.0)
    return near.taken(firm).firmed(left[firm])

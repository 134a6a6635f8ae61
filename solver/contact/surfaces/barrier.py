"""The barrier that keeps a pair's distance positive, and the factor that fades it out where edges become parallel."""

import numpy as np
from numpy.typing import NDArray

from ...jit import inline

Array = NDArray[np.float64]

SPRING = 0.75  # of the reach: where an inverse cube goes on with a spring's force and slope
PARALLEL = 1e-3  # squared sine of the angle at rest lengths below which a pair of edges fades (Li et al. 2020, eq 24)


@inline
def barrier(distance, reach):  # type: ignore[no-untyped-def]
    """Energy, pushing force and its slope of a pair at a positive distance, for a stiffness of 1 N/m.

    A spring down to SPRING of the reach, (reach - d)^2/2, and from there an inverse cube, infinite at d = 0, whose force and
    slope go on smoothly. What lies on something stays in the spring, for which one Newton iteration is enough (as in Chen et
    al. 2025, "Offset geometric contact", section 3.4, where a logarithm follows). Under a logarithm, whose force is as one
    over the distance, a blow left a millionth of the reach, past which nothing slides or turns without closing it; under the
    inverse cube the same force leaves some hundredth, where that is less steep than the logarithm was.
    """
    if distance >= reach:
        return 0.0, 0.0, 0.0
    switch = SPRING * reach
    if distance >= switch:
        short = reach - distance
        return 0.5 * short * short, short, 1.0
    ratio, short = switch / distance, reach - switch
    square = ratio * ratio
    return short * (0.5 * short + 0.5 * switch * (square - 1.0)), short * square * ratio, square * square


def held_by(stiffness: Array, reach: Array) -> Array:
    """What barriers' force times the cube of their distance is below SPRING of the reach [N m^3]; arrays (k,)."""
    held: Array = stiffness * (1.0 - SPRING) * SPRING**3 * reach**4
    return held


def pushed_to(held: Array, force: Array) -> Array:
    """The distances [m] at which barriers that hold so much (`held_by`) push with forces [N]; arrays (k,)."""
    distance: Array = np.cbrt(held / force)
    return distance


@inline
def parallel_fade(a, b, c, d, threshold):  # type: ignore[no-untyped-def]
    """Factor in [0, 1] of two edges ab, cd and its derivative by |ab x cd|^2.

    m = (2 - q) q with q = |ab x cd|^2 / threshold [m^4], 1 from q = 1 on: the distance of edges is not differentiable where
    they are parallel, but m times a function of it is (Li et al. 2020, eq 24).
    """
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = d[0] - c[0], d[1] - c[1], d[2] - c[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    q = (nx * nx + ny * ny + nz * nz) / threshold
    if q >= 1.0:
        return 1.0, 0.0
    return (2.0 - q) * q, (2.0 - 2.0 * q) / threshold

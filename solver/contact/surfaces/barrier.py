"""The barrier that keeps a pair's distance positive, and the factor that fades it out where edges become parallel."""

import numpy as np

from ...jit import inline

PARALLEL = 1e-3  # squared sine of the angle at rest lengths below which a pair of edges fades (Li et al. 2020, eq 24)


@inline
def barrier(distance, reach):  # type: ignore[no-untyped-def]
    """Energy, pushing force and its slope of a pair at a positive distance, for a stiffness of 1 N/m.

    A spring down to half the reach, and from there a logarithm that is infinite at d = 0: (d - reach)^2/2, then
    -(reach/2)^2 ln(2d/reach) + reach^2/8, whose force and slope go on smoothly (Chen et al. 2025, "Offset geometric contact",
    section 3.4). What lies on something stays in the spring, for which one Newton iteration is enough.
    """
    if distance >= reach:
        return 0.0, 0.0, 0.0
    half = 0.5 * reach
    if distance >= half:
        short = reach - distance
        return 0.5 * short * short, short, 1.0
    ratio = half / distance
    return half * half * (0.5 + np.log(ratio)), half * ratio, ratio * ratio


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

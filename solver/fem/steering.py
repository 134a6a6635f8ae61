"""Plasticity control while flow becomes permanent: Irving 2004, section 7.

Of the flow that a step brings, from F_p to F_p,trial, the part is kept that leads nearest to F_p,goal: the point of the
segment between them, in logarithms with their rotations left out, that is closest to it. With a rate, F_p also moves
towards the goal by itself, L += (1 - exp(-rate dt)) (L_goal - L). The volume follows the goal's.
"""

import numpy as np

from ..jit import kernel
from ..svd import DOUBLE, SWEEPS, symmetric_eigenvectors


@kernel
def symmetric_function(m, half_logarithm, out):  # type: ignore[no-untyped-def]
    """out (6) := log(m)/2 or exp(m) of a symmetric m (6: 00 11 22 01 02 12); return smallest and largest eigenvalue."""
    e = symmetric_eigenvectors(m[0], m[1], m[2], m[3], m[4], m[5], SWEEPS + 1, DOUBLE)
    x, y, z = e[0], e[1], e[2]
    low, high = min(x, min(y, z)), max(x, max(y, z))
    if half_logarithm:
        f, g, h = 0.5 * np.log(x), 0.5 * np.log(y), 0.5 * np.log(z)
    else:
        f, g, h = np.exp(x), np.exp(y), np.exp(z)
    v00, v01, v02, v10, v11, v12, v20, v21, v22 = e[3], e[4], e[5], e[6], e[7], e[8], e[9], e[10], e[11]
    out[0] = f * v00 * v00 + g * v01 * v01 + h * v02 * v02
    out[1] = f * v10 * v10 + g * v11 * v11 + h * v12 * v12
    out[2] = f * v20 * v20 + g * v21 * v21 + h * v22 * v22
    out[3] = f * v00 * v10 + g * v01 * v11 + h * v02 * v12
    out[4] = f * v00 * v20 + g * v01 * v21 + h * v02 * v22
    out[5] = f * v10 * v20 + g * v11 * v21 + h * v12 * v22
    return low, high


@kernel
def log_stretch(f, out):  # type: ignore[no-untyped-def]
    """out (6) := log of the right stretch tensor sqrt(f^T f) of a row-major f (9)."""
    square = np.empty(6)
    square[0] = f[0] * f[0] + f[3] * f[3] + f[6] * f[6]
    square[1] = f[1] * f[1] + f[4] * f[4] + f[7] * f[7]
    square[2] = f[2] * f[2] + f[5] * f[5] + f[8] * f[8]
    square[3] = f[0] * f[1] + f[3] * f[4] + f[6] * f[7]
    square[4] = f[0] * f[2] + f[3] * f[5] + f[6] * f[8]
    square[5] = f[1] * f[2] + f[4] * f[5] + f[7] * f[8]
    symmetric_function(square, True, out)


@kernel
def steered(plastic, trial, goal, share, most_range, out):  # type: ignore[no-untyped-def]
    """out (9) := the next F_p, symmetric; return the equivalent plastic strain gained, or -1 where it would be too slender.

    plastic, trial (9) are F_p before and after the step's flow, goal (6) log F_p,goal, share = 1 - exp(-rate dt),
    most_range the largest ratio of stretches.
    """
    old, new, result = np.empty(6), np.empty(6), np.empty(6)
    log_stretch(plastic, old)
    log_stretch(trial, new)
    along, length = 0.0, 0.0
    for k in range(6):
        twice = 1.0 if k < 3 else 2.0
        d = new[k] - old[k]
        along += twice * d * (goal[k] - old[k])
        length += twice * d * d
    t = min(max(along / length, 0.0), 1.0) if length > 1e-24 else 0.0
    for k in range(6):
        new[k] = old[k] + t * (new[k] - old[k])
        new[k] += share * (goal[k] - new[k])
    low, high = symmetric_function(new, False, result)
    low_before, high_before = symmetric_function(old, False, np.empty(6))
    if high - low > np.log(most_range) and high - low > high_before - low_before:
        return -1.0
    out[0], out[4], out[8] = result[0], result[1], result[2]
    out[1] = out[3] = result[3]
    out[2] = out[6] = result[4]
    out[5] = out[7] = result[5]
    mean = (new[0] + new[1] + new[2] - old[0] - old[1] - old[2]) / 3.0
    gained = 0.0
    for k in range(6):
        d = new[k] - old[k] - (mean if k < 3 else 0.0)
        gained += (1.0 if k < 3 else 2.0) * d * d
    return np.sqrt(2.0 / 3.0 * gained)

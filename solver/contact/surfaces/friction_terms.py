"""Energy, gradient and stiffness of friction between surfaces, across the lines of closest points at a step's start."""

import numpy as np

from ...jit import inline, kernel
from ..response import friction_response
from .terms import add_weighted


@inline
def _slip_of(positions, pair, w, n, anchor):  # type: ignore[no-untyped-def]
    """How far a pair's points, fixed to their sides, have slipped across the normal: 3 scalars and their length [m]."""
    x, y, z = -anchor[0], -anchor[1], -anchor[2]
    for m in range(4):
        i = np.uint64(pair[m])
        x, y, z = x + w[m] * positions[i, 0], y + w[m] * positions[i, 1], z + w[m] * positions[i, 2]
    along = n[0] * x + n[1] * y + n[2] * z
    x, y, z = x - along * n[0], y - along * n[1], z - along * n[2]
    return x, y, z, np.sqrt(x * x + y * y + z * z)


@kernel
def add_friction_gradient(positions, nodes, weights, normal, anchor, grip, slip, gradient):  # type: ignore[no-untyped-def]
    """Add friction's gradient [N] at positions (n, 3) to gradient (n, 3); return its energy [J].

    nodes, weights (c, 4), normal, anchor (c, 3), grip (c,) [N], slip [m]: Li et al. 2020, eq 14 and 15, lagged but for slip.
    """
    energy = 0.0
    for k in range(len(nodes)):
        pair, w = nodes[k], weights[k]
        x, y, z, length = _slip_of(positions, pair, w, normal[k], anchor[k])
        work, factor, _ = friction_response(length, grip[k], slip)
        energy += work
        add_weighted(pair, w[0], w[1], w[2], w[3], factor * x, factor * y, factor * z, gradient)
    return energy


@kernel
def friction_blocks(positions, nodes, weights, normal, anchor, grip, slip, exact, blocks):  # type: ignore[no-untyped-def]
    """Fill blocks (c, 9) [N/m] of friction; `exact` as in contact/response.py."""
    for k in range(len(nodes)):
        n = normal[k]
        x, y, z, length = _slip_of(positions, nodes[k], weights[k], n, anchor[k])
        _, across, along = friction_response(length, grip[k], slip)
        radial = exact * (along - across)
        scale = 1.0 / length if length > 0.0 else 0.0
        t = (x * scale, y * scale, z * scale)
        for i in range(3):
            for j in range(3):
                flat = (1.0 if i == j else 0.0) - n[i] * n[j]
                blocks[k, 3 * i + j] = across * flat + radial * t[i] * t[j]

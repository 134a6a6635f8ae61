"""Pairs measured whose corners lie in one array."""

import numpy as np

from solver.contact.surfaces.distance import measure


def measured(corners, kind):
    """Weights (k, 4) and separations (k, 3) of pairs of one kind, with corners at (k, 4, 3)."""
    count = len(corners)
    nodes = np.arange(4 * count, dtype=np.int32).reshape(-1, 4)
    weights, separation = np.empty((count, 4)), np.empty((count, 3))
    measure(corners.reshape(-1, 3), nodes, count if kind == "vertex_triangle" else 0, weights, separation)
    return weights, separation

"""Straight ways through a mesh of tets, from tet to tet across their faces.

What is asked is whether the mesh itself leads along a way, not whether some other part of it lies there: a body that is
folded, or that lies in itself, is not left by going on within one of its sheets. Where tets have turned inside out the way is
gone back and forth until it has passed them, as the map from the rest shape would have it.
"""

import numpy as np

from ..jit import inline, kernel

MOST_TETS = 400  # on one way
ON_FACE = 1e-9  # share of a way


@inline
def weight_of(positions, tet, corner, x, y, z):  # type: ignore[no-untyped-def]
    """The barycentric weight of a corner of a tet at a point."""
    a, b = positions[tet[(corner + 1) % 4]], positions[tet[(corner + 2) % 4]]
    c, d = positions[tet[(corner + 3) % 4]], positions[tet[corner]]
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    height = nx * (d[0] - a[0]) + ny * (d[1] - a[1]) + nz * (d[2] - a[2])
    return (nx * (x - a[0]) + ny * (y - a[1]) + nz * (z - a[2])) / height


@kernel
def way(positions, tets, neighbours, start, p, q):  # type: ignore[no-untyped-def]
    """Return the tet at the end of the way from p, which tet `start` holds, to q, or -1; and the share of it that is inside."""
    tet, entry, s = start, -1, 0.0
    for _ in range(MOST_TETS):
        corners = tets[tet]
        forward = True
        if entry >= 0:
            entering = weight_of(positions, corners, entry, q[0], q[1], q[2])
            forward = entering > weight_of(positions, corners, entry, p[0], p[1], p[2])
        face, end = -1, np.inf if forward else -np.inf
        for k in range(4):
            at_p = weight_of(positions, corners, k, p[0], p[1], p[2])
            slope = weight_of(positions, corners, k, q[0], q[1], q[2]) - at_p
            if k == entry or slope == 0.0 or (slope > 0.0) == forward:
                continue
            here = -at_p / slope
            if (here < end) if forward else (here > end):
                face, end = k, here
        if face < 0 or (forward and end >= 1.0):
            return (tet if face >= 0 else -1), (1.0 if face >= 0 else s)
        s = min(max(end, 0.0), 1.0)
        following = neighbours[tet, face]
        if following < 0 or end < -ON_FACE:
            return -1, s
        entry = -1
        for k in range(4):
            if neighbours[following, k] == tet:
                entry = k
        tet = following
    return -1, s

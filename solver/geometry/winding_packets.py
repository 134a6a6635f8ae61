"""The winding number about a packet of points at a time in SIMD lanes. Scratch of winding.py.

Points that follow each other mostly lie together, so they go down a tree together: a cluster that is far from all of them
counts as its moments, and of one that is near to some the triangles are asked. Instead of the angle of each triangle its sine
and cosine are multiplied as a complex number, and turns are counted where the product passes 180 degrees: one arc tangent a
point.
"""

import math

import numpy as np

from ..jit import kernel
from ..jit.tile_code import some_lane, tile_loop, tile_question
from .packets import PACKET

# Slots: where a point is (3), what far clusters add up to, the product of the triangles' half angles (2) and its turns
PLACE, FAR_SUM, COSINE, SINE, TURNS = 0, 3, 4, 5, 6
SLOTS = 7
P = PACKET


def _dot(a, b):  # type: ignore[no-untyped-def]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@tile_question
def some_close(w, first, last, x, y, z, radius2):  # type: ignore[no-untyped-def]
    """Whether some lane's point is no further from a centre than a radius, squared."""
    for i in range(first, last):
        way = [centre - w[(PLACE + n) * P + i] for n, centre in enumerate((x, y, z))]
        some_lane(_dot(way, way) <= radius2)


@tile_loop
def add_far(w, first, last, x, y, z, nx, ny, nz, xx, yy, zz, xy, xz, yz):  # type: ignore[no-untyped-def]
    """FAR_SUM += 4 pi times what a cluster about a centre adds by its dipole n and its quadrupole, made symmetric.

    Barill 2018, eqs 12 and 13: grad G . n, and the gradient of grad G contracted with the quadrupole.
    """
    for i in range(first, last):
        way = [centre - w[(PLACE + n) * P + i] for n, centre in enumerate((x, y, z))]
        inverse = 1.0 / _dot(way, way)
        rows = _dot((xx, xy, xz), way), _dot((xy, yy, yz), way), _dot((xz, yz, zz), way)
        value = _dot((nx, ny, nz), way) + (xx + yy + zz) - 3.0 * _dot(rows, way) * inverse
        w[FAR_SUM * P + i] = w[FAR_SUM * P + i] + value * inverse * np.sqrt(inverse)


@tile_loop
def add_near(w, first, last, ax, ay, az, bx, by, bz, cx, cy, cz):  # type: ignore[no-untyped-def]
    """Multiply COSINE + i SINE by those of half the solid angle of a triangle, as of `triangle.solid_angle`."""
    for i in range(first, last):
        p = [w[(PLACE + n) * P + i] for n in range(3)]
        a, b, c = ([at - here for at, here in zip(q, p, strict=True)] for q in ((ax, ay, az), (bx, by, bz), (cx, cy, cz)))
        la, lb, lc = (np.sqrt(_dot(q, q)) for q in (a, b, c))
        across = b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]
        sine = _dot(a, across)
        cosine = la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb
        square = sine * sine + cosine * cosine
        known = square > 0.0  # at a corner no angle is seen
        scale = 1.0 / np.sqrt(square if known else 1.0)
        sine, cosine = (sine * scale if known else 0.0), (cosine * scale if known else 1.0)
        had_cosine, had_sine = w[COSINE * P + i], w[SINE * P + i]
        now_sine = had_cosine * sine + had_sine * cosine
        forth = (had_sine >= 0.0) & (sine >= 0.0) & (now_sine < 0.0)
        back = (had_sine < 0.0) & (sine < 0.0) & (now_sine >= 0.0)
        w[TURNS * P + i] = w[TURNS * P + i] + (1.0 if forth else (-1.0 if back else 0.0))
        w[COSINE * P + i] = had_cosine * cosine - had_sine * sine
        w[SINE * P + i] = now_sine


@kernel
def wind(tree, w, stack):  # type: ignore[no-untyped-def]
    """Add up a winding tree about a packet's points."""
    boxes, positions, triangles = tree.surface.tree, tree.surface.positions, tree.surface.triangles
    for n in range(P):
        w[FAR_SUM * P + n], w[COSINE * P + n], w[SINE * P + n], w[TURNS * P + n] = 0.0, 1.0, 0.0, 0.0
    stack[0], size = 0, 1
    while size:
        size -= 1
        node = stack[size]
        x, y, z = tree.centre[node, 0], tree.centre[node, 1], tree.centre[node, 2]
        if not some_close(w, 0, P, x, y, z, tree.radius2[node]):
            n, q = tree.dipole[node], tree.quadrupole[node]
            xy, xz, yz = 0.5 * (q[0, 1] + q[1, 0]), 0.5 * (q[0, 2] + q[2, 0]), 0.5 * (q[1, 2] + q[2, 1])
            add_far(w, 0, P, x, y, z, n[0], n[1], n[2], q[0, 0], q[1, 1], q[2, 2], xy, xz, yz)
        elif node >= boxes.leaf:
            for k in range(boxes.start[node], boxes.stop[node]):
                t = boxes.order[k]
                a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
                add_near(w, 0, P, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])
        else:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node + 2
            size += 2


@kernel
def wound(w, n):  # type: ignore[no-untyped-def]
    """The winding number about point n of a packet."""
    angle = math.atan2(w[SINE * P + n], w[COSINE * P + n])
    return w[FAR_SUM * P + n] / (4.0 * math.pi) + angle / (2.0 * math.pi) + w[TURNS * P + n]

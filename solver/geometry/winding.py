"""The generalised winding number: how often a surface, closed or not, wraps around a point.

Inside a closed surface it is 1, outside 0; across a hole it fades from one to the other, inside two overlapping
shells it is 2. Far clusters of triangles count as one dipole and quadrupole, near ones by their exact solid angle.
Source: Jacobson 2013 (definition); Barill 2018, eqs 7-13 (tree).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .chunks import in_chunks
from .packets import PACKET, gathered
from .tree import STACK
from .triangle import solid_angle
from .triangle_tree import TriangleTree
from .winding_packets import PLACE, SLOTS, wind, wound

# A cluster is far when its distance exceeds this many of its radii. With both moments the error stays below 0.1 in all and
# 0.02 in the mean, against a threshold of 0.5; next to the surface, where it counts, the sum is nearly exact.
FAR = 2.0


class WindingTree(NamedTuple):
    """A triangle tree with each node's moments about its area-weighted centre.

    centre : (nodes, 3); radius2 : (nodes,) squared, times FAR^2
    dipole : (nodes, 3) sum of area vectors; quadrupole : (nodes, 3, 3) sum of (centroid - centre) x area vector
    """

    surface: TriangleTree
    centre: NDArray[np.float64]
    radius2: NDArray[np.float64]
    dipole: NDArray[np.float64]
    quadrupole: NDArray[np.float64]


def winding_tree(surface: TriangleTree) -> WindingTree:
    """Return the tree with the moments that far evaluation needs."""
    nodes = len(surface.tree.start)
    tree = WindingTree(surface, np.zeros((nodes, 3)), np.zeros(nodes), np.zeros((nodes, 3)), np.zeros((nodes, 3, 3)))
    _moments(surface.positions, surface.triangles, surface.tree, *tree[1:])
    return tree


def winding_numbers(tree: WindingTree, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the winding number (k,) of the surface about `points` (k, 3)."""
    result = np.empty(len(points))
    order = gathered(points) if len(points) > PACKET else np.arange(len(points), dtype=np.int32)
    in_chunks(_winding_numbers, len(points), tree, points, order, result)
    return result


@kernel
def _winding_numbers(first, last, tree, points, order, result):  # type: ignore[no-untyped-def]
    """Those of the packets that begin at one of places first .. last - 1 in an order."""
    w, stack = np.empty(SLOTS * PACKET), np.empty(STACK, dtype=np.int32)
    for begin in range(-(-first // PACKET) * PACKET, last, PACKET):
        count = min(PACKET, len(order) - begin)
        for n in range(PACKET):
            k = order[begin + min(n, count - 1)]
            for a in range(3):
                w[(PLACE + a) * PACKET + n] = points[k, a]
        wind(tree, w, stack)
        for n in range(count):
            result[order[begin + n]] = wound(w, n)


@kernel
def winding_number(tree, x, y, z):  # type: ignore[no-untyped-def]
    """Winding number about one point."""
    boxes, positions, triangles = tree.surface.tree, tree.surface.positions, tree.surface.triangles
    stack = np.empty(STACK, dtype=np.int32)
    stack[0] = 0
    size = 1
    total = 0.0
    while size:
        size -= 1
        node = stack[size]
        dx, dy, dz = tree.centre[node, 0] - x, tree.centre[node, 1] - y, tree.centre[node, 2] - z
        d2 = dx * dx + dy * dy + dz * dz
        if d2 > tree.radius2[node]:
            # First term grad G . N, second the contraction of the gradient of grad G with the quadrupole.
            n, q = tree.dipole[node], tree.quadrupole[node]
            inverse = 1.0 / (d2 * math.sqrt(d2))
            trace = q[0, 0] + q[1, 1] + q[2, 2]
            dqd = dx * (q[0, 0] * dx + q[0, 1] * dy + q[0, 2] * dz)
            dqd += dy * (q[1, 0] * dx + q[1, 1] * dy + q[1, 2] * dz)
            dqd += dz * (q[2, 0] * dx + q[2, 1] * dy + q[2, 2] * dz)
            total += (n[0] * dx + n[1] * dy + n[2] * dz + trace - 3.0 * dqd / d2) * inverse
        elif node >= boxes.leaf:
            for k in range(boxes.start[node], boxes.stop[node]):
                t = boxes.order[k]
                a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
                total += solid_angle(x, y, z, a, b, c)
        else:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node + 2
            size += 2
    return total / (4.0 * math.pi)


@kernel
def _moments(positions, triangles, boxes, centre, radius2, dipole, quadrupole):  # type: ignore[no-untyped-def]
    """Set the moments of nodes, from the leaves up; no triangle under a node is further from its centre than its box."""
    weights, area, middle = np.zeros(len(boxes.start)), np.empty(3), np.empty(3)
    for node in range(len(boxes.start) - 1, -1, -1):
        if node >= boxes.leaf:
            for turn in range(2):  # the centre first
                for k in range(boxes.start[node], boxes.stop[node]):
                    t = boxes.order[k]
                    a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
                    for i in range(3):
                        m, n = (i + 1) % 3, (i + 2) % 3
                        area[i] = 0.5 * ((b[m] - a[m]) * (c[n] - a[n]) - (b[n] - a[n]) * (c[m] - a[m]))
                        middle[i] = (a[i] + b[i] + c[i]) / 3.0
                    if turn == 0:
                        weight = math.sqrt(area[0] ** 2 + area[1] ** 2 + area[2] ** 2)
                        weights[node] += weight
                        for i in range(3):
                            centre[node, i] += weight * middle[i]
                            dipole[node, i] += area[i]
                    else:
                        for i in range(3):
                            for j in range(3):
                                quadrupole[node, i, j] += (middle[i] - centre[node, i]) * area[j]
                if turn == 0 and weights[node] > 0.0:
                    for i in range(3):
                        centre[node, i] /= weights[node]
        else:
            first, second = 2 * node + 1, 2 * node + 2
            weights[node] = weights[first] + weights[second]
            share = weights[first] / weights[node] if weights[node] > 0.0 else 0.0
            for i in range(3):
                centre[node, i] = share * centre[first, i] + (1.0 - share) * centre[second, i]
                dipole[node, i] = dipole[first, i] + dipole[second, i]
            for i in range(3):
                for j in range(3):
                    moved = (centre[first, i] - centre[node, i]) * dipole[first, j]
                    moved += (centre[second, i] - centre[node, i]) * dipole[second, j]
                    quadrupole[node, i, j] = quadrupole[first, i, j] + quadrupole[second, i, j] + moved
        farthest = 0.0
        for i in range(3):
            farthest += max(centre[node, i] - boxes.lower[node, i], boxes.upper[node, i] - centre[node, i]) ** 2
        radius2[node] = FAR * FAR * farthest if weights[node] > 0.0 else 0.0

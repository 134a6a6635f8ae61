"""Which tet of a mesh holds a point, by a bounding-volume tree over the tets."""

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, inner_kernel, kernel
from .chunks import in_chunks
from .incident import incident_corners
from .packets import PACKET, gathered
from .tet_packets import MOST_HELD, PLACE, SLOTS, held
from .tree import STACK, Tree, build_tree

# A point this little outside a tet (as a barycentric weight) still counts as inside: it may lie on a shared face, and single
# precision, which differs with the scene's unit, is not to choose its tet.
ON_FACE = 1e-6
SHAPE = 13  # numbers that are kept of a tet
DENSE = 8  # tets for a point, at most, with which points are close enough to each other to be looked for in packets


def tet_boxes(
    positions: NDArray[np.float64], tets: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and the upper corner (m, 3) of each tet's box."""
    lower, upper = np.empty((len(tets), 3)), np.empty((len(tets), 3))
    in_chunks(_boxes, len(tets), positions, tets, lower, upper)
    return lower, upper


@kernel
def _boxes(first, last, positions, tets, lower, upper):  # type: ignore[no-untyped-def]
    for t in range(first, last):
        for a in range(3):
            p, q = positions[tets[t, 0], a], positions[tets[t, 1], a]
            r, s = positions[tets[t, 2], a], positions[tets[t, 3], a]
            lower[t, a], upper[t, a] = min(min(p, q), min(r, s)), max(max(p, q), max(r, s))


def locate(
    positions: NDArray[np.float64], tets: NDArray[np.int32], points: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return for each of `points` (k, 3) the tet that holds it, or -1, and its barycentric weights (k, 4)."""
    boxes = tet_boxes(positions, tets)
    return located_in(build_tree(*boxes), boxes, positions, tets, points)


def located_in(
    tree: Tree, boxes: tuple[NDArray[np.float64], NDArray[np.float64]], positions: NDArray[np.float64],
    tets: NDArray[np.int32], points: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:  # fmt: skip
    """The same with the boxes of the tets and their tree at hand."""
    found = np.empty(len(points), dtype=np.int32)
    weights = np.zeros((len(points), 4))
    # Few points lie too far apart to go down the tree together
    order = gathered(points) if DENSE * len(points) > len(tets) else np.zeros(0, dtype=np.int32)
    in_chunks(_locate, len(points), tree, *boxes, positions, tets, points, order, found, weights)
    return found, weights


def steadiest_tets(
    positions: NDArray[np.float64], tets: NDArray[np.int32], corners: NDArray[np.int32], points: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return for each outside point (k, 3) a tet and its weights (k, 4), the smallest of them as little negative as can be.

    The tet is one that touches the closest boundary triangle `corners` (k, 3). Right at the boundary that is the
    triangle's own; further out a flat tet, which would swing the point on a long lever, gives way to a taller neighbour.
    """
    start, incident = incident_corners(tets, len(positions))
    found, weights = np.empty(len(points), dtype=np.int32), np.empty((len(points), 4))
    in_chunks(_steadiest, len(points), positions, tets, start, incident, corners, points, found, weights)
    return found, weights


@kernel
def _steadiest(first, last, positions, tets, start, incident, corners, points, found, weights):  # type: ignore[no-untyped-def]
    known, shapes = np.zeros(len(tets), dtype=np.bool_), np.empty((len(tets), SHAPE))  # most tets are asked for many points
    for k in range(first, last):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        best = -np.inf
        for i in range(3):
            for n in range(start[corners[k, i]], start[corners[k, i] + 1]):
                t = incident[n] >> 2
                if not known[t]:
                    known[t] = True
                    _shape(positions, tets, t, shapes[t])
                w0, w1, w2, w3 = _weights_by(shapes[t], x, y, z)
                least = min(min(w0, w1), min(w2, w3))
                if least > best + ON_FACE:  # of equals the first
                    best = least
                    found[k] = t
                    weights[k, 0], weights[k, 1], weights[k, 2], weights[k, 3] = w0, w1, w2, w3


@kernel
def _locate(first, last, tree, lower, upper, positions, tets, points, order, found, weights):  # type: ignore[no-untyped-def]
    stack, w = np.empty(STACK, dtype=np.int32), np.empty(SLOTS * PACKET)
    which, lanes = np.empty(MOST_HELD, dtype=np.int32), np.empty(MOST_HELD, dtype=np.int32)
    for begin in range(first, last, PACKET):
        end, count = min(begin + PACKET, last), -1
        if len(order) and end - begin == PACKET:
            for n in range(PACKET):
                found[order[begin + n]] = -1
                for a in range(3):
                    w[(PLACE + a) * PACKET + n] = points[order[begin + n], a]
            count = held(tree, lower, upper, positions, tets, w, ON_FACE, stack, which, lanes)
        for n in range(count):
            _try_tet(positions, tets, np.int64(which[n]), points, order[begin + lanes[n]], found, weights)
        if count < 0:
            for place in range(begin, end):
                k = order[place] if len(order) else np.int32(place)
                _locate_one(tree, positions, tets, points, k, stack, found, weights)


@inner_kernel
def _locate_one(tree, positions, tets, points, k, stack, found, weights):  # type: ignore[no-untyped-def]
    """Set what holds point k."""
    x, y, z = points[k, 0], points[k, 1], points[k, 2]
    found[k] = -1
    stack[0] = 0
    size = 1
    while size:
        size -= 1
        node = stack[size]
        if not _in_box(tree, node, x, y, z):
            continue
        if node < tree.leaf:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node + 2
            size += 2
            continue
        for n in range(tree.start[node], tree.stop[node]):
            _try_tet(positions, tets, np.int64(tree.order[n]), points, k, found, weights)


@inline
def _try_tet(positions, tets, t, points, k, found, weights):  # type: ignore[no-untyped-def]
    """Let point k be held by a tet where it is; on a shared face or vertex the smallest index wins, whatever the order."""
    w0, w1, w2, w3 = weights_of(positions, tets, t, points[k, 0], points[k, 1], points[k, 2])
    least = min(min(w0, w1), min(w2, w3))
    if least >= -ON_FACE and (found[k] < 0 or t < found[k]):
        found[k] = t
        weights[k, 0], weights[k, 1], weights[k, 2], weights[k, 3] = w0, w1, w2, w3


@inline
def _in_box(tree, node, x, y, z):  # type: ignore[no-untyped-def]
    # The slack covers the rounding of a point on the box's face.
    slack = ON_FACE * (tree.upper[node, 0] - tree.lower[node, 0] + tree.upper[node, 1] - tree.lower[node, 1])
    inside = tree.lower[node, 0] - slack <= x <= tree.upper[node, 0] + slack
    inside = inside and tree.lower[node, 1] - slack <= y <= tree.upper[node, 1] + slack
    return inside and tree.lower[node, 2] - slack <= z <= tree.upper[node, 2] + slack


@inline
def weights_of(positions, tets, t, x, y, z):  # type: ignore[no-untyped-def]
    o = positions[tets[t, 0]]
    a, b, c = positions[tets[t, 1]], positions[tets[t, 2]], positions[tets[t, 3]]
    ux, uy, uz = a[0] - o[0], a[1] - o[1], a[2] - o[2]
    vx, vy, vz = b[0] - o[0], b[1] - o[1], b[2] - o[2]
    wx, wy, wz = c[0] - o[0], c[1] - o[1], c[2] - o[2]
    px, py, pz = x - o[0], y - o[1], z - o[2]
    vwx, vwy, vwz = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
    inverse = 1.0 / (ux * vwx + uy * vwy + uz * vwz)
    w1 = (px * vwx + py * vwy + pz * vwz) * inverse
    w2 = (px * (wy * uz - wz * uy) + py * (wz * ux - wx * uz) + pz * (wx * uy - wy * ux)) * inverse
    w3 = (px * (uy * vz - uz * vy) + py * (uz * vx - ux * vz) + pz * (ux * vy - uy * vx)) * inverse
    return 1.0 - w1 - w2 - w3, w1, w2, w3


@inline
def _shape(positions, tets, t, shape):  # type: ignore[no-untyped-def]
    """Set what `weights_of` finds of a tet whatever the point: its first corner, three rows, and their scale."""
    o = positions[tets[t, 0]]
    a, b, c = positions[tets[t, 1]], positions[tets[t, 2]], positions[tets[t, 3]]
    ux, uy, uz = a[0] - o[0], a[1] - o[1], a[2] - o[2]
    vx, vy, vz = b[0] - o[0], b[1] - o[1], b[2] - o[2]
    wx, wy, wz = c[0] - o[0], c[1] - o[1], c[2] - o[2]
    shape[0], shape[1], shape[2] = o[0], o[1], o[2]
    shape[3], shape[4], shape[5] = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
    shape[6], shape[7], shape[8] = wy * uz - wz * uy, wz * ux - wx * uz, wx * uy - wy * ux
    shape[9], shape[10], shape[11] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    shape[12] = 1.0 / (ux * shape[3] + uy * shape[4] + uz * shape[5])


@inline
def _weights_by(s, x, y, z):  # type: ignore[no-untyped-def]
    """The same as `weights_of` by a tet's shape."""
    px, py, pz = x - s[0], y - s[1], z - s[2]
    w1 = (px * s[3] + py * s[4] + pz * s[5]) * s[12]
    w2 = (px * s[6] + py * s[7] + pz * s[8]) * s[12]
    w3 = (px * s[9] + py * s[10] + pz * s[11]) * s[12]
    return 1.0 - w1 - w2 - w3, w1, w2, w3

"""Sums over nodes that a step takes again and again, each in one pass and one fixed order."""

import numpy as np
from numba import prange

from ..jit import CHUNKS, kernel, parallel


@kernel
def dot(a, b):  # type: ignore[no-untyped-def]
    """sum a . b of vectors (n, 3)."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(len(a)):
        x += a[i, 0] * b[i, 0]
        y += a[i, 1] * b[i, 1]
        z += a[i, 2] * b[i, 2]
    return x + y + z


@kernel
def combined(a, x, b, y, c, z):  # type: ignore[no-untyped-def]
    """a x + b y + c z of vectors (n, 3)."""
    result = np.empty_like(x)
    for i in range(len(x)):
        for k in range(3):
            result[i, k] = a * x[i, k] + b * y[i, k] + c * z[i, k]
    return result


@kernel
def led_on(positions, speeds, speedups, loads, pull, ahead, back, push):  # type: ignore[no-untyped-def]
    """What generalized alpha makes of the past: with y = ahead . (x, v, a), back . (y, v, a) and push . (y, load, a) + pull, of
    vectors (n, 3); pull also (1, 3)."""
    base, targets = np.empty_like(positions), np.empty_like(positions)
    for i in range(len(positions)):
        p = i if len(pull) > 1 else 0
        for k in range(3):
            v, a = speeds[i, k], speedups[i, k]
            y = ahead[0] * positions[i, k] + ahead[1] * v + ahead[2] * a
            base[i, k] = back[0] * y + back[1] * v + back[2] * a
            targets[i, k] = push[0] * y + push[1] * loads[i, k] + push[2] * a + pull[p, k]
    return base, targets


@parallel
def arrive(around, step, start, gradient, end, way):  # type: ignore[no-untyped-def]
    """end := around + step and way := end - start, all (n, 3); sum gradient . way and the largest component of the way."""
    n, rises, longest = len(start), np.empty(CHUNKS), np.empty(CHUNKS)
    for chunk in prange(CHUNKS):
        x, y, z, most_x, most_y, most_z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            for k in range(3):
                end[i, k] = around[i, k] + step[i, k]
                way[i, k] = end[i, k] - start[i, k]
            x += gradient[i, 0] * way[i, 0]
            y += gradient[i, 1] * way[i, 1]
            z += gradient[i, 2] * way[i, 2]
            most_x, most_y, most_z = max(most_x, abs(way[i, 0])), max(most_y, abs(way[i, 1])), max(most_z, abs(way[i, 2]))
        rises[chunk], longest[chunk] = x + y + z, max(most_x, most_y, most_z)
    rise, most = 0.0, 0.0
    for chunk in range(CHUNKS):
        rise, most = rise + rises[chunk], max(most, longest[chunk])
    return rise, most


@kernel
def velocities(ends, base, effective):  # type: ignore[no-untyped-def]
    """(end - base) / effective of ends and bases (n, 3) [m] and effective (n,) [s]."""
    result = np.empty_like(ends)
    for i in range(len(ends)):
        for k in range(3):
            result[i, k] = (ends[i, k] - base[i, k]) / effective[i]
    return result


@kernel
def turn_aside(nodes, scale, place, start, before, gradient, way):  # type: ignore[no-untyped-def]
    """way := place - start at some nodes (t,), all else (n, 3); there, with before and scale (t, 3) and (t,), sum gradient .
    (place - before), the largest component of the way and the largest |place - before| / scale."""
    rise, longest, furthest = 0.0, 0.0, 0.0
    for t in range(len(nodes)):
        i, square = nodes[t], 0.0
        for k in range(3):
            way[i, k] = place[i, k] - start[i, k]
            aside = place[i, k] - before[t, k]
            rise += gradient[i, k] * aside
            square += aside * aside
            longest = max(longest, abs(way[i, k]))
        furthest = max(furthest, np.sqrt(square) / scale[t])
    return rise, longest, furthest


@kernel
def largest_change(nodes, scale, before, after):  # type: ignore[no-untyped-def]
    """The largest |after - before| / scale at some nodes (t,) of vectors (n, 3); scale (t,)."""
    furthest = 0.0
    for t in range(len(nodes)):
        i, square = nodes[t], 0.0
        for k in range(3):
            square += (after[i, k] - before[i, k]) ** 2
        furthest = max(furthest, np.sqrt(square) / scale[t])
    return furthest


@kernel
def size(vectors):  # type: ignore[no-untyped-def]
    """Root mean square and largest absolute value of all components of vectors (n, 3)."""
    x, y, z, most_x, most_y, most_z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(vectors)):
        a, b, c = abs(vectors[i, 0]), abs(vectors[i, 1]), abs(vectors[i, 2])
        x, y, z = x + a * a, y + b * b, z + c * c
        most_x, most_y, most_z = max(most_x, a), max(most_y, b), max(most_z, c)  # side by side: one would wait for the other
    return np.sqrt((x + y + z) / (3.0 * len(vectors))), max(most_x, most_y, most_z)


@kernel
def unbalanced(gradient, inertia, hold):  # type: ignore[no-untyped-def]
    """How far the gradient (n, 3) [N] would move nodes [m], by its largest component: all by inertia alone, root mean
    square, and the one most on its own spring; inertia, hold (n,) [N/m]."""
    squares, largest = 0.0, 0.0
    for i in range(len(gradient)):
        force = max(abs(gradient[i, 0]), abs(gradient[i, 1]), abs(gradient[i, 2]))
        squares += (force / inertia[i]) ** 2
        largest = max(largest, force / hold[i])
    return np.sqrt(squares / len(gradient)), largest


@kernel
def weighted_mean(weights, vectors):  # type: ignore[no-untyped-def]
    """sum w v / sum w of vectors (n, 3), (3,), and sum w."""
    total, x, y, z = 0.0, 0.0, 0.0, 0.0
    for i in range(len(weights)):
        total += weights[i]
        x += weights[i] * vectors[i, 0]
        y += weights[i] * vectors[i, 1]
        z += weights[i] * vectors[i, 2]
    return np.array([x / total, y / total, z / total]), total


@kernel
def second_moments(weights, positions, center):  # type: ignore[no-untyped-def]
    """sum w r r^T (3, 3) of the arms r of positions (n, 3) from `center`."""
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(weights)):
        w = weights[i]
        x, y, z = positions[i, 0] - center[0], positions[i, 1] - center[1], positions[i, 2] - center[2]
        xx, yy, zz = xx + w * x * x, yy + w * y * y, zz + w * z * z
        xy, xz, yz = xy + w * x * y, xz + w * x * z, yz + w * y * z
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@kernel
def torque(weights, positions, center, vectors):  # type: ignore[no-untyped-def]
    """sum w r x v (3,), r being the arms of positions (n, 3) from `center`, and sum w v (3,)."""
    t0, t1, t2, s0, s1, s2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(positions)):
        x, y, z = positions[i, 0] - center[0], positions[i, 1] - center[1], positions[i, 2] - center[2]
        w = weights[i]
        a, b, c = w * vectors[i, 0], w * vectors[i, 1], w * vectors[i, 2]
        t0, t1, t2 = t0 + y * c - z * b, t1 + z * a - x * c, t2 + x * b - y * a
        s0, s1, s2 = s0 + a, s1 + b, s2 + c
    return np.array([t0, t1, t2]), np.array([s0, s1, s2])


@kernel
def take_rigid(weights, positions, center, mean, spin, vectors):  # type: ignore[no-untyped-def]
    """vectors (n, 3) -= w (mean + spin x r), r being the arms of positions (n, 3) from `center`."""
    for i in range(len(positions)):
        x, y, z = positions[i, 0] - center[0], positions[i, 1] - center[1], positions[i, 2] - center[2]
        w = weights[i]
        vectors[i, 0] -= w * (mean[0] + spin[1] * z - spin[2] * y)
        vectors[i, 1] -= w * (mean[1] + spin[2] * x - spin[0] * z)
        vectors[i, 2] -= w * (mean[2] + spin[0] * y - spin[1] * x)


@kernel
def turn_about(positions, center, matrix, shift, moved):  # type: ignore[no-untyped-def]
    """moved (n, 3) := center + shift + matrix (x - center); may be the positions (n, 3) themselves."""
    m, end = matrix, center + shift
    for i in range(len(positions)):
        x, y, z = positions[i, 0] - center[0], positions[i, 1] - center[1], positions[i, 2] - center[2]
        for k in range(3):
            moved[i, k] = end[k] + m[k, 0] * x + m[k, 1] * y + m[k, 2] * z

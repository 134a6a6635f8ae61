"""Triangles that close the holes of a surface, between vertices that it has.

Of all ways to fill a border with triangles the one of least area, found from shorter stretches of it to longer ones
(Barequet and Sharir 1995, section 3); a little weight on squared edges chooses among equals those that are no slivers.
"""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .edges import edges_of

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

MOST_CORNERS = 120  # of a border that is filled at once; of a longer one first a coarser border, then what is left along it
FLAT = 1e-3  # area over the square of the longest edge below which a triangle is to be avoided: it would lie on the border
EDGES_WEIGH = 1e-3  # a squared edge, against an area


def holes_filled(positions: Array, triangles: IntArray) -> IntArray | None:
    """Return triangles (k, 3) that close a surface (t, 3), turned as it is; None where more than two would meet at an edge.

    The surface's triangles are welded and turned alike.
    """
    edges = edges_of(triangles)
    taken = {(int(a), int(b)) for a, b in edges.vertices}
    every: list[tuple[int, int, int]] = []
    for border in borders(triangles, edges.order[edges.first[:-1][edges.counts == 1]]):
        own = filled(positions, border, taken)
        if own is None:
            return None
        every += own
        taken |= {(min(a, b), max(a, b)) for one in own for a, b in zip(one, (*one[1:], one[0]), strict=True)}
    return np.array(every, dtype=np.int32).reshape(-1, 3)


def borders(triangles: IntArray, sides: NDArray[np.int64]) -> list[list[int]]:
    """Return closed ways along open sides (s,), against the turn of their triangles; none passes a vertex twice."""
    starts = triangles[sides // 3, (sides + 1) % 3].tolist()
    stops = triangles[sides // 3, sides % 3].tolist()
    leading: dict[int, list[int]] = {}
    for start, stop in zip(starts, stops, strict=True):
        leading.setdefault(start, []).append(stop)
    found = []
    for start in starts:
        way, place = [start], {start: 0}
        while leading[way[-1]]:
            following = leading[way[-1]].pop()
            if following in place:  # a loop is closed: what led there goes on
                loop = way[place[following] :]
                found.append(loop)
                for vertex in loop[1:]:
                    del place[vertex]
                del way[place[following] + 1 :]
                continue
            place[following] = len(way)
            way.append(following)
    return found


def filled(
    positions: Array, border: list[int], taken: set[tuple[int, int]], flat: float = FLAT, most: int = MOST_CORNERS
) -> list[tuple[int, int, int]] | None:
    """Return the triangles that fill a border, in its turn, without edges that are taken; None where there are none.

    flat is what FLAT is, `most` what MOST_CORNERS is.
    """
    if len(border) < 3:
        return []
    if len(border) <= most:
        return _of_least_area(positions, border, taken, flat)
    stride = -(-len(border) // most)
    coarse = list(range(0, len(border), stride))
    stretches = [border[a:b] for a, b in zip(coarse, [*(k + 1 for k in coarse[1:]), len(border)], strict=True)]
    stretches[-1] = [*stretches[-1], border[0]]
    parts = [filled(positions, [border[k] for k in coarse], taken, flat, most)]
    parts += [filled(positions, stretch, taken, flat, most) for stretch in stretches]
    return None if any(part is None for part in parts) else [one for part in parts if part for one in part]


def _of_least_area(
    positions: Array, border: list[int], taken: set[tuple[int, int]], flat: float
) -> list[tuple[int, int, int]] | None:
    count = len(border)
    apex, blocked = np.zeros((count, count), dtype=np.int32), np.zeros((count, count), dtype=bool)
    for gap in range(2, count - 1):
        for a in range(count - gap):
            first, last = border[a], border[a + gap]
            blocked[a, a + gap] = ((first, last) if first < last else (last, first)) in taken
    if not _find_apexes(np.ascontiguousarray(positions[border]), np.array(border), blocked, flat, apex):
        return None
    result, waiting = [], [(0, count - 1)]
    while waiting:
        a, b = waiting.pop()
        if b - a < 2:
            continue
        k = int(apex[a, b])
        result.append((border[a], border[k], border[b]))
        waiting += [(a, k), (k, b)]
    return result


@kernel
def _find_apexes(corners, names, blocked, flat, apex):  # type: ignore[no-untyped-def]
    """Set the corner (n, n) that the triangle on each stretch of a border has besides its ends; return whether there is a way.

    Nothing goes from end to end of stretches that are blocked (n, n), nor between corners (n, 3) of one name (n,).
    """
    count = len(corners)
    cost = np.zeros((count, count))
    for gap in range(2, count):
        for a in range(count - gap):
            b = a + gap
            best, least = a + 1, np.inf
            x, y, z = corners[b, 0] - corners[a, 0], corners[b, 1] - corners[a, 1], corners[b, 2] - corners[a, 2]
            base = x * x + y * y + z * z
            for k in range(a + 1, b):
                u, v, w = corners[k, 0] - corners[a, 0], corners[k, 1] - corners[a, 1], corners[k, 2] - corners[a, 2]
                p, q, r = corners[b, 0] - corners[k, 0], corners[b, 1] - corners[k, 1], corners[b, 2] - corners[k, 2]
                area = 0.5 * np.sqrt((v * z - w * y) ** 2 + (w * x - u * z) ** 2 + (u * y - v * x) ** 2)
                longest = max(base, u * u + v * v + w * w, p * p + q * q + r * r)
                total = cost[a, k] + cost[k, b] + area + EDGES_WEIGH * base + (longest if area < flat * longest else 0.0)
                if names[k] == names[a] or names[k] == names[b]:
                    total = np.inf
                if total < least:
                    best, least = k, total
            apex[a, b] = best
            cost[a, b] = np.inf if blocked[a, b] or names[a] == names[b] else least
    return np.isfinite(cost[0, count - 1])

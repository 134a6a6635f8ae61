"""Turning the faces of an artist's surface outwards, whatever state they are in."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .back_to_back import ahead
from .edges import Edges, edges_of, welded
from .measures import area_vectors, signed_volumes, winding_numbers_by_sum

LARGE_SHELLS = 16  # nesting is looked at among this many largest shells
SAMPLES = 9
MOSTLY_DOUBLED = 0.6


class Oriented(NamedTuple):
    """A surface's triangles turned outwards, those without area dropped.

    triangles : (t, 3) int32, indices into the artist's positions
    shell     : (t,) int32, connected piece, numbered by falling area
    turned    : how many triangles were turned
    weld      : (t, 3) int32, the same triangles with coincident vertices named alike
    edges     : of the welded triangles, as the artist made them
    source    : (t,) which of the artist's triangles each is, rising
    """

    triangles: NDArray[np.int32]
    shell: NDArray[np.int32]
    turned: int
    weld: NDArray[np.int32]
    edges: Edges
    source: NDArray[np.int64]


def oriented(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> Oriented:
    """Return the triangles with a consistent outward orientation.

    Coincident corners are welded first, so a soup of split triangles is connected again, and faces that lie exactly on
    each other count once. Then
    1. within a shell, neighbours are turned to agree; the majority by area wins;
    2. an outermost shell that bounds a volume is turned if that is negative, and the shells inside turn with it:
       a hollow ball stays hollow, an eye inside a head stays solid;
    3. the scraps that bound nothing are turned as one, if their volume together is negative.
    """
    weld = welded(positions, triangles)
    areas = area_vectors(positions, triangles)
    size = np.sqrt((areas * areas).sum(axis=1))
    extent = float(np.ptp(positions, axis=0).max())
    kept = (weld[:, 0] != weld[:, 1]) & (weld[:, 1] != weld[:, 2]) & (weld[:, 2] != weld[:, 0]) & (size > 1e-14 * extent**2)
    kept[kept] = _distinct(weld[kept])
    triangles, weld, areas, size = triangles[kept], weld[kept], areas[kept], size[kept]
    edges, source = edges_of(weld), np.flatnonzero(kept)
    if not len(triangles):
        return Oriented(triangles, np.zeros(0, dtype=np.int32), 0, weld, edges, source)
    shell, turn = _shells(edges, size)
    flipped = np.where(turn, -1.0, 1.0)
    volumes = signed_volumes(positions, triangles) * flipped
    turn ^= _inside_out(positions, triangles, areas * flipped[:, None], size, volumes, shell)[shell]
    triangles, weld = (np.where(turn[:, None], faces[:, [0, 2, 1]], faces) for faces in (triangles, weld))
    return Oriented(triangles, shell, int(turn.sum()), weld, edges, source)


def turned_outwards(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same triangles (t, 3) in the same order, those that face inwards turned; what `oriented` drops stays as it is."""
    found = oriented(positions, triangles)
    if not found.turned:
        return triangles
    result = triangles.copy()
    result[found.source] = found.triangles
    return result


def _distinct(weld: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which triangles to keep of those that lie exactly on each other.

    Copies that face the same way count once. Pairs back to back are walls between two closed parts, which cancel, and
    are kept; unless nearly all are such pairs: then every face was doubled to be seen from both sides, and one stays.
    """
    turned = np.sort(weld, axis=1)
    first_of_any = _first(turned)
    if first_of_any.sum() <= MOSTLY_DOUBLED * len(weld):
        return first_of_any
    return _first(np.concatenate([turned, ahead(weld)[:, None]], axis=1))


def _first(rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which rows are the first of their kind."""
    first = np.zeros(len(rows), dtype=bool)
    first[np.unique(rows, axis=0, return_index=True)[1]] = True
    return first


def _shells(edges: Edges, size: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return each triangle's shell, numbered by falling area, and which triangles disagree with its majority."""
    pairs = edges.first[:-1][edges.counts == 2]
    left, right = edges.triangle[pairs], edges.triangle[pairs + 1]
    agree = edges.forward[pairs] != edges.forward[pairs + 1]
    shell, turn = _flood(left, right, agree, len(size))
    count = int(shell.max()) + 1
    turned_area = np.bincount(shell, weights=size * turn, minlength=count)
    area = np.bincount(shell, weights=size, minlength=count)
    turn ^= (turned_area > 0.5 * area)[shell]
    rank = np.empty(count, dtype=np.int32)
    rank[np.argsort(-area, kind="stable")] = np.arange(count, dtype=np.int32)
    return rank[shell], turn


@kernel
def _flood(left, right, agree, count):  # type: ignore[no-untyped-def]
    """Walk over edges that two triangles share; return (shell, turned against the shell's first triangle)."""
    start = np.zeros(count + 1, dtype=np.int64)
    for k in range(len(left)):
        start[left[k] + 1] += 1
        start[right[k] + 1] += 1
    for t in range(count):
        start[t + 1] += start[t]
    fill = start.copy()
    link = np.empty(2 * len(left), dtype=np.int64)
    for k in range(len(left)):
        link[fill[left[k]]] = k
        fill[left[k]] += 1
        link[fill[right[k]]] = k
        fill[right[k]] += 1
    shell = np.full(count, -1, dtype=np.int32)
    turn = np.zeros(count, dtype=np.bool_)
    stack = np.empty(count, dtype=np.int64)
    shells = 0
    for seed in range(count):
        if shell[seed] >= 0:
            continue
        shell[seed] = shells
        stack[0] = seed
        size = 1
        while size:
            size -= 1
            t = stack[size]
            for n in range(start[t], start[t + 1]):
                k = link[n]
                other = right[k] if left[k] == t else left[k]
                if shell[other] < 0:
                    shell[other] = shells
                    turn[other] = turn[t] if agree[k] else not turn[t]
                    stack[size] = other
                    size += 1
        shells += 1
    return shell, turn


def _inside_out(
    positions: NDArray[np.float64],
    triangles: NDArray[np.int32],
    areas: NDArray[np.float64],
    size: NDArray[np.float64],
    volumes: NDArray[np.float64],
    shell: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Return, for each shell, whether it has to be turned."""
    count = int(shell.max()) + 1
    missing = np.stack([np.bincount(shell, weights=areas[:, a], minlength=count) for a in range(3)], axis=1)
    area = np.bincount(shell, weights=size, minlength=count)
    volume = np.bincount(shell, weights=volumes, minlength=count)
    # A closed shell's area vectors cancel; what is missing is the area of its holes.
    solid = np.sqrt((missing * missing).sum(axis=1)) < 0.2 * area
    turn = np.zeros(count, dtype=bool)
    turn[~solid] = volume[~solid].sum() < 0.0
    large = [s for s in range(min(count, LARGE_SHELLS)) if solid[s]]
    outer = _outermost(positions, triangles, shell, large)
    for s in np.flatnonzero(solid):
        turn[s] = volume[outer.get(int(s), int(s))] < 0.0
    return turn


def _outermost(
    positions: NDArray[np.float64], triangles: NDArray[np.int32], shell: NDArray[np.int32], large: list[int]
) -> dict[int, int]:
    """Return, for each large shell, the largest shell that holds it: itself when it lies in none."""
    faces = {s: triangles[shell == s] for s in large}
    boxes = {s: (positions[f].min(axis=(0, 1)), positions[f].max(axis=(0, 1))) for s, f in faces.items()}
    result = {}
    for inner in large:
        result[inner] = inner
        for outer in large:
            if outer == inner:
                break  # shells are numbered by falling area: only larger ones can hold this one
            if (boxes[inner][0] < boxes[outer][0]).any() or (boxes[inner][1] > boxes[outer][1]).any():
                continue
            corners = faces[inner][:: max(1, len(faces[inner]) // SAMPLES), 0]
            winding = winding_numbers_by_sum(positions, faces[outer], positions[corners])
            if np.median(np.abs(winding)) > 0.5:
                result[inner] = outer
                break
    return result

"""How the surface cuts one lattice tet: its corners sorted by side, and the tets that are left inside.

Source: Labelle & Shewchuk 2007, section 3. Departure: the diagonals of cut faces follow the cut points (see
`_first_keeps`), where the paper decides by the colour of the edges alone; that allows more warping and lifts the
smallest dihedral angle over random signs and worst-case cut points from 9.3 to over 11 degrees (tests/tetmesh).
"""

from ..jit import inline, inner_kernel, kernel
from .lattice import DIRECTIONS, coordinates


@inline
def sort_and_cut(outer, sign, active, table, corners, cut):  # type: ignore[no-untyped-def]
    """Order the corners inside, on the surface, outside; set the vertices where edges are cut.

    outer (c,) are the outside ends of the cuts.
    """
    for a in range(1, 4):
        for b in range(a, 0, -1):
            if sign[corners[b]] > sign[corners[b - 1]]:
                corners[b], corners[b - 1] = corners[b - 1], corners[b]
    for a in range(3):
        for b in range(a + 1, 4):
            if sign[corners[a]] <= 0 or sign[corners[b]] >= 0:
                continue
            row = active[corners[a]]
            for direction in range(DIRECTIONS):
                if table[row, direction] >= 0 and outer[table[row, direction]] == corners[b]:
                    cut[a, b] = len(sign) + table[row, direction]


@kernel
def stencil(lattice, place, sign, share, positions, corners, cut, up, prism, parts):  # type: ignore[no-untyped-def]
    """Set the parts (3, 4) of one sorted lattice tet that lie inside; return how many.

    place (n,) is the lattice point that each of the numbered points stands for.
    """
    inner = outer = 0
    for n in range(4):
        inner += sign[corners[n]] > 0
        outer += sign[corners[n]] < 0
    if inner == 0:
        return 0
    if inner == 1 or outer == 0:
        for n in range(4):
            parts[0, n] = cut[0, n] if n >= 4 - outer else corners[n]
        return 1
    a, b, c = corners[0], corners[1], corners[2]
    # The sides of the faces that are cut into quads: (0, 1 | 3), and (0, 1 | 2) or (1, 2 | 3) and (0, 2 | 3).
    for side in range(3 if inner == 3 else outer):
        first, second = (1 if side == 1 and inner == 3 else 0), (2 if side > 0 and inner == 3 else 1)
        third = 2 if side == 1 and inner == 2 else 3
        up[side] = _first_keeps(lattice, place, share, sign, corners, cut, first, second, third)
    if inner == 2 and outer == 1:  # a pyramid over the quad a, b, cut b, cut a
        parts[0, 0], parts[0, 1], parts[0, 2], parts[0, 3] = a, b, cut[1, 3] if up[0] else cut[0, 3], c
        parts[1, 0], parts[1, 1], parts[1, 2], parts[1, 3] = a if up[0] else b, cut[0, 3], cut[1, 3], c
        return 2
    for n in range(3):
        prism[n], prism[3 + n] = corners[n], cut[n, 3]
    up01, up12, up02 = up[0], up[1], up[2]
    if inner == 2:
        prism[1], prism[2], prism[3], prism[4], prism[5] = cut[0, 2], cut[0, 3], b, cut[1, 2], cut[1, 3]
        up02, up01 = up[0], up[1]
        # The third side lies on the surface and belongs to this tet alone.
        up12 = up02 if up01 != up02 else _shorter(positions, prism)
    return _split_prism(prism, up01, up12, up02, parts)


@inner_kernel
def _first_keeps(lattice, place, share, sign, corners, cut, first, second, third):  # type: ignore[no-untyped-def]
    """Whether the diagonal of the quad that is left of a lattice face starts at its first rather than its second corner.

    The face has two corners inside and the third outside. The diagonal starts at the longer side, measured in shares of
    the lattice edge: the shorter diagonal, nearly, and an order of the sides, so that no prism gets a cycle of
    diagonals, which would leave it without a split. The quad alone decides, so the tets on its two sides agree. Equal
    sides: it starts at the long edge, or of two short ones, by the parity rule of the paper, at that of the two corners
    of which an even number of coordinates exceed those of the third.
    """
    longer = share[cut[first, third] - len(sign)] - share[cut[second, third] - len(sign)]
    if longer != 0.0:
        return longer > 0.0
    ai, aj, ak, a_centre = coordinates(lattice, place[corners[first]])
    oi, oj, ok, o_centre = coordinates(lattice, place[corners[third]])
    if a_centre != coordinates(lattice, place[corners[second]])[3]:
        return a_centre == o_centre
    half = a_centre - o_centre  # centres stand half a cube beyond the corner of the same numbers
    exceeding = (2 * ai + half > 2 * oi) + (2 * aj + half > 2 * oj) + (2 * ak + half > 2 * ok)
    return exceeding % 2 == 0


@inline
def _shorter(positions, prism):  # type: ignore[no-untyped-def]
    """Whether the diagonal 1-5 of a prism is shorter than 2-4, and not by rounding."""
    rising = falling = 0.0
    for n in range(3):
        rising += (positions[prism[1], n] - positions[prism[5], n]) ** 2
        falling += (positions[prism[2], n] - positions[prism[4], n]) ** 2
    return rising < falling * (1.0 - 1e-5)


@inner_kernel
def _split_prism(prism, up01, up12, up02, parts):  # type: ignore[no-untyped-def]
    """Split the prism (0, 1, 2), (3, 4, 5) into three tets; up01 says that the diagonal of its side 0-1 joins 0 and 4."""
    # The diagonals order the three uprights; without a cycle one of them comes first, one last.
    rank0, rank1 = (not up01) + (not up02), up01 + (not up12)
    first = 0 if rank0 == 0 else (1 if rank1 == 0 else 2)
    last = 0 if rank0 == 2 else (1 if rank1 == 2 else 2)
    middle = 3 - first - last
    for n in range(3):
        parts[n, 0], parts[n, 3] = prism[first], prism[3 + last]
    parts[0, 1], parts[0, 2] = prism[middle], prism[last]
    parts[1, 1], parts[1, 2] = prism[middle], prism[3 + middle]
    parts[2, 1], parts[2, 2] = prism[3 + first], prism[3 + middle]
    return 3

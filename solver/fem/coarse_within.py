"""What edges within slabs add to the coarse level's matrix (coarse_matrix.py), eight of them side by side (slabs.py)."""

import numpy as np

from ..jit import inline, kernel
from ..jit.simd_rows import (
    add_eight,
    add_products_at,
    all_eight,
    load_rows,
    load_three,
    load_wide,
    store_wide,
    subtract_eight,
    sum_of_eights,
    widened,
)
from .slabs import SLOT

EIGHT = np.uint64(8)


@inline
def _load_six(array, at):  # type: ignore[no-untyped-def]
    """array[at : at + 48], eight by eight."""
    return (
        load_wide(array, at), load_wide(array, at + EIGHT), load_wide(array, at + np.uint64(16)),
        load_wide(array, at + np.uint64(24)), load_wide(array, at + np.uint64(32)), load_wide(array, at + np.uint64(40)),
    )  # fmt: skip


@inline
def _store_six(array, at, six):  # type: ignore[no-untyped-def]
    """array[at : at + 48] := six."""
    store_wide(array, at, six[0])
    store_wide(array, at + EIGHT, six[1])
    store_wide(array, at + np.uint64(16), six[2])
    store_wide(array, at + np.uint64(24), six[3])
    store_wide(array, at + np.uint64(32), six[4])
    store_wide(array, at + np.uint64(40), six[5])


@inline
def _add_pair(six, mode, other, a, b, c, ab, ac, bc):  # type: ignore[no-untyped-def]
    """Six sums plus a pair of modes' product times six numbers of blocks."""
    both = widened(add_eight(all_eight(np.float32(0.0)), mode, other))
    return (
        add_eight(six[0], a, both), add_eight(six[1], b, both), add_eight(six[2], c, both),
        add_eight(six[3], ab, both), add_eight(six[4], ac, both), add_eight(six[5], bc, both),
    )  # fmt: skip


@inline
def _add_pairs(rows, group, first, last, columns, values, modes, within, at, later):  # type: ignore[no-untyped-def]
    """Add d d of a group's slots, first to last - 1, times A_00, A_11, A_22 and twice the symmetric part's 01, 02, 12, eight
    edges side by side, to within[at : at + 144]: of the first three pairs of modes or, `later`, the last three.

    So many sums stay in registers from slot to slot; all six pairs' would go by memory each time, which takes twice as long.
    """
    x, y, z = load_rows(modes, rows, group)
    p, q, r = _load_six(within, at), _load_six(within, at + np.uint64(48)), _load_six(within, at + np.uint64(96))
    for slot in range(first, last):
        v = np.uint64(SLOT) * slot
        u, w, t = load_rows(modes, columns, EIGHT * slot)
        u, w, t = subtract_eight(u, x), subtract_eight(w, y), subtract_eight(t, z)
        m00, m10, m20 = load_three(values, v)
        m01, m11, m21 = load_three(values, v + np.uint64(24))
        m02, m12, m22 = load_three(values, v + np.uint64(48))
        s01, s02, s12 = sum_of_eights(m01, m10), sum_of_eights(m02, m20), sum_of_eights(m12, m21)
        if later:
            p = _add_pair(p, w, w, m00, m11, m22, s01, s02, s12)
            q = _add_pair(q, w, t, m00, m11, m22, s01, s02, s12)
            r = _add_pair(r, t, t, m00, m11, m22, s01, s02, s12)
        else:
            p = _add_pair(p, u, u, m00, m11, m22, s01, s02, s12)
            q = _add_pair(q, u, w, m00, m11, m22, s01, s02, s12)
            r = _add_pair(r, u, t, m00, m11, m22, s01, s02, s12)
    _store_six(within, at, p)
    _store_six(within, at + np.uint64(48), q)
    _store_six(within, at + np.uint64(96), r)


@inline
def _add_turn(skew, at, mode, a0, a1, a2, b0, b1, b2, c0, c1, c2):  # type: ignore[no-untyped-def]
    """Add a mode of eight rows times what their edges add up to to skew[at : at + 72]."""
    add_products_at(skew, at, mode, a0)
    add_products_at(skew, at + np.uint64(8), mode, a1)
    add_products_at(skew, at + np.uint64(16), mode, a2)
    add_products_at(skew, at + np.uint64(24), mode, b0)
    add_products_at(skew, at + np.uint64(32), mode, b1)
    add_products_at(skew, at + np.uint64(40), mode, b2)
    add_products_at(skew, at + np.uint64(48), mode, c0)
    add_products_at(skew, at + np.uint64(56), mode, c1)
    add_products_at(skew, at + np.uint64(64), mode, c2)


@inline
def _add_turns(rows, group, first, last, columns, values, modes, skew):  # type: ignore[no-untyped-def]
    """Add f d of a group's slots, first to last - 1, times 2 R's three numbers, eight edges side by side, to skew, flat
    (4 * 3 * 3 * 8)."""
    x, y, z = load_rows(modes, rows, group)
    one, none = all_eight(np.float32(1.0)), all_eight(np.float32(0.0))
    a0, a1, a2, b0, b1, b2, c0, c1, c2 = none, none, none, none, none, none, none, none, none
    for slot in range(first, last):
        v = np.uint64(SLOT) * slot
        u, w, t = load_rows(modes, columns, EIGHT * slot)
        u, w, t = subtract_eight(u, x), subtract_eight(w, y), subtract_eight(t, z)
        _, m10, m20 = load_three(values, v)
        m01, _, m21 = load_three(values, v + np.uint64(24))
        m02, m12, _ = load_three(values, v + np.uint64(48))
        r01, r02, r12 = subtract_eight(m01, m10), subtract_eight(m02, m20), subtract_eight(m12, m21)
        a0, a1, a2 = add_eight(a0, r01, u), add_eight(a1, r02, u), add_eight(a2, r12, u)
        b0, b1, b2 = add_eight(b0, r01, w), add_eight(b1, r02, w), add_eight(b2, r12, w)
        c0, c1, c2 = add_eight(c0, r01, t), add_eight(c1, r02, t), add_eight(c2, r12, t)
    _add_turn(skew, np.uint64(0), x, a0, a1, a2, b0, b1, b2, c0, c1, c2)
    _add_turn(skew, np.uint64(72), y, a0, a1, a2, b0, b1, b2, c0, c1, c2)
    _add_turn(skew, np.uint64(144), z, a0, a1, a2, b0, b1, b2, c0, c1, c2)
    _add_turn(skew, np.uint64(216), one, a0, a1, a2, b0, b1, b2, c0, c1, c2)


@kernel
def add_within(first_slab, last_slab, slabs, values, modes, within, skew):  # type: ignore[no-untyped-def]
    """Add what lies within slabs, first to last - 1, of one part: to within, flat (6 * 6 * 8), of eight edges each the products
    of pairs of modes, relative to the edge's earlier row, times six numbers; to skew, flat (4 * 3 * 3 * 8), modes of that row
    times modes relative to it times three numbers."""
    _, group_bounds, rows, slot_offsets, columns, _, _ = slabs
    for g in range(group_bounds[first_slab], group_bounds[last_slab]):
        group, first, last = EIGHT * np.uint64(g), np.uint64(slot_offsets[g]), np.uint64(slot_offsets[g + 1])
        _add_pairs(rows, group, first, last, columns, values, modes, within, np.uint64(0), False)
        _add_pairs(rows, group, first, last, columns, values, modes, within, np.uint64(144), True)
        _add_turns(rows, group, first, last, columns, values, modes, skew)

"""Formulas traced into SIMD code give what numpy gives, lane by lane, in either precision."""

import numba
import numpy as np
import pytest

from solver.jit import TILE, kernel
from solver.jit.tile_code import add_rows, put_rows, some_lane, tile_loop, tile_question

T = TILE
KINDS = [np.float32, np.float64]
RNG = np.random.default_rng(5)


def smaller_part(a, b):
    return min(abs(a), b) if a > b else -a / 3.0


@tile_loop
def formulas(w, dt):
    for i in range(T):
        a, b = w[i], w[T + i]
        w[2 * T + i] = smaller_part(a, b) + dt * np.sqrt(abs(b))
        w[3 * T + i] = max(a, b, 0.25)
        w[4 * T + i] = 1.0 if (a > 0.0) & ~(b >= a) else np.log(2.0 + abs(a))


@tile_loop
def some_lanes(w, first, last):
    for i in range(first, last):
        w[T + i] = 2.0 * w[i]


@tile_question
def any_above(w, limit):
    for i in range(T):
        some_lane(w[i] > limit)


@tile_loop
def rows(w, out):
    for i in range(T):
        put_rows(out, 21, i, 2, [w[k * T + i] for k in range(18)])
        add_rows(out, 21, i, 3, [1.0, 2.0, 3.0])


@kernel
def call_formulas(w, dt):
    formulas(w, dt)


@kernel
def call_some_lanes(w, first, last):
    some_lanes(w, first, last)


@kernel
def call_any_above(w, limit):
    return any_above(w, limit)


@kernel
def call_rows(w, out):
    rows(w, out)


@pytest.mark.parametrize("kind", KINDS)
def test_formulas_are_done_lane_by_lane(kind):
    w = RNG.normal(size=5 * T).astype(kind)
    a, b = w[:T].astype(float), w[T : 2 * T].astype(float)
    call_formulas(w, 0.75)
    expected = [
        np.where(a > b, np.minimum(abs(a), b), -a / 3.0) + 0.75 * np.sqrt(abs(b)),
        np.maximum(np.maximum(a, b), 0.25),
        np.where((a > 0.0) & ~(b >= a), 1.0, np.log(2.0 + abs(a))),
    ]
    assert np.abs(w[2 * T :].reshape(3, T) - expected).max() < 20 * np.finfo(kind).eps


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bounds", [(0, T), (3, 5), (7, 33), (16, 16), (T - 1, T)])
def test_a_range_leaves_other_lanes_alone(kind, bounds):
    w = np.concatenate([np.arange(T), np.full(T, -1.0)]).astype(kind)
    call_some_lanes(w, *bounds)
    inside = (np.arange(T) >= bounds[0]) & (np.arange(T) < bounds[1])
    assert np.array_equal(w[T:], np.where(inside, 2.0 * np.arange(T), -1.0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lane", [0, 77, T - 1])
def test_a_question_sees_every_lane(kind, lane):
    w = np.zeros(T, kind)
    assert not call_any_above(w, 0.5)
    w[lane] = 1.0
    assert call_any_above(w, 0.5) and not call_any_above(w, 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kept", KINDS)
def test_components_become_rows(kind, kept):
    w, out = RNG.integers(0, 1000, 18 * T).astype(kind), np.full((T, 21), -1.0, kept)
    call_rows(w, out)
    expected = np.full((T, 21), -1.0)
    expected[:, 2:20] = w.reshape(18, T).T
    expected[:, 3:6] += [1.0, 2.0, 3.0]
    assert np.array_equal(out, expected)


def test_a_branch_on_a_lane_is_refused():
    @tile_loop
    def branching(w):
        for i in range(T):
            w[i] = 1.0
            if w[i] > 0.0:
                w[i] = 0.0

    @numba.njit
    def call(w):
        branching(w)

    with pytest.raises(Exception, match="cannot branch on a lane"):
        call(np.zeros(T))

"""Eight rows of a flat vector at once, a coordinate of all of them to a vector of eight numbers, for loops over rows that are
listed and not neighbours.

A row is four numbers, the coordinates and a spare (simd.py), float32 or float64 as the vector is. Its place is a row's number,
times four; numbers of rows are int32. Each operation rounds as it does number by number, on any machine; a product and a sum
may fuse (solver/jit).
"""

from typing import Any

import llvmlite.ir as ir  # type: ignore[import-untyped]
import numpy as np
from numba import types
from numba.extending import intrinsic, register_model

from . import inline
from .simd import EIGHT_DOUBLES, Vector, _data, _shuffled, _VectorModel

ROWS = 8

_EIGHT, _LONG = ir.VectorType(ir.FloatType(), 8), ir.IntType(64)
_INT = ir.IntType(32)
_FUSED = ("contract",)
_LOW, _HIGH = [0, 1, 2, 3], [4, 5, 6, 7]
# Within each half of two vectors: their first numbers by turns, their last ones, their first two, their last two
_FIRSTS, _LASTS = [0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]
_FRONT, _BACK = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]

EIGHT = Vector("Floats8", _EIGHT)
register_model(Vector)(_VectorModel)


def _eight_of(vector: Any) -> Vector:
    """Eight numbers as a vector has them, float32 or float64."""
    return EIGHT if vector.dtype == types.float32 else EIGHT_DOUBLES


def _row_places(context: Any, builder: Any, signature: Any, args: Any) -> tuple[list[Any], int]:
    """Addresses of the rows of `vector`, args[0], that rows[at : at + 8] name, args[1] and args[2], and a number's size."""
    vector, rows = (_data(context, builder, signature.args[k], args[k]) for k in (0, 1))
    kind, places = _eight_of(signature.args[0]).code.element, []
    for k in range(ROWS):
        row = builder.load(builder.gep(rows, [builder.add(args[2], ir.Constant(args[2].type, k))]))
        at = builder.mul(builder.zext(row, _LONG), ir.Constant(_LONG, 4))
        places.append(builder.bitcast(builder.gep(vector, [at]), ir.VectorType(kind, 4).as_pointer()))
    return places, 4 if isinstance(kind, ir.FloatType) else 8


@intrinsic
def load_rows(_context, vector, rows, at):  # type: ignore[no-untyped-def]
    """The three coordinates of rows[at : at + 8] of a vector, each of all eight."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        loaded, (places, size) = [], _row_places(context, builder, signature, args)
        for place in places:
            loaded.append(builder.load(place))
            loaded[-1].align = size
        a, b, c, d = (_shuffled(builder, loaded[k], loaded[k + 4], _LOW + _HIGH) for k in range(4))
        ab, cd = _shuffled(builder, a, b, _FIRSTS), _shuffled(builder, c, d, _FIRSTS)
        ends = _shuffled(builder, a, b, _LASTS), _shuffled(builder, c, d, _LASTS)
        coordinates = (
            _shuffled(builder, ab, cd, _FRONT), _shuffled(builder, ab, cd, _BACK), _shuffled(builder, *ends, _FRONT),
        )  # fmt: skip
        return context.make_tuple(builder, signature.return_type, coordinates)

    return types.UniTuple(_eight_of(vector), 3)(vector, rows, at), code


def _change_rows(context: Any, builder: Any, signature: Any, args: Any, change: str) -> Any:
    x, y, z = args[3:]
    none = ir.Constant(x.type, [0.0] * ROWS)
    low, high = _shuffled(builder, x, y, _FIRSTS), _shuffled(builder, x, y, _LASTS)
    end, last = _shuffled(builder, z, none, _FIRSTS), _shuffled(builder, z, none, _LASTS)
    turned = [_shuffled(builder, one, other, half) for one, other in ((low, end), (high, last)) for half in (_FRONT, _BACK)]
    places, size = _row_places(context, builder, signature, args)
    for k, place in enumerate(places):  # one after the other: a row may be named more than once
        own = _shuffled(builder, turned[k % 4], turned[k % 4], _LOW if k < 4 else _HIGH)
        before = builder.load(place)
        before.align = size
        builder.store(getattr(builder, change)(before, own), place, align=size)
    return context.get_dummy_value()


@intrinsic
def add_to_rows(_context, vector, rows, at, x, y, z):  # type: ignore[no-untyped-def]
    """Add to rows[at : at + 8] of a vector, one after the other, three coordinates of all eight."""
    code = lambda context, builder, signature, args: _change_rows(context, builder, signature, args, "fadd")  # noqa: E731
    return types.void(vector, rows, at, *[_eight_of(vector)] * 3), code


@intrinsic
def take_from_rows(_context, vector, rows, at, x, y, z):  # type: ignore[no-untyped-def]
    """The same, taken away."""
    code = lambda context, builder, signature, args: _change_rows(context, builder, signature, args, "fsub")  # noqa: E731
    return types.void(vector, rows, at, *[_eight_of(vector)] * 3), code


@intrinsic
def eight_zeros(_context, vector):  # type: ignore[no-untyped-def]
    """Eight zeros, as `vector` has numbers."""
    kind = _eight_of(vector)
    return kind(vector), lambda context, builder, signature, args: ir.Constant(kind.code, [0.0] * ROWS)


@intrinsic
def all_eight(_context, number):  # type: ignore[no-untyped-def]
    """A float32 number eight times."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        one = builder.insert_element(ir.Constant(_EIGHT, ir.Undefined), args[0], ir.Constant(_INT, 0))
        return _shuffled(builder, one, one, [0] * ROWS)

    return EIGHT(types.float32), code


@intrinsic
def load_eight(_context, array, index):  # type: ignore[no-untyped-def]
    """array[index : index + 8] of a float32 array."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = builder.gep(_data(context, builder, signature.args[0], args[0]), [args[1]])
        loaded = builder.load(builder.bitcast(place, _EIGHT.as_pointer()))
        loaded.align = 4
        return loaded

    return EIGHT(array, index), code


@intrinsic
def subtract_eight(_context, a, b):  # type: ignore[no-untyped-def]
    """a - b, both of one kind."""
    return a(a, b), lambda context, builder, signature, args: builder.fsub(*args)


@intrinsic
def sum_of_eights(_context, a, b):  # type: ignore[no-untyped-def]
    """a + b, both of one kind."""
    return a(a, b), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def add_eight(_context, total, a, b):  # type: ignore[no-untyped-def]
    """total + a * b, as exactly as `total` and b are; a is float32."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        wide = args[1] if signature.args[0] == EIGHT else builder.fpext(args[1], args[0].type)
        return builder.fadd(builder.fmul(wide, args[2], flags=_FUSED), args[0], flags=_FUSED)

    return total(total, EIGHT, b), code


@intrinsic
def add_products_at(_context, array, index, a, b):  # type: ignore[no-untyped-def]
    """array[index : index + 8] += a * b, in float64, of float32 vectors."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = EIGHT_DOUBLES.code
        place = builder.gep(_data(context, builder, signature.args[0], args[0]), [args[1]])
        place = builder.bitcast(place, kind.as_pointer())
        before = builder.load(place)
        before.align = 8
        product = builder.fmul(builder.fpext(args[2], kind), builder.fpext(args[3], kind), flags=_FUSED)
        builder.store(builder.fadd(product, before, flags=_FUSED), place, align=8)
        return context.get_dummy_value()

    return types.void(array, index, EIGHT, EIGHT), code


@intrinsic
def widened(_context, vector):  # type: ignore[no-untyped-def]
    """Eight float32 numbers in float64."""
    return EIGHT_DOUBLES(EIGHT), lambda context, builder, signature, args: builder.fpext(args[0], EIGHT_DOUBLES.code)


def _wide_place(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    place = builder.gep(_data(context, builder, signature.args[0], args[0]), [args[1]])
    return builder.bitcast(place, EIGHT_DOUBLES.code.as_pointer())


@intrinsic
def load_wide(_context, array, index):  # type: ignore[no-untyped-def]
    """array[index : index + 8] of a float64 array."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        loaded = builder.load(_wide_place(context, builder, signature, args))
        loaded.align = 8
        return loaded

    return EIGHT_DOUBLES(array, index), code


@intrinsic
def store_wide(_context, array, index, vector):  # type: ignore[no-untyped-def]
    """array[index : index + 8] = vector, of a float64 array."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        builder.store(args[2], _wide_place(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(array, index, EIGHT_DOUBLES), code


@inline
def load_three(array, index):  # type: ignore[no-untyped-def]
    """Three times eight numbers that follow one another."""
    return load_eight(array, index), load_eight(array, index + np.uint64(8)), load_eight(array, index + np.uint64(16))

"""Eight rows of a flat vector at once, a coordinate of all of them to a vector of eight numbers, for loops over rows that are
listed and not neighbours.

A row is four float32, the coordinates and a spare (simd.py). Its place is a row's number, times four; numbers of rows are
int32. Each operation rounds as it does number by number, on any machine; a product and a sum may fuse (solver/jit).
"""

from typing import Any

import llvmlite.ir as ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, register_model

from .simd import Vector, _data, _shuffled, _VectorModel

ROWS = 8

_ROW, _EIGHT, _LONG = ir.VectorType(ir.FloatType(), 4), ir.VectorType(ir.FloatType(), 8), ir.IntType(64)
_FUSED = ("contract",)
_LOW, _HIGH = [0, 1, 2, 3], [4, 5, 6, 7]
# Within each half of two vectors: their first numbers by turns, their last ones, their first two, their last two
_FIRSTS, _LASTS = [0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]
_FRONT, _BACK = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]

EIGHT = Vector("Floats8", _EIGHT)
register_model(Vector)(_VectorModel)


def _row_places(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Addresses of the rows of `vector`, args[0], that rows[at : at + 8] name, args[1] and args[2]."""
    vector, rows = (_data(context, builder, signature.args[k], args[k]) for k in (0, 1))
    places = []
    for k in range(ROWS):
        row = builder.load(builder.gep(rows, [builder.add(args[2], ir.Constant(args[2].type, k))]))
        at = builder.mul(builder.zext(row, _LONG), ir.Constant(_LONG, 4))
        places.append(builder.bitcast(builder.gep(vector, [at]), _ROW.as_pointer()))
    return places


@intrinsic
def load_rows(_context, vector, rows, at):  # type: ignore[no-untyped-def]
    """The three coordinates of rows[at : at + 8] of a vector, each of all eight."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        loaded = []
        for place in _row_places(context, builder, signature, args):
            loaded.append(builder.load(place))
            loaded[-1].align = 4
        a, b, c, d = (_shuffled(builder, loaded[k], loaded[k + 4], _LOW + _HIGH) for k in range(4))
        ab, cd = _shuffled(builder, a, b, _FIRSTS), _shuffled(builder, c, d, _FIRSTS)
        ends = _shuffled(builder, a, b, _LASTS), _shuffled(builder, c, d, _LASTS)
        coordinates = (
            _shuffled(builder, ab, cd, _FRONT), _shuffled(builder, ab, cd, _BACK), _shuffled(builder, *ends, _FRONT),
        )  # fmt: skip
        return context.make_tuple(builder, signature.return_type, coordinates)

    return types.UniTuple(EIGHT, 3)(vector, rows, at), code


def _change_rows(context: Any, builder: Any, signature: Any, args: Any, change: str) -> Any:
    x, y, z = args[3:]
    none = ir.Constant(_EIGHT, [0.0] * ROWS)
    low, high = _shuffled(builder, x, y, _FIRSTS), _shuffled(builder, x, y, _LASTS)
    end, last = _shuffled(builder, z, none, _FIRSTS), _shuffled(builder, z, none, _LASTS)
    turned = [_shuffled(builder, one, other, half) for one, other in ((low, end), (high, last)) for half in (_FRONT, _BACK)]
    places = _row_places(context, builder, signature, args)
    for k, place in enumerate(places):  # one after the other: a row may be named more than once
        own = _shuffled(builder, turned[k % 4], turned[k % 4], _LOW if k < 4 else _HIGH)
        before = builder.load(place)
        before.align = 4
        builder.store(getattr(builder, change)(before, own), place, align=4)
    return context.get_dummy_value()


@intrinsic
def add_to_rows(_context, vector, rows, at, x, y, z):  # type: ignore[no-untyped-def]
    """Add to rows[at : at + 8] of a vector, one after the other, three coordinates of all eight."""
    code = lambda context, builder, signature, args: _change_rows(context, builder, signature, args, "fadd")  # noqa: E731
    return types.void(vector, rows, at, EIGHT, EIGHT, EIGHT), code


@intrinsic
def take_from_rows(_context, vector, rows, at, x, y, z):  # type: ignore[no-untyped-def]
    """The same, taken away."""
    code = lambda context, builder, signature, args: _change_rows(context, builder, signature, args, "fsub")  # noqa: E731
    return types.void(vector, rows, at, EIGHT, EIGHT, EIGHT), code


@intrinsic
def eight_zeros(_context):  # type: ignore[no-untyped-def]
    """Eight float32 zeros."""
    return EIGHT(), lambda context, builder, signature, args: ir.Constant(_EIGHT, [0.0] * ROWS)


@intrinsic
def load_eight(_context, array, index):  # type: ignore[no-untyped-def]
    """array[index : index + 8]."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = builder.gep(_data(context, builder, signature.args[0], args[0]), [args[1]])
        loaded = builder.load(builder.bitcast(place, _EIGHT.as_pointer()))
        loaded.align = 4
        return loaded

    return EIGHT(array, index), code


@intrinsic
def subtract_eight(_context, a, b):  # type: ignore[no-untyped-def]
    """a - b."""
    return EIGHT(EIGHT, EIGHT), lambda context, builder, signature, args: builder.fsub(*args)


@intrinsic
def add_eight(_context, total, a, b):  # type: ignore[no-untyped-def]
    """total + a * b."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.fadd(builder.fmul(args[1], args[2], flags=_FUSED), args[0], flags=_FUSED)

    return EIGHT(EIGHT, EIGHT, EIGHT), code

"""Products of float32 numbers in memory with float64 ones, for vectors of four (simd.py)."""

import llvmlite.ir as ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from .simd import _DOUBLES, _FUSED, DOUBLES, FLOATS, _data, _shuffled


@intrinsic(prefer_literal=True)
def add_scaled_by(_context, total, vector, numbers, place):  # type: ignore[no-untyped-def]
    """total + vector * numbers[place] in float64, of a float32 vector; place written out as 0 to 3."""
    if not isinstance(place, types.IntegerLiteral):
        return None

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        number = _shuffled(builder, args[2], args[2], [place.literal_value] * 4)
        product = builder.fmul(builder.fpext(args[1], _DOUBLES), number, flags=_FUSED)
        return builder.fadd(product, args[0], flags=_FUSED)

    return DOUBLES(DOUBLES, FLOATS, DOUBLES, place), code


@intrinsic
def add_scaled_at(_context, array, index, vector, number):  # type: ignore[no-untyped-def]
    """array[index : index + 4] += vector * number, of a float64 array, by one index whatever its shape, a float32 vector and a
    float64 number."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = builder.gep(_data(context, builder, signature.args[0], args[0]), [args[1]])
        place = builder.bitcast(place, _DOUBLES.as_pointer())
        before = builder.load(place)
        before.align = 8
        one = builder.insert_element(ir.Constant(_DOUBLES, ir.Undefined), args[3], ir.Constant(ir.IntType(32), 0))
        product = builder.fmul(builder.fpext(args[2], _DOUBLES), _shuffled(builder, one, one, [0] * 4), flags=_FUSED)
        builder.store(builder.fadd(product, before, flags=_FUSED), place, align=8)
        return context.get_dummy_value()

    return types.void(array, index, FLOATS, types.float64), code


@intrinsic
def add_doubles(_context, a, b):  # type: ignore[no-untyped-def]
    """a + b in float64."""
    return DOUBLES(DOUBLES, DOUBLES), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def store_doubles(_context, array, index, vector):  # type: ignore[no-untyped-def]
    """array[index : index + 4] = vector, of a flat float64 array."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = builder.gep(_data(context, builder, signature.args[0], args[0]), [args[1]])
        builder.store(args[2], builder.bitcast(place, _DOUBLES.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(array, index, DOUBLES), code

"""Vectors of four numbers inside kernels, for loops that LLVM does not vectorise by itself.

A node's three coordinates and a spare fill one vector. A 3x3 block is three vectors, its columns or rows, loaded with
overlap, so that blocks lie nine numbers apart: the fourth number of a vector is the next one's first and means nothing
(simd_blocks.py has whole blocks). Each operation rounds as it does number by number, on any machine; a product and a sum may
fuse (solver/jit).

Arrays, or pointers to their first number, are flat, contiguous and, but where another type is named, float32; indices are
uint64, which spares numba's test for negative ones.
"""

from typing import Any

import llvmlite.ir as ir  # type: ignore[import-untyped]
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, register_model

_INT = ir.IntType(32)
_FLOATS = ir.VectorType(ir.FloatType(), 4)
_DOUBLES, _EIGHT_DOUBLES = ir.VectorType(ir.DoubleType(), 4), ir.VectorType(ir.DoubleType(), 8)
_FUSED = ("contract",)


class Vector(types.Type):  # type: ignore[misc]
    """Four, eight or sixteen numbers; `code` is LLVM's type."""

    def __init__(self, name: str, code: ir.VectorType) -> None:
        self.code = code
        super().__init__(name)


FLOATS = Vector("Floats4", _FLOATS)
DOUBLES = Vector("Doubles4", _DOUBLES)
EIGHT_DOUBLES = Vector("Doubles8", _EIGHT_DOUBLES)


@register_model(Vector)
class _VectorModel(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, kind.code)


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Where the numbers of an array lie, or those behind a pointer."""
    return array if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, array).data


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(_data(context, builder, kind, array), [index]), _FLOATS.as_pointer())


def _shuffled(builder: Any, first: Any, second: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INT, len(lanes)), lanes))


@intrinsic
def load(_context, array, index):  # type: ignore[no-untyped-def]
    """array[index : index + 4]."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        loaded = builder.load(_address(context, builder, signature.args[0], *args))
        loaded.align = 4
        return loaded

    return FLOATS(array, index), code


@intrinsic
def store(_context, array, index, vector):  # type: ignore[no-untyped-def]
    """array[index : index + 4] = vector."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        builder.store(args[2], _address(context, builder, signature.args[0], *args[:2]), align=4)
        return context.get_dummy_value()

    return types.void(array, index, FLOATS), code


@intrinsic
def store_three(_context, array, index, vector):  # type: ignore[no-untyped-def]
    """array[index : index + 3] = the first three numbers of a vector."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = _data(context, builder, signature.args[0], args[0])
        for k in range(3):
            place = builder.gep(data, [builder.add(args[1], ir.Constant(args[1].type, k))])
            builder.store(builder.extract_element(args[2], ir.Constant(_INT, k)), place)
        return context.get_dummy_value()

    return types.void(array, index, FLOATS), code


@intrinsic
def zero(_context):  # type: ignore[no-untyped-def]
    """Four float32 zeros."""
    return FLOATS(), lambda context, builder, signature, args: ir.Constant(_FLOATS, [0.0] * 4)


@intrinsic
def zero_sum(_context):  # type: ignore[no-untyped-def]
    """Four float64 zeros, to start a sum of `add_products` with."""
    return DOUBLES(), lambda context, builder, signature, args: ir.Constant(_DOUBLES, [0.0] * 4)


@intrinsic
def three(_context, x, y, z):  # type: ignore[no-untyped-def]
    """The float32 vector (x, y, z, 0)."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        vector = ir.Constant(_FLOATS, [0.0] * 4)
        for k, number in enumerate(args):
            vector = builder.insert_element(vector, number, ir.Constant(_INT, k))
        return vector

    return FLOATS(types.float32, types.float32, types.float32), code


@intrinsic(prefer_literal=True)
def lane(_context, vector, place):  # type: ignore[no-untyped-def]
    """The number at a place, written out as 0 to 3, as a float32."""
    if not isinstance(place, types.IntegerLiteral):
        return None
    at = ir.Constant(_INT, place.literal_value)
    return types.float32(FLOATS, place), lambda context, builder, signature, args: builder.extract_element(args[0], at)


@intrinsic
def add(_context, a, b):  # type: ignore[no-untyped-def]
    """a + b."""
    return FLOATS(FLOATS, FLOATS), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def subtract(_context, a, b):  # type: ignore[no-untyped-def]
    """a - b."""
    return FLOATS(FLOATS, FLOATS), lambda context, builder, signature, args: builder.fsub(*args)


@intrinsic
def add_scaled(_context, total, vector, number):  # type: ignore[no-untyped-def]
    """total + vector * number."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        one = builder.insert_element(ir.Constant(_FLOATS, ir.Undefined), args[2], ir.Constant(_INT, 0))
        product = builder.fmul(args[1], _shuffled(builder, one, one, [0, 0, 0, 0]), flags=_FUSED)
        return builder.fadd(product, args[0], flags=_FUSED)

    return FLOATS(FLOATS, FLOATS, types.float32), code


@intrinsic
def add_each(_context, total, a, b):  # type: ignore[no-untyped-def]
    """total + a * b, number by number."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.fadd(builder.fmul(args[1], args[2], flags=_FUSED), args[0], flags=_FUSED)

    return FLOATS(FLOATS, FLOATS, FLOATS), code


@intrinsic
def add_products(_context, total, a, b):  # type: ignore[no-untyped-def]
    """total + a * b in float64."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        product = builder.fmul(builder.fpext(args[1], _DOUBLES), builder.fpext(args[2], _DOUBLES), flags=_FUSED)
        return builder.fadd(product, args[0], flags=_FUSED)

    return DOUBLES(DOUBLES, FLOATS, FLOATS), code


@intrinsic
def sum_of_three(_context, total):  # type: ignore[no-untyped-def]
    """The first three numbers of a float64 vector, added."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        x, y, z = (builder.extract_element(args[0], ir.Constant(_INT, k)) for k in range(3))
        return builder.fadd(builder.fadd(x, y), z)

    return types.float64(DOUBLES), code


@intrinsic
def load_doubles(_context, array, index):  # type: ignore[no-untyped-def]
    """array[index : index + 4] of a flat float64 array."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = _data(context, builder, signature.args[0], args[0])
        loaded = builder.load(builder.bitcast(builder.gep(data, [args[1]]), _DOUBLES.as_pointer()))
        loaded.align = 8
        return loaded

    return DOUBLES(array, index), code


@intrinsic
def apart(_context, a, b):  # type: ignore[no-untyped-def]
    """a - b in float64."""
    return DOUBLES(DOUBLES, DOUBLES), lambda context, builder, signature, args: builder.fsub(*args)


@intrinsic(prefer_literal=True)
def store_turned(_context, array, index, stride, a, b, c, d):  # type: ignore[no-untyped-def]
    """array[index + k stride :] = (a[k], b[k], c[k], d[k]) for k = 0 to 2, rounded to the array's type; stride written out."""
    if not isinstance(stride, types.IntegerLiteral):
        return None

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = signature.args[0]
        vectors = list(args[3:])
        if kind.dtype == types.float32:
            vectors = [builder.fptrunc(vector, _FLOATS) for vector in vectors]
        size = 4 if kind.dtype == types.float32 else 8
        pairs = ((vectors[0], vectors[1]), (vectors[2], vectors[3]))
        low, high = (_shuffled(builder, one, other, [0, 4, 1, 5]) for one, other in pairs)
        end, last = (_shuffled(builder, one, other, [2, 6, 2, 6]) for one, other in pairs)
        rows = [
            _shuffled(builder, low, high, [0, 1, 4, 5]), _shuffled(builder, low, high, [2, 3, 6, 7]),
            _shuffled(builder, end, last, [0, 1, 4, 5]),
        ]  # fmt: skip
        data = _data(context, builder, kind, args[0])
        for k, row in enumerate(rows):
            place = builder.gep(data, [builder.add(args[1], ir.Constant(args[1].type, k * stride.literal_value))])
            builder.store(row, builder.bitcast(place, row.type.as_pointer()), align=size)
        return context.get_dummy_value()

    return types.void(array, index, stride, DOUBLES, DOUBLES, DOUBLES, DOUBLES), code


@intrinsic
def add_wide(_context, total, vector):  # type: ignore[no-untyped-def]
    """total + vector in float64."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.fadd(args[0], builder.fpext(args[1], _DOUBLES))

    return DOUBLES(DOUBLES, FLOATS), code


@intrinsic(prefer_literal=True)
def part_of(_context, total, place):  # type: ignore[no-untyped-def]
    """The number of a float64 vector at a place, written out as 0 to 3."""
    if not isinstance(place, types.IntegerLiteral):
        return None
    at = ir.Constant(_INT, place.literal_value)
    return types.float64(DOUBLES, place), lambda context, builder, signature, args: builder.extract_element(args[0], at)


@intrinsic
def zero_sums(_context):  # type: ignore[no-untyped-def]
    """Eight float64 zeros, to start sums of `add_eight_products` with."""
    return EIGHT_DOUBLES(), lambda context, builder, signature, args: ir.Constant(_EIGHT_DOUBLES, [0.0] * 8)


@intrinsic
def add_eight_products(_context, total, array, i, j):  # type: ignore[no-untyped-def]
    """total + array[i : i + 8] * array[j : j + 8] in float64; the array may be of either precision."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        total, array, *places = args
        single = signature.args[1].dtype == types.float32
        kind, size = ir.VectorType(ir.FloatType() if single else ir.DoubleType(), 8), 4 if single else 8
        data = _data(context, builder, signature.args[1], array)
        loaded = [builder.load(builder.bitcast(builder.gep(data, [place]), kind.as_pointer())) for place in places]
        for vector in loaded:
            vector.align = size
        a, b = (builder.fpext(vector, _EIGHT_DOUBLES) if single else vector for vector in loaded)
        return builder.fadd(builder.fmul(a, b, flags=_FUSED), total, flags=_FUSED)

    return EIGHT_DOUBLES(EIGHT_DOUBLES, array, i, j), code


@intrinsic
def sum_of_eight(_context, total):  # type: ignore[no-untyped-def]
    """The numbers of eight sums added, neighbours first."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        parts = [builder.extract_element(args[0], ir.Constant(_INT, k)) for k in range(8)]
        while len(parts) > 1:
            parts = [builder.fadd(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    return types.float64(EIGHT_DOUBLES), code

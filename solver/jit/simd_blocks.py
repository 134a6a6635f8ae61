"""Whole 3x3 blocks in one vector, and symmetric ones in two, as simd.py has vectors.

A block lies by itself, its nine numbers one after the other, or beside seven others, ROWS numbers between two of its own.
"""

from typing import Any

import llvmlite.ir as ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, register_model

from .simd import _FUSED, FLOATS, Vector, _address, _data, _shuffled, _VectorModel
from .simd_rows import ROWS

_INT = ir.IntType(32)
_BLOCK = ir.VectorType(ir.FloatType(), 16)
_ROWS_FOR_COLUMNS = [0, 3, 6, 1, 4, 7, 2, 5, 8, *range(9, 16)]

WHOLE_BLOCK = Vector("Floats16", _BLOCK)
register_model(Vector)(_VectorModel)


@intrinsic
def zero_block(_context):  # type: ignore[no-untyped-def]
    """A 3x3 block of zeros in one vector of sixteen, whose last seven numbers mean nothing."""
    return WHOLE_BLOCK(), lambda context, builder, signature, args: ir.Constant(_BLOCK, [0.0] * 16)


@intrinsic
def load_block(_context, array, index):  # type: ignore[no-untyped-def]
    """The block array[index : index + 9]; what follows, up to index + 16, is read with it."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = builder.bitcast(_address(context, builder, signature.args[0], *args), _BLOCK.as_pointer())
        loaded = builder.load(place)
        loaded.align = 4
        return loaded

    return WHOLE_BLOCK(array, index), code


@intrinsic
def add_block(_context, a, b):  # type: ignore[no-untyped-def]
    """a + b of whole blocks."""
    return WHOLE_BLOCK(WHOLE_BLOCK, WHOLE_BLOCK), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def add_scaled_block(_context, total, block, number):  # type: ignore[no-untyped-def]
    """total + block * number of whole blocks."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        one = builder.insert_element(ir.Constant(_BLOCK, ir.Undefined), args[2], ir.Constant(_INT, 0))
        product = builder.fmul(args[1], _shuffled(builder, one, one, [0] * 16), flags=_FUSED)
        return builder.fadd(product, args[0], flags=_FUSED)

    return WHOLE_BLOCK(WHOLE_BLOCK, WHOLE_BLOCK, types.float32), code


@intrinsic
def turned_block(_context, block):  # type: ignore[no-untyped-def]
    """The transposed of a whole block."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _shuffled(builder, args[0], args[0], _ROWS_FOR_COLUMNS)

    return WHOLE_BLOCK(WHOLE_BLOCK), code


@intrinsic
def put_block(_context, array, index, block):  # type: ignore[no-untyped-def]
    """array[index : index + 9] = a whole block."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = _data(context, builder, signature.args[0], args[0])
        first, last = (builder.gep(data, [builder.add(args[1], ir.Constant(args[1].type, k))]) for k in (0, 8))
        eight = _shuffled(builder, args[2], args[2], [*range(8)])
        builder.store(eight, builder.bitcast(first, eight.type.as_pointer()), align=4)
        builder.store(builder.extract_element(args[2], ir.Constant(_INT, 8)), last)
        return context.get_dummy_value()

    return types.void(array, index, WHOLE_BLOCK), code


def _slot_places(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Addresses of the nine numbers of a block that lies beside seven others, each number ROWS after the one before."""
    data = _data(context, builder, signature.args[0], args[0])
    steps = (ir.Constant(args[1].type, ROWS * k) for k in range(9))
    return [builder.gep(data, [builder.add(args[1], step)]) for step in steps]


@intrinsic
def load_apart(_context, array, index):  # type: ignore[no-untyped-def]
    """The block at array[index : index + 72 : 8], in one vector of sixteen, whose last seven numbers mean nothing."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        block = ir.Constant(_BLOCK, [0.0] * 16)
        for k, place in enumerate(_slot_places(context, builder, signature, args)):
            block = builder.insert_element(block, builder.load(place), ir.Constant(_INT, k))
        return block

    return WHOLE_BLOCK(array, index), code


@intrinsic
def put_apart(_context, array, index, block):  # type: ignore[no-untyped-def]
    """array[index : index + 72 : 8] = a whole block."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        for k, place in enumerate(_slot_places(context, builder, signature, args)):
            builder.store(builder.extract_element(args[2], ir.Constant(_INT, k)), place)
        return context.get_dummy_value()

    return types.void(array, index, WHOLE_BLOCK), code


@intrinsic
def symmetric_product(_context, straight, across, vector):  # type: ignore[no-untyped-def]
    """A symmetric block times a vector: straight has its numbers 00, 11, 22, across 01, 02, 12; the fourth of each is 0, and so
    is the product's, whatever the vector's is."""

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        straight, across, vector = args
        total = builder.fmul(straight, _shuffled(builder, vector, vector, [0, 1, 2, 0]))
        for lanes, others in (([0, 0, 1, 3], [1, 0, 0, 0]), ([1, 2, 2, 3], [2, 2, 1, 0])):
            one, other = _shuffled(builder, across, across, lanes), _shuffled(builder, vector, vector, others)
            total = builder.fadd(builder.fmul(one, other, flags=_FUSED), total, flags=_FUSED)
        return total

    return FLOATS(FLOATS, FLOATS, FLOATS), code

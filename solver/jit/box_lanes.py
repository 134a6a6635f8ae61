"""One box against eight others at once, each moving straight on by some vector within bounds.

Boxes lie in blocks of 8, in flat, contiguous float32: the eight lower x, lower y, lower z, then upper, the least way that any
part of a box goes, and the most; 96 numbers a block.
"""

from typing import Any

import llvmlite.ir as ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

LANES = 8
BLOCK = 12 * LANES

_INT = ir.IntType(32)
_FLOAT = ir.FloatType()
_FLOATS = ir.VectorType(_FLOAT, LANES)


def _spread(builder: Any, number: Any) -> Any:
    """A vector with the same number in all lanes."""
    nothing = ir.Constant(_FLOATS, ir.Undefined)
    vector = builder.insert_element(nothing, number, ir.Constant(_INT, 0))
    return builder.shuffle_vector(vector, nothing, ir.Constant(ir.VectorType(_INT, LANES), [0] * LANES))


@intrinsic
def close_lanes(_context, boxes, place, others, start, rooms):  # type: ignore[no-untyped-def]
    """Bits of the lanes of a block, others[start : start + BLOCK], whose boxes one box may come to within some room.

    That is the box whose lower x is boxes[place]. Two stay apart if they do so along one axis on all of their way, by more than
    the room along that: rooms are three float32.
    """

    def code(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = [context.make_array(signature.args[k])(context, builder, args[k]).data for k in (0, 2)]
        zero = ir.Constant(_FLOATS, [0.0] * LANES)
        close = ir.Constant(ir.VectorType(ir.IntType(1), LANES), [1] * LANES)

        def one(what: int, axis: int) -> Any:
            at = builder.add(args[1], ir.Constant(args[1].type, LANES * (3 * what + axis)))
            return _spread(builder, builder.load(builder.gep(data[0], [at]), align=4))

        def eight(what: int, axis: int) -> Any:
            at = builder.add(args[3], ir.Constant(args[3].type, LANES * (3 * what + axis)))
            return builder.load(builder.bitcast(builder.gep(data[1], [at]), _FLOATS.as_pointer()), align=4)

        def gap(low: Any, least: Any, most: Any, high: Any) -> Any:
            nearer = builder.fsub(least, most)
            nearer = builder.select(builder.fcmp_ordered("<", nearer, zero), nearer, zero)
            return builder.fsub(builder.fadd(low, nearer), high)

        for axis in range(3):
            room = _spread(builder, builder.extract_value(args[4], axis))
            lower, upper, least, most = (one(what, axis) for what in range(4))
            other_lower, other_upper, other_least, other_most = (eight(what, axis) for what in range(4))
            for distance in (gap(lower, least, other_most, other_upper), gap(other_lower, other_least, most, upper)):
                close = builder.and_(close, builder.fcmp_ordered("<=", distance, room))
        return builder.zext(builder.bitcast(close, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(boxes, place, others, start, types.UniTuple(types.float32, 3)), code

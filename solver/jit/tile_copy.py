"""Slots of one tile copied to another, and fetched from memory ahead of that."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from . import TILE

LINE = 64  # bytes that memory hands over at once
SECOND_LEVEL = 2  # of the caches, to which it does


@intrinsic
def copy_slots(_context, source, first, last, target):  # type: ignore[no-untyped-def]
    """Copy slots first .. last - 1 from one tile, an array or a pointer, to another."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        data = [
            value if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, value).data
            for kind, value in ((kinds[3], args[3]), (kinds[0], args[0]))
        ]
        word = ir.IntType(64)
        start, end = (builder.mul(context.cast(builder, args[k], kinds[k], types.intp), word(TILE)) for k in (1, 2))
        size = 4 if kinds[0].dtype == types.float32 else 8
        cgutils.raw_memcpy(builder, *(builder.gep(place, [start]) for place in data), builder.sub(end, start), size)
        return context.get_dummy_value()

    return (types.void(source, first, last, target), code) if source.dtype == target.dtype else None


@intrinsic
def fetch_ahead(_context, tile, first, count):  # type: ignore[no-untyped-def]
    """Have memory begin to send tile[first : first + count], which may lie beyond the tile, and beyond all tiles; count is
    a constant."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        data = args[0] if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, args[0]).data
        byte, number, size = ir.IntType(8).as_pointer(), ir.IntType(32), 4 if kind.dtype == types.float32 else 8
        wanted = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        fetch = cgutils.get_or_insert_function(builder.module, wanted, "llvm.prefetch.p0i8")
        place = builder.bitcast(builder.gep(data, [context.cast(builder, args[1], signature.args[1], types.intp)]), byte)
        for at in range(0, count.literal_value * size, LINE):
            builder.call(fetch, [builder.gep(place, [ir.IntType(64)(at)]), number(0), number(SECOND_LEVEL), number(1)])
        return context.get_dummy_value()

    return types.void(tile, first, count), code

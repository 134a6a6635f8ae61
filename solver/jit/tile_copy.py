"""Slots of one tile copied to another."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from . import TILE


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

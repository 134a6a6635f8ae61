"""Calls of compiled code by its address, from kernels: what is called is compiled once, whoever calls it."""

import inspect
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def called_by_address(answer: Any, *names: str) -> Any:
    """What a kernel calls as f(address, *names), behind which is a phase (compile_phase) that answers with this type.

    The phase gets arrays as pointers to their numbers, every whole number as types.intp, every other as float64. Where the last
    one is an array, it has the first one's type.
    """

    def typed(_context: Any, *kinds: Any) -> Any:
        rows = getattr(kinds[-1], "dtype", None)
        return (answer(*kinds), _call) if rows is None or rows == kinds[1].dtype else None

    every = ["_context", "address", *names]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    typed.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in every])  # type: ignore[attr-defined]
    return intrinsic(typed)


def _call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    given = [_given(context, builder, *pair) for pair in zip(signature.args[1:], arguments[1:], strict=True)]
    answer = signature.return_type
    result = {types.void: ir.VoidType(), types.boolean: ir.IntType(8), types.float64: ir.DoubleType()}[answer]
    callee = ir.FunctionType(result, [value.type for value in given])
    value = builder.call(builder.inttoptr(arguments[0], callee.as_pointer()), given)
    if answer is types.boolean:
        return builder.icmp_unsigned("!=", value, ir.IntType(8)(0))
    return context.get_dummy_value() if answer is types.void else value


def _given(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        return context.make_array(kind)(context, builder, value).data
    if isinstance(kind, types.CPointer):
        return value
    return context.cast(builder, value, kind, types.intp if isinstance(kind, types.Integer | types.Boolean) else types.float64)

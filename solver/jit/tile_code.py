"""Formulas over the lanes of a tile, turned into SIMD code by running them once.

A function marked with `tile_loop` is written like a kernel of scalars, `for i in range(T): w[S * T + i] = ...`. When the
first kernel that calls it is compiled it is run with symbols in place of numbers, and what it does to them is written down
as LLVM code for as many lanes at once as the processor has. So nothing depends on what the compiler finds out about the
loop, float32 and float64 come from one text, and compiling takes a small part of what numba would take for it.

Inside such a function, and in the formulas that it calls (plain functions or compiled ones, it does not matter):
- `for i in range(T)`, or `range(first, last)` with bounds that are arguments, is a loop over lanes; other loops, and `if`s
  on numbers that are known now, are run by Python and leave nothing behind.
- `a if b else c` on lanes, `max`, `min`, `abs`, `np.sqrt` and `np.log` are done lane by lane; both sides are computed.
- a constant takes the type of what it meets.
- `some_lane(mask)` makes the function return whether the mask is set in any lane that it is called for.
- `put_rows` and `add_rows` turn components into rows of an array outside the tile.
Products and sums may fuse (solver/jit); nothing else is relaxed.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import Any

import llvmlite.ir as ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from . import scalar_math
from .tile_symbols import Code, Whole, lanewise, maximum, minimum, select


def tile_loop(function: Callable[..., Any]) -> Any:
    """Make a function of a tile, scalars and arrays callable from kernels."""
    return _callable_from_kernels(function, types.void)


def tile_loop_on(vectors: int) -> Callable[[Callable[..., Any]], Any]:
    """The same with so many of the processor's vectors at once in place of two, where it has registers enough."""
    return lambda function: _callable_from_kernels(function, types.void, vectors)


def tile_question(function: Callable[..., Any]) -> Any:
    """The same for one that asks `some_lane`; the kernel gets its answer."""
    return _callable_from_kernels(function, types.boolean)


def some_lane(mask: Any) -> None:
    """Set the answer where the mask is set in any lane."""
    mask.code.ask(mask)


def put_rows(out: Any, width: int, i: Any, first: int, values: Sequence[Any]) -> None:
    """out[lane * width + first + k] = values[k] of every lane of an array whose rows are `width` long."""
    out.put(width, i, first, values, False)


def add_rows(out: Any, width: int, i: Any, first: int, values: Sequence[Any]) -> None:
    """The same with += for =."""
    out.put(width, i, first, values, True)


def _callable_from_kernels(function: Callable[..., Any], answer: Any, vectors: int = 2) -> Any:
    def typed(_context: Any, *arguments: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kinds = signature.args
            data = [_data_of(context, builder, kind, value) for kind, value in zip(kinds, values, strict=True)]
            called = builder.call(_emitted(builder.module, function, kinds, data, answer, vectors), data)
            return called if answer is types.boolean else context.get_dummy_value()

        return answer(*arguments), generate

    names = ["_context", *inspect.signature(function).parameters]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    typed.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    typed.__name__, typed.__doc__ = function.__name__, function.__doc__
    return intrinsic(typed)


def _data_of(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """What a compiled tile loop gets of an argument: an address, a float64 or a 64-bit integer."""
    if isinstance(kind, types.Array):
        return context.make_array(kind)(context, builder, value).data
    if isinstance(kind, types.CPointer):
        return value
    wanted = types.intp if isinstance(kind, types.Integer) else types.float64
    return context.cast(builder, value, kind, wanted)


def _emitted(
    module: Any, function: Callable[..., Any], kinds: Sequence[Any], data: Sequence[Any], answer: Any, vectors: int
) -> Any:
    """The function in a module of LLVM's, written at its first use there."""
    name = ".".join([function.__module__, function.__qualname__, *(str(value.type) for value in data)])
    if name in module.globals:
        return module.globals[name]
    result = ir.IntType(1) if answer is types.boolean else ir.VoidType()
    emitted = ir.Function(module, ir.FunctionType(result, [value.type for value in data]), name)
    emitted.linkage = "internal"
    emitted.attributes.add("noinline")
    for argument in emitted.args:
        if argument.type.is_pointer:
            argument.add_attribute("noalias")
    code = Code(emitted, answer is types.boolean, vectors)
    _traceable(function)(*(code.argument(kind, value) for kind, value in zip(kinds, emitted.args, strict=True)))
    code.finish()
    return emitted


def _range(*bounds: Any) -> Any:
    if isinstance(bounds[0], Whole):
        return bounds[0].code.loop(*bounds)
    return range(*bounds)


def _log(x: Any) -> Any:
    return _traceable(scalar_math.logarithm)(x)


_BUILTINS = {
    "range": _range, "max": maximum, "min": minimum, "abs": lambda x: lanewise("fabs", x), "_select": select,
    "np": SimpleNamespace(sqrt=lambda x: lanewise("sqrt", x), log=_log),
}  # fmt: skip


class _Choices(ast.NodeTransformer):
    """Turns `a if b else c` into a call and a loop over T into one over the tile's lanes."""

    def __init__(self, tile: str) -> None:
        self.tile = tile

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("_select", ast.Load()), [node.test, node.body, node.orelse], [])

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.iter) == "range(T)":
            node.iter = ast.parse(f"{self.tile}.code.loop(0, 0)", mode="eval").body
        return node


@cache
def _traceable(function: Any) -> Callable[..., Any]:
    """A function as one that takes symbols: choices made calls, and what it calls made so too."""
    lines, first = inspect.getsourcelines(function)
    tree = ast.increment_lineno(ast.parse(textwrap.dedent("".join(lines))), first - 1)
    definition: Any = tree.body[0]
    definition.decorator_list, definition.returns = [], None
    arguments = definition.args.args
    for argument in arguments:
        argument.annotation = None
    tree = ast.fix_missing_locations(_Choices(arguments[0].arg if arguments else "").visit(tree))
    own: dict[str, Any] = {name: _traceable_value(function.__globals__.get(name)) for name in _names(function.__code__)}
    own = {name: value for name, value in own.items() if value is not None} | _BUILTINS
    exec(compile(tree, inspect.getfile(function), "exec"), own)
    made: Callable[..., Any] = own[function.__name__]
    return made


def _names(code: Any) -> set[str]:
    """Global names of a function and of what is defined inside it."""
    inner = (constant for constant in code.co_consts if inspect.iscode(constant))
    return set(code.co_names).union(*map(_names, inner))


def _traceable_value(value: Any) -> Any:
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType) and value.__module__ != __name__:
        return _traceable(value)
    return value

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
Products and sums may fuse (solver/jit.py); nothing else is relaxed.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import llvmlite.ir as ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from . import scalar_math
from .jit import TILE

_INT, _WORD, _BIT = ir.IntType(32), ir.IntType(64), ir.IntType(1)
_FUSED = ("contract",)


def tile_loop(function: Callable[..., Any]) -> Any:
    """Make a function of a tile, scalars and arrays callable from kernels."""
    return _callable_from_kernels(function, types.void)


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


def _callable_from_kernels(function: Callable[..., Any], answer: Any) -> Any:
    def typed(_context: Any, *arguments: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kinds = signature.args
            data = [_data_of(context, builder, kind, value) for kind, value in zip(kinds, values, strict=True)]
            called = builder.call(_emitted(builder.module, function, kinds, data, answer), data)
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


def _emitted(module: Any, function: Callable[..., Any], kinds: Sequence[Any], data: Sequence[Any], answer: Any) -> Any:
    """The function in a module of LLVM's, written at its first use there."""
    name = ".".join([function.__module__, function.__qualname__, *(str(value.type) for value in data)])
    if name in module.globals:
        return module.globals[name]
    result = _BIT if answer is types.boolean else ir.VoidType()
    emitted = ir.Function(module, ir.FunctionType(result, [value.type for value in data]), name)
    emitted.linkage = "internal"
    emitted.attributes.add("noinline")
    for argument in emitted.args:
        if argument.type.is_pointer:
            argument.add_attribute("noalias")
    code = _Code(emitted, answer is types.boolean)
    _traceable(function)(*(code.argument(kind, value) for kind, value in zip(kinds, emitted.args, strict=True)))
    code.finish()
    return emitted


@cache
def _bytes_at_once() -> int:
    """How much of a tile one instruction works on."""
    features = llvm.get_host_cpu_features()
    return 64 if features.get("avx512f") else 32 if features.get("avx") else 16


class _Code:
    """A function being written: a row of loops over lanes."""

    def __init__(self, function: Any, asks: bool) -> None:
        self.entry = ir.IRBuilder(function.append_basic_block())
        self.builder, self.base = self.entry, None
        self.kind: Any = None
        self.within: _Mask | None = None
        self.answer = self.entry.alloca(_BIT) if asks else None
        if asks:
            self.entry.store(_BIT(0), self.answer)

    def argument(self, kind: Any, value: Any) -> Any:
        """A symbol for an argument; the first one is the tile and sets the type of all numbers."""
        if value.type.is_pointer:
            if self.kind is None:
                self.kind = kind.dtype
                element = ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType()
                self.lanes = _bytes_at_once() // (4 if kind.dtype == types.float32 else 8)
                self.type = ir.VectorType(element, self.lanes)
                return _Tile(self, value)
            return _Rows(self, value, ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType())
        if isinstance(kind, types.Integer):
            return _Whole(self, value)
        number = value if self.type.element == value.type else self.entry.fptrunc(value, self.type.element)
        return _Number(self, self._everywhere(number))

    def _everywhere(self, scalar: Any) -> Any:
        one = self.builder.insert_element(ir.Constant(ir.VectorType(scalar.type, self.lanes), ir.Undefined), scalar, _INT(0))
        return self.shuffled(one, one, [0] * self.lanes)

    def shuffled(self, first: Any, second: Any, lanes: Sequence[int]) -> Any:
        return self.builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INT, len(lanes)), list(lanes)))

    def number(self, value: Any) -> "_Number":
        """A symbol or a constant as a number."""
        if isinstance(value, _Number):
            return value
        if isinstance(value, _Whole):
            return _Number(self, self._everywhere(self.builder.sitofp(value.value, self.type.element)))
        return _Number(self, ir.Constant(self.type, [float(value)] * self.lanes))

    def loop(self, first: Any, last: Any) -> Iterator["_Lane"]:
        """Write the loop around what is done with the lane that comes out of it; bounds are whole numbers or symbols."""
        whole = not isinstance(first, _Whole)
        start = _WORD(0) if whole else self.builder.and_(first.value, _WORD(-self.lanes))
        end = _WORD(TILE) if whole else last.value
        before, body = self.builder.block, self.builder.append_basic_block()
        after = self.builder.append_basic_block()
        if whole:
            self.builder.branch(body)
        else:
            self.builder.cbranch(self.builder.icmp_signed("<", start, end), body, after)
        self.builder = ir.IRBuilder(body)
        counter = self.builder.phi(_WORD)
        counter.add_incoming(start, before)
        self.base = counter
        if not whole:
            here = self.builder.add(self._everywhere(counter), ir.Constant(ir.VectorType(_WORD, self.lanes), [*range(self.lanes)]))
            begun = self.builder.icmp_signed(">=", here, self._everywhere(first.value))
            self.within = _Mask(self, self.builder.and_(begun, self.builder.icmp_signed("<", here, self._everywhere(end))))
        yield _Lane(0)
        self.base, self.within = None, None
        following = self.builder.add(counter, _WORD(self.lanes))
        counter.add_incoming(following, body)
        self.builder.cbranch(self.builder.icmp_signed("<", following, end), body, after)
        self.builder = ir.IRBuilder(after)

    def ask(self, mask: "_Mask") -> None:
        word = ir.IntType(self.lanes)
        bits = self.builder.bitcast(mask.value, word)
        self.builder.store(
            self.builder.or_(self.builder.load(self.answer), self.builder.icmp_unsigned("!=", bits, word(0))), self.answer
        )

    def finish(self) -> None:
        if self.answer is None:
            self.builder.ret_void()
        else:
            self.builder.ret(self.builder.load(self.answer))

    def place(self, data: Any, lane: "_Lane", kind: Any) -> Any:
        """Address of a vector at a lane's place in an array of scalars."""
        at = self.builder.gep(self.builder.gep(data, [self.base]), [_WORD(lane.offset)])
        return self.builder.bitcast(at, kind.as_pointer())


class _Lane:
    """The number of a lane in the present loop, plus `offset`."""

    def __init__(self, offset: int) -> None:
        self.offset = offset

    def __add__(self, other: int) -> "_Lane":
        return _Lane(self.offset + int(other))

    __radd__ = __add__


class _Whole:
    """A whole number that is known when the code runs."""

    def __init__(self, code: _Code, value: Any) -> None:
        self.code, self.value = code, value


class _Tile:
    """The tile: w[slot * T + lane]."""

    def __init__(self, code: _Code, data: Any) -> None:
        self.code, self.data = code, data
        self.itemsize = 4 if code.kind == types.float32 else 8

    def __getitem__(self, lane: _Lane) -> "_Number":
        loaded = self.code.builder.load(self.code.place(self.data, lane, self.code.type))
        loaded.align = self.itemsize
        return _Number(self.code, loaded)

    def __setitem__(self, lane: _Lane, value: Any) -> None:
        if self.code.within is not None:
            value = _select(self.code.within, value, self[lane])
        place = self.code.place(self.data, lane, self.code.type)
        self.code.builder.store(self.code.number(value).value, place, align=self.itemsize)


class _Rows:
    """An array outside the tile that holds a row for each lane."""

    def __init__(self, code: _Code, data: Any, element: Any) -> None:
        self.code, self.data, self.element = code, data, element

    def put(self, width: int, lane: _Lane, first: int, values: Sequence[Any], adds: bool) -> None:
        code = self.code
        base = code.builder.gep(self.data, [code.builder.mul(code.base, _WORD(width))])
        columns = [code.number(value).value for value in values]
        k = 0
        while k < len(columns):
            several = next((m for m in (8, 4) if m <= min(code.lanes, len(columns) - k)), 1)
            for row, vector in enumerate(_turned(code, columns[k : k + several])):
                self._store(code.builder.gep(base, [_WORD(row * width + first + k)]), vector, adds)
            k += several

    def _store(self, place: Any, vector: Any, adds: bool) -> None:
        builder, kind = self.code.builder, self.element
        if isinstance(vector.type, ir.VectorType):
            kind = ir.VectorType(self.element, vector.type.count)
            place = builder.bitcast(place, kind.as_pointer())
        if vector.type != kind:
            vector = (builder.fpext if self.element == ir.DoubleType() else builder.fptrunc)(vector, kind)
        size = 8 if self.element == ir.DoubleType() else 4
        if adds:
            before = builder.load(place)
            before.align = size
            vector = builder.fadd(before, vector)
        builder.store(vector, place, align=size)


def _turned(code: _Code, columns: list[Any]) -> list[Any]:
    """Rows, one a lane, of 8, 4 or 1 columns."""
    count, lanes = len(columns), code.lanes
    if count == 1:
        return [code.builder.extract_element(columns[0], _INT(k)) for k in range(lanes)]
    rows: list[Any] = []
    for start in range(0, lanes, count):
        part = [c if count == lanes else code.shuffled(c, c, list(range(start, start + count))) for c in columns]
        rows += _square_turned(code, part)
    return rows


def _square_turned(code: _Code, rows: list[Any]) -> list[Any]:
    """A 4x4 or 8x8 block turned round, by shuffles that processors have: in pairs, in fours, across halves."""
    count = len(rows)
    halves = range(0, count, 4)
    fours = []
    for k in range(0, count, 4):
        a, b, c, d = rows[k : k + 4]
        pairs = []
        for x, y in ((a, b), (c, d)):
            for at in (0, 2):
                pairs.append(code.shuffled(x, y, [p for h in halves for q in (at, at + 1) for p in (h + q, h + q + count)]))
        low, high = (pairs[0], pairs[2]), (pairs[1], pairs[3])
        for x, y in (low, high):
            for at in (0, 2):
                places = [p for h in halves for q in (h + at, h + at + count) for p in (q, q + 1)]
                fours.append(code.shuffled(x, y, places))
    if count == 4:
        return fours
    first, second = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
    return [code.shuffled(fours[k], fours[k + 4], part) for part in (first, second) for k in range(4)]


def _operation(name: str, flags: tuple[str, ...] = _FUSED) -> Any:
    def operate(self: Any, other: Any) -> Any:
        return _Number(self.code, getattr(self.code.builder, name)(self.value, self.code.number(other).value, flags=flags))

    def reflected(self: Any, other: Any) -> Any:
        return _Number(self.code, getattr(self.code.builder, name)(self.code.number(other).value, self.value, flags=flags))

    return operate, reflected


def _comparison(sign: str) -> Any:
    def compare(self: Any, other: Any) -> Any:
        order = self.code.builder.fcmp_unordered if sign == "!=" else self.code.builder.fcmp_ordered
        return _Mask(self.code, order(sign, self.value, self.code.number(other).value))

    return compare


class _Number:
    """A number in each lane."""

    __array_ufunc__ = None  # so that numpy's constants leave operators to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, code: _Code, value: Any) -> None:
        self.code, self.value = code, value

    __add__, __radd__ = _operation("fadd")
    __sub__, __rsub__ = _operation("fsub")
    __mul__, __rmul__ = _operation("fmul")
    __truediv__, __rtruediv__ = _operation("fdiv", ())
    __gt__, __ge__, __lt__, __le__ = map(_comparison, (">", ">=", "<", "<="))
    __eq__, __ne__ = map(_comparison, ("==", "!="))  # type: ignore[assignment]

    def __neg__(self) -> "_Number":
        return _Number(self.code, self.code.builder.fneg(self.value))

    def __bool__(self) -> bool:
        raise TypeError("a tile loop cannot branch on a lane; write it as `a if b else c`")


class _Mask:
    """Yes or no in each lane."""

    def __init__(self, code: _Code, value: Any) -> None:
        self.code, self.value = code, value

    def __and__(self, other: "_Mask") -> "_Mask":
        return _Mask(self.code, self.code.builder.and_(self.value, other.value))

    def __or__(self, other: "_Mask") -> "_Mask":
        return _Mask(self.code, self.code.builder.or_(self.value, other.value))

    def __ne__(self, other: object) -> "_Mask":  # type: ignore[override]
        return _Mask(self.code, self.code.builder.xor(self.value, other.value))  # type: ignore[attr-defined]

    def __invert__(self) -> "_Mask":
        return _Mask(self.code, self.code.builder.not_(self.value))

    __hash__ = None  # type: ignore[assignment]
    __bool__ = _Number.__bool__


def _select(chosen: Any, a: Any, b: Any) -> Any:
    """a if chosen else b."""
    if not isinstance(chosen, _Mask):
        return a if chosen else b
    code = chosen.code
    return _Number(code, code.builder.select(chosen.value, code.number(a).value, code.number(b).value))


def _symbol(*values: Any) -> Any:
    return next((value for value in values if isinstance(value, _Number)), None)


def _intrinsic(name: str, x: Any) -> Any:
    kind = x.value.type
    bits = 32 if kind.element == ir.FloatType() else 64
    called = x.code.builder.module.declare_intrinsic(f"llvm.{name}.v{kind.count}f{bits}", (), ir.FunctionType(kind, [kind]))
    return _Number(x.code, x.code.builder.call(called, [x.value]))


def _maximum(a: Any, b: Any, *more: Any) -> Any:
    found = max(a, b) if _symbol(a, b) is None else _select(b > a, b, a)
    return _maximum(found, *more) if more else found


def _minimum(a: Any, b: Any, *more: Any) -> Any:
    found = min(a, b) if _symbol(a, b) is None else _select(b < a, b, a)
    return _minimum(found, *more) if more else found


def _range(*bounds: Any) -> Any:
    if isinstance(bounds[0], _Whole):
        return bounds[0].code.loop(*bounds)
    return range(*bounds)


_BUILTINS = {
    "range": _range, "max": _maximum, "min": _minimum, "abs": lambda x: _intrinsic("fabs", x), "_select": _select,
    "np": SimpleNamespace(sqrt=lambda x: _intrinsic("sqrt", x), log=lambda x: _traceable(scalar_math.logarithm)(x)),
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
def _traceable(function: Any) -> Any:
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
    return own[function.__name__]


def _names(code: Any) -> set[str]:
    """Global names of a function and of what is defined inside it."""
    inner = (constant for constant in code.co_consts if inspect.iscode(constant))
    return set(code.co_names).union(*map(_names, inner))


def _traceable_value(value: Any) -> Any:
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType) and value.__module__ != __name__:
        return _traceable(value)
    return value

"""Numbers, masks and arrays of a tile as symbols: what is done to them is written down as LLVM code (tile_code.py).

A `Number` is one vector of LLVM's, two or more of the processor's; loops go over the tile by that many lanes.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import llvmlite.ir as ir  # type: ignore[import-untyped]
from numba import types

from . import TILE
from .tile_rows import Rows

_INT, _WORD, _BIT = ir.IntType(32), ir.IntType(64), ir.IntType(1)
_FUSED = ("contract",)


@cache
def _vector() -> tuple[int, int]:
    """Bytes of the processor's vectors, and how many of them it can work on together without running out of registers."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 64, 4
    return (32 if features.get("avx") else 16), 2


class Code:
    """A function being written: a row of loops over lanes."""

    def __init__(self, function: Any, asks: bool, vectors: int = 2) -> None:
        """vectors: how many of the processor's are worked on together: while what is done to one is not ready yet, it has
        others to go on with."""
        size, most = _vector()
        self.bytes = size * min(vectors, most)
        self.entry = ir.IRBuilder(function.append_basic_block())
        self.builder, self.base = self.entry, None
        self.kind: Any = None
        self.within: Mask | None = None
        self.answer = self.entry.alloca(_BIT) if asks else None
        if asks:
            self.entry.store(_BIT(0), self.answer)

    def argument(self, kind: Any, value: Any) -> Any:
        """A symbol for an argument; the first one is the tile and sets the type of all numbers."""
        if value.type.is_pointer:
            if self.kind is None:
                self.kind = kind.dtype
                element = ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType()
                self.lanes = self.bytes // (4 if kind.dtype == types.float32 else 8)
                self.type = ir.VectorType(element, self.lanes)
                return Tile(self, value)
            return Rows(self, value, ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType())
        if isinstance(kind, types.Integer):
            return Whole(self, value)
        number = value if self.type.element == value.type else self.entry.fptrunc(value, self.type.element)
        return Number(self, self._everywhere(number))

    def _everywhere(self, scalar: Any) -> Any:
        one = self.builder.insert_element(ir.Constant(ir.VectorType(scalar.type, self.lanes), ir.Undefined), scalar, _INT(0))
        return self.shuffled(one, one, [0] * self.lanes)

    def shuffled(self, first: Any, second: Any, lanes: Sequence[int]) -> Any:
        return self.builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INT, len(lanes)), list(lanes)))

    def number(self, value: Any) -> "Number":
        """A symbol or a constant as a number."""
        if isinstance(value, Number):
            return value
        if isinstance(value, Whole):
            return Number(self, self._everywhere(self.builder.sitofp(value.value, self.type.element)))
        return Number(self, ir.Constant(self.type, [float(value)] * self.lanes))

    def loop(self, first: Any, last: Any) -> Iterator["Lane"]:
        """Write the loop around what is done with the lane that comes out of it; bounds are whole numbers or symbols."""
        whole = not isinstance(first, Whole)
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
            self.within = self._between(counter, first.value, end)
        yield Lane(0)
        self.base, self.within = None, None
        following = self.builder.add(counter, _WORD(self.lanes))
        counter.add_incoming(following, body)
        self.builder.cbranch(self.builder.icmp_signed("<", following, end), body, after)
        self.builder = ir.IRBuilder(after)

    def _between(self, counter: Any, first: Any, end: Any) -> "Mask":
        """Which of the lanes from `counter` on lie in a range; compared as numbers as wide as the tile's."""
        word = ir.IntType(32 if self.type.element == ir.FloatType() else 64)
        first, end = (self.builder.sub(bound, counter) for bound in (first, end))
        if word != _WORD:
            first, end = (self.builder.trunc(bound, word) for bound in (first, end))
        places = ir.Constant(ir.VectorType(word, self.lanes), [*range(self.lanes)])
        begun = self.builder.icmp_signed(">=", places, self._everywhere(first))
        return Mask(self, self.builder.and_(begun, self.builder.icmp_signed("<", places, self._everywhere(end))))

    def ask(self, mask: "Mask") -> None:
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

    def place(self, data: Any, lane: "Lane", kind: Any) -> Any:
        """Address of a vector at a lane's place in an array of scalars."""
        at = self.builder.gep(self.builder.gep(data, [self.base]), [_WORD(lane.offset)])
        return self.builder.bitcast(at, kind.as_pointer())


class Lane:
    """The number of a lane in the present loop, plus `offset`."""

    def __init__(self, offset: int) -> None:
        self.offset = offset

    def __add__(self, other: int) -> "Lane":
        return Lane(self.offset + int(other))

    __radd__ = __add__


class Whole:
    """A whole number that is known when the code runs."""

    def __init__(self, code: Code, value: Any) -> None:
        self.code, self.value = code, value


class Tile:
    """The tile: w[slot * T + lane]."""

    def __init__(self, code: Code, data: Any) -> None:
        self.code, self.data = code, data
        self.itemsize = 4 if code.kind == types.float32 else 8

    def __getitem__(self, lane: Lane) -> "Number":
        loaded = self.code.builder.load(self.code.place(self.data, lane, self.code.type))
        loaded.align = self.itemsize
        return Number(self.code, loaded)

    def __setitem__(self, lane: Lane, value: Any) -> None:
        if self.code.within is not None:
            value = select(self.code.within, value, self[lane])
        place = self.code.place(self.data, lane, self.code.type)
        self.code.builder.store(self.code.number(value).value, place, align=self.itemsize)


def _operation(name: str, flags: tuple[str, ...] = _FUSED) -> Any:
    def operate(self: Any, other: Any) -> Any:
        return Number(self.code, getattr(self.code.builder, name)(self.value, self.code.number(other).value, flags=flags))

    def reflected(self: Any, other: Any) -> Any:
        return Number(self.code, getattr(self.code.builder, name)(self.code.number(other).value, self.value, flags=flags))

    return operate, reflected


def _comparison(sign: str) -> Any:
    def compare(self: Any, other: Any) -> Any:
        order = self.code.builder.fcmp_unordered if sign == "!=" else self.code.builder.fcmp_ordered
        return Mask(self.code, order(sign, self.value, self.code.number(other).value))

    return compare


class Number:
    """A number in each lane."""

    __array_ufunc__ = None  # so that numpy's constants leave operators to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, code: Code, value: Any) -> None:
        self.code, self.value = code, value
        self.itemsize = 4 if value.type.element == ir.FloatType() else 8

    __add__, __radd__ = _operation("fadd")
    __sub__, __rsub__ = _operation("fsub")
    __mul__, __rmul__ = _operation("fmul")
    __truediv__, __rtruediv__ = _operation("fdiv", ())
    __gt__, __ge__, __lt__, __le__ = map(_comparison, (">", ">=", "<", "<="))
    __eq__, __ne__ = map(_comparison, ("==", "!="))  # type: ignore[assignment]

    def __neg__(self) -> "Number":
        return Number(self.code, self.code.builder.fneg(self.value))

    def __bool__(self) -> bool:
        raise TypeError("a tile loop cannot branch on a lane; write it as `a if b else c`")


class Mask:
    """Yes or no in each lane."""

    def __init__(self, code: Code, value: Any) -> None:
        self.code, self.value = code, value

    def __and__(self, other: "Mask") -> "Mask":
        return Mask(self.code, self.code.builder.and_(self.value, other.value))

    def __or__(self, other: "Mask") -> "Mask":
        return Mask(self.code, self.code.builder.or_(self.value, other.value))

    def __ne__(self, other: object) -> "Mask":  # type: ignore[override]
        return Mask(self.code, self.code.builder.xor(self.value, other.value))  # type: ignore[attr-defined]

    def __invert__(self) -> "Mask":
        return Mask(self.code, self.code.builder.not_(self.value))

    __hash__ = None  # type: ignore[assignment]
    __bool__ = Number.__bool__


def select(chosen: Any, a: Any, b: Any) -> Any:
    """a if chosen else b."""
    if not isinstance(chosen, Mask):
        return a if chosen else b
    code = chosen.code
    return Number(code, code.builder.select(chosen.value, code.number(a).value, code.number(b).value))


def _symbol(*values: Any) -> Any:
    return next((value for value in values if isinstance(value, Number)), None)


def lanewise(name: str, x: Any) -> Any:
    kind = x.value.type
    bits = 32 if kind.element == ir.FloatType() else 64
    called = x.code.builder.module.declare_intrinsic(f"llvm.{name}.v{kind.count}f{bits}", (), ir.FunctionType(kind, [kind]))
    return Number(x.code, x.code.builder.call(called, [x.value]))


def maximum(a: Any, b: Any, *more: Any) -> Any:
    found = max(a, b) if _symbol(a, b) is None else select(b > a, b, a)
    return maximum(found, *more) if more else found


def minimum(a: Any, b: Any, *more: Any) -> Any:
    found = min(a, b) if _symbol(a, b) is None else select(b < a, b, a)
    return minimum(found, *more) if more else found


def parted(x: Number) -> tuple[Number, Number]:
    """The fraction, from sqrt(1/2) to sqrt(2), and the power of two that a positive number is the product of."""
    code, single = x.code, x.value.type.element == ir.FloatType()
    digits, bias = (23, 127) if single else (52, 1023)
    root = 0x3F3504F3 if single else 0x3FE6A09E667F3BCD  # sqrt(1/2)
    word = ir.VectorType(ir.IntType(32 if single else 64), code.lanes)

    def every(number: int) -> Any:
        return ir.Constant(word, [number] * code.lanes)

    builder = code.builder
    bits = builder.bitcast(x.value, word)
    raised = builder.lshr(builder.add(bits, every((bias << digits) - root)), every(digits))  # the power, plus bias
    fraction = builder.sub(bits, builder.shl(builder.sub(raised, every(bias)), every(digits)))
    counted = builder.or_(raised, every((bias + digits) << digits))  # the same as a number, plus 2^digits
    power = Number(code, builder.bitcast(counted, code.type)) - (2.0**digits + bias)
    return Number(code, builder.bitcast(fraction, code.type)), power


def inverse_root(x: Number) -> Number:
    """1 / sqrt(x) of positive numbers, to some roundings; in float64 by Newton's method from a guess by exponents, which takes
    half the time of a square root and a division (Lomont 2003, "Fast inverse square root")."""
    if x.itemsize == 4:
        return 1.0 / lanewise("sqrt", x)
    code, word = x.code, ir.VectorType(_WORD, x.code.lanes)
    halved = code.builder.lshr(code.builder.bitcast(x.value, word), ir.Constant(word, [1] * code.lanes))
    guess = code.builder.sub(ir.Constant(word, [0x5FE6EB50C7B537A9] * code.lanes), halved)
    y, half = Number(code, code.builder.bitcast(guess, code.type)), 0.5 * x
    for _ in range(4):
        y = y * (1.5 - (half * y) * y)
    return y

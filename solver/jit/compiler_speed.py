"""Makes numba's compiler do the same in less time: answers that it looks for again and again are kept.

What is replaced, of numba 0.68 and with the same results; where numba is another one nothing is:
- compiler options were compared by making a dictionary of all of them, for each operand of each operation;
- of an operation on types that it has been found for, all ways to compile it were tried again;
- to list the variables of a statement its source locations and names were searched as well, ten times for each function;
- two events were told to nobody around each call of LLVM.
"""

from typing import Any
from weakref import WeakKeyDictionary

import numba
from llvmlite.binding import ffi
from numba.core import ir, targetconfig
from numba.core.types.functions import BaseFunction

from .asked_code import make_code_when_asked
from .uncounted import count_no_references

KNOWN = "0.68."  # what numba's version begins with
_HOLDERS = (ir.Var, ir.Inst, list, tuple, dict)  # of variables
_holders: dict[type, type | None] = {}  # which of these a type is
_signatures: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()


def hasten_compiling() -> None:
    """Before a kernel is compiled; a second time it changes nothing."""
    if not numba.__version__.startswith(KNOWN) or ir.Inst._rec_list_vars is _listed:
        return
    for name, quick in (("values", _values), ("__eq__", _equal), ("__hash__", _hash)):
        setattr(targetconfig.TargetConfig, name, quick)
    ir.Inst._rec_list_vars = _listed
    BaseFunction.get_call_type = _remembered(BaseFunction.get_call_type)  # type: ignore[method-assign, unused-ignore]
    ffi.lib._lock._cblist.clear()
    make_code_when_asked()
    count_no_references()


def _values(config: Any) -> dict[str, Any]:
    """All options, those not set as they are by default."""
    return {name: option.default for name, option in config.options.items()} | config._values


def _equal(config: Any, other: Any) -> Any:
    if type(config) is type(other) and config._values == other._values:
        return True
    if isinstance(other, targetconfig.TargetConfig):
        return _values(config) == _values(other)
    return NotImplemented


def _hash(config: Any) -> int:
    return hash(type(config).__name__)  # numba's own is of the options' names, too: options change while they are a key


def _listed(_statement: Any, value: Any) -> list[Any]:
    """The variables in what a statement holds."""
    found: list[Any] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Any]) -> None:
    kind = type(value)
    try:
        holder = _holders[kind]
    except KeyError:
        holder = _holders[kind] = next((each for each in _HOLDERS if issubclass(kind, each)), None)
    if holder is None:
        return
    if holder is ir.Var:
        found.append(value)
    elif holder is ir.Inst:
        found.extend(value.list_vars())
    else:
        for each in value.values() if holder is dict else value:
            _collect(each, found)


def _remembered(resolve: Any) -> Any:
    """A function's signature for types; kept once it is found, by the types and the options that it was found for."""

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        flags = targetconfig.ConfigStack.top_or_none()
        kept = _signatures.setdefault(function, {})
        asked = context, tuple(args), tuple(kws.items()), None if flags is None else flags.copy(), len(function.templates)
        found = kept.get(asked)
        if found is None:
            found = kept[asked] = resolve(function, context, args, kws)
        return found

    return get_call_type

"""What makes the compiler faster answers as numba itself does."""

import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core import ir, targetconfig, types
from numba.core.compiler import Flags, run_frontend
from numba.core.registry import cpu_target

from solver.jit import compiler_speed
from solver.jit.compiler_speed import _equal, _hash, _listed, _remembered, _values

ROOT = Path(__file__).parents[2]


def test_options_are_equal_where_their_values_are():
    """Whether they were set or are so by default."""
    plain, fast = Flags(), Flags()
    plain.nrt = fast.nrt = True
    fast.error_model = plain.error_model
    assert plain._values != fast._values and _equal(plain, fast) and _hash(plain) == _hash(fast)
    assert _values(fast) == {name: getattr(fast, name) for name in fast.options}
    fast.boundscheck = not fast.boundscheck
    assert not _equal(plain, fast)
    assert _equal(plain, 3) is NotImplemented


def searched(value):
    """The variables in a value, by trying all that can hold some."""
    if isinstance(value, ir.Var):
        return [value]
    if isinstance(value, ir.Inst):
        return searched(value.__dict__)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [each for part in parts for each in searched(part)]


def many_statements(a, b):
    total, pair = 0.0, (a, b)
    for i in range(len(a)):
        if a[i, 0] > b[i]:
            total += np.sqrt(a[i, 1]) * pair[1][i]
        else:
            a[i, 0:2] = b[i]
    return total, [total, 1.0], {"a": total}


def test_variables_of_statements_are_all_found():
    blocks = run_frontend(many_statements).blocks
    statements = [statement for block in blocks.values() for statement in block.body]
    assert len(statements) > 50 and any(statement.list_vars() for statement in statements)
    for statement in statements:
        assert _listed(statement, statement.__dict__) == searched(statement.__dict__)


def test_a_signature_is_looked_for_once_for_types_and_options():
    asked = []

    def resolve(function, context, args, kws):
        asked.append(args)
        if args[0] is types.void:
            raise TypeError("no such function")
        return args[0](*args)

    remembered, context = _remembered(resolve), cpu_target.typing_context
    context.refresh()
    one, other = (context.resolve_value_type(function) for function in (np.sqrt, np.exp))
    flags = Flags()
    for options in (flags, flags, Flags(copy_from=flags)):
        with targetconfig.ConfigStack().enter(options):
            assert remembered(one, context, (types.float64,), {}) == types.float64(types.float64)
    assert len(asked) == 1
    remembered(one, context, (types.float32,), {})
    remembered(other, context, (types.float64,), {})
    assert len(asked) == 3
    flags.boundscheck = not flags.boundscheck
    with targetconfig.ConfigStack().enter(flags):
        remembered(one, context, (types.float64,), {})
    assert len(asked) == 4
    for _ in range(2):
        with pytest.raises(TypeError):
            remembered(one, context, (types.void,), {})
    assert len(asked) == 6


UNKNOWN = """
import numba
from numba.core.types.functions import BaseFunction
numba.__version__ = "9.9"
from solver.jit.compiler_speed import hasten_compiling
before = BaseFunction.get_call_type
hasten_compiling()
assert BaseFunction.get_call_type is before
numba.__version__ = "0.68.1"
hasten_compiling()
once = BaseFunction.get_call_type
assert once is not before
hasten_compiling()
assert BaseFunction.get_call_type is once
"""


def test_another_numba_is_left_alone_and_this_one_changed_once():
    subprocess.run([sys.executable, "-c", UNKNOWN], cwd=ROOT, check=True)
    assert numba.__version__.startswith(compiler_speed.KNOWN), "is it still the same inside?"

"""Functions that make no array count no references.

numba counts a reference to an array whenever a function takes or leaves it, picks a row of it or hands it on; most of these
counts it takes away again, by passes of their own, and those that stay cost time in inner loops and bar vectors. Where a
function neither makes an array nor returns one, its caller keeps all that it can see. With numba 0.68; where it is another one,
all is counted.
"""

from typing import Any

from numba.core import ir
from numba.core.typed_passes import BaseNativeLowering
from numba.parfors.parfor import Parfor

_LOOKS = {  # operations whose arrays, if any, belong to what they look at
    "build_tuple", "cast", "exhaust_iter", "getattr", "getitem", "getiter", "iternext", "null", "pair_first", "pair_second",
    "phi", "static_getitem", "typed_getitem", "undef",
}  # fmt: skip


def count_no_references() -> None:
    """Before a kernel is compiled; once."""
    BaseNativeLowering.run_pass = _counting_where_needed(BaseNativeLowering.run_pass)  # type: ignore[method-assign, unused-ignore]


def _counting_where_needed(lower: Any) -> Any:
    def run_pass(stage: Any, state: Any) -> Any:
        if state.targetctx.enable_nrt and not _owns(state):
            state.targetctx.enable_nrt = False
            state.targetctx.__dict__.pop("nrt", None)
        return lower(stage, state)

    return run_pass


def _owns(state: Any) -> bool:
    """Whether a function makes arrays or returns one, or may do so where code is written for it later (parallel loops)."""
    models, kinds = state.targetctx.data_model_manager, state.typemap

    def counted(*variables: Any) -> bool:
        return any(models[kinds[each.name]].contains_nrt_meminfo() for each in variables)

    if models[state.return_type].contains_nrt_meminfo():
        return True
    return any(_makes(each, counted) for block in state.func_ir.blocks.values() for each in block.body)


def _makes(statement: Any, counted: Any) -> bool:
    """Whether a statement makes an array. To write an array into another, or to pick by one, may take a copy."""
    if isinstance(statement, ir.SetItem):
        return bool(counted(statement.value, statement.index))
    if isinstance(statement, ir.StaticSetItem):
        return bool(counted(statement.value))
    if not isinstance(statement, ir.Assign) or not isinstance(made := statement.value, ir.Expr):
        return isinstance(statement, Parfor)
    if made.op == "getitem":
        return bool(counted(made.index))
    return made.op not in _LOOKS and bool(counted(statement.target))

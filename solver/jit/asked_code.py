"""Machine code is made of what is called from Python, or by its address, only.

numba makes it of every function when it is compiled, of those too that only others call (they are linked into them as
bitcode, and it is made of them there once more), and of each parallel loop three times. With numba 0.68; where it is another
one, nothing is changed.
"""

import weakref
from collections.abc import Callable
from typing import Any

from numba.core import compiler
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen

_environments: dict[str, Any] = {}  # of functions whose place for it is not in memory yet, by its name


def make_code_when_asked() -> None:
    """Before a kernel is compiled; once."""
    JITCodeLibrary._finalize_final_module = _finalize
    JITCodeLibrary.get_pointer_to_function = _address_of(JITCodeLibrary.get_pointer_to_function)
    JITCodeLibrary._get_compiled_object = _compiled(JITCodeLibrary._get_compiled_object)
    JITCPUCodegen.set_env = _set_environment(JITCPUCodegen.set_env)
    compiler.compile_ir = _without_wrapper(compiler.compile_ir)


def _finalize(library: Any) -> None:
    """Ready to be linked with."""
    library._finalize_dynamic_globals()
    library._verify_declare_only_symbols()
    library._final_module._CPUCodeLibrary__library = weakref.proxy(library)  # for the object cache's hooks
    library._waits = library._finalized = True


def _address_of(address: Callable[[Any, str], int]) -> Any:
    def get_pointer_to_function(library: Any, name: str) -> int:
        library._ensure_finalized()
        if getattr(library, "_waits", False):
            if not _defines(library._final_module, name):
                return 0
            library._waits = False
            library._codegen._add_module(library._final_module)
            library._finalize_specific()
            for known in [each for each in _environments if library._codegen._engine.is_symbol_defined(each)]:
                library._codegen.set_env(known, _environments.pop(known))
        return address(library, name)

    return get_pointer_to_function


def _defines(module: Any, name: str) -> bool:
    try:
        return not module.get_function(name).is_declaration
    except NameError:
        return False


def _compiled(get: Callable[[Any], bytes]) -> Any:
    def _get_compiled_object(library: Any) -> bytes:
        return b"" if getattr(library, "_waits", False) else get(library)

    return _get_compiled_object


def _set_environment(set_now: Callable[[Any, str, Any], None]) -> Any:
    def set_env(codegen: Any, name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            set_now(codegen, name, environment)
        else:
            _environments[name] = environment

    return set_env


def _without_wrapper(compile_ir: Callable[..., Any]) -> Any:
    """Bodies of parallel loops need nothing by which Python could call them."""

    def compile_body(typing: Any, target: Any, code: Any, args: Any, answer: Any, flags: Any, *more: Any, **others: Any) -> Any:
        flags = flags.copy()
        flags.no_cpython_wrapper = True
        return compile_ir(typing, target, code, args, answer, flags, *more, **others)

    return compile_body

"""What is kept of a compiled kernel, and how it is made callable again without waking the compiler.

By itself numba first fills its tables of all that it can compile, and of each kernel that it loads it reads the bitcode, which
only a kernel that calls it and has yet to be compiled asks for, and lists all symbols in it. That is most of the time.
"""

from typing import Any

from llvmlite import binding as llvm
from llvmlite.binding.object_file import ObjectFileRef
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import CodeLibrary, JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.runtime import _nrt_python


class KeptCode(CompileResultCacheImpl):  # type: ignore[misc]
    """A compiled kernel as it goes to disk, and as it comes back."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Names of its own for its files: what numba itself keeps of the same kernel in the same folder cannot be read here."""
        return str(super().get_filename_base(fullname, abiflags)) + "-kept"

    def reduce(self, cres: Any) -> tuple[Any, ...]:
        """What is written: numba's own, with a list of the symbols defined, and without the text that is for inspection."""
        cres.library.get_pointer_to_function(cres.fndesc.llvm_cfunc_wrapper_name)  # of what is called by its address
        (name, kind, code), fndesc, environment, signature, objectmode, lifted, _, reload_init, others = super().reduce(cres)
        if kind != "object" or objectmode or lifted:
            raise AssertionError(f"{name} is no machine code")
        module = cres.library._get_module_for_linking()
        symbols = (*module.functions, *module.global_variables)
        defined = {symbol.name for symbol in symbols if not symbol.is_declaration}
        return (name, *code, sorted(defined)), fndesc, environment, signature, reload_init, others

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        """The kernel, callable."""
        kept, fndesc, environment, signature, reload_init, others = payload
        _offer_symbols()
        for start in reload_init:
            start()
        library = KeptLibrary(target_context.codegen(), *kept)
        entry_point = target_context.get_executable(library, fndesc, environment)
        for other in others:
            library.codegen.set_env(other.env_name, other)
        return CompileResult(
            typing_context=target_context.typing_context, target_context=target_context, entry_point=entry_point,
            typing_error=None, type_annotation="", signature=signature, objectmode=False, lifted=(), fndesc=fndesc,
            library=library, call_helper=None, environment=environment, metadata=None, reload_init=reload_init,
            referenced_envs=others,
        )  # fmt: skip


class KeptLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Machine code from disk; its bitcode is not read before a kernel that calls it is compiled."""

    def __init__(self, codegen: Any, name: str, machine_code: bytes, bitcode: bytes, defined: list[str]) -> None:
        CodeLibrary.__init__(self, codegen, name)  # the next one makes a module to compile into
        self._bitcode, self._module, self._finalized = bitcode, None, True
        engine = codegen._engine
        if machine_code:
            engine._ee.add_object_file(ObjectFileRef.from_data(machine_code))
            engine.finalize_object()
            engine._defined_symbols.update(defined)

    def _get_module_for_linking(self) -> Any:
        """What a caller's module is linked with."""
        if self._module is None:
            self._module = llvm.parse_bitcode(self._bitcode)
        return self._module


_offered: list[bool] = []


def _offer_symbols() -> None:
    """Let machine code find numba's functions for memory, as the compiler does when it starts."""
    if not _offered:
        for name, address in _nrt_python.c_helpers.items():
            llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
        _offered.append(True)

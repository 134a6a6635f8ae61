"""The only place that chooses numba's options.

`kernel` compiles a serial function, `inner_kernel` one that only kernels call, `parallel` one with prange loops, `inline` a
function of scalars that vanishes into its caller so that the caller's loop can be vectorised. All are cached on disk
(kernel_cache.py), release the interpreter lock, divide as numpy does (a branch on zero would stop vectorisation) and may fuse a
product and a sum into one rounding; nothing else is relaxed, so that a repeat gives the same bytes.

A sum over elements is never raced for: it is taken in CHUNKS fixed pieces, added up in order, whatever the thread count.
"""

import os
from collections.abc import Callable
from typing import Any

# Threads that wait for each other spin for some 50 us and then sleep. Waking a sleeping core takes longer than most waits;
# on a machine that Blender, or another bake, shares, spinning on takes the core that the late one needs (pace.py).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "10000")

import numba
from numba.core import sigutils
from numba.core.ccallback import CFunc

from .kernel_locator import keep_kernels
from .shared_cache import SharedCache

keep_kernels()

CHUNKS = 64
TILE = 128

_PHASE_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}
_OPTIONS: dict[str, Any] = {**_PHASE_OPTIONS, "nogil": True, "no_cfunc_wrapper": True}  # nobody calls kernels by address


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a serial kernel."""
    return _shared(numba.njit(**_OPTIONS)(function))


def inner_kernel(function: Callable[..., Any]) -> Any:
    """Compile a serial function that only the kernels of its own file call; without what Python would need to call it."""
    return _shared(numba.njit(no_cpython_wrapper=True, **_OPTIONS)(function))


def parallel(function: Callable[..., Any]) -> Any:
    """Compile a kernel whose prange loops run on all threads."""
    return _shared(numba.njit(parallel=True, **_OPTIONS)(function))


def inline(function: Callable[..., Any]) -> Any:
    """Compile a function of scalars that is inlined wherever it is called."""
    return _shared(numba.njit(forceinline=True, no_cpython_wrapper=True, **_OPTIONS)(function))


def use_threads(count: int) -> None:
    """Let parallel kernels use `count` threads; 0 leaves numba's own choice."""
    if count > 0:
        numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))


def compile_phase(function: Callable[..., Any], signature: Any) -> Any:
    """Compile a function of addresses and numbers, to be called by its `address`."""
    phase = CFunc(function, sigutils.normalize_signature(signature), locals={}, options=_PHASE_OPTIONS)
    _shared(phase).compile()
    return phase


def _shared(compiled: Any) -> Any:
    """The same, kept on disk where several processes may compile at once."""
    compiled._cache = SharedCache(compiled.py_func if hasattr(compiled, "py_func") else compiled._pyfunc)
    return compiled

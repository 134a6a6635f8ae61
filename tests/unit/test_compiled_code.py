"""Of which functions machine code is made, and which count references to arrays."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

ROOT = Path(__file__).parents[2]

KERNELS = """
import sys
import numpy as np
from numba import prange
from numba.core.runtime import _nrt_python, rtsys
from solver.jit import inline, inner_kernel, kernel, parallel


@inline
def row(a, k):
    return a[k]


@inline
def length(a, k):
    own = a[k]
    return np.sqrt(own[0] * own[0] + own[1] * own[1])


@inner_kernel
def longest(a):
    most = 0.0
    for k in range(len(a)):
        most = max(most, length(a, k))
    return most


@kernel
def scaled(a):
    by = longest(a)
    if by == 0.0:
        raise ValueError("nothing to scale by")
    for k in range(len(a)):
        own = a[k]
        own[0], own[1] = own[0] / by, own[1] / by
    return by


@kernel
def copied(a):
    b = np.empty_like(a)
    for k in range(len(a)):
        b[len(a) - 1 - k] = row(a, k)
    return b, longest(b)


@parallel
def doubled(a, b):
    for k in prange(len(a)):
        for j in range(2):
            b[k, j] = 2.0 * a[k, j]


@kernel
def picked(a, which):
    part = a[which]
    return part[0, 0] + part[1, 1]


def library(compiled):
    return compiled.overloads[compiled.signatures[0]].library
"""

CHECK = """
a, b = np.array([[3.0, 4.0], [0.0, 1.0]]), np.empty((2, 2))
_nrt_python.memsys_enable_stats()
before = rtsys.get_allocation_stats()
for _ in range(50):
    turned, most = copied(a)
    assert most == 5.0 and (turned == a[::-1]).all()
    doubled(a, b)
    assert (b == 2.0 * a).all()
    assert picked(a, np.array([0, 1])) == 4.0
del turned
after = rtsys.get_allocation_stats()
made = after.mi_alloc - before.mi_alloc
assert made == after.mi_free - before.mi_free and made >= 100, made
c = a.copy()
assert scaled(c) == 5.0 and (c == a / 5.0).all() and sys.getrefcount(c) == 2
try:
    scaled(np.zeros((2, 2)))
    raise AssertionError
except ValueError as error:
    assert str(error) == "nothing to scale by"
"""

FRESH = """
def counts(each):
    return "NRT_" in library(each).get_llvm_str()
for each in (length, longest):
    assert library(each)._waits and not counts(each)
for each in (scaled, copied, doubled, picked):
    assert not library(each)._waits
assert not counts(scaled) and counts(copied) and counts(picked)
"""

KEPT = """
assert not any(each.stats.cache_misses for each in (scaled, copied, doubled, picked))
"""


def run(tmp_path, *parts):
    (tmp_path / "kernels.py").write_text(KERNELS)
    program = "import sys; sys.path.insert(0, sys.argv[1])\nimport kernels\nglobals().update(vars(kernels))\n" + "".join(parts)
    own = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}  # of a former run's the place may be the same
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, env=own)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not numba.__version__.startswith("0.68."), reason="another numba is left as it is")
def test_only_what_is_called_gets_machine_code_and_only_what_makes_arrays_counts(tmp_path):
    """Compiled, and in another process loaded: answers, exceptions and memory are as they should be."""
    run(tmp_path, CHECK, FRESH)
    run(tmp_path, CHECK, KEPT)

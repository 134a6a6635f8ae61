"""Compiled kernels are kept where a change of any source cannot be missed."""

import subprocess
import sys
from pathlib import Path

import pytest

from solver.jit.kernel_cache import kernel_folder


def test_whoever_imports_a_kernel_has_it_kept_there(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    script = "import numba, solver.jit; print(numba.config.CACHE_DIR)"
    chosen = subprocess.check_output([sys.executable, "-c", script], text=True, cwd=Path(__file__).parents[2]).strip()
    assert kernel_folder().parent == tmp_path and chosen == str(kernel_folder())


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "LOCALAPPDATA"])
def test_without_a_choice_it_is_the_users_cache(variable, monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert tmp_path in kernel_folder().parents

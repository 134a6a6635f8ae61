"""Compiled kernels are kept where a change of any source cannot be missed."""

import os

import pytest

from solver.kernel_cache import choose_kernel_cache


def test_a_child_keeps_its_parents_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    first = choose_kernel_cache()
    assert first.parent == tmp_path and os.environ["NUMBA_CACHE_DIR"] == str(first)
    assert choose_kernel_cache() == first


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "LOCALAPPDATA"])
def test_without_a_choice_it_is_the_users_cache(variable, monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert tmp_path in choose_kernel_cache().parents

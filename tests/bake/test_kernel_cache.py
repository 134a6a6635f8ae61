"""Compiled kernels are kept where a change of any source cannot be missed."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from solver.jit.kernel_cache import SOURCES, folder_of_file, kernel_folder, leans_on


def test_whoever_imports_a_kernel_has_it_kept_there(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    script = "from solver.geometry.triangle import solid_angle; print(solid_angle._cache.cache_path)"
    chosen = subprocess.check_output([sys.executable, "-c", script], text=True, cwd=Path(__file__).parents[2]).strip()
    assert chosen == str(folder_of_file(SOURCES / "geometry" / "triangle.py")) and tmp_path in Path(chosen).parents
    assert tmp_path in kernel_folder().parents


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "LOCALAPPDATA"])
def test_without_a_choice_it_is_the_users_cache(variable, monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert tmp_path in kernel_folder().parents


CLOSEST = """
import os, sys, types
import numpy as np
if "{package}" == "whole.solver":
    sys.modules["whole"] = types.ModuleType("whole")
    sys.modules["whole"].__path__ = [os.getcwd()]
from {package}.geometry.triangle_tree import closest_points, triangle_tree
tree = triangle_tree(np.eye(3), np.array([[0, 1, 2]], np.int32))
print(float(closest_points(tree, np.zeros((1, 3))).distance[0]))
"""


def test_the_solver_may_be_a_part_of_something_else(monkeypatch, tmp_path):
    """As it is in Blender, whose child processes import it by itself: what one has compiled does not stop the other."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for package in ("whole.solver", "solver"):
        command = [sys.executable, "-c", CLOSEST.format(package=package)]
        found = subprocess.check_output(command, text=True, cwd=Path(__file__).parents[2])
        assert float(found) == pytest.approx(3.0**-0.5)


def test_the_same_sources_elsewhere_need_no_compiling(monkeypatch, tmp_path):
    """Another Blender beside this one, or a farm's shared folder; and a kernel that is not ours stays where numba has it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    kept = []
    for place in ("one", "two"):
        copy = tmp_path / place
        shutil.copytree(Path(__file__).parents[2] / "solver", copy / "solver", ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.check_output([sys.executable, "-c", CLOSEST.format(package="solver")], cwd=copy)
        kept.append({path: path.stat().st_mtime_ns for path in (tmp_path / "kernels").rglob("*.nb[ic]")})
    assert kept[0] and kept[0] == kept[1]
    other = "import numba, solver.jit.kernel_locator as own; print(own.KernelLocator.from_function(len, numba.__file__))"
    said = subprocess.check_output([sys.executable, "-c", other], text=True, cwd=tmp_path / "one")
    assert said.strip() == "None"


def test_a_kernel_depends_on_every_file_that_it_has_something_from():
    """Whatever stands in a module, and however it came there, is from a file that the key of its kernels reads."""
    places = [path.relative_to(SOURCES.parent).with_suffix("") for path in sorted(SOURCES.rglob("*.py"))]
    names = [".".join(place.parts).removesuffix(".__init__") for place in places if place.name != "__main__"]
    sources = {name: Path(str(importlib.import_module(name).__file__)) for name in names}
    seen = 0
    for name, file in sources.items():
        for word, value in vars(sys.modules[name]).items():
            is_module = isinstance(value, ModuleType)
            origin = sources.get(value.__name__ if is_module else getattr(value, "__module__", None) or "")
            # What is imported from a package becomes its attribute, though no text of it says so
            if origin is not None and not (is_module and value.__name__ == f"{name}.{word}"):
                assert origin in leans_on(file), f"{name} has {word} from {origin}"
                seen += 1
    assert seen > 1000


def test_laws_that_are_found_by_themselves_count():
    every = set((SOURCES / "materials" / "elasticity").glob("*.py"))
    assert len(every) > 5 and every < leans_on(SOURCES / "fem" / "laws.py")


def test_a_change_compiles_what_it_can_have_changed(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    command = [sys.executable, "-c", CLOSEST.format(package="solver")]
    kept = {}
    for place, changed in (("one", ""), ("two", "remesh/condition.py"), ("three", "geometry/triangle.py")):
        copy = tmp_path / place
        shutil.copytree(SOURCES, copy / "solver", ignore=shutil.ignore_patterns("__pycache__"))
        if changed:
            path = copy / "solver" / changed
            path.write_text(path.read_text() + "\n# changed\n")
        subprocess.check_output(command, cwd=copy)
        kept[place] = set((tmp_path / "kernels").rglob("*.nb[ic]"))
    assert kept["one"] and kept["two"] == kept["one"] and len(kept["three"]) > len(kept["two"])

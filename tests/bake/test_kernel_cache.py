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


TOGETHER = """
import sys, time
from pathlib import Path
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, what):
        function = what.data["dispatcher"].py_func
        if function.__module__.startswith("solver."):
            compiled.append(function.__qualname__)
    def on_end(self, what):
        pass
import solver.geometry.triangle_tree
event.register("numba:compile", Listener())
here = Path(sys.argv[1])
(here / sys.argv[2]).touch()
while len(list(here.glob("ready_*"))) < 2:
    time.sleep(0.001)
""" + CLOSEST.format(package="solver") + """
print(*compiled)
"""


def test_of_two_processes_one_compiles_a_kernel_and_the_other_waits(monkeypatch, tmp_path):
    """As in a first bake, which compiles in three."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    commands = [[sys.executable, "-c", TOGETHER, str(tmp_path), f"ready_{k}"] for k in range(2)]
    root = Path(__file__).parents[2]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) for command in commands]
    said = [process.communicate()[0].splitlines() for process in running]
    assert all(process.returncode == 0 for process in running)
    assert [float(lines[0]) for lines in said] == pytest.approx([3.0**-0.5] * 2)
    first, second = (set(lines[1].split()) for lines in said)
    assert first | second and not first & second


WOKEN = """
from numba.core.runtime import rtsys
print(rtsys._init)
"""


def test_kept_kernels_do_not_wake_the_compiler(monkeypatch, tmp_path):
    """To fill its tables of all that it can compile takes longer than to load a bake's kernels."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for woken in (True, False):
        command = [sys.executable, "-c", CLOSEST.format(package="solver") + WOKEN]
        said = subprocess.check_output(command, text=True, cwd=SOURCES.parent).split()
        assert float(said[0]) == pytest.approx(3.0**-0.5) and said[1] == str(woken)


ANEW = """
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, what):
        compiled.append(what.data["dispatcher"].py_func.__qualname__)
    def on_end(self, what):
        pass
event.register("numba:compile", Listener())
""" + CLOSEST.format(package="solver") + """
print(*compiled)
"""


def test_a_kernel_is_compiled_with_kept_ones_that_it_calls(monkeypatch, tmp_path):
    """Their bitcode is kept as well, and read then."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    command = [sys.executable, "-c", ANEW]
    subprocess.check_output(command, cwd=SOURCES.parent)
    folder = folder_of_file(SOURCES / "geometry" / "triangle_tree.py")
    for kept in folder.glob("triangle_tree._closest-*.nb?"):
        kept.unlink()
    distance, *compiled = subprocess.check_output(command, text=True, cwd=SOURCES.parent).split()
    assert float(distance) == pytest.approx(3.0**-0.5)
    assert "_closest" in compiled and not {"_closest_in_tree", "closest_on_triangle"} & set(compiled)


def test_a_source_that_changes_in_its_place_is_read_again(monkeypatch, tmp_path):
    """What has come of reading the sources holds while sizes and times stay; of the same text it is the same names."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    copy = tmp_path / "copy"
    shutil.copytree(SOURCES, copy / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    asked = "from solver.jit.kernel_cache import SOURCES, folder_of_file, kernel_folder; print(kernel_folder(), "
    asked += "folder_of_file(SOURCES / 'geometry' / 'triangle_tree.py'), folder_of_file(SOURCES / 'state.py'))"

    def named():
        return subprocess.check_output([sys.executable, "-c", asked], text=True, cwd=copy).split()

    first, changed = named(), copy / "solver" / "geometry" / "triangle.py"
    assert named() == first and len(list((tmp_path / "kernels").rglob("sources_*.json"))) == 1
    text = changed.read_text()
    changed.write_text(text.replace("a", "b", 1))
    assert all(before != after for before, after in zip(first, named(), strict=True))
    changed.write_text(text)
    assert named() == first


TWICE = """
import sys
import numba
from solver.jit import kernel
def twice(value):
    return 2.0 * value
print((kernel if "ours" in sys.argv else numba.njit(cache=True))(twice)(4.0))
"""


def test_what_numba_itself_has_kept_of_a_kernel_is_not_read(monkeypatch, tmp_path):
    """Its files lie in the same folder where it has chosen that, and say other things: a test's kernels, an older Dollop."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(SOURCES.parent))
    script = tmp_path / "kernels.py"
    script.write_text(TWICE)
    for whose in ("numba's", "ours", "numba's", "ours"):
        assert float(subprocess.check_output([sys.executable, str(script), whose], text=True)) == 8.0
    names = [path.name for path in tmp_path.rglob("kernels.twice-*.nbi")]
    assert len(names) == 2 and sum("-kept" in name for name in names) == 1

"""The solver stands alone: no Blender, and no relative import that climbs out of it."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

COMPILERS = {"jit", "njit", "vectorize", "guvectorize", "stencil", "cfunc", "generated_jit", "jit_module"}
FORBIDDEN = {"bpy", "mathutils", "bmesh", "gpu", "blf", "aud", "bl_ext", "dollop", "solver", "operators", "panels"}


def test_a_solver_file_imports_nothing_from_above(solver_source: Any) -> None:
    depth = solver_source.name.count("/")
    for line, level, module in solver_source.imports():
        assert level <= depth, f"line {line} climbs out of solver/"
        if level == 0:
            assert module.split(".")[0] not in FORBIDDEN, f"line {line} imports {module}"


def test_importing_the_solver_needs_no_numba(repository: Path) -> None:
    """Blender starts with the add-on enabled; numba costs up to two seconds and comes only when something computes."""
    names = "solver, solver.scene, solver.frame, solver.errors, solver.materials, solver.cache, solver.job, solver.presets"
    code = f"import sys, {names}; print('numba' in sys.modules, 'scipy' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "False"]


def test_numba_options_are_set_in_one_place(solver_source: Any) -> None:
    """solver/jit holds the decorators; a kernel elsewhere that sets its own would escape nogil, caching or fixed order."""
    if solver_source.name == "solver/jit/__init__.py":
        return
    for line, name in solver_source.attributes():
        assert name.removeprefix("numba.") not in COMPILERS, f"line {line}: {name}"
    for node in ast.walk(solver_source.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            assert not COMPILERS & {alias.name for alias in node.names}, f"line {node.lineno}"

"""The solver stands alone: no Blender, and no relative import that climbs out of it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = {"bpy", "mathutils", "bmesh", "gpu", "blf", "aud", "bl_ext", "dollop", "solver", "operators", "panels"}


def _imports(path: Path) -> list[tuple[int, int, str]]:
    """(line, relative level, module) of every import statement, wherever it stands."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, 0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.lineno, node.level, node.module or ""))
    return found


@pytest.mark.parametrize("path", sorted((ROOT / "solver").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_solver_file_imports_nothing_from_above(path: Path) -> None:
    depth = len(path.relative_to(ROOT / "solver").parts)
    for line, level, module in _imports(path):
        assert level <= depth, f"line {line} climbs out of solver/"
        if level == 0:
            assert module.split(".")[0] not in FORBIDDEN, f"line {line} imports {module}"


def test_importing_the_solver_needs_no_numba() -> None:
    """Blender starts with the add-on enabled; numba costs up to two seconds and comes only when something computes."""
    code = "import sys, solver, solver.scene, solver.frame, solver.errors, solver.materials; print('numba' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"

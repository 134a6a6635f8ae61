"""Panels draw, operators hand on, the bridge touches meshes; and the extension knows itself by relative imports only."""

import ast
from pathlib import Path
from typing import Any

ARRAYS = {"numpy", "numba", "scipy"}


def test_panels_only_draw(panels_source: Any) -> None:
    for line, level, module in panels_source.imports():
        assert module.split(".")[0] not in ARRAYS, f"line {line} imports {module}"
        assert "bridge" not in module, f"line {line} reaches into the bridge"
        assert level <= 2, f"line {line} climbs out of the extension"
    for line, name in panels_source.attributes():
        assert not name.startswith("bpy.ops"), f"line {line} runs an operator instead of offering it"


def test_operators_touch_no_arrays(operators_source: Any) -> None:
    for line, _, module in operators_source.imports():
        assert module.split(".")[0] not in ARRAYS, f"line {line} imports {module}"
    for line, name in operators_source.attributes():
        assert name.split(".")[-1] not in {"foreach_get", "foreach_set"}, f"line {line}: only the bridge touches mesh arrays"


def test_operators_are_short_stories(operators_source: Any) -> None:
    """execute, invoke and modal hand on to the bridge."""
    for node in ast.walk(operators_source.tree):
        if isinstance(node, ast.FunctionDef) and node.name in ("execute", "invoke", "modal"):
            length = node.end_lineno - node.lineno + 1
            assert length <= 40, f"{node.name} in line {node.lineno} has {length} lines"


def test_the_extension_imports_itself_relatively(extension_source: Any) -> None:
    """Its package has another name in every repository that Blender installs it from."""
    for line, level, module in extension_source.imports():
        if level == 0:
            assert module.split(".")[0] not in {"dollop", "solver", "operators", "panels", "bl_ext"}, (
                f"line {line} imports {module}"
            )


def test_the_root_imports_nothing_until_it_registers(repository: Path) -> None:
    """pytest imports the root's __init__.py where there is no bpy."""
    tree = ast.parse((repository / "__init__.py").read_text(encoding="utf-8"))
    assert not [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]

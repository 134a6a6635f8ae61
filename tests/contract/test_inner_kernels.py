"""What Python cannot call, it does not call: an inner kernel has no entry for it."""

import ast
from pathlib import Path

SOLVER = Path(__file__).parents[2] / "solver"
COMPILED = {"kernel", "inner_kernel", "parallel", "inline"}


def decorators(function: ast.FunctionDef) -> set[str]:
    return {each.id for each in function.decorator_list if isinstance(each, ast.Name)}


def wrong_uses(text: str) -> list[str]:
    """Names of a file's inner kernels that are not private, or stand outside of its compiled functions."""
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inner = {function.name for function in functions if "inner_kernel" in decorators(function)}
    compiled = [function for function in functions if decorators(function) & COMPILED]
    inside = {id(node) for function in compiled for node in ast.walk(function)}
    named = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in inside]
    return [name for name in inner if not name.startswith("_")] + [name for name in named if name in inner]


def test_inner_kernels_are_called_by_kernels_of_their_file_alone():
    files = {path: path.read_text(encoding="utf-8") for path in SOLVER.rglob("*.py")}
    with_inner = [path for path, text in files.items() if "@inner_kernel\n" in text]
    assert len(with_inner) > 5
    assert {path: wrong_uses(files[path]) for path in with_inner if wrong_uses(files[path])} == {}
    tests = [path for path in (SOLVER.parent / "tests").rglob("*.py") if path != Path(__file__)]
    names = {f.name for path in with_inner for f in ast.walk(ast.parse(files[path])) if isinstance(f, ast.FunctionDef)
             and "inner_kernel" in decorators(f)}  # fmt: skip
    for path in (*files, *tests):
        imported = {each.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                    if isinstance(node, ast.ImportFrom) for each in node.names}  # fmt: skip
        assert not imported & names, path


def test_a_wrong_use_is_found():
    right = "@inner_kernel\ndef _inner(x):\n    return x\n@kernel\ndef outer(x):\n    return _inner(x)\n"
    assert wrong_uses(right) == []
    assert wrong_uses(right + "def of_python(x):\n    return _inner(x)\n") == ["_inner"]
    assert wrong_uses(right.replace("_inner", "inner")) == ["inner"]

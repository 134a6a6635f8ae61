"""The project's own sources, parsed."""

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Source:
    """One Python file: where it lies, and its tree."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def imports(self) -> list[tuple[int, int, str]]:
        """(line, relative level, module) of every import statement, wherever it stands."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found += [(node.lineno, 0, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found.append((node.lineno, node.level, node.module or ""))
        return found

    def attributes(self) -> list[tuple[int, str]]:
        """(line, dotted name) of every attribute that is reached from a plain name."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute):
                parts, inner = [node.attr], node.value
                while isinstance(inner, ast.Attribute):
                    parts.append(inner.attr)
                    inner = inner.value
                parts.append(inner.id if isinstance(inner, ast.Name) else "?")
                found.append((node.lineno, ".".join(reversed(parts))))
        return found


def sources(*folders: str) -> list[Source]:
    """Every Python file of these folders of the repository."""
    return [Source(path) for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


EXTENSION = [Source(ROOT / "__init__.py"), *sources("operators", "panels", "solver")]
EVERYTHING = [*EXTENSION, *sources("tests", "tools", "benchmarks")]
LAYERS = {
    "extension": EXTENSION,
    "everything": EVERYTHING,
    "solver": sources("solver"),
    "panels": sources("panels"),
    "operators": [source for source in sources("operators") if "/bridge/" not in source.name],
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `solver_source`, `panels_source`, ... runs once for each such file."""
    for layer, found in LAYERS.items():
        if f"{layer}_source" in metafunc.fixturenames:
            metafunc.parametrize(f"{layer}_source", found, ids=[source.name for source in found])

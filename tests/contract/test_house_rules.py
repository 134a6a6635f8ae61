"""Rules of the house that a machine can check."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

VAGUE = re.compile(r"(^|_)(utils?|helpers?|managers?|misc)(_|$)", re.IGNORECASE)
VAGUE_CLASS = re.compile(r"(Utils?|Helpers?|Manager)$")
LONGEST_FUNCTION, LONGEST_FILE = 70, 350
# Spelled apart, so that this file does not hold them itself.
HOSTS = [".".join(parts) for parts in (("pypi", "org"), ("files", "pythonhosted"), ("download", "blender"), ("deb", "debian"))]
FOLDERS = ["/" + name + "/" for name in ("root", "work", "opt", "Users")] + ["/" + "home" + "/"]
COMMITTED = ["*.md", "*.toml", ".ci/*", "docs/**/*.md", "tools/**/*.sh", "presets/*.toml"]


def test_names_say_what_they_are(everything_source: Any) -> None:
    for part in Path(everything_source.name).with_suffix("").parts:
        assert not VAGUE.search(part)
    for node in ast.walk(everything_source.tree):
        if isinstance(node, ast.ClassDef):
            assert not VAGUE_CLASS.search(node.name), node.name


def test_no_pickle(everything_source: Any) -> None:
    for line, _, module in everything_source.imports():
        assert module.split(".")[0] not in {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal"}, f"line {line}"
    for node in ast.walk(everything_source.tree):
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            assert isinstance(node.value, ast.Constant) and node.value.value is False, f"line {node.value.lineno}"


def test_files_and_functions_stay_short(extension_source: Any) -> None:
    lines = extension_source.text.count("\n")
    assert lines <= LONGEST_FILE, f"{lines} lines: is there more than one idea in it?"
    for node in ast.walk(extension_source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            documentation = ast.get_docstring(node, clean=False)
            length = node.end_lineno - node.lineno + 1 - (documentation.count("\n") + 1 if documentation else 0)
            assert length <= LONGEST_FUNCTION, f"{node.name} in line {node.lineno} has {length} lines: a few named steps?"


def test_every_file_says_what_it_is_for(everything_source: Any) -> None:
    if everything_source.text.strip():
        assert ast.get_docstring(everything_source.tree)


def test_no_machine_paths_and_no_registry_hosts(repository: Path) -> None:
    python = [
        path for folder in ("operators", "panels", "solver", "tests", "tools") for path in (repository / folder).rglob("*.py")
    ]
    texts = [path for pattern in COMMITTED for path in repository.glob(pattern) if path.is_file()]
    for path in [*python, *texts]:
        text = path.read_text(encoding="utf-8")
        for forbidden in HOSTS + FOLDERS:
            assert forbidden not in text, f"{path.relative_to(repository)} names {forbidden}"


def test_presets_are_data(repository: Path) -> None:
    folder = repository / "presets"
    assert {path.suffix for path in folder.iterdir() if path.is_file()} == {".toml"}
    assert len(list(folder.glob("*.toml"))) >= 12
    for path in folder.glob("*.toml"):
        tomllib.loads(path.read_text(encoding="utf-8"))


def test_the_name_leaves_the_trademark_alone(repository: Path) -> None:
    manifest = tomllib.loads((repository / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert "blender" not in (manifest["name"] + manifest["id"]).lower()
    assert "wheels" not in manifest

"""The documentation's snippets run: all of a page together, as one script in a process and a folder of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE = 3600.0  # seconds: a page compiles most of the solver, on whatever the machine leaves it
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LOAD = "import sys; sys.path.insert(0, {tools!r})\nimport bpy, source_extension\n"
LOAD += "bpy.ops.wm.read_factory_settings(use_empty=True)\nsource_extension.load()\n"


def _run(page: Path, folder: Path, prelude: str, search: list[Path]) -> str:
    snippets = SNIPPET.findall(page.read_text(encoding="utf-8"))
    assert snippets, f"{page.name} holds no Python"
    script = folder / "page.py"
    script.write_text(prelude + "\n".join(snippets), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, search))}
    command = [sys.executable, str(script)]
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert answer.returncode == 0, answer.stdout[-2000:] + answer.stderr[-3000:]
    return answer.stdout


@pytest.mark.blender
def test_scripting_inside_blender(repository: Path, tmp_path: Path) -> None:
    output = _run(repository / "docs" / "scripting.md", tmp_path, LOAD.format(tools=str(repository / "tools")), [])
    heights = [float(line.split()[1]) for line in output.splitlines() if re.fullmatch(r"[18] -?[\d.]+", line)]
    assert len(heights) == 2 and heights[1] < heights[0]
    assert (tmp_path / "goo.mdd").stat().st_size > 1000


def test_the_solver_without_blender(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "presets").symlink_to(repository / "presets", target_is_directory=True)
    _run(repository / "docs" / "solver.md", tmp_path, "", [repository])
    assert (tmp_path / "cache").is_dir()

"""The documentation's snippets run: all of a page together, as one script in a process and a folder of its own.

Pages of docs/solver/ go on from the snippets of docs/solver.md.
"""

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


def _snippets(page: Path) -> str:
    found = SNIPPET.findall(page.read_text(encoding="utf-8"))
    assert found, f"{page.name} holds no Python"
    return "\n".join(found)


def _run(page: Path, folder: Path, prelude: str, search: list[Path]) -> str:
    script = folder / "page.py"
    script.write_text(f"{prelude}\n{_snippets(page)}", encoding="utf-8")
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
    _run(repository / "docs" / "solver.md", _with_presets(tmp_path, repository), "", [repository])
    assert (tmp_path / "cache").is_dir()


@pytest.mark.parametrize("page", ["contact", "large-flow", "materials", "time"])
def test_what_the_solver_can_do(page: str, repository: Path, tmp_path: Path) -> None:
    before = _snippets(repository / "docs" / "solver.md")
    _run(repository / "docs" / "solver" / f"{page}.md", _with_presets(tmp_path, repository), before, [repository])


def test_every_page_of_the_solver_is_run_and_listed(repository: Path) -> None:
    pages = {path.stem for path in (repository / "docs" / "solver").glob("*.md")}
    assert pages == {"contact", "large-flow", "materials", "time"}, "test_what_the_solver_can_do names them"
    contents = (repository / "docs" / "solver.md").read_text(encoding="utf-8")
    assert all(f"(solver/{page}.md)" in contents for page in pages)


def test_links_between_pages_lead_somewhere(repository: Path) -> None:
    for page in [*repository.glob("*.md"), *repository.glob("docs/**/*.md"), *repository.glob("benchmarks/*.md")]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if "://" in target:
                continue
            name, _, heading = target.partition("#")
            file = page.parent / name if name else page
            assert file.exists(), f"{page.name} links to {target}"
            if heading:
                assert heading in _anchors(file), f"{page.name} links to {target}"


def _with_presets(folder: Path, repository: Path) -> Path:
    (folder / "presets").symlink_to(repository / "presets", target_is_directory=True)
    return folder


def _anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

"""The built zip, installed into a clean Blender of each kind."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from blenders import Blender, package_targets
from build_extension import build
from failure import SetUpError

STEPS = Path(__file__).parent / "steps"


@dataclass(frozen=True)
class Installation:
    """A Blender with the zip installed; everything it reads and writes lies in its folder."""

    blender: Blender
    folder: Path
    archive: Path

    @property
    def environment(self) -> dict[str, str]:
        mine = {"BLENDER_USER_RESOURCES": str(self.folder / "resources"), "NUMBA_CACHE_DIR": str(self.folder / "numba")}
        return {**os.environ, **mine, "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, command: list[str], expected: int = 0) -> str:
        """Run to the end; return what it wrote."""
        answer = subprocess.run(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        assert answer.returncode == expected, f"exit code {answer.returncode}:\n{answer.stdout[-4000:]}"
        return answer.stdout

    def step(self, name: str, *arguments: str) -> dict[str, Any]:
        """Run one of steps/ inside this Blender; return what it reported."""
        output = self.run(self.blender.script(self.folder / "steps" / "run.py", [name, *arguments], self.folder))
        reports = [line for line in output.splitlines() if line.startswith("RESULT ")]
        assert len(reports) == 1, output[-4000:]
        return json.loads(reports[0].removeprefix("RESULT "))

    def program(self, *arguments: str, expected: int = 0) -> str:
        """Start the real program with these arguments."""
        return self.run(self.blender.start(list(arguments), self.folder), expected)


@pytest.fixture(scope="session")
def output_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's zips are built."""
    return tmp_path_factory.mktemp("dist")


@pytest.fixture(scope="session")
def installations() -> dict[str, Installation]:
    """Installed once each, whatever order the tests come in."""
    return {}


@pytest.fixture(scope="session", params=list(package_targets()))
def installation(
    request: pytest.FixtureRequest,
    installations: dict[str, Installation],
    tmp_path_factory: pytest.TempPathFactory,
    output_folder: Path,
) -> Installation:
    """One Blender with the zip of its Python installed."""
    if request.param not in installations:
        blender = _found(request.param)
        folder = tmp_path_factory.mktemp(request.param)
        (built,) = build([("linux-x64", blender.python_tag)], output_folder)
        installations[request.param] = _install(Installation(blender, folder, Path(shutil.copy(built, folder))))
    return installations[request.param]


def _found(name: str) -> Blender:
    try:
        return package_targets()[name]()
    except SetUpError as error:
        if os.environ.get("DOLLOP_STRICT"):
            raise
        pytest.skip(str(error))


def _install(made: Installation) -> Installation:
    shutil.copytree(STEPS, made.folder / "steps", ignore=shutil.ignore_patterns("__pycache__"))
    if made.blender.is_program:
        made.program("--command", "extension", "install-file", "-r", "user_default", "--enable", str(made.archive))
    else:
        assert "bl_ext.user_default.dollop" in made.step("install", str(made.archive))["addons"]
    return made

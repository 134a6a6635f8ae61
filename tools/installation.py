"""A built zip, installed into a clean Blender that shares nothing with the user's own, but for the tests' compiled kernels."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blenders import Blender
from build_extension import build, this_platform
from failure import SetUpError

MODULE = "bl_ext.user_default.dollop"
PATIENCE = 3600.0  # seconds: a first bake compiles the solver, on whatever the machine leaves it


@dataclass(frozen=True)
class Installation:
    """A Blender with the zip installed; what it reads and writes lies in its folder, and in NUMBA_CACHE_DIR."""

    blender: Blender
    folder: Path
    archive: Path

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "BLENDER_USER_RESOURCES": str(self.folder / "resources"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, command: list[str], expected: int = 0) -> str:
        """Run to the end; return what it wrote."""
        answer = subprocess.run(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert answer.returncode == expected, f"exit code {answer.returncode}, not {expected}:\n{answer.stdout[-4000:]}"
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


def install(blender: Blender, folder: Path, steps: Path) -> Installation:
    """Build the zip for this Blender and install it; the steps, scripts to run inside, come along."""
    (built,) = build([(this_platform(), blender.python_tag)], folder)
    made = Installation(blender, folder, built)
    shutil.copytree(steps, folder / "steps", ignore=shutil.ignore_patterns("__pycache__"))
    if blender.is_program:
        made.program("--command", "extension", "install-file", "-r", "user_default", "--enable", str(built))
    elif MODULE not in made.step("install", str(built))["addons"]:
        raise SetUpError(f"{blender.name} did not enable the extension.")
    return made

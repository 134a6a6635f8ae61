"""The Blenders that a built zip is tried in: bpy as a module, and the real program."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bare_venv import bare_venv, older_venv
from environment import CACHE
from failure import SetUpError
from pins import PINS, tag_of
from system_packages import ROOT_PROGRAMS, can_install, ensure_programs

HERE = Path(__file__).resolve().parent
SUITE = "sid"
ROOT_FOLDER = CACHE / f"root-{SUITE}"


@dataclass(frozen=True)
class Blender:
    """One Blender: a Python that holds bpy, or a program.

    name       : for messages and test names
    python_tag : which zip it takes
    program    : words that start it, before any of its own arguments; for a module the Python
    is_program : the real program, with a window, -b and --command
    in_root    : runs inside a Debian root and sees only the folders it is given
    """

    name: str
    python_tag: str
    program: tuple[str, ...]
    is_program: bool = False
    in_root: bool = False

    def start(self, arguments: list[str], folder: Path) -> list[str]:
        """The command line with these arguments; everything they name, but for compiled kernels, has to lie in the folder."""
        if self.in_root:
            folders = [str(folder), *_kernel_folder()]
            return [str(HERE / "real_blender" / "in_root.sh"), str(ROOT_FOLDER), *folders, "--", *self.program, *arguments]
        return [*self.program, *arguments]

    def script(self, script: Path, arguments: list[str], folder: Path, blend: Path | None = None) -> list[str]:
        """The command line that runs a script without a window; it finds its arguments after '--'."""
        if not self.is_program:
            return self.start([str(script), "--", *arguments], folder)
        opened = [str(blend)] if blend else []
        return self.start(["-b", *opened, "--python-exit-code", "1", "--python", str(script), "--", *arguments], folder)


def _kernel_folder() -> list[str]:
    """Where the tests keep compiled kernels, if they chose a folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if not chosen:
        return []
    Path(chosen).mkdir(parents=True, exist_ok=True)
    return [chosen]


def module_blender(tag: str) -> Blender:
    return Blender(f"bpy {PINS['venvs'][tag]['bpy']}", tag, (str(bare_venv(tag)),))


def older_blender(version: str) -> Blender:
    return Blender(f"bpy {PINS['blenders'][version]['bpy']}", PINS["blenders"][version]["venv"], (str(older_venv(version)),))


@cache
def real_blender() -> Blender:
    """The real program: BLENDER=..., on PATH, or made (Debian, as root)."""
    given = os.environ.get("BLENDER") or shutil.which("blender")
    if given:
        return _asked_for_python(Blender("blender", "", (given,), is_program=True))
    if not can_install():
        raise SetUpError("No real Blender: set BLENDER to its path, put it on PATH, or run as root on Debian to have one made.")
    _make_root()
    return _asked_for_python(Blender("blender", "", ("blender",), is_program=True, in_root=True))


def _make_root() -> None:
    """Make the small Debian with Blender in it, unless it is there; who comes while another makes it waits."""
    import fcntl  # there is none on Windows, nor is there Debian

    ROOT_FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{ROOT_FOLDER}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        absent = ensure_programs(ROOT_PROGRAMS)
        if absent:
            raise SetUpError(f"{', '.join(absent)} could not be installed, so no real Blender could be made.")
        if not (ROOT_FOLDER / "usr" / "bin" / "blender").exists():
            print(f"Making {ROOT_FOLDER}: about 150 s and 1.2 GB", flush=True)
        command = [str(HERE / "real_blender" / "make_root.sh"), SUITE, str(ROOT_FOLDER)]
        made = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if made.returncode != 0:
        raise SetUpError(f"The real Blender could not be made: {made.stderr.strip().splitlines()[-1:]}")


def _asked_for_python(blender: Blender) -> Blender:
    """Fill in its version and Python."""
    expression = "import sys, bpy; print('DOLLOP', bpy.app.version_string.split()[0], '%d.%d' % sys.version_info[:2])"
    command = blender.start(["-b", "--factory-startup", "--python-expr", expression], HERE)
    answer = subprocess.run(command, capture_output=True, text=True)
    for line in answer.stdout.splitlines():
        if line.startswith("DOLLOP "):
            _, version, python = line.split()
            return Blender(f"blender {version}", tag_of(python), blender.program, blender.is_program, blender.in_root)
    raise SetUpError(f"{' '.join(blender.program)} does not start: {(answer.stdout + answer.stderr)[-500:]}")


def package_targets() -> dict[str, Callable[[], Blender]]:
    """Every Blender that the package tests want, by a short name; calling one finds or makes it."""
    targets: dict[str, Callable[[], Blender]] = {f"bpy-{tag}": (lambda tag=tag: module_blender(tag)) for tag in PINS["venvs"]}
    targets["real"] = real_blender
    if os.environ.get("DOLLOP_ALL_BLENDERS"):
        targets |= {f"bpy-{version}": (lambda version=version: older_blender(version)) for version in PINS["blenders"]}
    return targets

"""Development environments: one venv per Python that Blender carries, made and completed on demand.

They lie under DOLLOP_CACHE (default ~/.cache/dollop), outside the repository, and are shared by all checkouts.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from failure import SetUpError
from pins import PINS, tag_of, venv_requirements
from system_packages import apt_install, can_install, ensure_bpy_libraries

CACHE = Path(os.environ.get("DOLLOP_CACHE") or Path.home() / ".cache" / "dollop")

_INSTALLED = """
import importlib.metadata, json, re
print(json.dumps({re.sub('[-_.]+', '-', d.metadata['Name']).lower(): d.version for d in importlib.metadata.distributions()}))
"""


def _version_of(program: str | Path) -> str | None:
    """'3.11' when the program is a Python that runs; a version manager's shim may exist and still refuse."""
    try:
        probe = subprocess.run(
            [str(program), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return probe.stdout.strip() if probe.returncode == 0 else None


def find_python(version: str) -> Path | None:
    """A Python of exactly this version that runs: this one, one on PATH, or one of pyenv's."""
    candidates: list[str | Path] = [sys.executable]
    for folder in os.get_exec_path():
        candidates.append(Path(folder) / f"python{version}")
    candidates += sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"), reverse=True)
    for candidate in candidates:
        if Path(candidate).exists() and _version_of(candidate) == version:
            return Path(candidate)
    return None


def own_tag() -> str:
    """The tag of the running Python when Blender has such a one, else of the first that is found."""
    tag = tag_of(".".join(map(str, sys.version_info[:2])))
    if tag in PINS["venvs"]:
        return tag
    for other, venv in PINS["venvs"].items():
        if find_python(venv["python"]):
            return other
    versions = " or ".join(venv["python"] for venv in PINS["venvs"].values())
    raise SetUpError(f"Dollop's tools need Python {versions}, as Blender carries; this is {sys.version.split()[0]}.")


def venv_python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_venv(folder: Path, version: str) -> Path:
    """Make the venv unless it is there and runs; return its python."""
    python = venv_python(folder)
    if python.exists() and _version_of(python) == version:
        return python
    base = find_python(version)
    if base is None:
        raise SetUpError(f"There is no Python {version} on this machine: install it and run again.")
    shutil.rmtree(folder, ignore_errors=True)
    print(f"Making {folder}", flush=True)
    made = subprocess.run([str(base), "-m", "venv", str(folder)], capture_output=True, text=True)
    if made.returncode != 0 and can_install():
        apt_install([f"python{version}-venv"])
        made = subprocess.run([str(base), "-m", "venv", str(folder)], capture_output=True, text=True)
    if made.returncode != 0:
        raise SetUpError(f"Python {version} cannot make a venv (Debian: install python{version}-venv).\n{made.stdout}")
    return python


def installed(python: Path) -> dict[str, str]:
    """Distribution name -> version in that environment."""
    answer = subprocess.run([str(python), "-c", _INSTALLED], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def install(python: Path, requirements: list[str]) -> None:
    """Install what is absent or of another version."""
    have = installed(python)
    missing = [item for item in requirements if have.get(item.split("==")[0]) != item.split("==")[1]]
    if not missing:
        return
    print(f"Installing {' '.join(missing)}", flush=True)
    # The whole list at once: otherwise pip would be free to move a neighbour that is already right.
    command = [str(python), "-m", "pip", "install", "-q", "--no-input", "--disable-pip-version-check", *requirements]
    subprocess.run(command, check=True)


def development_venv(tag: str) -> Path:
    """The python of the complete development environment for 'cp311' or 'cp313'."""
    ensure_bpy_libraries()
    python = make_venv(CACHE / "venvs" / tag, PINS["venvs"][tag]["python"])
    install(python, venv_requirements(tag))
    return python


def site_packages(python: Path) -> Path:
    code = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    return Path(subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True).stdout.strip())


def extension_tool(python: Path) -> Path:
    """Blender's own extension builder and validator, as pip bpy carries it."""
    found = sorted(site_packages(python).glob("bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not found:
        raise SetUpError(f"The bpy of {python} carries no extension tool.")
    return found[-1]


def run_environment() -> dict[str, str]:
    """The environment that tests and demos run in: compiled kernels are kept between runs."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.setdefault("NUMBA_CACHE_DIR", str(CACHE / "numba"))
    return environment

"""Environments that hold a Blender and nothing else, so that an installed extension has to live on the wheels of its zip."""

import importlib.metadata
import re
import subprocess
from pathlib import Path

from environment import CACHE, development_venv, find_python, install, installed, make_venv, site_packages, venv_python
from failure import SetUpError
from pins import PINS


def bare_venv(tag: str) -> Path:
    """The bpy of the development environment alone: linked, as it is 1.4 GB large."""
    development = development_venv(tag)
    full = site_packages(development)
    folder = CACHE / "venvs" / f"{tag}-bare"
    python = venv_python(folder)
    wanted = _closure("bpy", full)
    if python.exists() and "bpy" in (linked := installed(python)) and linked.items() <= installed(development).items():
        return python
    base = find_python(PINS["venvs"][tag]["python"])
    if base is None:
        raise SetUpError(f"There is no Python {PINS['venvs'][tag]['python']} on this machine.")
    subprocess.run([str(base), "-m", "venv", "--clear", "--without-pip", str(folder)], check=True)
    target = site_packages(python)
    for name in wanted:
        (target / name).symlink_to(full / name)
    return python


def _closure(name: str, site: Path) -> set[str]:
    """Top-level files and folders of a distribution and of everything it requires."""
    distributions = {_plain(item.metadata["Name"]): item for item in importlib.metadata.distributions(path=[str(site)])}
    waiting, done, entries = [_plain(name)], set(), set()
    while waiting:
        name = waiting.pop()
        if name in done or name not in distributions:
            continue
        done.add(name)
        entries |= {file.parts[0] for file in distributions[name].files or [] if file.parts[0] not in ("..", "__pycache__")}
        for requirement in distributions[name].requires or []:
            if "extra ==" not in requirement:
                waiting.append(_plain(re.match(r"[\w.-]+", requirement).group()))
    return entries


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def older_venv(blender: str) -> Path:
    """A bare environment of a further Blender, '4.2' or '4.5'."""
    pins = PINS["blenders"][blender]
    python = make_venv(CACHE / "venvs" / f"blender-{blender}", PINS["venvs"][pins["venv"]]["python"])
    install(python, [f"bpy=={pins['bpy']}", f"numpy=={pins['numpy']}"])
    return python

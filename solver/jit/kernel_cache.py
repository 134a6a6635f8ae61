"""Where compiled kernels are kept: each file's by what it and all files that it imports say.

numba's disk cache notices a change of a kernel's own file, but not of a file that it calls into; a folder keyed by the
contents of both cannot go stale, and a change compiles no more than what it can have changed. Types that are ours are kept in
it by the names of their modules, which differ with how the solver is imported: in Blender it is a part of the extension, in
its child processes it is not. So that name is a key too.

To read all sources would be a good part of a bake's start. What has come of them is kept as well, with their sizes and times,
and holds until one of these is another.
"""

import contextlib
import hashlib
import json
import os
import re
import sys
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).absolute().parents[1]
FOUND_BY_ITSELF = SOURCES / "declared.py"  # who imports it takes in every file of its own folder

_IMPORT = re.compile(r"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)


def kernel_folder() -> Path:
    """What is true of all kernels together is kept here, inside NUMBA_CACHE_DIR or the user's cache."""
    return root() / _names()[""]


def folder_of_file(file: Path) -> Path:
    """Where the kernels of one of the solver's files are kept; kernel_locator.py has numba use it."""
    return root() / _names()[file.relative_to(SOURCES).as_posix()]


@cache
def _names() -> dict[str, str]:
    """The folder of each file's kernels by its place among the sources, and by nothing what is true of all together."""
    kept = root() / f"sources_{hashlib.blake2b(repr((__name__, str(SOURCES))).encode(), digest_size=8).hexdigest()}.json"
    seen = _sizes_and_times(str(SOURCES))
    with contextlib.suppress(OSError, ValueError, KeyError):
        table = json.loads(kept.read_text(encoding="utf-8"))
        if table["seen"] == seen:
            return dict(table["names"])
    names = {place: _name(SOURCES / place) for place in seen}
    names[""] = f"all_{_digest(frozenset(SOURCES / place for place in seen))}"
    _keep(kept, {"seen": seen, "names": names})
    return names


def _sizes_and_times(folder: str, place: str = "") -> dict[str, list[int]]:
    """Size [bytes] and time of the last change [ns] of every source, in a fixed order."""
    found: dict[str, list[int]] = {}
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir():
            found |= {} if entry.name == "__pycache__" else _sizes_and_times(entry.path, f"{place}{entry.name}/")
        elif entry.name.endswith(".py"):
            status = entry.stat()
            found[place + entry.name] = [status.st_size, status.st_mtime_ns]
    return found


def _keep(path: Path, table: dict[str, object]) -> None:
    """Write it whole or not at all; without it the sources are read again."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(table), encoding="utf-8")
        os.replace(part, path)


def _name(file: Path) -> str:
    place = file.relative_to(SOURCES).with_suffix("")
    return (place.parent / f"{place.name}_{_digest(leans_on(file))}").as_posix()


@cache
def leans_on(file: Path) -> frozenset[Path]:
    """A file of the solver and all others that it can have code from, through whatever number of imports."""
    found, open_ends = {file}, [file]
    while open_ends:
        for other in _imported(open_ends.pop()) - found:
            found.add(other)
            open_ends.append(other)
    return frozenset(found)


@cache
def _imported(file: Path) -> frozenset[Path]:
    """The files that one names in its imports: the solver's are all relative (tests/contract)."""
    found: set[Path] = set()
    for dots, module, names in _IMPORT.findall(_text(file)):
        place = file.parents[len(dots) - 1].joinpath(*module.split(".")) if module else file.parents[len(dots) - 1]
        if place.is_dir():
            inside = [place / f"{name}.py" for name in re.findall(r"\w+", names)]
            inside += [place / name / "__init__.py" for name in re.findall(r"\w+", names)]
            found.update(each for each in (place / "__init__.py", *inside) if each.is_file())
        else:
            found.add(place.with_suffix(".py"))
    if FOUND_BY_ITSELF in found:
        found.update(file.parent.rglob("*.py"))
    return frozenset(found)


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _entry(file: Path) -> bytes:
    """A file's place among the sources and what it says."""
    place = file.relative_to(SOURCES).as_posix().encode()
    return place + b"\n" + hashlib.blake2b(_text(file).encode(), digest_size=16).digest()


def _digest(files: frozenset[Path]) -> str:
    digest = hashlib.blake2b(__name__.encode(), digest_size=8)
    for entry in sorted(map(_entry, files)):
        digest.update(entry)
    return digest.hexdigest()


def root() -> Path:
    """The folder of all kernels, of whatever sources, for this Python."""
    chosen = Path(os.environ.get("NUMBA_CACHE_DIR") or _user_cache() / "dollop" / "numba")
    return chosen / f"solver_py{sys.version_info.major}{sys.version_info.minor}"


def _user_cache() -> Path:
    return Path(os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")

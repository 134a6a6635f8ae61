"""Where compiled kernels are kept: one folder for each state of the solver's sources.

numba's disk cache notices a change of a kernel's own file, but not of a file that it calls into; a folder keyed by the
contents of all files cannot go stale. Types that are ours are kept in it by the names of their modules, which differ with how
the solver is imported: in Blender it is a part of the extension, in its child processes it is not. So that name is a key too.
"""

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).absolute().parents[1]


def kernel_folder() -> Path:
    """This solver's folder inside NUMBA_CACHE_DIR, or inside the user's cache; kernel_locator.py has numba use it."""
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or _user_cache() / "dollop" / "numba")
    return base / _name()


@cache
def _name() -> str:
    digest = hashlib.blake2b(__name__.encode(), digest_size=8)
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(path.relative_to(SOURCES).as_posix().encode() + path.read_bytes())
    return f"solver_{digest.hexdigest()}_py{sys.version_info.major}{sys.version_info.minor}"


def _user_cache() -> Path:
    return Path(os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")

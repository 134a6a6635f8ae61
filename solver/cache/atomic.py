"""Writing a file so that it is either whole or absent, whatever happens: a kill, a full disk, a lost network share."""

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import ResourceError

TEMPORARY = ".part"

_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextlib.contextmanager
def artist_errors(path: Path, frame: int | None = None) -> Iterator[None]:
    """Turn the system's refusal to write `path` into a ResourceError that says what to do."""
    try:
        yield
    except OSError as error:
        place = path
        if error.errno in _FULL:
            message, remedy = "The disk is full.", "Free some space and press Resume, or bake into another cache folder."
        elif error.errno in _FORBIDDEN:
            place = _refusing(path)
            what = "file" if place.is_file() else "folder"
            message, remedy = f"This {what} cannot be written.", "Choose a cache folder that you may write to."
        else:
            message, remedy = f"It cannot be written ({error.strerror or error}).", "Check the cache folder."
        raise ResourceError(message, place=str(place), frame=frame, remedy=remedy) from error


def _refusing(path: Path) -> Path:
    """Return the file or the folder whose permissions keep `path` from being written."""
    for place in (path, *path.parents):
        refuses_all = place.is_file() and not os.access(place.parent, os.W_OK)
        if place.exists() and not refuses_all:
            return place
    return path


def write_atomically(path: Path, data: bytes, frame: int | None = None, flushed: bool = True) -> None:
    """Write `data` beside `path`, flush it to the disk and rename it; leave nothing behind on failure.

    Not `flushed`, it is whole whatever happens to this process, but not yet safe from a power cut (flushing.py).
    Raises ResourceError when the disk is full or the folder cannot be written.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    with artist_errors(path, frame):
        try:
            with open(temporary, "wb") as file:
                file.write(data)
                file.flush()
                if flushed:
                    os.fsync(file.fileno())
            _replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
    if flushed:
        flush_folder(path.parent)


def _replace(temporary: Path, path: Path) -> None:
    """Rename over `path`; on Windows a reader may hold it for a moment."""
    for _ in range(20 if os.name == "nt" else 0):
        try:
            os.replace(temporary, path)
            return
        except PermissionError:
            time.sleep(0.02)
    os.replace(temporary, path)


def flush_folder(folder: Path) -> None:
    """Make the rename itself durable where the system can; some network shares refuse, and then it is merely later."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

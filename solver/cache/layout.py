"""The names of a cache folder's files, and finding and removing exactly those."""

import os
import re
from pathlib import Path

from ..errors import CacheError
from . import journal, manifest
from .atomic import TEMPORARY, artist_errors

SUFFIX = ".dollop.npz"
LOCK_FILE = "dollop.lock"
_UID = re.compile(r"[A-Za-z0-9_-]{1,128}")
FRAME = re.compile(r"frame_(\d{6,}|-\d{5,})" + re.escape(SUFFIX))
CHECKPOINT = re.compile(r"checkpoint_(\d{6,}|-\d{5,})" + re.escape(SUFFIX))
_TOPOLOGY = re.compile(r"topology_[A-Za-z0-9_-]{1,128}_\d{6,}" + re.escape(SUFFIX))
PART = re.compile(rf"(?:.+{re.escape(SUFFIX)}|{re.escape(manifest.FILE)})\.\d+{re.escape(TEMPORARY)}")
EVERYTHING = (FRAME, _TOPOLOGY, CHECKPOINT, PART, re.compile(re.escape(journal.FILE)))  # but the manifest and the lock


def frame_path(folder: Path, number: int) -> Path:
    return folder / f"frame_{number:06d}{SUFFIX}"


def checkpoint_path(folder: Path, number: int) -> Path:
    return folder / f"checkpoint_{number:06d}{SUFFIX}"


def topology_path(folder: Path, uid: str, identifier: int) -> Path:
    return folder / f"topology_{safe(uid)}_{identifier:06d}{SUFFIX}"


def safe(uid: str) -> str:
    """Return a body's uid if it may be part of a file name; raise ValueError otherwise (names never are)."""
    if not _UID.fullmatch(uid):
        raise ValueError(f"'{uid}' is not a file-safe identifier.")
    return uid


def numbers(folder: Path, pattern: re.Pattern[str]) -> list[int]:
    """Return the numbers of the files of one kind, unsorted. Raises CacheError if the folder cannot be read."""
    try:
        return [int(match[1]) for entry in os.scandir(folder) if (match := pattern.fullmatch(entry.name))]
    except OSError as error:
        raise CacheError(f"The cache folder cannot be read ({error.strerror}).", place=str(folder)) from error


def remove(folder: Path, patterns: tuple[re.Pattern[str], ...]) -> None:
    """Remove the files that Dollop named so; nothing else in the folder is touched. Raises ResourceError."""
    for entry in list(os.scandir(folder)):
        if entry.is_file() and any(pattern.fullmatch(entry.name) for pattern in patterns):
            with artist_errors(Path(entry.path)):
                os.unlink(entry.path)

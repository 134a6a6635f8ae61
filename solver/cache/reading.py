"""Whole files of a cache folder, read with a sentence for the artist when one is missing or damaged."""

from collections import OrderedDict
from pathlib import Path

from numpy.typing import NDArray

from ..errors import CacheError
from . import archive

_RECENT = 2  # a subframe reads two neighbours for each of several bodies


def read_arrays(path: Path, what: str, frame: int | None) -> dict[str, NDArray]:
    """Return the arrays of one sealed file. Raises CacheError, which calls the file `what`."""
    try:
        return archive.unpack(path.read_bytes())
    except FileNotFoundError:
        raise CacheError(
            f"The cached {what} is missing.", place=path.name, frame=frame, remedy="Resume the bake, or bake again."
        ) from None
    except OSError as error:
        raise CacheError(
            f"The cached {what} cannot be read ({error.strerror}).", place=path.name, frame=frame, remedy="Check the disk."
        ) from error
    except archive.DamagedError as error:
        raise CacheError(
            f"The cached {what} is damaged: {error}.", place=path.name, frame=frame, remedy="Bake again."
        ) from error


class RecentFrames:
    """The frame files that were read last, for as long as they stay the same on the disk."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, int], dict[str, NDArray]] = OrderedDict()

    def read(self, path: Path, number: int) -> dict[str, NDArray]:
        """Return the arrays of frame `number`. Raises CacheError if the file is missing or damaged."""
        try:
            status = path.stat()
        except OSError:
            return read_arrays(path, "frame", number)  # which says what is wrong
        key = (path.name, status.st_mtime_ns, status.st_size)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        arrays = self._kept[key] = read_arrays(path, "frame", number)
        while len(self._kept) > _RECENT:
            self._kept.popitem(last=False)
        return arrays

    def forget(self) -> None:
        """Keep nothing any more."""
        self._kept.clear()

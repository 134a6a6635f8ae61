"""FrameStore: the frames of one bake in one folder. The directory says which are finished, the seals that they are whole."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from numpy.typing import NDArray

from ..errors import CacheError, SolverError, VersionError
from ..frame import BodyFrame, Frame
from . import archive, frame_arrays, journal, manifest
from .atomic import artist_errors, write_atomically
from .flushing import Flushing
from .layout import (
    CHECKPOINT,
    EVERYTHING,
    FRAME,
    LOCK_FILE,
    PART,
    checkpoint_path,
    frame_path,
    numbers,
    remove,
    safe,
    topology_path,
)
from .lock import CacheLock, is_held
from .reading import RecentFrames, read_arrays
from .topology import SurfaceTopology, from_arrays, to_arrays

_CHECKPOINTS_KEPT = 2


class FrameStore:
    """One bake's cache. `create` and `open(writable=True)` hold its lock until `close`; `open` alone only reads.

    manifest : the manifest as plain data (manifest.py lists what it must hold); changed by `update_manifest`
    """

    def __init__(self, folder: Path, content: dict[str, Any], lock: CacheLock | None = None) -> None:
        self.folder = folder
        self.manifest = content
        self._lock = lock
        self._recent = RecentFrames()
        self._flushing = Flushing(folder)

    # Opening and closing

    @classmethod
    def create(cls, folder: str | os.PathLike[str], content: dict[str, Any]) -> Self:
        """Begin a cache, clearing an older one from the folder (foreign files stay).

        content : "frames_per_second", "frame_start", "frame_end", "versions" (see `versions`) and
                  "bodies": [{"uid", "name", "vertices"}]; "scene_hash" lets playback tell a stale cache;
                  more is kept as it is.
        Raises ResourceError when the folder cannot be written or another bake writes it.
        """
        path = Path(folder)
        content = manifest.checked(content)
        for body in content["bodies"]:
            safe(body["uid"])
        with artist_errors(path):
            path.mkdir(parents=True, exist_ok=True)
        store = cls(path, content, CacheLock(path / LOCK_FILE))
        try:
            remove(path, EVERYTHING)
            manifest.write(path, content)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, writable: bool = False) -> Self:
        """Open a cache to play it, or with `writable` to go on baking it.

        Raises CacheError (none there, or damaged), VersionError (of another format), ResourceError (cannot write).
        """
        path = Path(folder)
        content = manifest.read(path)
        lock = CacheLock(path / LOCK_FILE) if writable else None
        store = cls(path, content, lock)
        if writable:
            remove(path, (PART,))  # the lock says that nobody is writing them now
        return store

    @staticmethod
    def exists(folder: str | os.PathLike[str]) -> bool:
        """Tell whether the folder holds a cache (unread)."""
        return (Path(folder) / manifest.FILE).is_file()

    def close(self) -> None:
        """Let go of the lock once all is on the disk; harmless when done already. Raises ResourceError."""
        try:
            self._flushing.close()
        finally:
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The manifest

    def update_manifest(self, **changes: Any) -> None:
        """Change or add entries ("status", "warnings", ...) and replace the file atomically, once the frames are on the disk.
        Raises ResourceError."""
        self._writable()
        self._flushing.wait()
        self.manifest = manifest.checked({**self.manifest, **changes})
        manifest.write(self.folder, self.manifest)

    @property
    def status(self) -> str:
        """The manifest's status, or "interrupted" where that says "baking" but no bake writes the cache any more."""
        said = str(self.manifest.get("status", ""))
        if said != "baking" or self._lock is not None or is_held(self.folder / LOCK_FILE):
            return said
        return "interrupted"

    def body(self, uid: str) -> dict[str, Any] | None:
        """Return the manifest's entry of one body, None if this bake does not know it."""
        return next((body for body in self.manifest["bodies"] if body["uid"] == uid), None)

    def require_versions(self, versions: dict[str, str]) -> None:
        """Raise VersionError unless what computes is what began this bake, so that going on gives the same bytes."""
        cached = self.manifest["versions"]
        changed = [key for key in ("dollop", "numpy", "numba") if cached.get(key, "") != versions.get(key, "")]
        if changed:
            words = ", ".join(f"{key} {cached.get(key) or 'none'} instead of {versions.get(key) or 'none'}" for key in changed)
            raise VersionError(
                f"This cache was begun with {words}.",
                place=str(self.folder),
                remedy="Go on with those versions, or bake from the start.",
            )

    # Topology records

    def write_topology(self, uid: str, identifier: int, topology: SurfaceTopology) -> None:
        """Store a topology record; write it before the first frame that names it. Raises ResourceError."""
        self._writable()
        write_atomically(topology_path(self.folder, uid, identifier), archive.pack(to_arrays(topology)))

    def read_topology(self, uid: str, identifier: int) -> SurfaceTopology:
        """Return a topology record. Raises CacheError if it is missing or damaged."""
        path = topology_path(self.folder, uid, identifier)
        return _topology(read_arrays(path, f"topology {identifier}", None), path)

    # Frames

    def write_frame(self, frame: Frame) -> None:
        """Store a finished frame, replacing an older one. Raises ResourceError; all other frames are kept.

        It can be read at once, and is flushed to the disk beside what comes next.
        """
        self._writable()
        data, path = archive.pack(frame_arrays.to_arrays(frame)), frame_path(self.folder, frame.number)
        write_atomically(path, data, frame.number, flushed=False)
        record = {"frame": frame.number, "bytes": len(data), "crc32": archive.sealed_with(data)}
        if frame.statistics:
            record["statistics"] = frame.statistics  # type: ignore[assignment]
        if frame.warnings:
            record["warnings"] = list(frame.warnings)  # type: ignore[assignment]
        journal.append(self.folder, record)
        self._flushing.add(path, frame.number)

    def read_body_frame(self, number: int, uid: str) -> BodyFrame:
        """Return one body at one frame. Raises CacheError if the frame is missing or damaged, or has no such body."""
        arrays = self._recent.read(frame_path(self.folder, number), number)
        if f"{uid}.positions" not in arrays:
            raise CacheError("This body is not in the frame.", body=uid, frame=number, remedy="Bake again.")
        return frame_arrays.body_frame(arrays, uid, number)

    def frames(self) -> list[int]:
        """Return the numbers of the finished frames, sorted."""
        return sorted(numbers(self.folder, FRAME))

    def has_frame(self, number: int) -> bool:
        """Tell whether a frame is finished (unread)."""
        return frame_path(self.folder, number).exists()

    def remove_frames_after(self, number: int) -> None:
        """Forget the frames after `number`, which a bake that goes on from there will write anew. Raises ResourceError."""
        self._writable()
        for later in (n for n in numbers(self.folder, FRAME) if n > number):
            with artist_errors(frame_path(self.folder, later)):
                frame_path(self.folder, later).unlink(missing_ok=True)

    def journal(self) -> dict[int, dict[str, Any]]:
        """Return each frame's record: "bytes", "crc32", "statistics", "warnings"."""
        return journal.read(self.folder)

    def damage(self) -> Iterator[SolverError]:
        """Read every frame and topology record and yield an error for each that is missing, damaged or mixed in."""
        records = self.journal()
        topologies: set[tuple[str, int]] = set()
        for number in range(self.manifest["frame_start"], self.manifest["frame_end"] + 1):
            path = frame_path(self.folder, number)
            try:
                arrays = read_arrays(path, "frame", number)
            except CacheError as error:
                yield error
                continue
            if number in records and records[number]["crc32"] != archive.checksum(path.read_bytes()):
                yield CacheError("This file is of another bake.", place=path.name, frame=number, remedy="Bake again.")
            topologies |= {(key[: -len(".topology")], int(arrays[key])) for key in arrays if key.endswith(".topology")}
        for uid, identifier in sorted(topologies):
            try:
                self.read_topology(uid, identifier)
            except CacheError as error:
                yield error

    # Checkpoints

    def write_checkpoint(self, number: int, arrays: dict[str, NDArray]) -> None:
        """Store the state after frame `number`, once the frames are on the disk; the one before it is kept, older ones go.
        Raises ResourceError."""
        self._writable()
        self._flushing.wait()
        write_atomically(checkpoint_path(self.folder, number), archive.pack(arrays), number)
        for old in sorted(n for n in numbers(self.folder, CHECKPOINT) if n != number)[: -_CHECKPOINTS_KEPT + 1]:
            checkpoint_path(self.folder, old).unlink(missing_ok=True)

    def read_checkpoint(self) -> tuple[int, dict[str, NDArray]] | None:
        """Return the newest whole checkpoint, None if none was written. Raises CacheError if all are damaged."""
        failure: CacheError | None = None
        for number in sorted(numbers(self.folder, CHECKPOINT), reverse=True):
            try:
                return number, read_arrays(checkpoint_path(self.folder, number), "checkpoint", number)
            except CacheError as error:
                failure = failure or error
        if failure is not None:
            raise failure
        return None

    # Clearing

    def clear(self) -> None:
        """Remove Dollop's own files, and the folder if nothing else is in it. Raises ResourceError."""
        self._recent.forget()
        self.close()
        self.clear_folder(self.folder)

    @staticmethod
    def clear_folder(folder: str | os.PathLike[str]) -> None:
        """Like `clear`, for a cache that cannot be opened any more; harmless when there is none. Raises ResourceError."""
        path = Path(folder)
        if not path.is_dir():
            return
        lock = CacheLock(path / LOCK_FILE)
        try:
            remove(path, EVERYTHING)
            with artist_errors(path):
                (path / manifest.FILE).unlink(missing_ok=True)
        finally:
            lock.release()
        with contextlib.suppress(OSError):
            (path / LOCK_FILE).unlink()
            path.rmdir()  # refuses when a foreign file is left

    def _writable(self) -> None:
        if self._lock is None:
            raise RuntimeError("This FrameStore was opened for playing; open it with writable=True.")


def _topology(arrays: dict[str, NDArray], path: Path) -> SurfaceTopology:
    try:
        return from_arrays(arrays)
    except KeyError as error:
        raise CacheError(f"The topology record lacks {error}.", place=path.name, remedy="Bake again.") from error

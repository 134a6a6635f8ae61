"""A hash of everything that a bake depends on, the same on every machine, to tell whether a cache still fits its scene."""

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

_IGNORED = {"name", "threads"}  # a renamed object or another thread count bakes the same bytes


def fingerprint(scene: Any) -> str:
    """Return 64 hexadecimal digits for a solver.scene.Scene (or any nest of dataclasses, arrays and plain values)."""
    digest = hashlib.sha256()
    _feed(digest, scene)
    return digest.hexdigest()


def _feed(digest: "hashlib._Hash", value: Any) -> None:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        _feed(digest, {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name not in _IGNORED})
    elif isinstance(value, Mapping):
        digest.update(f"map {len(value)}".encode())
        for key in sorted(value):
            _feed(digest, str(key))
            _feed(digest, value[key])
    elif isinstance(value, np.ndarray):
        digest.update(f"array {value.dtype.str} {value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)}".encode())
        for item in value:
            _feed(digest, item)
    elif isinstance(value, bool | None | str):
        digest.update(f"{type(value).__name__} {value!r};".encode())
    elif isinstance(value, int | float | np.number):
        digest.update(f"number {float(value).hex()};".encode())
    else:
        raise TypeError(f"A {type(value).__name__} has no fingerprint.")

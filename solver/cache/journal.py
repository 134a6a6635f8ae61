"""What each frame cost and said: one appended line a frame, so that a long bake stays linear in its frames."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from .atomic import artist_errors

FILE = "dollop_journal.jsonl"


def append(folder: Path, record: dict[str, Any]) -> None:
    """Append one line; a line that a kill tore off before is closed first. Raises ResourceError."""
    line = json.dumps(record, default=_number, ensure_ascii=False).encode("utf-8") + b"\n"
    path = folder / FILE
    with artist_errors(path, record.get("frame")), open(path, "a+b") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                line = b"\n" + line
        file.write(line)


def read(folder: Path) -> dict[int, dict[str, Any]]:
    """Return the last record of each frame; torn lines are left out, since the frame's own file is the truth."""
    records: dict[int, dict[str, Any]] = {}
    try:
        lines = (folder / FILE).read_bytes().splitlines()
    except OSError:
        return records
    for line in lines:
        try:
            record = json.loads(line)
            records[int(record["frame"])] = record
        except (ValueError, KeyError, TypeError):
            continue
    return records


def _number(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written to the journal.")

"""Wheels of which the zips carry only a part, as pyproject.toml says: what is used of them, with their licences.

libigl's holds a program that may not be sold beside what is used of it, and folders that would lie beside other add-ons' own.
"""

import csv
import io
import zipfile
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from pins import PINS

BUILD = "1dollop"  # the build number in the name of a wheel that has been trimmed
FIXED_DATE = (1980, 1, 1, 0, 0, 0)


def built_as(name: str) -> str:
    """What the name of a package's wheel goes on with after its version: its build number, if it is trimmed."""
    return f"{BUILD}-" if name in PINS["trimmed"] else ""


def trimmed(wheel: Path, folder: Path) -> Path:
    """A wheel in a folder as the zips carry it: moved there, or only what is kept of it, with a record of that."""
    name, version, tags = wheel.name.split("-", 2)
    if name not in PINS["trimmed"]:
        return wheel.replace(folder / wheel.name)
    target = folder / f"{name}-{version}-{built_as(name)}{tags}"
    unfinished = wheel.with_suffix(".part")  # beside it, where no other process that builds a zip writes
    information = PurePosixPath(f"{name}-{version}.dist-info")
    wanted = [*PINS["trimmed"][name], f"{information}/METADATA", f"{information}/WHEEL", f"{information}/licenses/*"]
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(unfinished, "w") as made:
        names = sorted(item for item in source.namelist() if not item.endswith("/") and _any(item, wanted))
        rows = {row[0]: row for row in csv.reader(io.StringIO(source.read(f"{information}/RECORD").decode()))}
        record = io.StringIO()
        csv.writer(record, lineterminator="\n").writerows([*(rows[item] for item in names), [f"{information}/RECORD", "", ""]])
        for item in names:
            made.writestr(_entry(item), source.read(item))
        made.writestr(_entry(f"{information}/RECORD"), record.getvalue())
    return unfinished.replace(target)


def _any(item: str, wanted: list[str]) -> bool:
    return any(fnmatch(item, pattern) for pattern in wanted)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, FIXED_DATE)
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    return entry

"""What a file of this folder declares as FORMAT; the menu, the operator and the command line list what they find."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ....solver.cache import FrameStore
from ....solver.errors import UnsupportedExportError


@dataclass(frozen=True)
class ExportJob:
    """What to export. frames: first and last, within the cache's range; options: the format's own, by name."""

    scene: bpy.types.Scene
    store: FrameStore
    results: Sequence[bpy.types.Object]
    path: Path
    frames: tuple[int, int]
    options: dict[str, Any]


@dataclass(frozen=True)
class ExportFormat:
    """One format.

    write      : does the export
    built_with : its name in bpy.app.build_options, empty if always there
    variants   : extensions that it can be written with as well
    """

    identifier: str
    label: str
    extension: str
    description: str
    write: Callable[[ExportJob], None]
    built_with: str = ""
    variants: tuple[str, ...] = ()

    @property
    def available(self) -> bool:
        """Tell whether this Blender can write the format."""
        return not self.built_with or bool(getattr(bpy.app.build_options, self.built_with, False))

    def named(self, path: str) -> str:
        """Return the path of a file with the format's extension added, unless it has one; a folder stays as it is."""
        name = os.path.basename(path)
        return path if not name or name.lower().endswith((self.extension, *self.variants)) else path + self.extension

    def require(self) -> None:
        """Raise UnsupportedExportError if this Blender was built without the format."""
        if not self.available:
            raise UnsupportedExportError(
                f"This Blender was built without {self.label}.",
                remedy="Use Blender from blender.org, or export another format.",
            )

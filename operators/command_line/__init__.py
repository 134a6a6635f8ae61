"""`blender -b shot.blend --command dollop …`: one file for each subcommand; docs/command-line.md lists options and codes."""

import bpy

from .. import ids

_handles: list[object] = []


def register() -> None:
    """Tell Blender about the command, once."""
    from .run import run

    unregister()
    _handles.append(bpy.utils.register_cli_command(ids.COMMAND, run))


def unregister() -> None:
    """Take the command back."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())

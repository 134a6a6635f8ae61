"""From the words of the command line to an exit code; every way to end has one (docs/command-line.md)."""

import argparse
import os
import sys

import bpy

from ...solver.errors import MissingBlendError, SceneError
from ..bridge.identity import complete_all
from ..bridge.report import exit_code, sentence
from . import bake, clear, export, info, validate, warm_up

_SUBCOMMANDS = {"bake": bake, "validate": validate, "export": export, "info": info, "clear": clear, "warm-up": warm_up}


def run(arguments: list[str]) -> int:
    """Run one subcommand on the open file and return the exit code."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        if options.needs_file:
            require_blend()
        complete_all()
        scene = chosen_scene(options.scene)
        if options.cache:
            scene.dollop.cache_path = os.path.abspath(options.cache)  # only in this process: the file is not saved
        return options.run(options, scene)
    except Exception as error:  # the one place that turns what is left into an exit code
        print(f"Error: {sentence(error)}", file=sys.stderr, flush=True)
        if getattr(options, "openjd", False):
            print(f"openjd_fail: {sentence(error)}", flush=True)
        return exit_code(error)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    top = argparse.ArgumentParser(prog="blender -b FILE.blend --command dollop", description="Bake goo without a window.")
    subcommands = top.add_subparsers(required=True, metavar="SUBCOMMAND")
    for name, module in _SUBCOMMANDS.items():
        sub = subcommands.add_parser(name, help=module.__doc__, description=module.__doc__)
        sub.add_argument("--scene", metavar="NAME", help="scene of the file; default: the one it was saved with")
        sub.add_argument("--cache", default="", metavar="DIR", help="cache folder instead of the scene's own")
        module.add_options(sub)
        sub.set_defaults(run=module.run, needs_file=getattr(module, "NEEDS_FILE", True))
    return top


def require_blend() -> None:
    """Refuse to go on when the file was not found: Blender only prints that and offers its default scene."""
    if not bpy.data.filepath:
        raise MissingBlendError("No .blend is open, so there is nothing to work on.", remedy="Check the file's path.")


def chosen_scene(name: str | None) -> bpy.types.Scene:
    """Return the named scene, or the file's active one. Raises SceneError."""
    if name is None:
        return bpy.context.scene
    scene = bpy.data.scenes.get(name)
    if scene is None:
        names = ", ".join(f"'{item.name}'" for item in bpy.data.scenes)
        raise SceneError(f"There is no scene '{name}'.", remedy=f"The file has {names}.")
    return scene

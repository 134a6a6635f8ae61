"""Write the baked goo to a file that plays without Dollop"""

import argparse

import bpy

from ..bridge.exports import export
from .values import frame_range

_FORMATS = {"abc": "ALEMBIC", "usd": "USD", "mdd": "MDD", "shape-keys": "SHAPE_KEYS"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=_FORMATS, required=True, help="abc and usd bear changing topology")
    parser.add_argument("--output", required=True, metavar="PATH", help="the file to write; // means beside the .blend")
    parser.add_argument("--frames", type=frame_range, metavar="A-B", help="frames instead of all that are baked")


def run(options: argparse.Namespace, scene: bpy.types.Scene) -> int:
    path = export(scene, _FORMATS[options.format], bpy.path.abspath(options.output), frames=options.frames)
    print(f"dollop: wrote {path}", flush=True)
    return 0

"""Delete the scene's baked frames from the disk"""

import argparse

import bpy

from ..bridge.cache_clearing import clear_cache


def add_options(parser: argparse.ArgumentParser) -> None:
    """Only what all subcommands have."""


def run(options: argparse.Namespace, scene: bpy.types.Scene) -> int:
    print(f"dollop: cleared {clear_cache(scene)}", flush=True)
    return 0

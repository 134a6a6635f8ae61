"""Compile the solver ahead of the first bake, into the folder that later bakes read"""

import argparse
import sys

import bpy

from ..bridge.solver_process import SolverProcess

NEEDS_FILE = False


def add_options(parser: argparse.ArgumentParser) -> None:
    """Only what all subcommands have."""


def run(options: argparse.Namespace, scene: bpy.types.Scene) -> int:
    process = SolverProcess(["warm-up"])
    process.require_start()
    message = ""
    while not process.wait(0.2):
        pass
    for event in process.events():
        message = event["message"] if event["event"] == "error" else message
    code = process.returncode or 0
    if code:
        print(f"Error: {message or process.death_notice()}", file=sys.stderr, flush=True)
        code = code if code > 0 and message else 5
    process.close()
    return code

"""Bake the scene's bodies into its cache folder"""

import argparse
import signal
import sys
import threading

import bpy

from ..bridge.bake_session import run_to_end, start_bake
from .log import logger
from .values import frame_range, positive


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--frames", type=frame_range, metavar="A-B", help="frames instead of the scene's range")
    parser.add_argument("--resume", action="store_true", help="go on from the last finished frames")
    parser.add_argument("--threads", type=positive, default=0, metavar="N", help="default: all cores")
    parser.add_argument("--log", choices=("text", "json", "quiet"), default="text", help="what standard output holds")
    parser.add_argument("--openjd", action="store_true", help="also print openjd_progress and openjd_status lines")


def run(options: argparse.Namespace, scene: bpy.types.Scene) -> int:
    stopping = stop_on_signals()
    log = logger(options.log, options.openjd)
    session = start_bake(scene, resume=options.resume, frames=options.frames, threads=options.threads)
    for note in session.status.warnings:
        log({"event": "warning", "message": note})
    status = run_to_end(session, log, stopping.is_set)
    if status.exit_code:
        alarm = "Stopped" if status.exit_code == 7 else "Error"
        print(f"{alarm}: {status.message}", file=sys.stderr, flush=True)
        if options.openjd:
            print(f"openjd_fail: {status.message}", flush=True)
    return status.exit_code


def stop_on_signals() -> threading.Event:
    """Farms preempt with SIGTERM, people with Ctrl-C: both let the frame in hand finish and keep everything."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    return stopping

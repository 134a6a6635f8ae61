"""Bake the scene's bodies into its cache folder"""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
    log = logger(options.log, options.openjd)
    with stop_on_signals() as stopping:
        session = start_bake(scene, resume=options.resume, frames=options.frames, threads=options.threads, show_frames=False)
        for note in session.status.notes:
            log({"event": "warning", "message": note})
        status = run_to_end(session, log, stopping.is_set)
    if status.exit_code:
        alarm = "dollop" if status.exit_code == 7 else "Error"
        print(f"{alarm}: {status.message}", file=sys.stderr, flush=True)
        if options.openjd and status.exit_code != 7:
            print(f"openjd_fail: {status.message}", flush=True)
    return status.exit_code


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """Farms preempt with SIGTERM, people with Ctrl-C: both stop before the next step and keep what is finished."""
    stopping = threading.Event()
    before = {number: signal.signal(number, lambda *_: stopping.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: set by Blender itself

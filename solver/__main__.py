"""The child process that solves: `python -m solver bake JOB CACHE`, one JSON event a line on standard output.

A line "cancel" or the end of standard input stops it before its next step, with every finished frame kept; so does SIGTERM.
"""

import argparse
import gc
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from .errors import SolverError


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code (solver/errors.py)."""
    options = _parser().parse_args(arguments)
    _keep_blas_to_one_thread()
    stopping = _listen_for_stop()
    try:
        return _COMMANDS[options.command](options, stopping)
    except SolverError as error:
        where = {"body": error.body, "place": error.place}
        emit({"event": "error", "message": str(error), "exit_code": error.exit_code, **where})
        return error.exit_code
    except MemoryError:
        emit({"event": "error", "message": "Out of memory. Lower the resolution of the bodies.", "exit_code": 6})
        return 6


def _keep_blas_to_one_thread() -> None:
    """Before numpy is imported: BLAS's threads spin on cores that the kernels and Blender's window need, for small products."""
    for library in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(library, "1")


def emit(event: dict[str, Any]) -> None:
    """Print one event as a line of JSON."""
    print(json.dumps(event), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m solver", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    bake = commands.add_parser("bake", help="bake a job into a cache folder")
    bake.add_argument("job", type=Path)
    bake.add_argument("cache", type=Path)
    bake.add_argument("--resume", action="store_true")
    tets = commands.add_parser("tetrahedralize", help="write the tets of a job's bodies into an .npz")
    tets.add_argument("job", type=Path)
    tets.add_argument("output", type=Path)
    warm_up = commands.add_parser("warm-up", help="compile everything that a bake needs, into the numba cache")
    warm_up.add_argument("--dynamics", type=Path, metavar="JOB", help="only what a job's bodies need, without filling them")
    warm_up.add_argument("--solve", type=Path, metavar="JOB", help="of that only what follows on the forces, and meshes")
    for command in commands.choices.values():
        command.add_argument("--threads", type=int, default=0)
    return parser


def _listen_for_stop() -> threading.Event:
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, stack: stopping.set())

    def listen() -> None:
        for line in sys.stdin:
            if line.strip() == "cancel":
                break
        stopping.set()

    threading.Thread(target=listen, daemon=True).start()
    return stopping


def _bake(options: argparse.Namespace, stopping: threading.Event) -> int:
    emit({"event": "stage", "stage": "reading"})
    gc.disable()  # a compiler makes many objects that stay, and looking through them takes a tenth of its time
    from dataclasses import replace

    from .job import read_job, read_origin, read_topologies
    from .warm_up import compile_beside, warm_up_contact
    from .warm_up_remeshing import warm_up_remeshing

    scene = read_job(options.job)
    compiler = compile_beside(options.job, scene)

    def be_compiled() -> None:
        warm_up_remeshing(scene)
        if compiler:
            warm_up_contact(scene)  # while others compile what comes before it
            compiler.wait()
        gc.enable()

    from .bake import bake

    if options.threads:
        scene = replace(scene, settings=replace(scene.settings, threads=options.threads))
    frames = bake(
        scene,
        options.cache,
        topologies=read_topologies(options.job),
        origin=read_origin(options.job),
        resume=options.resume,
        report=emit,
        stop=stopping.is_set,
        before_solving=be_compiled,
    )
    emit({"event": "done", "frames": frames})
    return 0


def _tetrahedralize(options: argparse.Namespace, stopping: threading.Event) -> int:
    import numpy as np

    from .bake import prepare
    from .job import read_job
    from .scene import validated
    from .tetmesh.quality import minimum_dihedrals

    scene = validated(read_job(options.job))
    arrays: dict[str, np.ndarray] = {}
    for body, item in zip(scene.bodies, prepare(scene, emit), strict=True):
        arrays[f"positions_{body.uid}"] = item.mesh.positions
        arrays[f"tets_{body.uid}"] = item.mesh.tets
        arrays[f"quality_{body.uid}"] = minimum_dihedrals(item.mesh)
    with open(options.output, "wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    emit({"event": "done", "frames": 0})
    return 0


def _warm_up(options: argparse.Namespace, stopping: threading.Event) -> int:
    from .job import read_job
    from .warm_up import start_warm_up, warm_up, warm_up_dynamics, warm_up_solve

    emit({"event": "stage", "stage": "compiling"})
    gc.disable()  # as in a bake, until it solves
    if (options.dynamics or options.solve) and hasattr(os, "nice"):
        os.nice(max(0, 10 - os.nice(0)))  # it runs beside a bake, and beside the artist's window
    if options.solve:
        scene = read_job(options.solve)
        warm_up_solve(scene)
        emit({"event": "done", "frames": 0})
    elif options.dynamics:
        beside = start_warm_up("--solve", options.dynamics)  # on a core that the bake leaves once the bodies are filled
        frames = warm_up_dynamics(read_job(options.dynamics))
        if beside is not None:
            beside.wait()
        emit({"event": "done", "frames": frames})
    else:
        emit({"event": "done", "frames": warm_up()})
    return 0


_COMMANDS = {"bake": _bake, "tetrahedralize": _tetrahedralize, "warm-up": _warm_up}

if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Python would first take the compiler down, piece by piece, for up to a second

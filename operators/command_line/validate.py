"""Check the scene before a bake and the cache after it"""

import argparse
from collections.abc import Iterator

import bpy

from ...solver.cache import FrameStore
from ...solver.errors import CacheError, SolverError
from ..bridge.checking import check_scene, sentence_of
from ..bridge.folders import cache_folder
from ..bridge.staleness import stale_reason
from .log import calm

_UNFINISHED = {
    "baking": "a bake is writing the cache at this moment",
    "cancelled": "its bake was cancelled",
    "failed": "its bake failed",
    "interrupted": "its bake was killed",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cached", action="store_true", help="there must be a cache, with every frame whole")


def run(options: argparse.Namespace, scene: bpy.types.Scene) -> int:
    findings = check_scene(scene)
    for finding in findings:
        print(calm(f"dollop: {finding.severity} - {sentence_of(finding)}"), flush=True)
    if any(finding.severity == "error" for finding in findings):
        return 4
    folder, _ = cache_folder(scene)
    if not FrameStore.exists(folder):
        if options.cached:
            raise CacheError("There is no baked cache.", place=str(folder), remedy="Bake first.")
        print("dollop: the scene is in order; nothing is baked yet", flush=True)
        return 0
    store = FrameStore.open(folder)
    damage = list(store.damage())
    for sentence in _sentences(damage):
        print(calm(f"dollop: {sentence}"), flush=True)
    stale = stale_reason(scene)
    faults = "1 fault" if len(damage) == 1 else f"{len(damage)} faults"
    verdict = f"{faults} in the cache" if damage else "the cache is whole"
    if store.status in _UNFINISHED:
        verdict += f" ({_UNFINISHED[store.status]})"
    print(calm(f"dollop: the scene is in order; {verdict}" + (f", but stale: {stale}" if stale else "")), flush=True)
    return CacheError.exit_code if damage or stale else 0


def _sentences(damage: list[SolverError]) -> Iterator[str]:
    """Yield a sentence for each fault; the same one in frames that follow each other is said once."""
    runs: list[list[SolverError]] = []
    for error in damage:
        last = runs[-1][-1] if runs else None
        follows = last is not None and None not in (last.frame, error.frame) and error.frame == last.frame + 1
        if follows and error.message == last.message:
            runs[-1].append(error)
        else:
            runs.append([error])
    for run in runs:
        first = run[0]
        where = f"frames {first.frame} to {run[-1].frame}"
        yield str(first) if len(run) == 1 else f"{where}: {first.message} {first.remedy}".strip()

"""A solver without physics, for tests of all that lies around it: bodies fall freely, one frame every few milliseconds.

Same arguments, events, cache and exit codes as `python -m solver bake`; the pace is in DOLLOP_TEST_PACE [s].
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

from solver.cache import FrameStore, versions
from solver.errors import SolverError
from solver.frame import BodyFrame, Frame
from solver.job import read_job, read_origin, read_topologies, scene_hash
from solver.keyframes import at_frame
from solver.scene import Scene, Settings

CHECKPOINT = "falling"


def say(**event: object) -> None:
    print(json.dumps(event), flush=True)


def listen() -> threading.Event:
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())

    def read() -> None:
        for line in sys.stdin:
            if line.strip() == "cancel":
                break
        stopping.set()

    threading.Thread(target=read, daemon=True).start()
    return stopping


def hang(stage: str) -> None:
    """Be as deaf as a compiler, where DOLLOP_TEST_HANG says so."""
    if os.environ.get("DOLLOP_TEST_HANG") == stage:
        time.sleep(60)


def fallen(scene: Scene, number: int) -> Frame:
    seconds = (number - scene.settings.frame_start) / scene.settings.frames_per_second
    drop = dropped(scene.settings, seconds)
    bodies = []
    for body in scene.bodies:
        origin = body.surface.positions.mean(axis=0)
        bodies.append(BodyFrame(body.uid, origin, (body.surface.positions + drop - origin).astype(np.float32)))
    return Frame(number, tuple(bodies))


def dropped(settings: Settings, seconds: float) -> np.ndarray:
    """The way (3,) of a free fall from rest, by the midpoints of a thousand moments."""
    moments = (np.arange(1000) + 0.5) / 1000 * seconds
    keys = np.array([settings.gravity]) if settings.gravity_keys is None else settings.gravity_keys
    gravity = np.array([at_frame(keys, moment * settings.frames_per_second) for moment in moments])
    return ((seconds - moments)[:, None] * gravity).mean(axis=0) * seconds


def opened(scene: Scene, job: Path, folder: Path, resume: bool) -> FrameStore:
    if resume and FrameStore.exists(folder):
        return FrameStore.open(folder, writable=True)
    settings = scene.settings
    content = {
        **read_origin(job),
        "versions": versions(dollop="test"),
        "scene_hash": scene_hash(scene, settings.frame_end),
        "frames_per_second": settings.frames_per_second,
        "frame_start": settings.frame_start,
        "frame_end": settings.frame_end,
        "bodies": {body.uid: {"name": body.name, "vertices": len(body.surface.positions)} for body in scene.bodies},
    }
    store = FrameStore.create(folder, content)
    for uid, topology in read_topologies(job).items():
        store.write_topology(uid, 0, topology)
    return store


def main(command: str, job: str, cache: str, *options: str) -> int:
    assert command == "bake"
    stopping = listen()
    scene = read_job(Path(job))
    settings = scene.settings
    for body in scene.bodies:
        say(event="stage", stage="tetrahedralizing", body=body.name)
        hang("tetrahedralizing")
    if os.environ.get("DOLLOP_TEST_HANG") == "compiling":
        say(event="stage", stage="compiling")
        hang("compiling")
    with opened(scene, Path(job), Path(cache), "--resume" in options) as store:
        say(event="stage", stage="solving")
        done = store.read_checkpoint()
        for number in range(done[0] + 1 if done else settings.frame_start, settings.frame_end + 1):
            time.sleep(float(os.environ.get("DOLLOP_TEST_PACE", "0")))
            if number == int(os.environ.get("DOLLOP_TEST_DEATH", "-1")):
                print("The cause of death", file=sys.stderr, flush=True)
                os._exit(3)
            store.write_frame(fallen(scene, number))
            left = settings.frame_end - number
            say(
                event="frame",
                frame=number,
                first=settings.frame_start,
                last=settings.frame_end,
                seconds=0,
                eta=left,
                statistics={},
            )
            if stopping.is_set() and left:
                store.write_checkpoint(number, {CHECKPOINT: np.zeros(1)})
                say(event="error", message="The bake was stopped.", exit_code=7)
                return 7
        store.write_checkpoint(settings.frame_end, {CHECKPOINT: np.zeros(1)})
        store.update_manifest(status="done", frame_end=settings.frame_end)
    say(event="done", frames=settings.frame_end)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except SolverError as error:
        say(event="error", message=str(error), exit_code=error.exit_code)
        sys.exit(error.exit_code)

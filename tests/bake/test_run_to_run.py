"""The same bytes from one process to the next, whatever order Python gives its sets."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from solver.cache import FrameStore
from solver.job import write_job
from solver.scene import Scene, validated
from tests.surfaces import sphere

from .test_remeshed import falling_goo

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def shot() -> Scene:
    """A ball that lands, flows apart and is remeshed, with two on its heels that merge."""
    scene = falling_goo("stuffing")
    (first,) = scene.bodies
    options = {"merging": True, "merge_group": 1, "resolution": 4}
    second = replace(first, uid="second", name="Second", surface=sphere(8, 0.2, (0.02, 0.01, 0.76)), **options)
    third = replace(second, uid="third", name="Third", surface=sphere(8, 0.2, (0.37, 0.0, 0.8)))
    settings = replace(scene.settings, frame_end=4)
    return validated(replace(scene, bodies=(first, second, third), settings=settings))


def baked(job: Path, folder: Path, seed: str) -> dict[str, bytes]:
    command = [sys.executable, "-m", "solver", "bake", str(job), str(folder), "--threads", "1"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    # The end of its input would stop it
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) as child:
        assert child.wait(1800) == 0
    # Frames, topology records and the last checkpoint; which of those before it are kept is a matter of time
    names = [path for path in folder.glob("*.npz") if not path.name.startswith("checkpoint")]
    names.append(max(folder.glob("checkpoint*.npz")))
    return {path.name: path.read_bytes() for path in names}


def test_processes_of_other_hash_seeds_write_the_same_bytes(tmp_path):
    job = tmp_path / "job"
    job.mkdir()
    write_job(shot(), job)
    one, other = (baked(job, tmp_path / seed, seed) for seed in ("1", "2024"))
    assert one == other
    store = FrameStore.open(tmp_path / "1")
    done = [record["statistics"] for record in store.journal().values()]
    assert sum(frame["remeshes"] for frame in done) > 1 and all(frame["contacts"] > 0 for frame in done[1:])
    assert not len(store.read_body_frame(4, "third").positions), "it has merged"

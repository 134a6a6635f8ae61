"""The solver where its own folder cannot be written, as an extension of the whole studio is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from solver.cache import FrameStore
from solver.job import write_job
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.warm_up import cube

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CAPABILITIES = "-dac_override,-dac_read_search"  # what lets root write where the mode says no


@pytest.fixture
def read_only_copy(tmp_path):
    """A copy of the solver in a folder that only reading is allowed in."""
    copy = tmp_path / "extension"
    shutil.copytree(ROOT / "solver", copy / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    folders = [copy, *(path for path in copy.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield copy
    for folder in folders:
        folder.chmod(0o755)


@pytest.fixture
def job(tmp_path):
    """A cube of goo in a job folder."""
    (tmp_path / "job").mkdir()
    goo = Body("goo", "Goo", cube(), Material("viscoplastic", {}), resolution=4)
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    write_job(validated(Scene((goo,), (ground,), Settings(1, 3))), tmp_path / "job")
    return tmp_path / "job"


def test_kernels_are_compiled_once_in_the_users_cache(read_only_copy, job, tmp_path):
    """As an artist has it: no variable names a folder for kernels."""
    kernels = tmp_path / "user" / "dollop" / "numba"
    guard = [] if os.geteuid() else ["setpriv", f"--bounding-set={CAPABILITIES}", f"--inh-caps={CAPABILITIES}"]
    unnamed = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "LOCALAPPDATA")}
    environment = {**unnamed, "XDG_CACHE_HOME": str(tmp_path / "user"), "PYTHONDONTWRITEBYTECODE": ""}

    def bake(name):
        command = [*guard, sys.executable, "-m", "solver", "bake", str(job), str(tmp_path / name), "--threads", "1"]
        # The end of its input would stop it
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=read_only_copy, env=environment, **pipes) as bake:
            assert bake.wait(1800) == 0
        assert FrameStore.open(tmp_path / name).frames() == [1, 2, 3]
        return {path: path.stat().st_mtime_ns for path in kernels.rglob("*.nb?")}

    refused = subprocess.run([*guard, "touch", "new"], cwd=read_only_copy, stderr=subprocess.DEVNULL)
    assert refused.returncode != 0, "the folder can be written after all"
    first = bake("first")
    assert first and bake("second") == first
    assert not list(read_only_copy.rglob("__pycache__"))

"""Compiling ahead: both warm-ups run through, and a second one in the same place finds nothing left to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solver.warm_up import compile_beside, warm_up, warm_up_dynamics

ROOT = Path(__file__).parents[2]


def test_both_warm_ups_simulate_three_frames():
    assert warm_up_dynamics() == 3
    assert warm_up() == 3


def test_what_is_compiled_is_not_compiled_beside_again():
    warm_up_dynamics()
    assert compile_beside() is None


@pytest.mark.parametrize("arguments", [["warm-up"], ["warm-up", "--dynamics"]])
def test_the_child_process_warms_up(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "solver", *arguments],
        cwd=ROOT,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert '"event": "done", "frames": 3' in done.stdout

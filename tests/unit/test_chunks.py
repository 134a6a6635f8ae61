"""Parts of a range on several threads: each is done once, answers come in order, and an error of any of them comes out."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numba
import pytest

from solver.geometry.chunks import in_parts, side_by_side

PARTS = [(k, k + 1) for k in range(40)]
BESIDE = """
import os, threading
import numpy as np
import numba
numba.set_num_threads(2)
from solver.geometry.chunks import in_parts, side_by_side
from solver.svd import signed_svd

def work():
    return signed_svd(np.ones((5000, 3, 3)) + np.eye(3))

def count():
    return len(os.listdir("/proc/self/task")) - len(threading.enumerate())

work()
met = threading.Barrier(2)
side_by_side(met.wait, met.wait)  # its threads begin
before = count()
assert len(os.listdir("/proc/self/task")) > len(threading.enumerate()), "OpenMP has begun"
for _ in range(2):
    side_by_side(met.wait, lambda: (met.wait(), work()))
assert count() == before, f"{before} threads of no Python's, then {count()}"
met, parts = threading.Barrier(2), [(k, k + 1) for k in range(2)]

def beside():
    met.wait()
    in_parts(lambda first, last: pair.wait(60.0), parts)  # passes only where two threads have taken one part each

pair = threading.Barrier(2)
side_by_side(met.wait, beside)  # chunks of what is beside have two threads still
"""


@pytest.fixture(autouse=True)
def two_threads():
    before = numba.get_num_threads()
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    yield
    numba.set_num_threads(before)


def test_answers_come_in_the_order_of_the_parts():
    done = []

    def kernel(first, last, factor):
        done.append(first)
        return factor * first

    assert in_parts(kernel, PARTS, 3) == [3 * first for first, _ in PARTS] and sorted(done) == list(range(40))
    assert in_parts(kernel, []) == []


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread only")
def test_the_thread_that_asks_works_too():
    met = threading.Barrier(2)

    def kernel(first, last):
        if first < 2:
            met.wait(timeout=60.0)  # passes only where two threads have taken one of the first two parts each
        return threading.get_ident()

    assert {threading.get_ident()} < set(in_parts(kernel, PARTS[:2]))


@pytest.mark.parametrize("bad", [0, 1, 39])
def test_an_error_of_a_part_comes_out(bad):
    def kernel(first, last):
        if first == bad:
            raise ValueError(f"part {first}")
        return first

    with pytest.raises(ValueError, match=f"part {bad}"):
        in_parts(kernel, PARTS)


def test_jobs_side_by_side_may_ask_for_more_than_there_are_threads():
    def tree(depth):
        return 1 if depth == 0 else sum(side_by_side(*[lambda: tree(depth - 1)] * 4))

    assert tree(4) == 256


def test_an_error_of_a_job_comes_out():
    def bad():
        raise ValueError("a job")

    for jobs in ((bad, int), (int, bad), (int, int, bad)):
        with pytest.raises(ValueError, match="a job"):
            side_by_side(*jobs)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts its threads in /proc")
def test_a_parallel_kernel_beside_another_takes_no_thread_of_openmp():
    # Where OpenMP has more threads than there are cores none of them spins any more: all that is parallel takes twice as long
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "NUMBA_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", BESIDE], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr

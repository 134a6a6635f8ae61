"""Nanoseconds a tet of Dollop's kernels on one thread, with bytes, operations and the distance to the machine's limits.

    python benchmarks/kernels.py [--sizes 5k 50k 200k] [--seconds 0.5]

The limits are measured in the same run on the same thread: a triad over arrays far larger than any cache (bytes counted as
in STREAM: two read, one written), and a loop of multiply-adds in registers. Bytes and operations a tet are counted by hand
in kernel_adapters.py. Time is process time, the median of many calls; compiled before the first is timed.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tools")]

import numpy as np
from ball import FOLDER

from environment import development_venv, run_environment

FRAMES_TO_BLOW = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["5k", "50k", "200k"], choices=("5k", "50k", "200k"))
    parser.add_argument("--model", default="stable_neo_hookean")
    parser.add_argument("--seconds", type=float, default=0.5, help="of process time for each kernel")
    options = parser.parse_args()
    python = development_venv("cp311")
    one_thread = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    if Path(sys.executable) != python or os.environ.get("NUMBA_NUM_THREADS") != "1":
        return subprocess.call([str(python), __file__, *sys.argv[1:]], env={**run_environment(), **one_thread})
    from dollop_ball import simulation  # chooses where compiled kernels are kept
    from kernel_adapters import kernels
    from scene import load_mesh, make_mesh

    bandwidth, peaks = measured_bandwidth(), {4: measured_peak(np.float32), 8: measured_peak(np.float64)}
    print(f"triad {bandwidth / 1e9:.1f} GB/s, multiply-add {peaks[4] / 1e9:.0f} GFlop/s float32, {peaks[8] / 1e9:.0f} float64")
    for size in options.sizes:
        mesh = FOLDER / f"ball_{size}.npz"
        if not mesh.exists():
            make_mesh(size, mesh)
        ball = load_mesh(mesh)
        run = simulation(ball, options.model, 1, None)
        for _ in range(FRAMES_TO_BLOW + 1):
            run.advance()
        tets = len(ball.tets)
        print(f"\n{size}: {tets} tets; memory and arithmetic: what the limits alone would take")
        print(f"{'':28}{'ns/tet':>9}{'bytes':>8}{'flops':>8}{'memory':>9}{'arith.':>9}{'of limit':>10}")
        for kernel in kernels(run):
            nanoseconds = 1e9 * seconds(kernel.call, options.seconds) / tets / kernel.times
            memory = 1e9 * kernel.bytes_per_tet / bandwidth
            arithmetic = 1e9 * kernel.flops_per_tet / peaks[8 if "float64" in kernel.name else 4]
            print(
                f"{kernel.name:28}{nanoseconds:9.1f}{kernel.bytes_per_tet:8.0f}{kernel.flops_per_tet:8.0f}"
                f"{memory:9.1f}{arithmetic:9.1f}{max(memory, arithmetic) / nanoseconds:10.0%}",
                flush=True,
            )
    return 0


def seconds(call: Callable[[], object], enough: float) -> float:
    """Median process time [s] of a call, over at least three calls and `enough` seconds."""
    call()
    times: list[float] = []
    while len(times) < 3 or sum(times) < enough:
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return float(np.median(times))


def measured_bandwidth() -> float:
    """Bytes a second of a = b + 3 c on 3 x 80 MB."""
    import numba

    @numba.njit(fastmath=True)
    def triad(a, b, c):  # type: ignore[no-untyped-def]
        for i in range(len(a)):
            a[i] = b[i] + 3.0 * c[i]

    arrays = [np.ones(10_000_000) for _ in range(3)]
    return 3 * arrays[0].nbytes / seconds(lambda: triad(*arrays), 1.0)


def measured_peak(precision: type[np.floating]) -> float:
    """Operations a second of eight multiply-adds in a row on data in the first cache."""
    import numba

    @numba.njit(fastmath={"contract"})
    def chain(x, a, b, turns):  # type: ignore[no-untyped-def]
        for _ in range(turns):
            for i in range(len(x)):
                t = x[i]
                t = t * a + b
                t = t * a + b
                t = t * a + b
                t = t * a + b
                t = t * a + b
                t = t * a + b
                t = t * a + b
                x[i] = t * a + b

    x, turns = np.ones(1024, precision), 10_000
    return 16 * len(x) * turns / seconds(lambda: chain(x, precision(0.5), precision(0.5), turns), 0.5)


if __name__ == "__main__":
    sys.exit(main())

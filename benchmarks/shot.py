"""From the press of Bake to frames: Suzanne of about 20k tets falls down three steps, compiled first and then not again.

    python3 benchmarks/shot.py [--preset dough] [--frames 96] [--threads 2]

Everything goes the artist's way, by operators in a Blender without a window: the scene is read and looked over, a child solves,
each frame is shown. Then it is played, saved and opened again. Printed, all of it wall time but for the last line of a bake:

- seconds from the press to the first and the second frame shown, then the median and the worst of the others, to 0.05 s;
- milliseconds of a frame played, and of opening the baked file with Dollop and without;
- processor seconds of the children, which other work on the machine changes less.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tools")]

from environment import development_venv, own_tag, run_environment

OPENINGS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="dough")
    parser.add_argument("--frames", type=int, default=96)
    parser.add_argument("--resolution", type=int, default=24)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        bake_inside(options)
        return 0
    python = development_venv(own_tag())
    with tempfile.TemporaryDirectory() as folder:
        environment = run_environment() | {"NUMBA_CACHE_DIR": str(Path(folder) / "kernels")}
        del environment["PYTHONDONTWRITEBYTECODE"]  # an artist's Blender keeps bytecode, and so does its child
        for name in ("cold", "warm"):
            print(f"--- {name}", flush=True)
            output = Path(folder) / name
            output.mkdir()
            command = [str(python), __file__, *sys.argv[1:], "--inside", str(output)]
            if (code := subprocess.call(command, env=environment)) != 0:
                return code
    return 0


def bake_inside(options: argparse.Namespace) -> None:
    """What a Blender does for the benchmark: bake, play, open."""
    import bpy

    from demo_shot.bake_and_render import make_shot

    body = make_shot(options.preset, options.inside, options.frames, options.resolution)
    from dollop.operators.bridge.bake_session import run_to_end, start_bake

    arrived: list[float] = []
    started = time.perf_counter()
    session = start_bake(bpy.context.scene, threads=options.threads)
    status = run_to_end(session, lambda event: arrived.append(time.perf_counter()) if event["event"] == "frame" else None)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status.exit_code or len(arrived) != options.frames:
        raise SystemExit(f"The bake ended after {len(arrived)} frames: {status.message}")
    between = [after - before for before, after in zip(arrived[1:], arrived[2:], strict=False)]
    tets, load = body.dollop.estimated_tets, os.getloadavg()[0]
    print(f"{options.preset}, {tets} tets estimated, {options.frames} frames, load {load:.1f}")
    print(f"first frame {arrived[0] - started:.1f} s, second {arrived[1] - started:.1f} s after the press")
    print(f"others: median {statistics.median(between):.3f} s, worst {max(between):.3f} s a frame")
    print(f"children: {used.ru_utime + used.ru_stime:.1f} s of processor time")
    play_and_open(options)


def play_and_open(options: argparse.Namespace) -> None:
    """What a baked shot costs to play and to open, the second with Dollop and without."""
    import bpy
    import dollop

    path = str(options.inside / "demo.blend")
    scene = bpy.context.scene
    times = []
    for number in range(1, options.frames + 1):
        started = time.perf_counter()
        scene.frame_set(number)
        times.append(time.perf_counter() - started)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    with_dollop = [opened(path) for _ in range(OPENINGS)]
    dollop.unregister()
    without = [opened(path) for _ in range(OPENINGS)]
    print(f"played: median {1e3 * statistics.median(times):.1f} ms a frame, all of Blender's scene")
    print(f"opened: {1e3 * min(with_dollop):.0f} ms with Dollop, {1e3 * min(without):.0f} ms without")


def opened(path: str) -> float:
    """Seconds until a file is open."""
    import bpy

    started = time.perf_counter()
    bpy.ops.wm.open_mainfile(filepath=path)
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())

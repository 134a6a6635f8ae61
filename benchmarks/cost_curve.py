"""The cost curve of Müller & Gross 2004, figure 7: process time of a step on one thread against the number of tets.

    python benchmarks/cost_curve.py [--cells 5 7 10 14 20] [--frames 8] [--output docs/images/mueller_gross_7.svg]

Draft by linear elasticity and by warped stiffness, as in the paper, and the full model, all on the benchmark's ball in flight
and in contact. Needs Dollop's own environment only; prints what it draws, and numbers with the bands that they should lie in.
"""

import os

os.environ["NUMBA_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import numpy as np
from draft import ELASTIC, ball
from numpy.typing import NDArray

from figure_plots.chart import Curve, Panel, svg
from figure_scenes.contract import outside
from solver.materials import Material

MODELS = {
    "draft, linear": Material("draft", ELASTIC, {"rotation": "linear"}),
    "draft, warped": Material("draft", ELASTIC, {"rotation": "warped"}),
    "full model": Material("viscoplastic", ELASTIC | {"yield_stress": 1e12}),
}
BANDS = {
    # 20 iterations whatever the mesh: work in proportion to the tets, beside a fixed cost that small ones show
    "draft, linear: time grows as tets to the power": (0.5, 1.2),
    "draft, warped: time grows as tets to the power": (0.5, 1.2),
    "full model: time grows as tets to the power": (0.5, 1.2),
    # rotations and assembly are small beside the linear solve (section 7)
    "warped / linear, most tets": (0.9, 2.0),
}


def milliseconds_a_step(material: Material, cells: int, frames: int) -> tuple[int, float]:
    """Number of tets, and the median over frames of process time over steps [ms]; the first frames are not counted."""
    run, tets = ball(material, cells)
    run.advance()
    run.advance()
    times = []
    for _ in range(frames):
        started = time.process_time()
        steps = run.advance().statistics["substeps"]
        times.append(1e3 * (time.process_time() - started) / steps)
    return tets, float(np.median(times))


def numbers(curves: dict[str, NDArray[np.float64]]) -> dict[str, float]:
    """What the bands are for, of curves (k, 2) of tets and milliseconds; powers over the larger half."""
    found = {}
    for name, curve in curves.items():
        tets, times = np.log(curve[len(curve) // 2 :]).T
        found[f"{name}: time grows as tets to the power"] = float(np.polyfit(tets, times, 1)[0])
    found["warped / linear, most tets"] = float(curves["draft, warped"][-1, 1] / curves["draft, linear"][-1, 1])
    return found


def chart(curves: dict[str, NDArray[np.float64]]) -> str:
    """The curves as SVG, both axes logarithmic."""
    drawn = tuple(Curve(name, *curve.T, dots=True) for name, curve in curves.items())
    points = np.concatenate(list(curves.values()))
    (left, bottom), (right, top) = points.min(axis=0) / 1.5, points.max(axis=0) * 1.5
    decades = [digit * 10.0**k for k in range(-1, 7) for digit in (1, 2, 5)]
    ticks = (tuple(tick for tick in decades if low < tick < high) for low, high in ((left, right), (bottom, top)))
    title = "Process time of a step, one thread"
    return svg([Panel(title, "tets", "ms a step", drawn, (left, right), (bottom, top), *ticks, logarithmic=True)], 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", nargs="*", type=int, default=[5, 7, 10, 14, 20], help="cells across the ball, rising")
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "images" / "mueller_gross_7.svg")
    options = parser.parse_args()
    curves = {}
    for name, material in MODELS.items():
        milliseconds_a_step(material, 4, 2)  # compiles, or loads what was compiled
        curves[name] = np.array([milliseconds_a_step(material, cells, options.frames) for cells in options.cells])
        for tets, milliseconds in curves[name]:
            print(f"{name:15s} {tets:8.0f} tets {milliseconds:9.2f} ms a step", flush=True)
    found = numbers(curves)
    for name, value in found.items():
        print(f"{name}: {value:.3g} ({BANDS[name][0]:g} to {BANDS[name][1]:g})")
    wrong = outside(found, BANDS)
    print("".join(f"WRONG: {sentence}\n" for sentence in wrong), end="")
    options.output.write_text(chart(curves), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

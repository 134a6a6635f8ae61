"""Drop a ball of every preset and print what tells them apart: rebound, final height and spread.

Run from the project's root: python tools/preset_table.py [--presets dough wax ...] [--resolution 10]
"""

import argparse
import itertools
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from solver.presets import Preset, list_presets  # noqa: E402
from solver.scene import Body, Collider, Scene, Settings, Surface, validated  # noqa: E402

DIAMETER = 2.0  # m in the scene, about Suzanne's size
DROP = 1.0  # m between the ground and the ball's lowest point
DIFFERENCE = 0.10  # two presets differ when one of the measures differs by this much of the larger one


@dataclass(frozen=True)
class DropMeasures:
    """What a 48-frame drop shows, in parts of the ball's diameter (heights, spread) and of the drop height (rebound).

    rebound      : largest rise of the mean height above the lowest it has had until then / drop height
    squash       : smallest height of the ball
    final_height : height at the end
    spread       : largest horizontal size at the end
    sunk         : largest depth of a vertex below the ground, in elements
    """

    rebound: float
    squash: float
    final_height: float
    spread: float
    sunk: float


def ball(resolution: int = 24) -> Surface:
    """Return a sphere of DIAMETER resting DROP above the ground, as a latitude-longitude mesh."""
    polar = np.linspace(0, np.pi, resolution + 1)[1:-1]
    around = np.linspace(0, 2 * np.pi, 2 * resolution, endpoint=False)
    rings = [[np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)] for p in polar for a in around]
    positions = np.array([*rings, [0, 0, 1.0], [0, 0, -1.0]]) * DIAMETER / 2
    n, rows = len(around), len(polar)
    top, bottom = n * rows, n * rows + 1
    triangles = []
    for i in range(n):
        j = (i + 1) % n
        triangles += [(top, i, j), (bottom, n * (rows - 1) + j, n * (rows - 1) + i)]
        for k in range(rows - 1):
            a, b = n * k, n * (k + 1)
            triangles += [(a + i, b + i, b + j), (a + i, b + j, a + j)]
    return Surface(positions + (0.0, 0.0, DROP + DIAMETER / 2), np.array(triangles, dtype=np.int32))


def drop_all(presets: dict[str, Preset], resolution: int = 10) -> dict[str, tuple[DropMeasures, list[str]]]:
    """Drop every preset, one process a core; return what `drop` returns, by identifier."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    # Fresh processes: a fork of one whose numba threads run already would abort
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
        return dict(zip(presets, pool.map(drop, presets.values(), [resolution] * len(presets)), strict=True))


def drop(preset: Preset, resolution: int = 10, frames: int = 48) -> tuple[DropMeasures, list[str]]:
    """Simulate the drop on one thread; return its measures and the solver's warnings."""
    from solver.bake import prepare
    from solver.dynamics import start

    body = Body(preset.identifier, preset.name, ball(), preset.material, preset.real_size, resolution=resolution)
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    scene = validated(Scene((body,), (ground,), Settings(1, frames, threads=1)))
    (item,) = prepare(scene)
    simulation = start(scene, [item.mesh], [item.surface], [item.contacts])
    heights, means, depths, warnings = [], [], [], []
    for _ in range(frames):
        frame = simulation.advance()
        warnings += frame.warnings
        points = frame.bodies[0].positions + frame.bodies[0].origin
        assert np.isfinite(points).all(), f"{preset.name} blew up at frame {frame.number}"
        heights.append(float(np.ptp(points[:, 2])))
        means.append(float(points[:, 2].mean()))
        depths.append(float(-points[:, 2].min()) / body.element_size)
    spread = float(np.ptp(points[:, :2], axis=0).max())
    rebound = float((means - np.minimum.accumulate(means)).max())
    height, lowest = heights[-1] / DIAMETER, min(heights) / DIAMETER
    return DropMeasures(rebound / DROP, lowest, height, spread / DIAMETER, max(0.0, *depths)), warnings


def alike(table: dict[str, DropMeasures]) -> list[tuple[str, str]]:
    """Return the pairs of presets that differ by less than DIFFERENCE in rebound, final height and spread."""

    def differ(a: float, b: float) -> bool:
        return abs(a - b) > DIFFERENCE * max(abs(a), abs(b)) and abs(a - b) > 0.01

    return [
        (one, two)
        for one, two in itertools.combinations(table, 2)
        if not any(differ(getattr(table[one], m), getattr(table[two], m)) for m in ("rebound", "final_height", "spread"))
    ]


def alike_by_model(table: dict[str, DropMeasures], presets: dict[str, Preset]) -> list[tuple[str, str]]:
    """Return the pairs of one material model that `alike` finds: a draft preset may stand in for another model's goo."""
    return [(one, two) for one, two in alike(table) if presets[one].material.model == presets[two].material.model]


def main() -> int:
    """Print the table; exit with 1 when two presets look alike."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presets", nargs="*")
    parser.add_argument("--resolution", type=int, default=10)
    options = parser.parse_args()
    presets, complaints = list_presets(ROOT / "presets")
    chosen = {name: preset for name, preset in presets.items() if not options.presets or name in options.presets}
    print(f"{'preset':14s} {'rebound':>8s} {'squash':>8s} {'height':>8s} {'spread':>8s} {'sunk':>8s}")
    table = {}
    for name, (m, warnings) in drop_all(chosen, options.resolution).items():
        table[name] = m
        note = f"  {warnings[-1]}" if warnings else ""
        print(f"{name:14s} " + " ".join(f"{value:8.3f}" for value in astuple(m)) + note, flush=True)
    pairs = alike_by_model(table, chosen)
    for one, two in pairs:
        print(f"alike: {one} and {two}")
    return 1 if pairs or complaints else 0


if __name__ == "__main__":
    sys.exit(main())

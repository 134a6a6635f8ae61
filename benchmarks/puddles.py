"""Drops that run out: cornstarch and dough as their presets have them, and dough made as thin as batter, with remeshing.

    python benchmarks/puddles.py                                 all, 240 frames at 24 a second, 12 elements across
    python benchmarks/puddles.py cornstarch --fps 60             one; as many seconds
    python benchmarks/puddles.py batter --resume                 once whole, once stopped half-way and resumed: the same bytes?
    python benchmarks/puddles.py dough --keep FOLDER             its frames stay there

A ball of half a metre falls its own diameter. Numbers as in tools/figure_scenes/bargteil_8.py; volumes are those of what is
seen. In a blow goo is squeezed as much as its moduli let it, so the least in the first two seconds is said by itself. Ends with
1 where one does not end as flat as it ought to, does not keep its volume, or resumes to other bytes.
"""

import argparse
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import numpy as np

from figure_scenes.shapes import geodesic
from solver.bake import bake, prepare
from solver.cache import FrameStore
from solver.errors import Cancelled
from solver.materials import Material
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.tetmesh.quality import tet_volumes

DIAMETER, SECONDS = 0.5, 10.0  # [m], [s]: 240 frames at 24 a second
BATTER = {"yield_stress": 0.02, "flow_rate": 20.0, "hardening_modulus": 0.0}  # times the preset's, as in Bargteil 7
# Heights in the end over the diameter. Batter that yields at Y comes to rest at (Y / (1.55 density g D))^0.4 D = 0.11 D
# (Roussel and Coussot 2005), and goes there ever more slowly; dough as it is at half of it, and it hardens on its way
FLAT = {"cornstarch": 0.15, "batter": 0.2, "dough": 0.8}
REBOUND = 0.3  # of the drop
SEEN = 0.01  # by which volumes may be off at any frame
BLOWS = 2.0  # until when there are some [s]


def goo_of(name: str) -> tuple[Material, float]:
    """A puddle's material, and the real size that it is meant for."""
    preset = load_preset(ROOT / "presets" / f"{'dough' if name == 'batter' else name}.toml")
    values = preset.material.values
    thin = {key: factor * values[key] for key, factor in BATTER.items()} if name == "batter" else {}
    return replace(preset.material, values={**values, **thin}), preset.real_size


def scene_of(name: str, resolution: int, frames_per_second: float) -> Scene:
    """A ball that falls on the ground."""
    material, real_size = goo_of(name)
    ball = geodesic(0.5 * DIAMETER, (0.0, 0.0, 1.5 * DIAMETER), 48)
    body = Body("ball", name.capitalize(), ball, material, real_size, resolution=resolution, remeshing="wholesale")
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    last = round(SECONDS * frames_per_second)
    settings = Settings(1, last, frames_per_second, worst_condition=3.0, threads=1)
    return Scene((body,), (ground,), settings)


def measure(scene: Scene, folder: Path) -> dict[str, float]:
    """The numbers of a baked drop."""
    settings, triangles = scene.settings, scene.bodies[0].surface.triangles
    with FrameStore.open(folder) as store:
        frames = [store.read_body_frame(number, "ball") for number in range(1, settings.frame_end + 1)]
        points = [np.asarray(frame.positions + frame.origin, dtype=np.float64) for frame in frames]
        remeshes = sum(entry["statistics"]["remeshes"] for entry in store.journal().values())
        checkpoint = store.read_checkpoint()
    assert checkpoint is not None and checkpoint[0] == settings.frame_end
    tets = float(tet_volumes(checkpoint[1]["positions"], checkpoint[1]["tets"]).sum())
    first = prepare(validated(scene))[0].mesh
    blows = round(BLOWS * settings.frames_per_second)
    low = np.array([place[:, 2].min() for place in points[:blows]])
    struck = int(np.argmax(low < 0.02 * DIAMETER))
    volumes = np.array([np.linalg.det((place - place.mean(axis=0))[triangles]).sum() for place in points])
    return {
        "first rebound / drop": float(low[struck:].max() / DIAMETER),
        "height at the end / diameter": float(np.ptp(points[-1][:, 2]) / DIAMETER),
        "width at the end / diameter": float(np.ptp(points[-1][:, 0]) / DIAMETER),
        "least volume in blows / at first": float(volumes[:blows].min() / volumes[0]),
        "least volume after them / at first": float(volumes[blows:].min() / volumes[0]),
        "most volume / at first": float(volumes.max() / volumes[0]),
        "volume of the tets in the end / at first": tets / float(tet_volumes(first.positions, first.tets).sum()),
        "remeshes": remeshes,
    }


def wrongs(name: str, numbers: dict[str, float]) -> list[str]:
    """What is not as it should be."""
    found = []
    if name == "cornstarch" and numbers["first rebound / drop"] < REBOUND:
        found.append("does not bounce")
    if numbers["height at the end / diameter"] > FLAT[name]:
        found.append("does not run out")
    least = min(numbers["least volume in blows / at first"], numbers["least volume after them / at first"])
    if least < 1.0 - SEEN or numbers["most volume / at first"] > 1.0 + SEEN:
        found.append("does not keep its volume")
    return found


def same_bytes(scene: Scene, whole: Path, folder: Path) -> bool:
    """Bake the scene once more, stopped half-way and resumed; whether every frame is that of the whole bake."""
    half, done = scene.settings.frame_end // 2, []
    with suppress(Cancelled):
        bake(scene, folder, report=lambda event: done.append(event.get("frame", 0)), stop=lambda: max(done, default=0) >= half)
    bake(scene, folder, resume=True)
    with FrameStore.open(whole) as one, FrameStore.open(folder) as two:
        pairs = (
            (one.read_body_frame(k, "ball"), two.read_body_frame(k, "ball")) for k in range(1, scene.settings.frame_end + 1)
        )
        return all(a.positions.tobytes() == b.positions.tobytes() for a, b in pairs)


def main() -> int:
    """Bake, measure, and resume where asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="cornstarch, batter, dough; all unless told")
    parser.add_argument("--resolution", type=int, default=12)
    parser.add_argument("--fps", type=float, default=24.0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--keep", type=Path, help="a folder for the frames, which are thrown away unless told")
    options, wrong = parser.parse_args(), []
    for name in options.names or list(FLAT):
        folder = Path(tempfile.mkdtemp(prefix="puddle")) if options.keep is None else options.keep / name
        scene, begun = scene_of(name, options.resolution, options.fps), time.process_time()
        bake(scene, folder / "whole")
        numbers = measure(scene, folder / "whole")
        spent = time.process_time() - begun
        print(f"{name}, {options.resolution} elements, {options.fps:g} frames a second, {spent:.0f} s of process time")
        print("".join(f"    {key}: {value:.4g}\n" for key, value in numbers.items()), end="", flush=True)
        wrong += [f"{name} {sentence}" for sentence in wrongs(name, numbers)]
        if options.resume and not same_bytes(scene, folder / "whole", folder / "resumed"):
            wrong.append(f"{name} resumes to other bytes")
        if options.keep is None:
            shutil.rmtree(folder)
    print("".join(f"    WRONG: {sentence}\n" for sentence in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

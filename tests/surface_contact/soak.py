"""Randomised drops, throws and squeezes of several bodies, each watched by ipctk at every frame: a soak that can be resumed.

    python -m tests.surface_contact.soak RESULTS.jsonl [--seeds 0 1000] [--frames 48]

Each seed is one scene; its line in RESULTS says what was found, and seeds that have one are not run again. Balls, blocks and
cows, of goo that springs, flows or is damped, fall in a heap, fly at each other or are pressed by a plate that comes down
and lifts again. Then gravity ends too: bodies fly apart for RELIEF frames, still striking each other, and then for as long as
something is inside out, at most until LONGEST. `gained` is the most energy, of motion, height and strain, that was there while
gravity acted beyond that of the start and the plate's work (ledger.py), as a share of what falls or flies.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from solver.bake import prepare
from solver.errors import StepError
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from tests.surface_contact.ledger import Ledger
from tests.surface_contact.watch import Watch
from tests.surfaces import box, moved, sphere, stored, surface

PLATE_SPEED = 3.0  # m/s at which the plate comes down
KINDS = ("drop", "throw", "squeeze")
RELIEF = 12  # frames without any load, after all others
LONGEST = 60  # frames without any load that what is inside out may take to recover


def goo(rng: np.random.Generator) -> Material:
    """Between jelly and rubber; a third of them flow, a third are damped."""
    values = {"density": 1000.0, "young_modulus": 10.0 ** rng.uniform(4.3, 6.0), "poisson_ratio": rng.uniform(0.2, 0.45)}
    kind = rng.integers(3)
    values |= {"yield_stress": 0.01 * values["young_modulus"], "flow_rate": 20.0} if kind == 0 else {"yield_stress": 1e9}
    values |= {"damping": 20.0} if kind == 1 else {}
    return Material("viscoplastic", values, {})


def shape(rng: np.random.Generator) -> Surface:
    """About a metre large, turned at random, about the origin."""
    kind = rng.integers(4)
    if kind == 0:
        chosen = box(tuple(rng.uniform(0.4, 1.0, 3)))
    elif kind == 1:
        chosen = stored("spot")
        chosen = surface(0.5 * chosen.positions, chosen.triangles)
    else:
        chosen = sphere(8, rng.uniform(0.3, 0.5))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn[:, 0] *= np.linalg.det(turn)
    return surface(chosen.positions @ turn.T, chosen.triangles)


def soak_scene(seed: int, frames: int, resolution: int = 6) -> tuple[str, Scene]:
    """What happens, and the scene: two to four bodies, one above another in drops and squeezes, side by side in throws."""
    rng = np.random.default_rng(seed)
    kind, count = KINDS[seed % 3], int(rng.integers(2, 5))
    along = 0 if kind == "throw" else 2
    shapes = [shape(rng) for _ in range(count)]
    places, end = in_a_row(shapes, along, resolution, rng)
    bodies = []
    for k, (part, place) in enumerate(zip(shapes, places, strict=True)):
        velocity = (-np.sign(place[0] - 0.5 * end) * rng.uniform(1.0, 6.0), 0.0, 0.0) if kind == "throw" else (0.0, 0.0, 0.0)
        state = {"velocity": velocity, "angular_velocity": tuple(rng.normal(size=3))}
        bodies.append(Body(f"b{k}", f"Body {k}", moved(part, place), goo(rng), resolution=resolution, **state))
    colliders = [] if kind == "throw" else [Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5)]
    if kind == "squeeze":
        colliders.append(plate(end + 0.2, frames))
    gravity = np.zeros((frames + LONGEST, 3))
    gravity[:frames, 2] = 0.0 if kind == "throw" else -9.81
    contact = "all" if rng.uniform() < 0.5 else "bodies"
    settings = Settings(1, frames + LONGEST, threads=1, gravity_keys=gravity, body_contact=contact)
    return kind, validated(Scene(tuple(bodies), tuple(colliders), settings))


def in_a_row(
    shapes: list[Surface], along: int, resolution: int, rng: np.random.Generator
) -> tuple[list[np.ndarray], float]:
    """Where shapes go that follow each other along an axis, their cages apart, and where the row ends [m]."""
    places, end = [], 0.0
    for part in shapes:
        low, high = part.positions.min(axis=0), part.positions.max(axis=0)
        cell = part.extent / resolution
        place = 0.1 * rng.normal(size=3)
        place[along] = end + 0.05 + cell - low[along]
        end = place[along] + high[along] + 0.05 + cell
        places.append(place)
    return places, end


def plate(height: float, frames: int) -> Collider:
    """A plane that looks down, comes down to half its height [m] and lifts again."""
    times = np.arange(-1, frames) / 24.0
    depth = np.minimum(PLATE_SPEED * np.clip(times, 0.0, None), 0.5 * height)
    depth -= np.clip(PLATE_SPEED * (times - times[-1] * 0.6), 0.0, None)
    depth = np.concatenate([depth, np.full(LONGEST, depth[-1])])
    transforms = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (len(depth), 1, 1))
    transforms[:, 2, 3] = height - depth
    return Collider("p", "Plate", "plane", transforms, friction=0.3)


def soak(seed: int, frames: int, resolution: int = 6) -> dict[str, object]:
    """Bake one scene; what was found in it."""
    kind, scene = soak_scene(seed, frames, resolution)
    prepared = prepare(scene)
    run = Ledger(scene, *([getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")))
    run.account([item for item in scene.colliders if item.uid == "p"], (frames - 1) / scene.settings.frames_per_second)
    watch, state = Watch(run, own=scene.settings.body_contact == "all"), run.state
    found = {"seed": seed, "kind": kind, "tets": len(state.tets), "left_out": run.surfaces.left_out}
    lowest = -0.5 * 9.81 * state.masses.sum() if kind == "throw" else 0.0
    names = ("substeps", "rejected", "rough", "newton_iterations")
    crossing, effort, inverted, started = 0, np.zeros(4), {}, time.process_time()
    try:
        for number in range(1, frames + LONGEST + 1):
            frame = run.advance()
            effort += [frame.statistics[name] for name in names]
            crossing += watch.crosses(run)
            inverted[number] = int(frame.statistics["inverted"])
            if number >= frames + RELIEF and not inverted[number]:
                break
    except StepError as error:
        found["failed"] = error.message
    found |= dict(zip(names, effort.tolist(), strict=True))
    return found | {
        "crossing": crossing, "gained": run.excess / max(abs(run.owned - lowest), 1e-9),
        "inverted_under_load": inverted.get(frames, -1), "inverted": inverted.get(len(inverted), -1), "frames": len(inverted),
        "finite": bool(np.isfinite(run.state.positions).all()), "seconds": round(time.process_time() - started, 2),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 1000))
    parser.add_argument("--frames", type=int, default=48)
    parser.add_argument("--resolution", type=int, default=6)
    options = parser.parse_args()
    lines = options.results.read_text().splitlines() if options.results.exists() else []
    done = {json.loads(line)["seed"] for line in lines}
    for seed in range(*options.seeds):
        if seed not in done:
            found = soak(seed, options.frames, options.resolution)
            with options.results.open("a") as file:
                file.write(json.dumps(found) + "\n")
            print(found, flush=True)


if __name__ == "__main__":
    main()

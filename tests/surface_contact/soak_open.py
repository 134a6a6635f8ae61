"""Goo thrown at open colliders, out of seeds: a soak that can be resumed, as soak.py is.

    python -m tests.surface_contact.soak_open RESULTS.jsonl [--seeds 0 1000] [--frames 20]

Each line says of one scene (open_scenes.py): fastest, the speed of the fastest node over one that nothing in it should much
exceed; inverted, how many tets are inside out at the end; failed, what ended the bake, and how long it took.
"""

import time

import numpy as np

from solver.bake import prepare
from solver.errors import Cancelled, MeshingError, StepError
from solver.simulate import Simulation
from solver.tearing.at_start import made_fit
from tests.surface_contact.open_scenes import open_scene
from tests.surface_contact.resuming import commanded

LONG = 90.0  # process time of one scene from which on it is given up [s]


def thrown(seed: int, frames: int) -> dict[str, object]:
    """Bake one scene; what was found in it."""
    kind, scene, speed = open_scene(seed, frames)
    scene, _ = made_fit(scene, {}, lambda _: None)
    found: dict[str, object] = {"seed": seed, "kind": kind}
    begun, fastest, inverted = time.process_time(), 0.0, 0.0
    try:
        made = prepare(scene)
        run = Simulation(scene, *([getattr(item, name) for item in made] for name in ("mesh", "surface", "contacts")))
        for _ in range(frames):
            inverted = run.advance(lambda: time.process_time() > begun + LONG).statistics["inverted"]
            fastest = max(fastest, float(np.linalg.norm(run.state.velocities, axis=1).max()) / speed)
    except (MeshingError, StepError, Cancelled) as error:
        found["failed"] = error.message
    return found | {"fastest": fastest, "inverted": inverted, "seconds": round(time.process_time() - begun, 2)}


def main() -> None:
    commanded(__doc__, thrown, frames=20)


if __name__ == "__main__":
    main()

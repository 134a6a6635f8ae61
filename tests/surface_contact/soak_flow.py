"""Goo that flows, out of seeds: a soak of remeshes, tears, merges and folds that can be resumed, as soak.py is.

    PYTHONPATH=tools python -m tests.surface_contact.soak_flow RESULTS.jsonl [--seeds 0 1000] [--frames 30]

Each line says of one scene (flow_scenes.py), of what is seen of all bodies:

opened   : the most open edges that there were at any frame beyond those of the start
crossing : frames in which more faces pass through their own body or others than at the start; crossed, by how many at most, and
           left, by how many in the last. What merges comes to lie in what it merges with, until it is one with it
kept     : shares of the volume that was seen at first that are, at least and at most, but for what tets are squeezed by
and how many tets are inside out at the end, how many remeshes there were, what ended the bake, and how long it took.
"""

import time

import numpy as np

from solver.bake import prepare
from solver.errors import Cancelled, MeshingError, StepError
from solver.frame import Frame
from solver.geometry.edge_crossings import piercing_pairs
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.scene import Scene
from solver.simulate import Simulation
from solver.tearing.at_start import made_fit
from solver.tetmesh.quality import tet_volumes
from tests.surface_contact.flow_scenes import flow_scene
from tests.surface_contact.resuming import commanded

LONG = 150.0  # process time of one scene from which on it is given up [s]


def looked_at(run: Simulation, frame: Frame) -> np.ndarray:
    """Open edges and pairs of faces that cross of all that a frame shows, and its volume [m^3] as if no tet were squeezed."""
    shown, places, faces, count = {body.uid: body for body in frame.bodies}, [], [], 0
    found = np.zeros(3)
    for body, triangles in zip(run.scene.bodies, run.present.triangles, strict=True):
        seen = shown[body.uid].positions + shown[body.uid].origin
        found += unpaired_edges(triangles), 0, signed_volumes(seen, triangles).sum()
        places.append(seen)
        faces.append(triangles + count)
        count += len(seen)
    found[1] = len(piercing_pairs(np.concatenate(places), np.concatenate(faces)))
    found[2] *= run.state.volumes.sum() / tet_volumes(run.state.positions, run.state.tets).sum()
    return found


def begun(scene: Scene) -> Simulation:
    """The simulation of a scene as a bake begins it."""
    scene, _ = made_fit(scene, {}, lambda _: None)
    made = prepare(scene)
    return Simulation(scene, *([getattr(item, name) for item in made] for name in ("mesh", "surface", "contacts")))


def flowed(kind: str, scene: Scene, frames: int) -> dict[str, object]:
    """Bake one scene; what was found in it."""
    looks, remeshes, inverted, found = [], 0.0, 0.0, dict[str, object](kind=kind)
    started = time.process_time()
    try:
        run = begun(scene)
        for _ in range(frames):
            frame = run.advance(lambda: time.process_time() > started + LONG)
            remeshes, inverted = remeshes + frame.statistics["remeshes"], frame.statistics["inverted"]
            looks.append(looked_at(run, frame))
    except (MeshingError, StepError, Cancelled) as error:
        found["failed"] = error.message
    opened, crossed, volume = (np.array(looks).reshape(-1, 3) - [*looks[0][:2], 0.0]).T if looks else np.zeros((3, 1))
    volume = volume / max(volume[0], 1e-300)
    return found | {
        "opened": int(opened.max()), "crossing": int((crossed > 0).sum()), "crossed": int(crossed.max()),
        "left": int(crossed[-1]), "kept": [round(float(volume.min()), 4), round(float(volume.max()), 4)],
        "inverted": inverted, "remeshes": remeshes, "frames": len(looks), "seconds": round(time.process_time() - started, 2),
    }  # fmt: skip


def main() -> None:
    commanded(__doc__, lambda seed, frames: {"seed": seed, **flowed(*flow_scene(seed, frames), frames)}, frames=30)


if __name__ == "__main__":
    main()

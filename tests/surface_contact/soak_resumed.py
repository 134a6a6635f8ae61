"""Bakes that go on from checkpoints, out of the seeds of the other soaks: a soak that can be resumed, as soak.py is.

    PYTHONPATH=tools python -m tests.surface_contact.soak_resumed RESULTS.jsonl [--seeds 0 1000] [--frames 16]

Seeds are dealt to what soak.py, soak_open.py, soak_flow.py and soak_edges.py bake, by turns. A bake goes on from a quarter,
half and three quarters of its frames, as from a folder: a simulation begun anew takes what was kept and bakes GOING frames
more.

differs: the frames gone on from after which positions, speeds or what is seen are not those of the whole bake, byte for byte;
listed : in which of these the bakes took their steps otherwise, though bytes are the same.
"""

import time
from hashlib import blake2b

from solver.cache.archive import pack, unpack
from solver.errors import Cancelled, MeshingError, StepError
from solver.frame import Frame
from solver.scene import Scene
from solver.simulate import Simulation
from tests.surface_contact.flow_scenes import flow_scene
from tests.surface_contact.open_scenes import open_scene
from tests.surface_contact.resuming import commanded
from tests.surface_contact.soak_edges import beginnings, edge_scene
from tests.surface_contact.soak_scenes import soak_scene

GOING = 4  # frames that a bake goes on for
LONG = 60.0  # process time of a whole bake from which on it is given up [s]
STEPS = ("substeps", "rejected", "newton_iterations", "linear_iterations")


def chosen(seed: int, frames: int) -> tuple[str, Scene]:
    """The kind of a seed's scene, and the scene."""
    turn, own = seed % 4, seed // 4
    if turn == 0:
        return soak_scene(own, frames, 4)
    return (open_scene, flow_scene, edge_scene)[turn - 1](own, frames)[:2]


def traces(run: Simulation, frame: Frame) -> tuple[str, tuple[float, ...]]:
    """A hash of all that a frame says of where things are, and how its steps were taken."""
    whole = blake2b(digest_size=8)
    for values in (run.state.positions, run.state.velocities, run.state.tets):
        whole.update(values.tobytes())
    for body in frame.bodies:
        whole.update(body.positions.tobytes() + b"".join(body.attributes[name].tobytes() for name in sorted(body.attributes)))
    return whole.hexdigest(), tuple(frame.statistics[name] for name in STEPS)


def gone_on(kind: str, scene: Scene, frames: int) -> dict[str, object]:
    """Bake one scene, and from three of its frames once more; what was found."""
    started, found = time.process_time(), dict[str, object](kind=kind)
    starts, kept, whole = sorted({frames * part // 4 for part in (1, 2, 3)}), {}, []
    try:
        begin = beginnings(scene)
        run = begin()
        for number in range(1, frames + 1):
            whole.append(traces(run, run.advance(lambda: time.process_time() > started + LONG)))
            if number in starts:
                kept[number] = pack(run.checkpoint())
    except (MeshingError, StepError, Cancelled) as error:
        found["failed"] = error.message
    differs, listed = [], []
    for number, checkpoint in kept.items():
        run = begin()
        run.restore(unpack(checkpoint))
        again = [traces(run, run.advance()) for _ in whole[number : number + GOING]]
        pairs = list(zip(again, whole[number:], strict=False))
        differs += [number] * any(one[0] != other[0] for one, other in pairs)
        listed += [number] * (number not in differs and any(one[1] != other[1] for one, other in pairs))
    took = round(time.process_time() - started, 2)
    return found | {"frames": len(whole), "from": list(kept), "differs": differs, "listed": listed, "seconds": took}


def main() -> None:
    commanded(__doc__, lambda seed, frames: {"seed": seed, **gone_on(*chosen(seed, frames), frames)}, frames=16)


if __name__ == "__main__":
    main()

"""Randomised drops, throws and squeezes of several bodies, each watched by ipctk at every frame: a soak that can be resumed.

    python -m tests.surface_contact.soak RESULTS.jsonl [--seeds 0 1000] [--frames 48]

Each seed is one scene; its line in RESULTS says what was found, and seeds that have one are not run again. Bodies, most of them
artists' meshes, of goo that springs, flows or is damped, fall in a heap, on a turning gear or into a shaken beaker, fly at each
other, at a gear, a paddle or a fist, or are pressed by a plane, a slab or teeth that come down and lift again
(soak_scenes.py). Then gravity ends too: bodies fly apart for RELIEF frames, still striking each other, and then for as long as
something is inside out, at most until LONGEST. What is found:

crossing      : frames in which more faces cross than at the start, of the surfaces that carry contact (ipctk);
                seen_crossing: in which some of different bodies do, as they are seen; None where that surface was merged, as
                it is seen, is much finer than the tets: it carries no contact itself
inverted      : how many tets are inside out at the end. Where some are, what hangs on a collider (an ear of a fist driven
                into it) is still under load: pushed is how hard colliders push on all bodies then, in their weights, the
                mean of RELIEF frames; freed is how many are inside out once colliders are gone, in the last of freed_frames
in_colliders  : the deepest that a vertex that is seen was in a collider, under load or after, in element sizes of its body,
in_bodies     : and in another body that is closed; by_colliders: that a collider's vertex was in such a one
refused       : what is said of a body that is thinner than a tet, and nothing else is found
gained        : the most energy, of motion, height and strain, that was there while loads acted beyond that of the start and
                what the collider that moves has done (ledger.py, collider_ledger.py), as a share of what falls, flies or moves
"""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from solver.bake import prepare
from solver.errors import MeshingError, StepError
from solver.scene import Scene
from solver.simulate import Simulation
from tests.physics.collider_ledger import ColliderLedger
from tests.surface_contact.ledger import Ledger
from tests.surface_contact.resuming import commanded
from tests.surface_contact.seen_depths import SeenDepths
from tests.surface_contact.soak_scenes import LONGEST, soak_scene
from tests.surface_contact.watch import Watch

RELIEF = 12  # frames without any load, after all others
PRESSES = ("p", "plate", "slab", "teeth")
EFFORT = ("substeps", "rejected", "rough", "newton_iterations")
Scenes = Callable[[int, int, int], tuple[str, Scene]]


class Crossings:
    """In how many frames faces cross that carry contact, more than at the start, and some of different bodies that are seen."""

    def __init__(self, run: Simulation) -> None:
        self.carrying = Watch(run, own=run.scene.settings.body_contact == "all")
        self.seen = Watch(run, own=False, seen=True)
        self.merged = len(self.carrying.faces) < len(self.seen.faces)
        self.before = self.carrying.crossing(run) if self.carrying.crosses(run) else 0
        self.frames, self.seen_frames = 0, 0

    def look(self, run: Simulation) -> None:
        """At a frame."""
        if self.carrying.crosses(run):
            self.frames += not self.before or self.carrying.crossing(run) > self.before
        self.seen_frames += not self.merged and self.seen.crosses(run)


class Account:
    """A simulation that counts energy while loads act, by whatever there is of colliders."""

    def __init__(self, scene: Scene, frames: int) -> None:
        prepared, self.frames = prepare(scene), frames
        self.filled = tuple([getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts"))
        movers = [item for item in scene.colliders if len(item.transforms) > 1]
        self.pressed = not movers or movers[0].uid in PRESSES
        kind = Ledger if self.pressed else ColliderLedger
        self.run = kind(scene, *self.filled)
        if isinstance(self.run, Ledger):
            self.run.account(movers[0] if movers else None, (frames - 1) / scene.settings.frames_per_second)
            lowest = 0.0 if scene.colliders else -0.5 * 9.81 * self.run.state.masses.sum()
            self.whole = max(abs(self.run.owned - lowest), 1e-9)
        else:
            self.run.account()
        self.gained = -np.inf

    def look(self, number: int) -> None:
        """At a frame."""
        if number > self.frames:
            return
        if isinstance(self.run, Ledger):
            self.gained = float(self.run.excess / self.whole)
        elif self.run.excess:
            self.gained = float(max(self.run.excess) / max(self.run.moving, 1e-9))


def pushed(run: Simulation, momenta: np.ndarray) -> float:
    """How hard colliders push at the end, given momenta (k, 3) at frames without any other load, in weights of all bodies."""
    changes = np.linalg.norm(np.diff(momenta[-RELIEF:], axis=0), axis=1) * run.scene.settings.frames_per_second
    return round(float(changes.mean() / (9.81 * run.state.masses.sum())), 4)


def once_free(account: Account) -> dict[str, object]:
    """What becomes of tets that are inside out, once no collider is there any more: `freed` and `freed_frames`."""
    on = Simulation(replace(account.run.scene, colliders=()), *account.filled)
    begun, now = on.checkpoint(), account.run.checkpoint()
    on.restore({name: now[name] if name in now and now[name].shape == own.shape else own for name, own in begun.items()})
    left = [int(on.advance().statistics["inverted"])]
    while left[-1] and len(left) < LONGEST:
        left.append(int(on.advance().statistics["inverted"]))
    return {"freed": left[-1], "freed_frames": len(left)}


def soak(seed: int, frames: int, resolution: int = 6, scenes: Scenes = soak_scene) -> dict[str, object]:
    """Bake one scene; what was found in it."""
    kind, scene = scenes(seed, frames, resolution)
    try:
        account = Account(scene, frames)
    except MeshingError as error:
        return {"seed": seed, "kind": kind, "refused": error.message}
    run = account.run
    crossings, depths = Crossings(run), SeenDepths(scene)
    found: dict[str, object] = {"seed": seed, "kind": kind, "tets": len(run.state.tets)}
    found |= {"left_out": run.surfaces.left_out}
    effort, inverted, momenta, started = np.zeros(len(EFFORT)), {}, [], time.process_time()
    try:
        for number in range(1, frames + LONGEST + 1):
            frame = run.advance()
            effort += [frame.statistics[name] for name in EFFORT]
            crossings.look(run)
            depths.look(frame)
            account.look(number)
            inverted[number] = int(frame.statistics["inverted"])
            momenta.append(run.state.masses @ run.state.velocities)
            if number >= frames + RELIEF and not inverted[number]:
                break
    except StepError as error:
        found["failed"] = error.message
    else:
        if inverted[number]:
            found |= {"pushed": pushed(run, np.array(momenta)), **once_free(account)}
    found |= dict(zip(EFFORT, effort.tolist(), strict=True))
    return found | {
        "crossing": crossings.frames, "seen_crossing": None if crossings.merged else crossings.seen_frames,
        "in_colliders": round(depths.in_colliders, 5), "in_bodies": round(depths.in_bodies, 5),
        "by_colliders": round(depths.by_colliders, 5), "gained": account.gained,
        "inverted_under_load": inverted.get(frames, -1), "inverted": inverted.get(len(inverted), -1), "frames": len(inverted),
        "finite": bool(np.isfinite(run.state.positions).all()), "seconds": round(time.process_time() - started, 2),
    }  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    commanded(__doc__, soak, arguments, frames=48, resolution=6)


if __name__ == "__main__":
    main()

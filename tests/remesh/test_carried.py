"""What holds or leads a body goes over to its new tets: pins, attachments, springs, goals and limits of flow."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import prepare
from solver.cache.archive import pack, unpack
from solver.materials import Material
from solver.moment import Snapshot
from solver.pins.pin import Pin
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surfaces import box

GOO = {"young_modulus": 3e4, "poisson_ratio": 0.3, "density": 1000.0, "yield_stress": 1e9, "damping": 20.0}
SIDES = (0.3, 0.3, 0.9)


class Forced(Simulation):
    """Gets new tets at the first step of some frames."""

    def __init__(self, *arguments, at=(), **options):
        self.due_frames, self.done = set(at), set()
        super().__init__(*arguments, **options)
        self.remeshing.due = self._due_now

    def _due_now(self, *_):
        due = self.frame in self.due_frames - self.done
        self.done.add(self.frame)
        return [0] if due else []

    def seen(self):
        body = self.output.frame(Snapshot.of(self.state))[0]
        return body.origin + body.positions


def shot(values=None, *, frames=24, at=(6, 12), resolution=9, colliders=(), gravity=-9.81, sides=SIDES, **options):
    """A bar of nine cells to its length, standing on the origin."""
    surface = divided(box(sides, (0.0, 0.0, 0.5 * sides[2])))
    pins = options.pop("pins", lambda positions: ())(surface.positions)
    body = Body(
        "b", "Bar", surface, Material("viscoplastic", GOO | (values or {})), resolution=resolution, remeshing="wholesale",
        pins=pins, **{name: value(surface.positions) if callable(value) else value for name, value in options.items()},
    )  # fmt: skip
    settings = Settings(frame_end=frames, gravity=(0.0, 0.0, gravity), worst_condition=50.0, threads=1)
    scene = validated(Scene((body,), tuple(colliders), settings))
    made = prepare(scene)[0]
    return Forced(scene, [made.mesh], [made.surface], [made.contacts], fields=None if colliders else [], at=at)


def divided(part, times=3):
    """A surface with each triangle cut in four, again and again."""
    points, triangles = part.positions, part.triangles
    for _ in range(times):
        ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
        edges, which = np.unique(ends, axis=0, return_inverse=True)
        (a, b, c), (ab, bc, ca) = triangles.T, (which.reshape(-1, 3) + len(points)).T
        points = np.concatenate([points, points[edges].mean(axis=1)])
        triangles = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return replace(part, positions=points, triangles=triangles.astype(np.int32))


def top(positions):
    return np.flatnonzero(positions[:, 2] > positions[:, 2].max() - 1e-6).astype(np.int32)


def moved_top(positions, frames, speed=0.4):
    """Where the top is, one a frame from the one before the first on, when it goes along x [m/s]."""
    targets = np.tile(positions[top(positions)], (frames + 1, 1, 1))
    targets[:, :, 0] += speed * (np.arange(frames + 1)[:, None] - 1) / 24.0
    return targets


@pytest.mark.parametrize("stiffness", [0.0, 4000.0])
def test_a_pin_that_moves_and_lets_go(stiffness):
    """A stiff bar hangs on it through three remeshes as it does without any, then falls freely."""
    frames, ends = 30, []
    strength = np.where(np.arange(frames) < 20, 1.0, 0.0)

    def pins(x):
        return (Pin("pin", top(x), np.ones(len(top(x))), moved_top(x, frames), "", stiffness, 20.0, strength),)

    for at in ((), (5, 10, 15)):
        bar = shot({"young_modulus": 3e5}, frames=frames, at=at, pins=pins, velocity=(0.4, 0.0, 0.0))
        where, middle = top(bar.scene.bodies[0].surface.positions), []
        for k in range(frames):
            bar.advance()
            if k < 20 and stiffness == 0.0:
                away = np.abs(bar.seen()[where] - bar.scene.bodies[0].pins[0].targets[k + 1]).max()
                assert away < 1e-3 * bar.scene.bodies[0].element_size
            middle.append(bar.seen().mean(axis=0))
        ends.append(np.array(middle))
    sizes = bar.scene.bodies[0].element_size
    assert np.abs(ends[1] - ends[0])[:20].max() < 0.1 * sizes
    falling = np.diff(ends[1][22:, 2], 2) * 24.0**2
    assert falling == pytest.approx(-9.81, rel=0.01)


def test_an_attachment_goes_with_its_collider():
    """What it holds is where the collider has taken it, two remeshes on; let go, it falls."""
    frames = 20
    transforms = np.tile(np.eye(4), (frames + 1, 1, 1))
    for k, angle in enumerate(0.05 * (np.arange(frames + 1) - 1)):
        transforms[k, :2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        transforms[k, :3, 3] = 0.3 * np.sin(angle), 0.0, 0.02 * k - 3.0
    wall = Collider("wall", "Wall", "plane", transforms)
    strength = np.where(np.arange(frames) < 14, 1.0, 0.0)
    bar = shot(frames=frames, at=(4, 9), colliders=(wall,), pins=lambda x: (hook(x, strength),))
    first = bar.scene.bodies[0].surface.positions
    for k in range(14):
        bar.advance()
        way = transforms[k + 1] @ np.linalg.inv(transforms[1])
        there = first[top(first)] @ way[:3, :3].T + way[:3, 3]
        assert np.abs(bar.seen()[top(first)] - there).max() < 1e-6
    assert bar.done >= {4, 9}
    for _ in range(6):
        bar.advance()
    assert (bar.seen()[top(first), 2] < there[:, 2] - 0.1).all()


def hook(positions, strength):
    return Pin("hook", top(positions), np.ones(len(top(positions))), None, "wall", strength=strength)


@pytest.mark.parametrize("stiffness", [0.0, 500.0])
def test_a_bake_with_pins_goes_on_from_a_checkpoint_after_a_remesh(stiffness):
    """With the same bytes."""

    def pins(x):
        return (Pin("pin", top(x), np.ones(len(top(x))), moved_top(x, 12), "", stiffness, 5.0),)

    whole, first, second = (shot(frames=12, at=(3,), resolution=6, pins=pins) for _ in range(3))
    for _ in range(6):
        first.advance()
        whole.advance()
    second.restore(unpack(pack(first.checkpoint())))
    second.done.add(3)
    for _ in range(3):
        assert whole.advance().bodies[0].positions.tobytes() == second.advance().bodies[0].positions.tobytes()


def test_a_body_becomes_its_goal_through_remeshes():
    """Turned as it flies, with its volume growing to the goal's."""
    factors, soft = np.array([1.5, 0.9, 0.8]), {"yield_stress": 50.0, "flow_rate": 40.0, "damping": 5.0}
    bar = shot(soft, frames=40, at=(6, 14, 22), gravity=0.0, goal=lambda x: x * factors, goal_rate=8.0,
               angular_velocity=(0.0, 0.0, 2.0))  # fmt: skip
    for _ in range(40):
        bar.advance()
    seen = bar.seen() - bar.seen().mean(axis=0)
    sizes = np.sqrt(np.linalg.eigvalsh(seen.T @ seen))
    goal = (bar.scene.bodies[0].surface.positions - [0.0, 0.0, 0.45]) * factors
    assert sizes == pytest.approx(np.sqrt(np.linalg.eigvalsh(goal.T @ goal)), rel=0.03)
    assert bar.done >= {6, 14, 22}


def test_flow_ends_at_its_limit_through_remeshes():
    """A bar that is drawn to one and a half times its length keeps of it what its limit lets it."""
    frames = 40
    strength = np.where(np.arange(frames) < 26, 1.0, 0.0)

    def pins(x):
        ends = np.flatnonzero(np.abs(x[:, 2] - 0.45) > 0.45 - 1e-6).astype(np.int32)
        targets = np.tile(x[ends], (frames + 1, 1, 1))
        share = np.clip((np.arange(frames + 1) - 1) / 20.0, 0.0, 1.0)
        targets[:, :, 2] = 0.45 + (targets[:, :, 2] - 0.45) * (1.0 + 0.5 * share[:, None])
        return (Pin("ends", ends, np.ones(len(ends)), targets, strength=strength),)

    soft = {"yield_stress": 300.0, "flow_rate": 100.0, "damping": 30.0, "plastic_limit": 0.2}
    bars = [shot(soft, frames=frames, at=at, gravity=0.0, pins=pins) for at in ((), (8, 12, 16))]
    grown = []
    for bar in bars:
        for _ in range(frames):
            bar.advance()
        grown.append(np.ptp(bar.seen()[:, 2]) - 0.9)
        gone = np.log(np.linalg.svd(bar.state.plastic_deformation, compute_uv=False))
        gone = np.sqrt(((gone - gone.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))
        assert 0.15 < gone.mean() < gone.max() < 0.2 * (1.0 + 1e-6)
    assert grown[1] == pytest.approx(grown[0], rel=0.1) and bars[1].done >= {8, 12, 16}

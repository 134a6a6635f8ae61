"""The bake as a whole: frames in the cache, stopping and going on, and what may not be gone on with."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import bake
from solver.cache import FrameStore
from solver.errors import CacheError, Cancelled, SceneError, VersionError
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings
from solver.warm_up import cube

VERSIONS = {"dollop": "1.0.0", "numpy": np.__version__, "numba": "0"}


def falling_cube(last_frame: int = 12) -> Scene:
    """A soft cube 10 cm above the ground with a plate that comes up to meet it."""
    surface = cube()
    above = replace(surface, positions=surface.positions + (0.0, 0.0, 0.6))
    material = Material("viscoplastic", {"young_modulus": 4e4, "yield_stress": 800.0, "flow_rate": 8.0})
    plate = np.stack([np.eye(4)] * (last_frame + 1))
    plate[:, 2, 3] = -0.5 + 0.004 * np.arange(last_frame + 1)
    return Scene(
        (Body("cube", "Cube", above, material, resolution=4),),
        (Collider("ground", "Ground", "plane", np.eye(4)[None]), Collider("plate", "Plate", "mesh", plate, surface)),
        Settings(1, last_frame),
    )


def frame_files(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("frame_*")}


class StopAfter:
    """Lets `frames` frames through and `steps` more steps of the next one; give it to a bake as `report` and `stop`."""

    def __init__(self, frames: int, steps: int = 0) -> None:
        self.frames, self.steps = frames, steps

    def report(self, event) -> None:
        self.frames -= event["event"] == "frame"

    def stop(self) -> bool:
        self.steps -= self.frames <= 0
        return self.steps < 0


def bake_stopped(scene: Scene, folder, frames: int, steps: int = 0) -> Cancelled:
    """Bake until it stops; return how it said so."""
    stopper = StopAfter(frames, steps)
    with pytest.raises(Cancelled) as stopped:
        bake(scene, folder, versions=VERSIONS, report=stopper.report, stop=stopper.stop)
    return stopped.value


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    events = []
    assert bake(falling_cube(), folder, versions=VERSIONS, report=events.append) == 12
    return folder, events


def test_every_frame_is_there_and_the_cube_lies_on_the_ground(uninterrupted):
    folder, events = uninterrupted
    store = FrameStore.open(folder)
    assert store.frames() == list(range(1, 13)) and store.manifest["status"] == "done"
    assert list(store.damage()) == []
    last = store.read_body_frame(12, "cube")
    heights = last.positions[:, 2] + last.origin[2]
    assert -0.02 < heights.min() < 0.1 and 0.7 < heights.max() < 1.1
    assert [e["frame"] for e in events if e["event"] == "frame"] == list(range(1, 13))
    stages = [e["stage"] for e in events if e["event"] == "stage"]
    assert stages == ["tetrahedralizing", "compiling", "solving"]
    (meshed,) = (e for e in events if e["event"] == "meshed")
    assert meshed["minimum_dihedral"] > 10.0 and meshed["volume_error"] < 0.05


def test_the_time_left_is_told_from_the_first_frame_that_says_something_of_it(uninterrupted):
    """Neither the frame at rest nor the one that compiles the solver does."""
    etas = [event["eta"] for event in uninterrupted[1] if event["event"] == "frame"]
    assert etas[:2] == [None, None] and None not in etas[2:] and etas[-1] == 0.0


@pytest.mark.parametrize("steps", [0, 1], ids=["between frames", "within a frame"])
def test_stopping_and_resuming_gives_the_same_bytes(uninterrupted, tmp_path, steps):
    assert bake_stopped(falling_cube(), tmp_path, 7, steps).frame == 7
    store = FrameStore.open(tmp_path)
    assert store.manifest["status"] == "cancelled" and store.frames() == list(range(1, 8))
    assert bake(falling_cube(), tmp_path, versions=VERSIONS, resume=True) == 5
    assert frame_files(tmp_path) == frame_files(uninterrupted[0])


def test_a_bake_is_extended_to_a_later_frame(uninterrupted, tmp_path):
    bake(falling_cube(8), tmp_path, versions=VERSIONS)
    assert bake(falling_cube(12), tmp_path, versions=VERSIONS, resume=True) == 4
    assert frame_files(tmp_path) == frame_files(uninterrupted[0])


def test_resuming_without_a_cache_bakes_from_the_start(uninterrupted, tmp_path):
    assert bake(falling_cube(), tmp_path / "new", versions=VERSIONS, resume=True) == 12
    assert frame_files(tmp_path / "new") == frame_files(uninterrupted[0])


def test_a_changed_scene_is_not_continued_and_nothing_is_lost(tmp_path):
    bake_stopped(falling_cube(), tmp_path, 3)
    before = frame_files(tmp_path)
    scene = falling_cube()
    moved = replace(scene, bodies=(replace(scene.bodies[0], velocity=(0.0, 0.0, -1.0)),))
    with pytest.raises(CacheError, match="has changed"):
        bake(moved, tmp_path, versions=VERSIONS, resume=True)
    with pytest.raises(VersionError, match="2.0.0"):
        bake(scene, tmp_path, versions={**VERSIONS, "dollop": "2.0.0"}, resume=True)
    assert frame_files(tmp_path) == before


def test_a_bad_scene_leaves_the_old_cache_alone(uninterrupted):
    folder, _ = uninterrupted
    before = frame_files(folder)
    scene = falling_cube()
    flat = replace(scene.bodies[0].surface, positions=scene.bodies[0].surface.positions * (1.0, 1.0, 0.0))
    with pytest.raises(SceneError, match="Cube"):
        bake(replace(scene, bodies=(replace(scene.bodies[0], surface=flat),)), folder, versions=VERSIONS)
    assert frame_files(folder) == before


def test_one_frame_is_a_bake_too(tmp_path):
    assert bake(falling_cube(1), tmp_path, versions=VERSIONS) == 1
    assert FrameStore.open(tmp_path).frames() == [1]


@pytest.mark.parametrize(
    ("integrator", "model", "contact", "told"),
    [
        ("newmark", "viscoplastic", "bodies", "With Newmark (Explicit) bodies collide with colliders only"),
        ("newmark", "viscoplastic", "off", ""),
        ("generalized_alpha", "draft", "bodies", "'Cube': The model Draft collides with colliders only"),
        ("generalized_alpha", "viscoplastic", "bodies", ""),
    ],
)
def test_a_bake_tells_who_will_pass_through_each_other(tmp_path, integrator, model, contact, told):
    scene = falling_cube(1)
    (one,) = scene.bodies
    above = replace(one.surface, positions=one.surface.positions + (0.0, 0.0, 2.0))
    lower = replace(one, material=Material(model))
    bodies = (lower, replace(lower, uid="upper", name="Upper", surface=above))
    settings, said = replace(scene.settings, integrator=integrator, body_contact=contact), []
    bake(replace(scene, bodies=bodies, settings=settings), tmp_path / "cache", report=said.append)
    warnings = [event["message"] for event in said if event["event"] == "warning"]
    assert len(warnings) == (0 if not told else 2 if model == "draft" else 1)
    assert all("Body Contact" in each for each in warnings)
    assert not told or warnings[0].startswith(told)

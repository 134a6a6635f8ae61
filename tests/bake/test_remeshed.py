"""A bake with remeshing that is stopped and gone on with from the cache."""

import numpy as np
import pytest

from solver.bake import bake
from solver.cache import FrameStore
from solver.materials import Material
from solver.scene import REMESHERS, Body, Collider, Scene, Settings
from tests.surfaces import sphere

from .test_bake import VERSIONS, bake_stopped, frame_files

FRAMES = 10


def falling_goo(remesher: str) -> Scene:
    """A ball of goo that lands, and flows apart so fast that it is remeshed at once, and again."""
    goo = Material("viscoplastic", {"young_modulus": 2e4, "yield_stress": 10.0, "flow_rate": 60.0, "density": 1000.0})
    body = Body(
        "goo", "Goo", sphere(8, 0.25, (0.0, 0.0, 0.27)), goo, resolution=5, velocity=(0.0, 0.0, -4.0), remeshing="wholesale",
        remesher=remesher,
    )  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    return Scene((body,), (ground,), Settings(1, FRAMES, worst_condition=2.5))


@pytest.fixture(scope="module", params=REMESHERS)
def uninterrupted(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("whole")
    events, goo = [], falling_goo(request.param)
    assert bake(goo, folder, versions=VERSIONS, report=events.append) == FRAMES
    remeshed = [event["frame"] for event in events if event["event"] == "frame" and event["statistics"]["remeshes"]]
    return goo, folder, remeshed


def test_goes_on_after_a_remesh_with_the_same_bytes(uninterrupted, tmp_path):
    goo, folder, remeshed = uninterrupted
    first = remeshed[0]
    assert 1 < first < FRAMES - 1 and len(remeshed) > 1
    assert bake_stopped(goo, tmp_path, first, 1).frame == first
    assert bake(goo, tmp_path, versions=VERSIONS, resume=True) == FRAMES - first
    assert frame_files(tmp_path) == frame_files(folder)
    assert FrameStore.open(tmp_path).manifest["status"] == "done"


def test_goes_on_from_before_the_first_remesh_with_the_same_bytes(uninterrupted, tmp_path):
    goo, folder, remeshed = uninterrupted
    before = remeshed[0] - 1
    assert bake_stopped(goo, tmp_path, before, 0).frame == before
    assert bake(goo, tmp_path, versions=VERSIONS, resume=True) == FRAMES - before
    assert frame_files(tmp_path) == frame_files(folder)

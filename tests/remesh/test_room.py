"""New tets lie closer about thin parts than the cage did: for all that what is seen keeps its volume."""

from pathlib import Path

import numpy as np
import pytest

from solver.bake import prepare
from solver.geometry.measures import signed_volumes
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tetmesh.quality import tet_volumes
from tests.surface_contact.soak_scenes import sized
from tests.surfaces import moved

PRESETS = Path(__file__).parents[2] / "presets"


def test_a_thin_fish_is_not_blown_up():
    """Its cage is three times as large as it is; new tets of the same rest volume made it larger with each remesh."""
    fish = moved(sized("fish", 0.45), (0.0, 0.0, 0.3))
    body = Body(
        "b", "Fish", fish, load_preset(PRESETS / "jelly.toml").material, resolution=7, remeshing="wholesale",
        refine_length=1.5, merging=True, merge_group=1, velocity=(0.0, 0.0, -4.0),
    )  # fmt: skip
    ground = Collider("g", "Ground", "plane", np.eye(4)[None])
    scene = validated(Scene((body,), (ground,), Settings(1, 12, threads=1)))
    made = prepare(scene)
    run = Simulation(scene, *([getattr(item, name) for item in made] for name in ("mesh", "surface", "contacts")))
    had, mass, remeshes = float(signed_volumes(fish.positions, fish.triangles).sum()), run.state.masses.sum(), 0.0
    for _ in range(12):
        remeshes += run.advance().statistics["remeshes"]
        seen = run.present.seen(0)
        squeezed = tet_volumes(run.state.positions, run.state.tets).sum() / run.state.volumes.sum()
        kept = signed_volumes(seen.positions, seen.triangles).sum() / had / squeezed
        assert 0.93 < kept < 1.03
    assert remeshes >= 2.0
    assert run.state.masses.sum() == pytest.approx(mass, rel=1e-12)

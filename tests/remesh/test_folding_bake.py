"""A strip of dough that closes like a mouth gets new tets at every second step, and opens again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.bake import prepare
from solver.cache.archive import pack, unpack
from solver.geometry.measures import signed_volumes
from solver.geometry.self_crossing import crossing_faces
from solver.presets import load_preset
from solver.scene import REMESHERS, Body, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tetmesh.quality import tet_volumes

from .folded import skin
from .test_touching import DOUGH

APART = 0.6  # of the arms at first [m]


class Mouth(Simulation):
    """Gets new tets at every second step."""

    def __init__(self, path: Path, remesher: str):
        self.steps, self.told = 0, {}
        surface, self.flat = skin(APART)
        goo = load_preset(path)
        material = replace(goo.material, values={**goo.material.values, "yield_stress": 20.0, "hardening_modulus": 0.0})
        body = Body("b", "Strip", surface, material, goo.real_size, resolution=12, remeshing="wholesale", remesher=remesher)
        settings = Settings(frame_end=16, body_contact="all", gravity=(0.0, 0.0, 0.0), threads=1)
        scene = validated(Scene((body,), (), settings))
        (made,) = prepare(scene)
        super().__init__(scene, [made.mesh], [made.surface], [made.contacts], fields=[])
        self.remeshing.due = self._due_now

    def _due_now(self, *_):
        return [0] if self.steps % 2 == 0 else []

    def _remesh(self):
        self.steps += 1
        return super()._remesh()

    def move(self, speed: float) -> None:
        """Let the arms fly at each other, or apart, the faster the further from the bend."""
        x = self.state.positions
        velocities = np.zeros_like(x)
        velocities[:, 2] = -speed * np.sign(x[:, 2]) * np.clip(x[:, 0] / 1.7, 0.0, 1.0)
        self.state.velocities, self.state.previous_velocities = velocities, velocities.copy()

    def shown(self) -> tuple[np.ndarray, float]:
        """What is seen at the next frame, and how far the inner sides of the two ends are from each other."""
        frame = self.advance()
        (body,) = frame.bodies
        self.told |= dict.fromkeys(warning.split(":")[0] for warning in frame.warnings)
        seen = body.origin + body.positions.astype(np.float64)
        upper, lower = ((self.flat[:, 2] < -0.19) & (side * self.flat[:, 0] > 1.9) for side in (1.0, -1.0))
        return seen, float(seen[upper, 2].mean() - seen[lower, 2].mean())


@pytest.mark.parametrize("remesher", REMESHERS)
def test_a_mouth_that_has_closed_opens_again(remesher):
    """The second remesher, which knows no folds, leaves them to stuffing, and says so."""
    mouth = Mouth(DOUGH, remesher)
    volume, shown = float(tet_volumes(mouth.state.positions, mouth.state.tets).sum()), float(mouth.state.shown.sum())
    mouth.move(2.5)
    for _ in range(9):
        seen, gap = mouth.shown()
    assert mouth.steps > 16 and abs(gap) < 0.02 * APART
    mouth.move(-2.0)
    for _ in range(3):
        seen, gap = mouth.shown()
    assert gap > 0.3 * APART
    assert [*mouth.told] == ([] if remesher == "stuffing" else ["'Strip' has folded onto itself"])
    assert not len(crossing_faces(seen, mouth.bound[2][0]))
    assert tet_volumes(mouth.state.positions, mouth.state.tets).sum() == pytest.approx(volume, rel=6e-3)  # it springs
    assert mouth.state.volumes.sum() == pytest.approx(volume, rel=2e-3)  # so that what is seen keeps its own
    assert mouth.state.shown.sum() == pytest.approx(shown, rel=1e-9)
    assert signed_volumes(seen, mouth.bound[2][0]).sum() == pytest.approx(shown, rel=6e-3)


def test_a_mouth_that_stays_closed_stays_apart():
    """New tets at every second step for eight frames after it has closed: its sides keep their distance."""
    mouth, gaps = Mouth(DOUGH, "stuffing"), []
    mouth.move(2.5)
    for _ in range(13):
        seen, gap = mouth.shown()
        gaps.append(gap)
        assert not len(crossing_faces(seen, mouth.bound[2][0]))
    assert mouth.steps > 30 and 0.7 * gaps[5] < min(gaps[5:]) <= max(gaps[5:]) < 1.5 * gaps[5]


def test_a_closed_mouth_goes_on_from_a_checkpoint():
    """With the same bytes: how far its sides reach is kept."""
    first, second = Mouth(DOUGH, "stuffing"), Mouth(DOUGH, "stuffing")
    first.move(2.5)
    for _ in range(8):
        first.shown()
    assert len(first.remeshed.rest.known[0].table) > 20
    second.restore(unpack(pack(first.checkpoint())))
    second.steps, second.remeshing.due = first.steps, second._due_now
    for _ in range(2):
        assert first.advance().bodies[0].positions.tobytes() == second.advance().bodies[0].positions.tobytes()

"""Collision groups: who shares none passes through, who shares one is met."""

from dataclasses import replace

import numpy as np
import pytest

from solver.collider import Collider
from solver.colliders import build_all
from solver.draft.simulation import DraftSimulation
from solver.simulate import Simulation
from tests.draft.scenes import draft_scene
from tests.physics.scenes import box_mesh, center, make_scene

FIRM = {"density": 1000.0, "young_modulus": 1e5, "poisson_ratio": 0.3, "yield_stress": 1e12, "flow_rate": 0.0}
GROUND = Collider("ground", "Ground", "plane", np.eye(4)[None])
FALLEN = 0.52 - 0.5 * 9.81 * (9.0 / 24.0) ** 2  # [m], after ten frames


def above(groups, grounds, make=make_scene):
    """A box just above a ground, in such groups."""
    mesh = box_mesh((2, 2, 2), origin=(0.0, 0.0, 0.02))
    scene, *rest = make([mesh], [FIRM if make is make_scene else {}], frames=12)
    body = replace(scene.bodies[0], groups=groups)
    return replace(scene, bodies=(body,), colliders=(replace(GROUND, groups=grounds),)), *rest


@pytest.mark.parametrize("groups, grounds, met", [(1, 1, True), (6, 4, True), (6, 1, False), (0, 255, False)])
def test_a_body_meets_colliders_of_its_groups(groups, grounds, met):
    simulation = Simulation(*above(groups, grounds))
    for _ in range(10):
        simulation.advance()
    height = center(simulation)[2]
    assert height > 0.4 if met else height == pytest.approx(FALLEN, abs=1e-3)


@pytest.mark.parametrize("groups, met", [(1, True), (2, False)])
def test_so_does_a_body_of_the_draft_model(groups, met):
    scene, *rest = above(groups, 1, draft_scene)
    simulation = DraftSimulation(scene, *rest, build_all(scene))
    for _ in range(10):
        simulation.advance()
    height = center(simulation)[2]
    assert height > 0.3 if met else height == pytest.approx(FALLEN, abs=0.05)


@pytest.mark.parametrize("groups, pairs", [((1, 1), 1), ((3, 2), 1), ((1, 2), 0)])
def test_bodies_meet_bodies_of_their_groups(groups, pairs):
    meshes = [box_mesh((2, 2, 2)), box_mesh((2, 2, 2), origin=(0.0, 0.0, 1.5))]
    scene, *rest = make_scene(meshes, [FIRM] * 2, body_contact="bodies")
    bodies = tuple(replace(body, groups=own) for body, own in zip(scene.bodies, groups, strict=True))
    simulation = Simulation(replace(scene, bodies=bodies), *rest, fields=[])
    assert len(simulation.surfaces.neighbourhoods) == pairs

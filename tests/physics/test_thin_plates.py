"""Soft goo that is thrown over thin plates and open sheets: their edges stay out of it, in steps as long as elsewhere."""

import numpy as np
import pytest

from solver.bake import prepare
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from tests.physics.knives import depth
from tests.surface_contact.seen_depths import SeenDepths
from tests.surfaces import box, moved, sphere, surface

SOFT = {"density": 1000.0, "young_modulus": 4e3, "poisson_ratio": 0.45, "yield_stress": 1e9, "damping": 5.0}
UPRIGHT = surface([(0, -1.5, 0), (0, 1.5, 0), (0, 1.5, -1.5), (0, -1.5, -1.5)], [(0, 2, 1), (0, 3, 2)])
LEVEL = surface([(-1, -1.5, 0), (0, -1.5, 0), (0, 1.5, 0), (-1, 1.5, 0)], [(0, 1, 2), (0, 2, 3)])


def thrown(onto: Surface, radius: float, place, velocity, resolution=8, modulus=4e3, **options) -> Simulation:
    shape = sphere(16, radius, place)
    goo = Material("viscoplastic", SOFT | {"young_modulus": modulus})
    ball = Body("b", "Ball", shape, goo, resolution=resolution, velocity=velocity)
    collider = Collider("s", "Plate", "mesh", np.eye(4)[None], surface=onto, friction=0.2, **options)
    scene = validated(Scene((ball,), (collider,), Settings(1, 15, 24.0, threads=1)))
    (filled,) = prepare(scene)
    return Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts])


@pytest.mark.parametrize("thickness", [0.004, 0.03])
def test_a_thick_sheets_rim_takes_no_tiny_steps(thickness):
    """Planes of edges that pass beside its rounding said that it had sunk in: 1,500 and 5,800 iterations, 1,270 steps."""
    run = thrown(UPRIGHT, 0.25, (0.03, 0.0, 0.3), (0.4, 0.0, -3.0), two_sided=True, thickness=thickness)
    depths, effort = SeenDepths(run.scene), np.zeros(2)
    for _ in range(8):
        frame = run.advance()
        depths.look(frame)
        effort += [frame.statistics[name] for name in ("newton_iterations", "substeps")]
    assert depths.in_colliders < 0.02 and effort[0] < 1400 and effort[1] < 120


def test_goo_is_not_hooked_on_the_rim_of_a_sheet():
    """By folds that are taken for draped over it: they were 5 % of an element deep on its other side."""
    run = thrown(LEVEL, 0.2, (-0.5, 0.0, 0.25), (4.0, 0.0, -2.0), two_sided=True, thickness=0.004)
    depths = SeenDepths(run.scene)
    for _ in range(14):
        depths.look(run.advance())
    assert depths.in_colliders < 0.02


def test_edges_of_a_plate_stay_out_of_what_is_folded_over_them():
    """They were 5 % of an element deep, where no edge of a fold counted."""
    plate = moved(box((0.008, 3.0, 1.5)), (0.0, 0.0, -0.75))
    run = thrown(plate, 0.25, (0.03, 0.0, 0.3), (0.4, 0.0, -3.0))
    deepest = 0.0
    for _ in range(9):
        (seen,) = run.advance().bodies
        for x in (-0.004, 0.004):
            line = np.array([(x, -0.3, 0.0), (x, 0.3, 0.0)])
            deepest = max(deepest, depth(line, seen.positions + seen.origin, run.scene.bodies[0].surface.triangles))
    assert deepest < 0.02 * run.element_size


@pytest.mark.parametrize(
    ("thickness", "resolution", "x", "velocity"),
    [(0.006, 8, -0.0262, (-0.251, 0.0, -4.7164)), (0.01, 6, -0.0363, (0.5771, 0.0, -7.9364))],
)
def test_what_hangs_over_a_plate_is_not_shown_in_it(thickness, resolution, x, velocity):
    """What lay on one side of it passed for deep under the edge of the other, and was drawn 5 % of an element into it."""
    plate = moved(box((thickness, 3.0, 1.5)), (0.0, 0.0, -0.75))
    run = thrown(plate, 0.25, (x, 0.0, 0.3), velocity, resolution)
    depths = SeenDepths(run.scene)
    for _ in range(14):
        depths.look(run.advance())
    assert depths.in_colliders < 0.02

"""Shells of what is seen that hang on one piece of tets: neither pieces that merge nor a shell that folds onto itself."""

import numpy as np

from solver.bake import prepare
from solver.materials import Material
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surfaces import moved, sphere, surface

GOO = Material("viscoplastic", {"young_modulus": 5e4, "yield_stress": 500.0, "flow_rate": 40.0, "damping": 20.0})


def two_balls_as_one(apart):
    """A body that merges, of two balls so far apart [m] as one mesh, on one piece of tets."""
    one = sphere(18, 0.5)
    other = moved(one, np.array([apart, 0.0, 0.0]))
    triangles = np.concatenate([one.triangles, other.triangles + len(one.positions)])
    both = surface(np.concatenate([one.positions, other.positions]), triangles)
    body = Body("b", "Balls", both, GOO, resolution=8, remeshing="wholesale", merging=True, merge_group=1)
    scene = validated(Scene((body,), (), Settings(1, 4, gravity=(0.0, 0.0, 0.0), threads=1)))
    (made,) = prepare(scene)
    return Simulation(scene, [made.mesh], [made.surface], [made.contacts], fields=[])


def test_shells_that_pass_through_each_other_are_seen_and_become_one():
    simulation = two_balls_as_one(0.8)
    assert not simulation.present.mesh(0).piece.any()
    found = [len(simulation.remeshing.passing(simulation.present, 0.0, 0.0, shells)[0]) for shells in (False, True)]
    assert found[0] == 0 < found[1]
    assert simulation.remeshing.creases.tolist() == [found[1]], "who begins so gets no new tets for that"
    frames = [simulation.advance() for _ in range(2)]
    assert frames[1].statistics["remeshes"] == 0.0
    simulation.remeshing.creases[:] = 0  # as if they had come into each other on the way
    assert simulation.advance().statistics["remeshes"] > 0.0
    assert len(simulation.remeshing.passing(simulation.present, 0.0, 0.0)[0]) == 0

"""Bodies that lie on each other get new tets again and again."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from solver.bake import prepare
from solver.embedding import bind
from solver.geometry.self_crossing import crossing_faces
from solver.presets import load_preset
from solver.remesh.exchange import renew
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from tests.physics.scenes import PlaneField
from tests.surfaces import sphere

DOUGH = Path(__file__).parents[2] / "presets" / "dough.toml"
G = 9.81


class Restless(Simulation):
    """Gets new tets at every second step; notes energies (k, 2) before and after [J], how many remeshes were put off,
    whether any forgot what sticks, how many bodies owed energy at one, and whether any forgot that or who has touched."""

    def __init__(self, *arguments, **options):
        self.steps, self.energies, self.put_off, self.forgot, self.rubbed = 0, [], 0, False, 0
        self.owed, self.forgave = 0, False
        super().__init__(*arguments, **options)
        self.remeshing.due = lambda *_: [0, 1] if self.steps % 2 == 0 else []

    def _remesh(self):
        self.steps += 1
        sticks = self.surfaces.held.stretch
        known = self.ledger.credit.tolist(), self.company.tolist()
        before, done = self.energy(), super()._remesh()
        self.forgave |= known != (self.ledger.credit.tolist(), self.company.tolist())
        self.owed += done > 0 and any(known[0]) and bool(self.company.min() < self.company.max())
        self.forgot |= bool(done) and not np.array_equal(sticks, self.surfaces.held.stretch)
        self.rubbed += done > 0 and len(sticks) > 0
        self.energies += [(before, self.energy())] if done else []
        self.put_off += done == 0 and self.steps % 2 == 0
        return done

    def energy(self) -> float:
        """Of motion and height [J]."""
        state = self.state
        return float(state.masses @ (0.5 * (state.velocities**2).sum(axis=1) + G * state.positions[:, 2]))


def test_twenty_remeshes_of_two_bodies_that_land_on_each_other():
    """Nothing crosses, and no energy comes from nowhere: at a remesh at most one and a half thousandths, else none.

    A remesh may lose up to three: what moves in many ways within a tet moves in one afterwards.
    """
    goo = load_preset(DOUGH)
    material = replace(goo.material, values={**goo.material.values, "yield_stress": 40.0, "hardening_modulus": 0.0})
    bodies = tuple(
        Body(
            f"b{k}", f"Ball {k}", sphere(14, 0.15, (0.05 * k, 0.02 * k, 0.152 + 0.304 * k)), material, goo.real_size,
            resolution=6, remeshing="wholesale", velocity=(0.0, 0.0, -1.5 * k),
        )
        for k in range(2)
    )  # fmt: skip
    scene = validated(Scene(bodies, (), Settings(frame_end=11, body_contact="all", threads=1)))
    made = prepare(scene)
    balls = Restless(
        scene, [one.mesh for one in made], [one.surface for one in made], [one.contacts for one in made], fields=[PlaneField()]
    )
    triangles = np.concatenate([bodies[0].surface.triangles, bodies[1].surface.triangles + len(bodies[0].surface.positions)])
    last, first = np.inf, balls.energy()
    for _ in range(11):
        shown = balls.advance().bodies
        places = np.concatenate([body.origin + body.positions.astype(np.float64) for body in shown])
        assert not len(crossing_faces(places, triangles))
        assert balls.energy() < last + 1e-3 * first
        last = balls.energy()
    assert len(balls.energies) >= 20 and balls.put_off == 0 and not balls.surfaces.left_out
    assert balls.rubbed > 5 and not balls.forgot and balls.owed > 5 and not balls.forgave
    assert last < 0.8 * first  # they have struck each other and the ground
    gains = np.array([after - before for before, after in balls.energies]) / first
    assert gains.min() > -3e-3 and gains.max() < 1.5e-3


def test_a_new_surface_that_crosses_itself_is_put_off():
    """A remesh proposes a ball whose pole has gone out through the other one; what it proposes next is sound, and taken."""
    goo = load_preset(DOUGH)
    ball = Body("b", "Ball", sphere(10, 0.15), goo.material, goo.real_size, resolution=4, remeshing="wholesale")
    scene = validated(Scene((ball,), (), Settings(frame_end=3, body_contact="all", threads=1)))
    (made,) = prepare(scene)
    run = Simulation(scene, [made.mesh], [made.surface], [made.contacts], fields=[])
    run.remeshing.due = lambda *_: [0]
    proposed, speared = run.remeshing.renewed, [True]

    def renewed(*arguments):
        found = proposed(*arguments)
        if not speared.pop():
            return found
        places = found.mesh.seen(0).positions.copy()
        places[places[:, 2].argmax(), 2] = places[:, 2].min() - 0.05
        mesh = replace(found.mesh, surfaces=[bind(found.mesh.mesh(0), places)])
        return replace(found, mesh=mesh)

    run.remeshing.renewed = renewed
    before = run.state
    assert renew(run) == 0 and run.state is before
    speared.append(False)
    assert renew(run) == 1 and run.state is not before

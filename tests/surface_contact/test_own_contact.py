"""Where only bodies are to collide with each other: which of them collide with themselves, as something may be driven in."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import prepare
from solver.contact.surfaces.own_contact import touches_itself
from solver.contact.surfaces.surface_contact import SurfaceContact
from solver.errors import StepError
from solver.fem.newton import ImplicitStep
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surfaces import box, sphere

GOO = Material("viscoplastic", {}, {})
BODY = Body("b", "Body", box((1.0, 1.0, 1.0)), GOO, resolution=4)
GOING = np.tile(np.eye(4), (49, 1, 1))
GOING[:, 0, 3] = np.linspace(-3.0, 3.0, 49)
FIST = Collider("f", "Fist", "mesh", GOING, sphere(8, 0.25))


def touches(collider, contact="bodies", body=BODY):
    scene = validated(Scene((body,), (collider,), Settings(body_contact=contact)))
    return touches_itself(scene, scene.bodies[0])


def test_what_is_driven_into_a_body_has_it_touch_itself():
    assert touches(FIST) and touches(Collider("s", "Sphere", "sphere", GOING, size=(0.5, 0.5, 0.5)))
    assert touches(Collider("k", "Blade", "mesh", GOING, box((0.01, 9.0, 1.5))))
    assert not touches(FIST, "off") and touches(replace(FIST, transforms=GOING[:1]), "all")


@pytest.mark.parametrize(
    "collider",
    [
        replace(FIST, transforms=GOING[:1]),
        replace(FIST, groups=2),
        Collider("p", "Plane", "plane", GOING),
        Collider("s", "Slab", "mesh", GOING, box((2.5, 2.5, 0.5))),
        replace(FIST, transforms=GOING @ np.diag([5.0, 5.0, 5.0, 1.0])),
    ],
    ids=["still", "in no group of it", "a plane", "larger than two bodies", "scaled to be"],
)
def test_what_presses_or_lies_does_not(collider):
    assert not touches(collider)


def test_what_changes_its_shape_moves():
    shapes = np.stack([FIST.surface.positions * (1.0 + 0.01 * k) for k in range(49)])
    assert touches(replace(FIST, transforms=GOING[:1].repeat(49, axis=0), shapes=shapes))


def test_a_body_alone_has_contact_of_surfaces_then():
    for collider, has in ((FIST, True), (replace(FIST, transforms=GOING[:1]), False)):
        scene = validated(Scene((BODY,), (collider,), Settings()))
        (item,) = prepare(scene)
        run = Simulation(scene, [item.mesh], [item.surface], [item.contacts])
        assert (run.surfaces is not None) == has


def test_a_step_that_is_not_finite_is_refused_before_anything_else_is_asked_of_it(monkeypatch):
    """Boxes about triangles that are nowhere were looked up, and the process crashed."""
    scene = validated(Scene((BODY,), (), Settings(threads=1, body_contact="all")))
    (made,) = prepare(scene)
    run, found = Simulation(scene, [made.mesh], [made.surface], [made.contacts]), ImplicitStep.minimize
    run.advance()

    def overflowing(problem, guess, *given):
        outcome = found(problem, guess, *given)
        outcome.positions, outcome.converged = np.full_like(guess, np.nan), False
        return outcome

    def asked(surfaces, positions, look_up=SurfaceContact.touched):
        assert np.isfinite(positions).all()
        return look_up(surfaces, positions)

    monkeypatch.setattr(ImplicitStep, "minimize", overflowing)
    monkeypatch.setattr(SurfaceContact, "touched", asked)
    with pytest.raises(StepError, match="'Body'.*not finite"):
        run.advance()

"""A checkpoint is what there was, whatever the simulation does next: it shares the arrays that steps make anew."""

from dataclasses import replace

import numpy as np
import pytest

from solver.fem.rise import grow
from solver.simulate import Simulation
from tests.physics.scenes import ball_mesh, box_mesh, make_scene, with_keys

GOO = {"density": 1000.0, "young_modulus": 3e4, "poisson_ratio": 0.4, "yield_stress": 200.0, "flow_rate": 20.0}
LIQUID = GOO | {"yield_stress": 0.0, "flow_rate": 1e3}


def keyed_goo():
    """Becomes stiffer with every step, flows, and is damped."""
    arguments = make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.52))], [GOO | {"damping": 1.0}], frames=16)
    return with_keys(arguments, young_modulus=np.linspace(3e4, 9e4, 16), yield_stress=np.linspace(100.0, 300.0, 16))


def liquid():
    """Rest volume goes from tet to tet."""
    return make_scene([box_mesh((3, 3, 3), (0.5, 0.5, 0.5), (0.0, 0.0, 0.01))], [LIQUID], frames=16)


def led():
    """Flows into another shape, which leaves rest volumes to it: nothing else makes the arrays of shapes anew."""
    scene, *others = make_scene([box_mesh((3, 3, 3), (0.5, 0.5, 0.5), (0.0, 0.0, 0.01))], [GOO], frames=16)
    body = scene.bodies[0]
    goal = body.surface.positions * (1.3, 1.0, 1.0)
    return replace(scene, bodies=(replace(body, goal=goal, goal_rate=5.0),)), *others


def jelly():
    """Nothing flows."""
    return make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.52))], [GOO | {"yield_stress": 1e9}], frames=16)


@pytest.mark.parametrize("scene", [keyed_goo, liquid])
def test_a_checkpoint_stays_as_it_is_while_the_simulation_goes_on(scene, plane):
    simulation = Simulation(*scene(), fields=[plane])
    for _ in range(6):
        simulation.advance()
    kept = simulation.checkpoint()
    then = {name: np.array(values) for name, values in kept.items()}
    for _ in range(6):
        simulation.advance()
    later = simulation.checkpoint()
    assert [name for name, values in kept.items() if np.array(values).tobytes() != then[name].tobytes()] == []
    changed = {name for name, values in kept.items() if np.array(later[name]).tobytes() != then[name].tobytes()}
    assert {"positions", "plastic_deformation", "rest_shape_inverse"} <= changed  # or nothing was asked of it
    assert scene is liquid or "material" in changed


@pytest.mark.parametrize(("scene", "copied"), [(jelly, False), (liquid, True), (led, True)])
def test_shapes_are_copied_where_something_flows(scene, copied, plane):
    simulation, seen = Simulation(*scene(), fields=[plane]), []
    for _ in range(12):
        simulation.advance()
        kept = simulation.checkpoint()
        for name in ("rest_shape_inverse", "plastic_deformation"):
            assert kept[name] is not getattr(simulation.state, name)
            assert kept[name].tobytes() == getattr(simulation.state, name).tobytes()
        seen.append(kept["plastic_deformation"])
    assert (seen[-1] is not seen[-2]) == copied


def test_shapes_that_grow_or_are_taken_back_are_copied_anew(plane):
    simulation = Simulation(*jelly(), fields=[plane])
    for _ in range(3):
        simulation.advance()
    first = simulation.checkpoint()
    grow(simulation.state, simulation.space.tiles, np.full(len(simulation.state.tets), 0.01))
    second = simulation.checkpoint()
    simulation.restore(first)
    third = simulation.checkpoint()
    shapes = [each["rest_shape_inverse"].tobytes() for each in (first, second, third)]
    assert shapes[0] == shapes[2] != shapes[1]


def test_goo_whose_keys_have_ended_goes_on_from_a_checkpoint_with_the_same_bytes(plane):
    """A resumed bake writes what was keyed anew, an uninterrupted one does not: rest volumes have gone on since."""
    stiffer = np.minimum(np.linspace(3e4, 9e4, 16), 5e4)  # to frame 6
    arguments = make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.52))], [LIQUID | {"damping": 1.0}], frames=16)
    arguments = with_keys(arguments, young_modulus=stiffer)
    one, other = (Simulation(*arguments, fields=[plane]) for _ in range(2))
    for _ in range(10):
        one.advance()
    volumes = one.state.volumes.copy()
    other.restore(one.checkpoint())
    for _ in range(2):
        frames = [run.advance().bodies[0].positions.tobytes() for run in (one, other)]
        assert frames[0] == frames[1]
    assert (one.state.volumes != volumes).any()  # or nothing was asked of it

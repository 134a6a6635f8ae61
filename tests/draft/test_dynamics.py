"""The seam: a body's model chooses what moves it, beside others; identical bytes; checkpoints; who failed."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from solver.draft.simulation import DraftSimulation
from solver.dynamics import SideBySide, start
from solver.errors import Cancelled, SceneError, StepError
from solver.jit import use_threads
from solver.materials import Material, models, scale_to_size
from solver.scene import validated
from solver.simulate import Simulation
from tests.draft.scenes import draft_scene, run
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, make_scene

WAX = {"young_modulus": 5e4, "yield_strain": 0.02, "flow_rate": 20.0, "damping": 1.0}


def fall(cells=4):
    return draft_scene([ball_mesh(cells, 0.5, (0.0, 0.0, 0.52))], [WAX])


def mixed():
    """Draft, viscoplastic, draft; each on its own place of the ground."""
    meshes = [ball_mesh(3, 0.3, (float(k), 0.0, 0.31)) for k in range(3)]
    scene, *rest = draft_scene(meshes, [WAX] * 3)
    goo = Material("viscoplastic", {"young_modulus": 5e4, "yield_stress": 500.0})
    bodies = (scene.bodies[0], replace(scene.bodies[1], material=goo), scene.bodies[2])
    return replace(scene, bodies=bodies), *rest


def same(first, second):
    assert first.number == second.number and [b.uid for b in first.bodies] == [b.uid for b in second.bodies]
    for one, other in zip(first.bodies, second.bodies, strict=True):
        assert one.positions.tobytes() == other.positions.tobytes()
        assert {"velocity", "plastic_strain", "stress"} == set(one.attributes)
        for name, values in one.attributes.items():
            assert values.tobytes() == other.attributes[name].tobytes(), name


def test_the_model_chooses_the_dynamics():
    assert isinstance(start(*fall(3), fields=[]), DraftSimulation)
    assert isinstance(start(*make_scene([box_mesh((1, 1, 1))], [{}]), fields=[]), Simulation)
    assert isinstance(start(*mixed(), fields=[]), SideBySide)


def test_side_by_side_bodies_move_as_they_do_alone_and_stay_in_order():
    scene, meshes, surfaces, contacts = mixed()
    both, frames = run((scene, meshes, surfaces, contacts), 8, [PlaneField()])
    for k, body in enumerate(scene.bodies):
        alone = (replace(scene, bodies=(body,)), [meshes[k]], [surfaces[k]], [contacts[k]])
        _, own = run(alone, 8, [PlaneField()])
        same(own[-1], replace(frames[-1], bodies=(frames[-1].bodies[k],)))
    assert frames[-1].bodies[0].attributes["plastic_strain"].max() > 0.0
    assert frames[-1].bodies[0].attributes["stress"].max() > 100.0


@pytest.mark.parametrize("arguments", [fall, mixed])
def test_a_checkpoint_goes_on_with_the_same_bytes(arguments):
    _, frames = run(arguments(), 12, [PlaneField()])
    first, _ = run(arguments(), 5, [PlaneField()])
    saved = {name: value.copy() for name, value in first.checkpoint().items()}
    second = start(*arguments(), fields=[PlaneField()])
    second.restore(saved)
    for expected in frames[5:]:
        same(second.advance(), expected)


def test_one_and_two_threads_give_the_same_bytes():
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        simulation = start(*fall(7), fields=[PlaneField()])
        simulation.pace.hold(threads)
        for _ in range(5):
            simulation.advance()
        ends.append(simulation.checkpoint())
    use_threads(1)
    for name in ends[0]:
        assert ends[0][name].tobytes() == ends[1][name].tobytes(), name


@pytest.mark.parametrize("frames_per_second", [12.0, 60.0])
def test_the_frame_rate_changes_nothing(frames_per_second):
    expected, _ = run(fall(), 13, [PlaneField()])
    scene, *rest = fall()
    count = round(0.5 * frames_per_second) + 1
    scene = replace(scene, settings=replace(scene.settings, frames_per_second=frames_per_second))
    other, _ = run((scene, *rest), count, [PlaneField()])
    assert other.state.positions.tobytes() == expected.state.positions.tobytes()


class Broken(PlaneField):
    """Answers nonsense once the body is near."""

    def query(self, points, time, margin, distance, normal, velocity):
        super().query(points, time, margin, distance, normal, velocity)
        if time > 0.1:
            distance[points[:, 0] > 1.5], normal[points[:, 0] > 1.5] = -0.01, np.nan


def test_a_failed_step_names_the_body_and_keeps_the_state():
    simulation = start(*draft_scene([ball_mesh(3, 0.3, (float(x), 0.0, 0.31)) for x in (0, 2)], [WAX] * 2), fields=[Broken()])
    with pytest.raises(StepError) as caught:
        for _ in range(12):
            simulation.advance()
    failed = simulation.parts[1]
    assert caught.value.body == "Body 1" and caught.value.frame == failed.frame and caught.value.remedy
    assert np.isfinite(failed.state.positions).all() and 0.0 < failed.time <= 0.1


def test_stiffness_and_gravity_can_be_keyed():
    """A ball whose stiffness fades from frame 4 to 8 sags further; keys act at every step, and a checkpoint goes on in them."""
    scene, *rest = draft_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.501))], [WAX | {"flow_rate": 0.0}])
    (body,) = scene.bodies
    keys = {"young_modulus": np.array([5e4] * 4 + [4e4, 3e4, 2e4, 1e4] + [1e4] * 16)}
    fading = validated(replace(scene, bodies=(replace(body, keys=keys),)))
    fading = replace(fading, settings=replace(fading.settings, gravity_keys=np.tile((0.0, 0.0, -9.0), (24, 1))))
    whole, frames = run((fading, *rest), 16, [PlaneField()])
    firm, _ = run((scene, *rest), 16, [PlaneField()])
    assert np.ptp(whole.state.positions[:, 2]) < 0.9 * np.ptp(firm.state.positions[:, 2])
    assert whole.state.material[0, 0] == pytest.approx(1e4 / (2 * 1.33), rel=1e-12)
    half, _ = run((fading, *rest), 6, [PlaneField()])
    again = start(fading, *rest, fields=[PlaneField()])
    again.restore(half.checkpoint())
    for expected in frames[6:]:
        same(again.advance(), expected)


def test_stopping_leaves_the_frame_unfinished():
    simulation, _ = run(fall(3), 3)
    with pytest.raises(Cancelled):
        simulation.advance(lambda: True)
    assert simulation.frame == 4 and simulation.time < 3 / 24


def test_goal_shapes_and_fibres_are_refused_by_name():
    (scene, *_) = fall(2)
    (body,) = scene.bodies
    for change in ({"goal": body.surface.positions * 2.0}, {"fibres": np.array([1.0, 0.0, 0.0])}):
        with pytest.raises(SceneError, match="'Body 0'.*Draft.*neither goal shapes nor fibres"):
            validated(replace(scene, bodies=(replace(body, **change),)))


def test_rates_and_stresses_scale_to_size_and_a_larger_body_moves_alike():
    """Four times as large with stiffness times 4 and rates halved: after twice the time, the same shape."""
    large = scale_to_size(Material("draft", WAX), 4.0)
    assert large.values["young_modulus"] == pytest.approx(2e5) and large.values["flow_rate"] == pytest.approx(10.0)
    assert large.values["yield_strain"] == 0.02 and models()["draft"].parameters[0].unit == "kg/m^3"
    small, _ = run(fall(), 13, [PlaneField()])
    scene, (mesh,), *rest = draft_scene([ball_mesh(4, 2.0, (0.0, 0.0, 2.08))], [large.values])
    big, _ = run((scene, [mesh], *rest), 25, [PlaneField()])
    assert np.abs(big.state.positions / 4.0 - small.state.positions).max() < 0.03

"""Settings that change over time: materials and gravity keyed once a frame act at every substep (claim B28)."""

from dataclasses import replace

import numpy as np
import pytest

from solver.errors import SceneError
from solver.fem.explicit_step import elastic_forces
from solver.fem.newton import ImplicitStep
from solver.integrators.bdf2 import extrapolate
from solver.jit import TILE
from solver.job import scene_hash
from solver.keyframes import at_frame
from solver.scene import validated
from solver.simulate import Simulation
from solver.slots import LAMBDA, MATERIAL_ROWS, MU
from tests.physics.bars import mode, swinging_bar
from tests.physics.scenes import ball_mesh, box_mesh, center, make_scene, run, with_keys

JELLY = {"density": 1000.0, "young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 1e9}
GOO = {"density": 1000.0, "young_modulus": 3e4, "poisson_ratio": 0.4, "yield_stress": 200.0, "flow_rate": 20.0}


def test_between_frames_values_are_linear_and_after_the_last_constant():
    keys = np.array([[1.0, 0.0], [3.0, 1.0], [3.0, 5.0]])
    assert at_frame(keys, 0.25).tolist() == [1.5, 0.25] and at_frame(keys, 1.5).tolist() == [3.0, 3.0]
    assert at_frame(keys, 7.0).tolist() == [3.0, 5.0] and at_frame(keys[:1], 0.7).tolist() == [1.0, 0.0]


def crossings(simulation, frames):
    """Seconds at which the bar's mode passes through rest."""
    times, out = [], []
    for _ in range(frames):
        simulation.advance()
        times.append(simulation.clock.time)
        out.append(mode(simulation)[0])
    out, times = np.array(out), np.array(times)
    passing = np.flatnonzero(out[:-1] * out[1:] < 0.0)
    return times[passing] + np.diff(times)[passing] * out[passing] / (out[passing] - out[passing + 1])


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
def test_a_bar_swings_at_the_frequency_that_its_keyed_stiffness_says(integrator):
    """Half a second at 5 Hz, then four times as stiff: 10 Hz."""
    keys = np.where(np.arange(97) < 48, 1e5, 4e5)
    options = {"integrator": integrator, "frames_per_second": 96.0, "maximum_substep": 1.0 / 384.0, "frames": 97}
    simulation = swinging_bar(keys={"young_modulus": keys}, **options)
    passing = crossings(simulation, 95)
    before, after = passing[passing < 0.49], passing[passing > 0.51]
    assert np.diff(before) == pytest.approx(0.1, rel=0.05)
    assert np.diff(after) == pytest.approx(0.05, rel=0.08)


def test_keys_act_between_frames():
    """The same ramp of stiffness keyed at 12 and at 48 frames a second is the same motion, not a staircase."""

    def ramp(rate):
        simulation = swinging_bar(
            keys={"young_modulus": np.linspace(1e5, 4e5, rate + 1)}, frames=rate + 1, frames_per_second=float(rate)
        )
        frames = [simulation.advance().bodies[0].positions for _ in range(rate // 2)]
        return np.array(frames)[rate // 12 - 1 :: rate // 12]

    slow, fast = ramp(12), ramp(48)
    assert np.abs(slow - fast).max() < 1e-6
    held = swinging_bar(frames=13, frames_per_second=12.0)
    held = np.array([held.advance().bodies[0].positions for _ in range(6)])
    assert np.abs(slow - held).max() > 3e-3


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
def test_keyed_gravity_acts_between_frames(integrator):
    """g(t) = -20 t: a fall of 20/6 t^3, to second order, whatever the frame rate."""
    keys = np.zeros((25, 3))
    keys[:, 2] = -20.0 * np.arange(25) / 24.0
    falls = []
    for steps in (96, 192):
        arguments = make_scene(
            [box_mesh((2, 2, 2))], [JELLY], frames=25, gravity=(0.0, 0.0, 0.0), gravity_keys=keys, integrator=integrator,
            maximum_substep=1.0 / steps,
        )  # fmt: skip
        simulation, _ = run(arguments, 25)
        falls.append(0.5 - center(simulation)[2])
    assert falls[1] == pytest.approx(20.0 / 6.0, rel=1e-3)
    assert abs(falls[1] - 20.0 / 6.0) < 0.3 * abs(falls[0] - 20.0 / 6.0) + 1e-6


def test_goo_flows_from_the_frame_at_which_its_yield_stress_falls(plane):
    keys = np.where(np.arange(25) < 12, 1e6, 100.0)
    arguments = with_keys(make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.52))], [GOO], frames=25), yield_stress=keys)
    simulation, _ = run(arguments, 12, [plane])
    assert (simulation.state.plastic_strain == 0.0).all()
    for _ in range(12):
        simulation.advance()
    assert simulation.state.plastic_strain.mean() > 0.05
    assert simulation.state.yield_stress.max() == 100.0


def test_another_modulus_keeps_what_has_flowed_and_changes_the_stress(plane):
    arguments = make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.52))], [GOO], frames=25, calm_substep=1.0 / 96.0)
    keyed, plain = (
        run(with_keys(arguments, **keys), 10, [plane])[0]
        for keys in ({"young_modulus": np.where(np.arange(25) < 10, 3e4, 9e4)}, {})
    )
    state, names = keyed.state, ("plastic_deformation", "rest_shape_inverse", "plastic_strain", "positions")
    before = {name: getattr(state, name).copy() for name in names}
    assert all(before[name].tobytes() == getattr(plain.state, name).tobytes() for name in names)
    keyed.keyed.apply(10.5 / 24.0, keyed.damping)
    assert all(before[name].tobytes() == getattr(state, name).tobytes() for name in names)
    assert np.allclose(state.material[[MU, LAMBDA]], 3.0 * plain.state.material[[MU, LAMBDA]])
    tiles = keyed.space.tiles
    own = tiles.materials.reshape(len(tiles.materials), MATERIAL_ROWS, TILE)[tiles.kinds, MU].ravel()[: len(state.tets)]
    assert np.allclose(own, state.material[MU])
    assert np.allclose(keyed.space.firmness, 3.0 * plain.space.firmness)
    ratio = keyed.contacts.points.stiffness / plain.contacts.points.stiffness
    assert ratio.min() > 1.0 and np.ptp(ratio) < 1e-12  # held up by their weight, not by their modulus, at first
    assert state.plastic_strain.max() > 0.01


def test_volume_kept_at_the_nodes_follows_a_keyed_modulus():
    """Squeezed to the same volume, three times the modulus makes three times the force."""
    options, keys = {"volume": "at_nodes"}, {"young_modulus": np.linspace(2e4, 6e4, 9)}
    arguments = make_scene([box_mesh((2, 2, 2))], [JELLY | {"poisson_ratio": 0.49}], frames=9, options=options)
    forces = []
    for time in (0.0, 8.0 / 24.0):
        simulation, _ = run(with_keys(arguments, **keys), 1)
        simulation.keyed.apply(time, simulation.damping)
        state = simulation.state
        past = extrapolate(state, np.zeros(3), 1.0, 1.0, np.zeros(len(state.positions), dtype=bool))
        problem = ImplicitStep(state, simulation.space, simulation.contacts, simulation.damping, past, 1.0)
        forces.append(elastic_forces(problem, 0.95 * state.positions))
    assert np.abs(forces[0]).max() > 100.0
    assert np.abs(forces[1] - 3.0 * forces[0]).max() < 1e-4 * np.abs(forces[1]).max()


def test_a_body_beside_the_keyed_one_is_left_alone():
    meshes = [box_mesh((2, 2, 2)), box_mesh((3, 2, 2), origin=(3.0, 0.0, 0.0))]
    arguments = make_scene(meshes, [JELLY, JELLY], frames=5)
    keyed, plain = (run(with_keys(arguments, **keys), 4)[0] for keys in ({"young_modulus": np.linspace(2e4, 6e4, 5)}, {}))
    first, second = slice(0, 48), slice(48, None)
    assert (keyed.state.material[MU, first] > 2.0 * plain.state.material[MU, first]).all()
    assert (keyed.state.material[:, second] == plain.state.material[:, second]).all()


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
def test_a_checkpoint_amid_keys_goes_on_with_the_same_bytes(integrator, plane):
    ramp = np.concatenate([np.linspace(3e4, 9e4, 4), np.full(8, 9e4)])  # held at the checkpoint: nothing changes just then
    arguments = make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.52))], [GOO | {"damping": 1.0}], frames=12, integrator=integrator)
    arguments = with_keys(arguments, young_modulus=ramp, damping=np.linspace(1.0, 5.0, 12))
    whole, first, second = (Simulation(*arguments, fields=[plane]) for _ in range(3))
    frames = [whole.advance() for _ in range(9)]
    for _ in range(6):
        first.advance()
    second.restore(first.checkpoint())
    for expected in frames[6:]:
        assert second.advance().bodies[0].positions.tobytes() == expected.bodies[0].positions.tobytes()


def test_keys_that_have_not_moved_yet_hash_like_none():
    """So that a bake can be gone on with after its later keys were changed."""
    arguments = make_scene([box_mesh((2, 2, 2))], [JELLY], frames=9)
    plain, late, early = (
        validated(with_keys(arguments, **keys)[0])
        for keys in ({}, {"young_modulus": [2e4] * 6 + [3e4] * 3}, {"young_modulus": np.linspace(2e4, 3e4, 9)})
    )
    assert scene_hash(plain, 6) == scene_hash(late, 6) != scene_hash(late, 8)
    assert scene_hash(plain, 6) != scene_hash(early, 6)
    heavy, moving = (
        replace(plain, settings=replace(plain.settings, gravity_keys=np.array(keys)))
        for keys in ([plain.settings.gravity] * 9, [plain.settings.gravity] * 8 + [(0.0, 0.0, 0.0)])
    )
    assert scene_hash(plain, 9) == scene_hash(heavy, 9) == scene_hash(moving, 8) != scene_hash(moving, 9)


REFUSED = {
    "density cannot change": {"density": np.full(9, 500.0)},
    "softness cannot change": {"softness": np.ones(9)},
    r"Yield.*\(3,\)": {"yield_stress": np.ones(3)},
    r"leaves 1 to 1e\+12": {"young_modulus": np.linspace(-1.0, 1.0, 9)},
    "not finite": {"flow_rate": np.full(9, np.nan)},
}


@pytest.mark.parametrize("words", REFUSED)
def test_keys_that_make_no_sense_are_refused(words):
    scene = make_scene([box_mesh((2, 2, 2))], [JELLY], frames=9)[0]
    with pytest.raises(SceneError, match=words) as caught:
        validated(replace(scene, bodies=(replace(scene.bodies[0], keys=REFUSED[words]),)))
    assert caught.value.body == "Body 0" and caught.value.remedy


def test_gravity_keys_of_another_length_are_refused():
    scene = make_scene([box_mesh((2, 2, 2))], [JELLY], frames=9, gravity_keys=np.zeros((4, 3)))[0]
    with pytest.raises(SceneError, match="gravity"):
        validated(scene)

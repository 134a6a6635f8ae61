"""Bodies in free flight, in statics and under damping: momentum, exact falls, known solutions, frame rates, origins."""

import numpy as np
import pytest

from solver.fem.newton import ImplicitStep
from solver.formulas import first_piola_kirchhoff
from solver.integrators.bdf2 import extrapolate
from solver.materials import Material
from solver.materials.elasticity import laws
from solver.slots import MISES
from tests.physics.scenes import PlaneField, ball_mesh, boundary, box_mesh, center, make_scene, momentum, run

JELLY = {"young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 1e9}


def test_a_body_falls_exactly():
    arguments = make_scene([box_mesh((2, 2, 2))], [JELLY], velocity=(1.0, 0.0, 2.0))
    simulation, frames = run(arguments, 25)
    t = 1.0
    expected = np.array([0.5, 0.5, 0.5]) + t * np.array([1.0, 0.0, 2.0]) + 0.5 * t * t * np.array([0.0, 0.0, -9.81])
    assert np.abs(center(simulation) - expected).max() < 1e-9
    assert np.abs(frames[-1].bodies[0].attributes["velocity"] - [1.0, 0.0, 2.0 - 9.81]).max() < 1e-5


@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_spin_and_flight_keep_their_momentum(damping):
    arguments = make_scene(
        [box_mesh((3, 3, 6), (0.5, 0.5, 1.0))], [JELLY | {"young_modulus": 2e5, "damping": damping}],
        velocity=(1.0, 2.0, 3.0), spin=(0.0, 3.0, 0.0), gravity=(0.0, 0.0, 0.0),
    )  # fmt: skip
    simulation, _ = run(arguments, 1)
    linear, angular = momentum(simulation)
    for _ in range(24):
        simulation.advance()
    after_linear, after_angular = momentum(simulation)
    assert np.abs(after_linear - linear).max() < 1e-6 * np.abs(linear).max()
    assert np.abs(after_angular - angular).max() < 1e-9 * np.abs(angular).max()


@pytest.mark.parametrize("options", [*({"elastic_law": law} for law in laws()), {"volume": "at_nodes"}], ids=str)
def test_a_patch_of_uniform_strain_carries_uniform_stress(options):
    """Patch test: an affine displacement puts the same stress in every tet and no net force on inner nodes."""
    mesh = box_mesh((3, 3, 3))
    inner = ((mesh.positions > 0.01) & (mesh.positions < 0.99)).all(axis=1)
    rng = np.random.default_rng(1)
    moved = mesh.positions + np.where(inner[:, None], 0.05 * rng.normal(size=mesh.positions.shape), 0.0)
    simulation, _ = run(make_scene([type(mesh)(moved, mesh.tets)], [JELLY], options=options), 1)
    state, free = simulation.state, np.zeros(len(moved), dtype=bool)
    past = extrapolate(state, np.zeros(3), 1.0, 1.0, free)
    past.effective[:] = past.inertial[:] = 1e12
    gradient_of_motion = np.eye(3) + 0.1 * rng.normal(size=(3, 3))
    affine = moved @ gradient_of_motion.T
    problem = ImplicitStep(state, simulation.space, simulation.contacts, simulation.damping, past, 1.0)
    _, gradient = problem.merit(affine)
    assert np.abs(gradient[inner]).max() < 3e-6 * np.abs(gradient).max()  # the kernels work in float32
    measures = simulation.space.tiles.unpack(MISES, 1, len(state.tets))[:, 0]
    assert np.ptp(measures) < 1e-5 * measures.max() and measures.min() > 100.0
    if "elastic_law" in options:  # forces on the outside are those of one stress, P N over its area
        goo = Material("viscoplastic", JELLY, options)
        stress = first_piola_kirchhoff(gradient_of_motion[None], goo)[0]
        pull, faces = np.zeros_like(moved), boundary(mesh).triangles
        corners = moved[faces]
        areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2.0
        np.add.at(pull, faces, (areas @ stress.T / 3.0)[:, None, :])
        assert np.abs(gradient - pull).max() < 1e-5 * np.abs(pull).max()


@pytest.mark.parametrize("frames_per_second", [12.0, 24.0, 60.0])
def test_free_vibration_keeps_its_amplitude(frames_per_second):
    """The default does not kill life: a bar that swings at about 5 Hz keeps three quarters of its swing for a second."""
    mesh = box_mesh((2, 2, 8), (0.25, 0.25, 1.0))
    material = JELLY | {"young_modulus": 1e5, "poisson_ratio": 0.0}
    arguments = make_scene([mesh], [material], gravity=(0.0, 0.0, 0.0), frames_per_second=frames_per_second)
    simulation, _ = run(arguments, 1)
    swing = 0.3 * np.cos(np.pi * simulation.state.positions[:, 2])
    simulation.state.velocities[:, 2] += swing
    simulation.state.previous_velocities[:, 2] += swing
    simulation.state.previous_positions[:, 2] -= swing / 96
    amplitudes = []  # of the swing, from its displacement and speed: the same whenever a frame falls
    for _ in range(round(frames_per_second) + 1):
        simulation.advance()
        shape = np.cos(np.pi * (mesh.positions[:, 2]))
        out = simulation.state.positions[:, 2] - mesh.positions[:, 2]
        across = [(shape * (part - part.mean())).sum() / (shape**2).sum() for part in (out, simulation.state.velocities[:, 2])]
        amplitudes.append(np.hypot(across[0] * 2.0 * np.pi * 5.0, across[1]))
    assert max(amplitudes[:3]) > 0.2
    assert amplitudes[-1] > 0.75 * amplitudes[0]


def test_damping_stops_vibration_but_not_the_fall():
    mesh = box_mesh((2, 2, 8), (0.25, 0.25, 1.0))
    simulation, _ = run(make_scene([mesh], [JELLY | {"young_modulus": 1e5, "damping": 8.0}]), 1)
    simulation.state.velocities[:, 2] += 0.3 * np.cos(np.pi * simulation.state.positions[:, 2])
    for _ in range(24):
        simulation.advance()
    state = simulation.state
    inner = state.velocities - momentum(simulation)[0] / state.masses.sum()
    assert np.abs(inner).max() < 0.3 * np.exp(-8.0 / 2.0) * 1.5
    assert abs(momentum(simulation)[0][2] / state.masses.sum() + 9.81) < 1e-3


@pytest.mark.parametrize("frames_per_second", [12.0, 60.0, 29.97])
def test_the_frame_rate_does_not_change_the_motion(frames_per_second, plane):
    def drop(rate):
        arguments = make_scene(
            [ball_mesh(4, 0.5, (0.0, 0.0, 0.6))], [JELLY | {"yield_stress": 500.0, "flow_rate": 20.0}], frames_per_second=rate
        )
        _, frames = run(arguments, round(rate) + 1, [plane])
        return np.array([frame.bodies[0].positions for frame in frames])

    other, reference = drop(frames_per_second), drop(24.0)
    if frames_per_second == 29.97:
        times = np.arange(len(other)) / frames_per_second
        before = np.floor(times * 24.0 + 1e-9).astype(int)
        flying = (times < 0.12) & (before + 1 < len(reference))
        fall = -0.5 * 9.81 * times[flying] ** 2
        assert np.abs(other[flying][:, :, 2] - other[0, :, 2] - fall[:, None]).max() < 1e-5
    else:
        every = [int(frames_per_second) // 12, 2]
        assert np.abs(other[:: every[0]][:12] - reference[:: every[1]][:12]).max() < 1e-6


def test_ten_kilometres_from_the_origin_nothing_changes():
    far = np.array([1e4, -1e4, 5e3])
    ends = []
    for shift in (np.zeros(3), far):
        mesh = ball_mesh(4, 0.5, np.array([0.0, 0.0, 0.6]) + shift)
        _, frames = run(make_scene([mesh], [JELLY]), 24, [PlaneField(point=shift)])
        ends.append(frames[-1].bodies[0])
    assert np.abs(ends[0].positions - ends[1].positions).max() < 1e-3 + 1e-4
    assert np.abs(ends[1].origin - ends[0].origin - far).max() < 1e-9

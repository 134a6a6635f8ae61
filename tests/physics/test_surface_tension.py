"""Surface tension against closed forms: Laplace's pressure in a ball, Rayleigh's frequency of a drop, energy kept, size."""

import numpy as np
import pytest

from solver.materials import Material, scale_to_size
from solver.simulate import Simulation
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import ball_mesh, box_mesh, make_scene, momentum, with_keys

RADIUS, DENSITY = 0.5, 1000.0
NOWHERE = (0.0, 0.0, 0.0)


def test_a_ball_is_pressed_together_by_twice_the_tension_over_its_radius():
    mesh, young, poisson, gamma = ball_mesh(8, RADIUS), 1e5, 0.3, 500.0
    elastic = {
        "young_modulus": young, "poisson_ratio": poisson, "surface_tension": gamma, "yield_stress": 1e12, "flow_rate": 0.0,
        "damping": 60.0,
    }  # fmt: skip
    simulation = Simulation(*make_scene([mesh], [elastic], gravity=NOWHERE, frames=30), fields=[])
    for _ in range(30):
        simulation.advance()
    x = simulation.state.positions
    bulk = young / (3.0 * (1.0 - 2.0 * poisson))
    shrunk = 1.0 - tet_volumes(x, mesh.tets).sum() / tet_volumes(mesh.positions, mesh.tets).sum()
    pressure = 2.0 * gamma / RADIUS
    assert shrunk == pytest.approx(pressure / bulk, rel=0.03)  # 2.4 %, of a ball of flat faces
    assert pressure / bulk > 0.02


def drop(gamma, stretch, step=1.0 / 400.0, **settings):
    """A drop of hardly any stiffness, stretched along z, and where it rests."""
    mesh, shear = ball_mesh(8, RADIUS), 0.1 * gamma / RADIUS
    material = {
        "density": DENSITY, "young_modulus": 2.0 * shear * 1.499, "poisson_ratio": 0.499, "surface_tension": gamma,
        "yield_stress": 1e12, "flow_rate": 0.0,
    }  # fmt: skip
    arguments = make_scene(
        [mesh], [material], options={"volume": "at_nodes"}, gravity=NOWHERE, maximum_substep=step, frames=400, **settings
    )
    simulation = Simulation(*arguments, fields=[])
    simulation.state.positions *= 1.0 + stretch * np.array([-0.5, -0.5, 1.0])
    return simulation, shear


def test_a_drop_swings_with_rayleighs_frequency():
    """omega^2 = 8 gamma / (rho R^3) of the mode of order 2 (Rayleigh 1879), and what its stiffness adds: an incompressible
    elastic ball has 2.64 sqrt(mu/rho) / R (Love 1892, article 195)."""
    gamma = 400.0
    simulation, shear = drop(gamma, 0.02)
    expected = np.sqrt((8.0 * gamma / RADIUS + 2.64**2 * shear) / (DENSITY * RADIUS**2))
    height, times, frames = [], [], int(2.2 * 2.0 * np.pi / expected * 24.0)
    for k in range(frames):
        simulation.advance()
        z = simulation.state.positions[:, 2]
        height.append(np.ptp(z) - np.ptp(simulation.state.positions[:, 0]))
        times.append((k + 1) / 24.0)
    swing = np.array(height)
    crossings = [
        times[k] + (times[k + 1] - times[k]) * swing[k] / (swing[k] - swing[k + 1])
        for k in range(frames - 1)
        if swing[k] * swing[k + 1] < 0.0
    ]
    assert len(crossings) >= 3
    assert np.pi / np.diff(crossings).mean() == pytest.approx(expected, rel=0.05)
    push, turn = momentum(simulation)
    assert np.abs([*push, *turn]).max() < 1e-6 * DENSITY * RADIUS**4 * expected


def test_a_cube_of_hardly_any_strength_becomes_round():
    mesh = box_mesh((5, 5, 5))
    flowing = {
        "young_modulus": 2e3, "poisson_ratio": 0.45, "yield_stress": 0.0, "flow_rate": 50.0, "density": DENSITY,
        "surface_tension": 200.0,
    }  # fmt: skip
    simulation = Simulation(*make_scene([mesh], [flowing], gravity=NOWHERE, frames=48), fields=[])
    volume = tet_volumes(simulation.state.positions, mesh.tets).sum()
    corners = np.isclose(np.abs(mesh.positions - 0.5).sum(axis=1), 1.5)
    middles = np.isclose(np.abs(mesh.positions - 0.5).max(axis=1), 0.5) & (np.abs(mesh.positions - 0.5).sum(axis=1) < 0.8)
    for _ in range(48):
        simulation.advance()
    x = simulation.state.positions - simulation.state.positions.mean(axis=0)
    ends = [np.linalg.norm(x[own], axis=1).mean() for own in (corners, middles)]
    assert ends[0] / ends[1] < 1.25  # 1.7 at first
    assert tet_volumes(simulation.state.positions, mesh.tets).sum() == pytest.approx(volume, rel=0.15)


def test_a_body_of_another_size_takes_more_as_its_square():
    material = Material("viscoplastic", {"surface_tension": 0.07})
    assert scale_to_size(material, 10.0).values["surface_tension"] == pytest.approx(7.0)


def test_what_is_keyed_from_nothing_acts():
    mesh = ball_mesh(4, RADIUS)
    soft = {"young_modulus": 1e4, "poisson_ratio": 0.3, "yield_stress": 1e12, "flow_rate": 0.0}
    arguments = make_scene([mesh], [soft], gravity=NOWHERE, frames=24)
    volumes = []
    for keys in (np.zeros(24), np.r_[np.zeros(6), np.full(18, 500.0)]):
        simulation = Simulation(*with_keys(arguments, surface_tension=keys), fields=[])
        for _ in range(24):
            simulation.advance()
        volumes.append(tet_volumes(simulation.state.positions, mesh.tets).sum())
    assert volumes[1] < 0.95 * volumes[0]

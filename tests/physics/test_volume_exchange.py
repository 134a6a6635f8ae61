"""What flows shares its pressure with its neighbours: rest volume goes from tet to tet, and coarse tets do not lock."""

import numpy as np
import pytest

from solver.simulate import Simulation
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, make_scene, run

LIQUID = {"young_modulus": 5e4, "poisson_ratio": 0.45, "yield_stress": 0.0, "flow_rate": 200.0, "damping": 5.0}


def dilations(simulation) -> np.ndarray:
    """log(v / V) of every tet (m,)."""
    state = simulation.state
    return np.log(tet_volumes(state.positions, state.tets) / state.volumes)


def uneven(simulation) -> float:
    """By how much dilations differ, at most, from the mean of the tets at one of their nodes."""
    state, own = simulation.state, dilations(simulation)
    corners, each = state.tets.ravel(), np.repeat(own, 4)
    mean = np.bincount(corners, each) / np.bincount(corners)
    return float(np.abs(own - mean[state.tets].mean(axis=1)).max())


def test_a_liquids_pressure_is_even_and_its_volume_and_mass_stay(plane):
    """Two blocks slump: tets hand rest volume on, within each body, and none is left with a pressure of its own."""
    meshes = [box_mesh((4, 4, 4), (0.5, 0.5, 0.5), (x, 0.0, 0.01)) for x in (0.0, 2.0)]
    simulation = Simulation(*make_scene(meshes, [LIQUID, LIQUID]), fields=[plane])
    first, masses = simulation.state.volumes.copy(), simulation.state.masses.copy()
    for _ in range(18):
        simulation.advance()
    state, half = simulation.state, len(first) // 2
    assert np.abs(state.volumes / first - 1.0).max() > 0.01
    assert state.volumes[:half].sum() == pytest.approx(first[:half].sum(), rel=1e-10)
    assert state.volumes[half:].sum() == pytest.approx(first[half:].sum(), rel=1e-10)
    assert state.density * state.volumes == pytest.approx(1000.0 * first, rel=1e-10)
    assert state.masses.tobytes() == masses.tobytes()
    assert uneven(simulation) < 5e-3  # 0.06 where each tet keeps its own


@pytest.mark.parametrize("material", [{"yield_stress": 1e9}, {"flow_rate": 0.0}])
def test_what_does_not_flow_keeps_every_bit(material, plane):
    simulation, _ = run(make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.6))], [LIQUID | material]), 1, [plane])
    first, shapes = simulation.state.volumes.tobytes(), simulation.state.rest_shape_inverse.tobytes()
    for _ in range(12):
        simulation.advance()
    assert simulation.state.volumes.tobytes() == first and simulation.state.rest_shape_inverse.tobytes() == shapes
    assert uneven(simulation) > 5e-3


def test_a_liquid_runs_as_far_on_coarse_tets_as_on_fine_ones():
    """A block whose base sticks: tets each of which keeps its own volume would lock, the coarse ones at a greater height."""
    heights = []
    for cells in (4, 8):
        mesh = box_mesh((cells,) * 3, (0.5, 0.5, 0.5), (0.0, 0.0, 0.005))
        simulation, frames = run(make_scene([mesh], [LIQUID]), 36, [PlaneField(friction=5.0)])
        heights.append(float(np.ptp(frames[-1].bodies[0].positions[:, 2])) / 0.5)
    assert heights[0] == pytest.approx(heights[1], rel=0.1)


def test_a_checkpoint_goes_on_with_the_same_bytes(plane):
    whole, second = (
        Simulation(*make_scene([box_mesh((3, 3, 3), (0.5, 0.5, 0.5), (0.0, 0.0, 0.01))], [LIQUID]), fields=[plane])
        for _ in range(2)
    )
    for _ in range(10):
        whole.advance()
    second.restore(whole.checkpoint())
    for _ in range(4):
        assert whole.advance().bodies[0].positions.tobytes() == second.advance().bodies[0].positions.tobytes()

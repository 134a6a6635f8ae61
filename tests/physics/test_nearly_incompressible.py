"""Volume kept at the nodes: no locking up to a Poisson's ratio of 0.499, in statics, blows, flow and inside out."""

import numba
import numpy as np
import pytest

from solver.jit import use_threads
from solver.simulate import Simulation
from tests.physics.quadratic import energy_of, stiffness
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, make_scene, run
from tests.physics.statics import balance

YOUNG, POISSON = 1e5, 0.499
AT_NODES = {"volume": "at_nodes"}
LOADS = {"pressed": ((8, 8, 8), (1.0, 1.0, 1.0), (-1e-2, 0.0, 0.0)), "sheared": ((16, 8, 8), (2.0, 1.0, 1.0), (0.0, 0.0, 1e-2))}


@pytest.mark.parametrize("load", LOADS)
def test_a_clamped_block_is_as_stiff_as_one_of_quadratic_tets(load):
    """Both ends held, one moved: within 10 % of the reference, where tets that keep their own volume are off by half."""
    cells, size, move = LOADS[load]
    mesh = box_mesh(cells, size)
    mu, lam = YOUNG / (2.0 * (1.0 + POISSON)), YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON))
    matrix, nodes = stiffness(box_mesh(tuple(count // 2 for count in cells), size), mu, lam)
    held = [np.isin(x[:, 0], (0.0, size[0])) for x in (mesh.positions, nodes)]
    moves = [np.where(x[:, :1] == size[0], move, 0.0) for x in (mesh.positions, nodes)]
    expected = energy_of(matrix, held[1], moves[1])
    energies = []
    for options in ({}, AT_NODES):
        material = {"young_modulus": YOUNG, "poisson_ratio": POISSON}
        _, energy = balance(mesh, material, held[0], places=mesh.positions + moves[0], options=options)
        energies.append(energy)
    assert energies[0] > 1.5 * expected
    assert 0.97 < energies[1] / expected < 1.1


def volumes(simulation):
    """Current over rest volume of every tet (m,)."""
    x, state = simulation.state.positions, simulation.state
    return np.linalg.det(x[state.tets[:, 1:]] - x[state.tets[:, :1]]) / 6.0 / state.volumes


@pytest.mark.parametrize("material", [{"yield_stress": 1e9}, {"yield_stress": 300.0, "flow_rate": 20.0}])
def test_a_ball_that_is_thrown_down_keeps_its_volume(material, plane):
    goo = {"young_modulus": 3e4, "poisson_ratio": POISSON} | material
    simulation, _ = run(
        make_scene([ball_mesh(6, 0.5, (0.0, 0.0, 0.6))], [goo], velocity=(0.0, 0.0, -2.0), options=AT_NODES), 1, [plane]
    )
    smallest, rest = 1.0, simulation.state.volumes.copy()
    for _ in range(20):
        simulation.advance()
        smallest = min(smallest, (volumes(simulation) * simulation.state.volumes).sum() / rest.sum())
    state = simulation.state
    assert smallest > 0.995
    assert state.positions[:, 2].min() > -0.01
    assert np.abs(np.linalg.det(state.plastic_deformation) - 1.0).max() < 1e-10
    assert (state.plastic_strain.max() > 0.2) == ("flow_rate" in material)


def test_a_ball_turned_inside_out_recovers():
    material = {"young_modulus": 1e5, "poisson_ratio": POISSON, "yield_stress": 1e9, "damping": 20.0}
    mesh = ball_mesh(4)
    simulation = Simulation(*make_scene([mesh], [material], options=AT_NODES, gravity=(0.0, 0.0, 0.0)), fields=[])
    state = simulation.state
    state.positions *= [1.0, 1.0, -0.3]
    state.previous_positions[:] = state.positions
    assert (volumes(simulation) < 0.0).all()
    for _ in range(60):
        simulation.advance()
    assert np.abs(volumes(simulation) - 1.0).max() < 0.02


def test_bytes_are_the_same_on_one_and_two_threads():
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        goo = {"young_modulus": 3e4, "poisson_ratio": POISSON, "yield_stress": 300.0, "flow_rate": 20.0, "damping": 0.5}
        meshes = [ball_mesh(5, 0.5, (0.0, 0.0, 0.52)), ball_mesh(4, 0.3, (2.0, 0.0, 0.31))]
        simulation = Simulation(*make_scene(meshes, [goo, goo], options=AT_NODES), fields=[PlaneField()])
        simulation.pace.hold(threads)
        for _ in range(4):
            simulation.advance()
        ends.append(simulation.checkpoint())
    use_threads(1)
    for name in ends[0]:
        assert ends[0][name].tobytes() == ends[1][name].tobytes(), name


def test_uniform_compression_is_that_of_the_whole_material():
    """What the tets keep and what the nodes take over add up to Hooke's law."""
    mesh, strain = box_mesh((3, 3, 3)), 1e-3
    material = {"young_modulus": YOUNG, "poisson_ratio": 0.49}
    places = mesh.positions * (1.0 - strain * np.array([1.0, 0.0, 0.0]))
    outside = np.isin(mesh.positions, (0.0, 1.0)).any(axis=1)
    _, energy = balance(mesh, material, outside, places=places, options=AT_NODES)
    confined = YOUNG * 0.51 / (1.49 * 0.02)
    assert energy == pytest.approx(0.5 * confined * strain**2, rel=0.01)

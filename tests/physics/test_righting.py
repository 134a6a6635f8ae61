"""What stays inside out is righted: a tet in whose place others have their rest shapes, pushed out of it by nothing else."""

import numpy as np
import pytest

from solver import simulate
from solver.fem.righting import FALL, FLAT, ROOM, right
from solver.fem.tile import LONGEST, PATIENCE, RISE, SHRINKING, SMALLEST
from solver.simulate import Simulation
from solver.slots import VOLUME, B
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import make_scene, momentum

JELLY = {"density": 1000.0, "young_modulus": 3e4, "poisson_ratio": 0.35, "yield_stress": 1e9, "damping": 5.0}
FRAMES = 120
SIDES = np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)])
# An octahedron of eight tets about its middle, node 0; x at node 1 and 2, y at 3 and 4, z at 5 and 6
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.float64)
TETS = np.array([[0, *([1, 3, 5] + (side < 0))[:: side.prod()]] for side in SIDES], dtype=np.int32)
THROUGH = 1.5  # of the way from the middle to the first face


def turned_inside_out(material, **settings):
    """The octahedron, floating, of which all tets but the first were at rest where the middle is pushed through that one."""
    mesh = TetMesh(0.5 * CORNERS, TETS)
    simulation = Simulation(*make_scene([mesh], [material], gravity=(0.0, 0.0, 0.0), frames=240, **settings), fields=[])
    state = simulation.state
    state.positions = state.positions.copy()
    state.positions[0] = THROUGH * state.positions[TETS[0, 1:]].mean(axis=0)
    state.previous_positions = state.positions.copy()
    corners = state.positions[TETS[1:]]
    state.rest_shape_inverse[1:] = np.linalg.inv((corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1))
    state.volumes[1:] = tet_volumes(state.positions, TETS[1:])
    simulation.space.tiles.refresh(state)
    return simulation


def share(simulation):
    """The volume of the first tet over that at rest."""
    state = simulation.state
    return (tet_volumes(state.positions, state.tets) / state.volumes)[0]


def onwards(simulation, frames=FRAMES):
    return np.array([simulation.advance() and share(simulation) for _ in range(frames)])


def tip_at(simulation, height):
    """Put the middle where the first tet has so much of its rest volume."""
    state = simulation.state
    state.positions[0] = (1.0 - height) * state.positions[TETS[0, 1:]].mean(axis=0)


def test_what_stays_inside_out_by_itself_is_righted(monkeypatch):
    righted = onwards(turned_inside_out(JELLY))
    monkeypatch.setattr(simulate, "right", lambda *arguments: None)
    left = onwards(turned_inside_out(JELLY))
    blow = int(24 * PATIENCE)
    assert righted[:blow].tobytes() == left[:blow].tobytes()  # what a blow turns for a moment is left alone
    assert (left[-48:] < 0.0).all()
    assert (righted[-48:] > 0.8 * FLAT).all() and (righted[-48:] < 1.0).all()


def test_momentum_stays():
    simulation = turned_inside_out(JELLY)
    onwards(simulation)
    assert simulation.state.flattened.max() > PATIENCE
    linear, angular = momentum(simulation)
    whole = simulation.state.masses.sum()
    assert np.abs(linear).max() < 1e-10 * whole and np.abs(angular).max() < 1e-6 * whole


def test_a_weight_rises_while_its_tet_is_flat_stays_and_falls_slowly_once_there_is_room():
    simulation = turned_inside_out(JELLY)
    state, tiles, step = simulation.state, simulation.space.tiles, 0.01

    def after(height, seconds):
        tip_at(simulation, height)
        for _ in range(round(seconds / step)):
            right(state, tiles, step)
        return state.flattened[0]

    assert after(-0.2, 0.2) == pytest.approx(0.2) and after(0.5 * FLAT, step) == 0.0  # a blow
    long = PATIENCE + 0.2
    assert after(-0.2, long) == pytest.approx(long)
    assert after(0.9 * FLAT, 0.1) == pytest.approx(long + 0.1)
    assert after(0.5 * (FLAT + ROOM), 0.5) == pytest.approx(long + 0.1)
    assert after(1.1 * ROOM, 1.0) == pytest.approx(long + 0.1 - FALL)
    assert tiles.unpack(VOLUME, 1, 8)[0, 0] == pytest.approx(state.volumes[0] * np.exp(RISE * (0.3 - FALL)), rel=1e-6)
    assert (state.flattened[1:] == 0.0).all()
    assert tiles.unpack(VOLUME, 1, 8)[1:, 0] == pytest.approx(state.volumes[1:], rel=1e-6)
    assert after(1.1 * ROOM, 3.0) == 0.0
    assert tiles.unpack(VOLUME, 1, 8)[0, 0] == pytest.approx(state.volumes[0], rel=1e-6)


def test_what_stays_flat_at_the_highest_weight_is_to_be_smaller_until_it_stands():
    simulation = turned_inside_out(JELLY)
    state, tiles, step = simulation.state, simulation.space.tiles, 0.01
    inverse = state.rest_shape_inverse.reshape(-1, 9)

    def after(height, seconds):
        tip_at(simulation, height)
        for _ in range(round(seconds / step)):
            right(state, tiles, step)
        assert tiles.unpack(B, 9, 8)[1:] == pytest.approx(inverse[1:], rel=1e-6)
        assert tiles.unpack(VOLUME, 1, 8)[0, 0] == pytest.approx(100.0 * state.volumes[0], rel=1e-6)
        return np.abs(tiles.unpack(B, 9, 8)[0]).sum() / np.abs(inverse[0]).sum()

    assert after(-0.2, LONGEST + 0.01) == pytest.approx(1.0, rel=0.05)
    assert after(-0.2, 5.0) == pytest.approx(1.0 / SMALLEST, rel=1e-6) and state.flattened[0] == LONGEST + SHRINKING
    assert after(0.5 * FLAT * SMALLEST**3, 1.0) == pytest.approx(1.0 / SMALLEST, rel=1e-6)
    assert after(1.1 * ROOM, SHRINKING) == pytest.approx(1.0, rel=0.05)


def test_a_checkpoint_keeps_it():
    simulation, other = turned_inside_out(JELLY), turned_inside_out(JELLY)
    onwards(simulation, 60)
    assert simulation.state.flattened[0] > PATIENCE
    other.restore({name: np.array(values) for name, values in simulation.checkpoint().items()})
    assert onwards(simulation, 4).tobytes() == onwards(other, 4).tobytes()


def test_explicit_schemes_are_left_alone(monkeypatch):
    asked = []
    monkeypatch.setattr(simulate, "right", lambda *arguments: asked.append(arguments))
    assert (onwards(turned_inside_out(JELLY, integrator="newmark"), 8)[:-1] < 0.0).any() and not asked
    onwards(turned_inside_out(JELLY), 8)
    assert asked

"""Forces and stiffness summed run by run, in rings, are those of tets taken all together, to the last bit."""

import numpy as np
import pytest

from solver.fem import runs
from solver.fem.assembly import build_pattern, room_for, sum_forces
from solver.fem.elements import evaluate
from solver.fem.force_sum import ForceSum
from solver.fem.linear_solve import LinearSolve
from solver.fem.stiffness import stiffness
from solver.fem.stiffness_sum import StiffnessSum
from solver.fem.tile import Tiles
from solver.materials import Material
from solver.scene import Body, Surface
from solver.slots import REMADE
from solver.state import build_state
from solver.tetmesh.mesh import TetMesh
from tests.physics.scenes import ball_mesh

STEP = 0.01
GOO = {"young_modulus": 1e4, "poisson_ratio": 0.3, "yield_stress": 400.0, "flow_rate": 20.0}
STARTS = {"one": (0, 1), "two": (0, 0.4, 1), "many": np.linspace(0.0, 1.0, 9)}


def mesh_of(order):
    """Some 20 tiles, as they were made or in any order, with a node that no tet has."""
    mesh = ball_mesh(8)
    tets = mesh.tets if order == "near" else np.random.default_rng(2).permutation(mesh.tets)
    positions = np.concatenate([mesh.positions[:5], [[9.0, 9.0, 9.0]], mesh.positions[5:]])
    return TetMesh(positions, tets + (tets >= 5).astype(np.int32))


@pytest.fixture(scope="module", params=["near", "any"])
def moved(request):
    """A state of which a part flows, where it is moved to, and the tets' forces and blocks."""
    mesh = mesh_of(request.param)
    body = Body("b", "B", Surface(mesh.positions, np.array([[0, 1, 2]])), Material("viscoplastic", GOO))
    state, _ = build_state((body,), [mesh])
    x = mesh.positions.copy()
    x[:, 0] *= 1.0 + 0.2 * np.maximum(x[:, 0] - 0.1, 0.0)  # one side flows
    tiles = Tiles.of(state)
    forces, flat_forces = room_for(tiles.lanes, 12)
    evaluate(x, state.tets, *tiles.arrays, STEP, False, forces, np.empty(len(tiles.data)))
    blocks = np.zeros((tiles.lanes, runs.BLOCKS.width), np.float32)
    stiffness(x, state.tets, *tiles.arrays, STEP**-2, True, blocks)
    return state, x, flat_forces, blocks


@pytest.mark.parametrize("most", [2, 96])
@pytest.mark.parametrize("starts", STARTS)
def test_sums_by_runs_are_those_of_all_tets_together(moved, starts, most, monkeypatch):
    """However few tiles a ring keeps, and in whatever order the tets come."""
    state, x, flat_forces, blocks = moved
    monkeypatch.setattr(runs, "MOST_KEPT", most)
    pattern, tiles = build_pattern(state.tets, len(x)), Tiles.of(state)
    bounds = np.round(np.array(STARTS[starts]) * len(tiles.data)).astype(np.int32)
    summed, expected = np.full_like(x, np.nan), np.empty_like(x)
    forces = ForceSum.of(state.tets, pattern, bounds)
    assert forces.runs.kept <= most and (len(forces.runs.late) > 0) == (most == 2 or len(bounds) > 2)
    forces.evaluate(x, tiles, STEP, summed, np.empty(len(tiles.data)))
    sum_forces(pattern.corner_offsets, 3 * pattern.corners, flat_forces, expected)
    assert summed.tobytes() == expected.tobytes() and (summed[5] == 0.0).all()

    linear, whole = LinearSolve.of(pattern, state.positions, bounds), LinearSolve.of(pattern, state.positions)
    elements = StiffnessSum(state.tets, linear.layout)
    alone, flat = room_for(tiles.lanes, runs.BLOCKS_ALONE.width)
    alone[:] = blocks[:, : runs.BLOCKS_ALONE.width]
    other = whole.summed(whole.filling(flat))
    found = linear.summed(lambda *given: elements.fill(x, tiles, given[0], STEP**-2, *given[1:]))
    own = slice(0, -runs.SPARE)
    assert found.values[own].tobytes() == other.values[own].tobytes()
    twice = linear.summed(lambda values, more, rate: elements.fill(x, tiles, values, STEP**-2, found.values, 1.0))
    assert (twice.values == 2.0 * found.values)[own].all()


def test_some_of_it_flows_and_some_does_not(moved):
    state, x, *_ = moved
    tiles = Tiles.of(state)
    ForceSum.of(state.tets, build_pattern(state.tets, len(x)), None).evaluate(
        x, tiles, STEP, np.empty_like(x), np.empty(len(tiles.data))
    )
    flows = tiles.data[:, runs.TILE * REMADE] == 0.0
    in_order = (np.diff(state.tets[:, 0]) >= 0).mean() > 0.9
    assert flows.any() and (not flows.all() or not in_order)

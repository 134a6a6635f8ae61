"""Claims B20, B21 and B22: what a body is and does goes over to its new mesh."""

from dataclasses import replace

import numpy as np
import pytest

from solver.remesh.elastic_strain import COLUMNS, ROWS
from solver.remesh.record import mesh_change
from solver.remesh.transfer import transferred
from solver.state import State
from tests.physics.scenes import box_mesh

from .shapes import ball, mesh_of, moved, restuffed, rotation, state_of

STEP = 1.0 / 96.0


def remeshed(old: State, size: float) -> State:
    return transferred(old, mesh_change(mesh_of(old), restuffed(mesh_of(old), size, np.eye(3))), STEP)


def elastic(state: State) -> np.ndarray:
    """F_e (m, 3, 3)."""
    return np.swapaxes(state.positions[state.tets[:, 1:]] - state.positions[state.tets[:, :1]], 1, 2) @ state.rest_shape_inverse


def spin(state: State) -> np.ndarray:
    return (state.masses[:, None] * np.cross(state.positions, state.velocities)).sum(axis=0)


def test_mass_momentum_and_spin_stay_to_rounding():
    old = moved(state_of(ball()), [[1.2, 0.5, 0], [0, 0.9, 0.1], [0, 0.2, 0.8]], (5.0, -3.0, 2.0))
    new = remeshed(old, 0.17)
    assert len(new.positions) != len(old.positions)
    momentum, turning = old.masses @ old.velocities, spin(old)
    assert new.masses.sum() == pytest.approx(old.masses.sum(), rel=1e-12)
    assert new.volumes.sum() == pytest.approx(old.volumes.sum(), rel=1e-12)
    assert np.abs(new.masses @ new.velocities - momentum).max() < 1e-12 * np.abs(momentum).max()
    assert np.abs(spin(new) - turning).max() < 1e-12 * np.abs(turning).max()
    kinetic = [0.5 * float(state.masses @ (state.velocities**2).sum(axis=1)) for state in (old, new)]
    assert kinetic[1] == pytest.approx(kinetic[0], rel=0.01)


def test_only_what_is_not_seen_at_once_is_pressed_out():
    """A ball pressed to 0.9 of its volume whose surface is laid on tets that fill 0.6 of that: as much pressure as before, or
    more by what its surface lacks."""
    old = moved(state_of(ball()), 0.9 ** (1.0 / 3.0) * np.eye(3))
    mesh = mesh_of(old)
    smaller = restuffed(mesh, 0.17, np.eye(3))
    change = mesh_change(mesh, smaller.moved(0.6 ** (1.0 / 3.0) * smaller.positions))
    for shown in (1.0, 0.95):
        new = transferred(old, change, STEP, shown=np.array([shown]))
        assert new.volumes.sum() / old.volumes.sum() == pytest.approx(0.6 / shown, rel=1e-3)
        assert change.new.volumes.sum() / new.volumes.sum() == pytest.approx(0.9 * shown, rel=1e-12)
        assert new.wanted.sum() / new.volumes.sum() == pytest.approx(old.wanted.sum() / old.volumes.sum(), rel=1e-12)
        assert new.masses.sum() == pytest.approx(old.masses.sum(), rel=1e-12)
        assert new.shown.sum() == pytest.approx(old.shown.sum(), rel=1e-12)


def test_a_stretched_and_turned_bar_keeps_its_stress():
    """Correction 6: F^T F would give it back with its stresses swapped."""
    gradient = rotation([1, 2, 3], 1.0) @ np.diag([1.6, 0.8, 0.7]) @ rotation([0, 1, 2], 0.6)
    old = moved(state_of(box_mesh((9, 3, 3), (3.0, 1.0, 1.0))), gradient)
    new = remeshed(old, 0.3)
    left = elastic(new) @ np.swapaxes(elastic(new), 1, 2)
    expected = gradient @ gradient.T
    scale = float(np.linalg.det(gradient)) / (np.abs(np.linalg.det(elastic(new)))[:, None, None])
    assert np.abs(left * np.cbrt(scale) ** 2 - expected).max() < 1e-10
    assert np.abs(scale - 1.0).max() < 0.01  # the box's edges are cut off and their material is spread over the rest


def test_flow_counts_from_the_new_mesh_on():
    new = remeshed(moved(state_of(ball()), np.diag([1.3, 0.9, 0.9])), 0.2)
    whole = elastic(new) @ new.plastic_deformation
    assert np.linalg.det(new.plastic_deformation) == pytest.approx(1.0, rel=1e-9)
    assert np.abs(whole / np.cbrt(np.linalg.det(whole))[:, None, None] - np.eye(3)).max() < 1e-9


def test_flow_that_is_counted_and_its_goal_turn_with_the_body():
    """F_e = R S of flow P with a goal G: what is left is R S R^T, R P R^T and R G R^T, and fibres lie as they lay."""
    old, turn = state_of(ball()), rotation([1, 2, 3], 1.2)
    stretch, flow, goal = np.diag([1.1, 0.95, 1.0]), symmetric([0.3, -0.1, -0.2]), symmetric([-0.2, 0.5, -0.3])
    count, along = len(old.tets), np.array([0.6, 0.0, 0.8])
    old = replace(
        moved(old, turn @ stretch), plastic_deformation=np.tile(exponential(flow) @ rotation([3, 1, 0], 0.7), (count, 1, 1)),
        goal=np.tile(goal[ROWS, COLUMNS], (count, 1)), goal_rate=np.full(count, 2.0), fibres=np.tile(along, (count, 1)),
    )  # fmt: skip
    seen = turn @ stretch @ old.plastic_deformation[0] @ along
    new = transferred(old, mesh_change(mesh_of(old), restuffed(mesh_of(old), 0.2, np.eye(3))), STEP, counted=True)
    assert np.abs(new.plastic_deformation - turn @ exponential(flow) @ turn.T).max() < 1e-9
    assert np.abs(new.goal - (turn @ goal @ turn.T)[ROWS, COLUMNS]).max() < 1e-9 and (new.goal_rate == 2.0).all()
    now = (elastic(new) @ new.plastic_deformation @ new.fibres[:, :, None])[:, :, 0]
    assert np.abs(now @ seen / np.linalg.norm(seen) / np.linalg.norm(now, axis=1)).min() > 1.0 - 1e-9


def test_only_what_had_a_goal_is_led():
    """Of a ball whose left half has one; where both halves meet a new tet's goal lies between that and where it is."""
    old, stretch, goal = state_of(ball()), symmetric([0.2, 0.1, -0.3]), symmetric([-0.2, 0.5, -0.3])
    left = old.positions[old.tets].mean(axis=1)[:, 0] < 0.0
    old = replace(
        old, plastic_deformation=np.tile(exponential(stretch), (len(left), 1, 1)), goal_rate=np.where(left, 2.0, -1.0),
        goal=np.where(left[:, None], goal[ROWS, COLUMNS], 99.0),
    )  # fmt: skip
    new = transferred(old, mesh_change(mesh_of(old), restuffed(mesh_of(old), 0.2, np.eye(3))), STEP, counted=True)
    led, middle = new.goal_rate >= 0.0, new.positions[new.tets].mean(axis=1)[:, 0]
    assert set(new.goal_rate) == {-1.0, 2.0} and middle[led].max() < 0.1 and middle[~led].min() > -0.1
    way = new.goal - stretch[ROWS, COLUMNS]
    share = (way / (goal - stretch)[ROWS, COLUMNS]).T
    assert np.ptp(share, axis=0).max() < 1e-6 and share.min() > -1e-6 and share.max() < 1.0 + 1e-6
    assert share[:, middle < -0.25].min() > 1.0 - 1e-6 and share[:, middle > 0.25].max() < 1e-6


def symmetric(values) -> np.ndarray:
    turn = rotation([2, 0, 1], 0.5)
    return turn @ np.diag(values) @ turn.T


def exponential(matrix: np.ndarray) -> np.ndarray:
    values, axes = np.linalg.eigh(matrix)
    return axes @ np.diag(np.exp(values)) @ axes.T


def test_fields_are_weighed_by_what_tets_share():
    """By a sum tet by tet; what is the same everywhere stays so to the last digit."""
    old = mesh_of(state_of(ball(0.3)))
    change = mesh_change(old, restuffed(old, 0.35, np.eye(3)))
    first, last = np.random.default_rng(4).random((2, len(old.tets)))
    same = np.full(len(old.tets), 0.1)
    found = change.averaged([first, same, last])
    assert (found[1] == 0.1).all()
    for t, (begin, end) in enumerate(zip(change.start[:-1], change.start[1:], strict=True)):
        own, shared = change.sources[begin:end], change.volumes[begin:end]
        assert found[0, t] == pytest.approx(np.average(first[own], weights=shared), rel=1e-12)
        assert found[2, t] == pytest.approx(np.average(last[own], weights=shared), rel=1e-12)


def test_history_stays_where_it_is():
    old = state_of(ball())
    middle = old.positions[old.tets].mean(axis=1)
    old = replace(old, plastic_strain=0.5 + 0.3 * middle[:, 0], hardening=0.2 + 0.1 * middle[:, 1])
    old.material[3] = 7.0  # flow rate
    new = remeshed(old, 0.13)
    there = new.positions[new.tets].mean(axis=1)
    assert np.abs(new.plastic_strain - 0.5 - 0.3 * there[:, 0]).max() < 0.03
    assert np.abs(new.hardening - 0.2 - 0.1 * there[:, 1]).max() < 0.01
    assert new.yield_stress == pytest.approx(100.0 + 50.0 * new.hardening)
    assert (new.material[3] == 7.0).all()


def test_fibres_lie_where_they_lay_in_the_world():
    old = state_of(ball())
    along = np.array([0.6, 0.0, 0.8])
    old = replace(old, fibres=np.tile(along, (len(old.tets), 1)))
    gradient = rotation([1, 0, 1], 0.8) @ np.diag([1.2, 0.9, 1.0])
    new = remeshed(moved(old, gradient), 0.2)
    seen = (elastic(new) @ new.plastic_deformation @ new.fibres[:, :, None])[:, :, 0]
    expected = gradient @ along / np.linalg.norm(gradient @ along)
    cosine = np.abs(seen @ expected) / np.linalg.norm(seen, axis=1)
    assert cosine.min() > 1.0 - 1e-9


def test_the_same_bytes_on_any_number_of_threads():
    import numba

    old = moved(state_of(ball(0.15)), [[1.2, 0.5, 0], [0, 0.9, 0.1], [0, 0.2, 0.8]])
    results = []
    for threads in (1, 2):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        results.append(remeshed(old, 0.15).arrays())
    assert all(results[0][name].tobytes() == results[1][name].tobytes() for name in results[0])


def test_a_piece_that_keeps_tets_which_are_inside_out_weighs_what_it_did():
    """As one that is thinner than new tets, while it is crumpled: with negative weights no step has a balance."""
    old = state_of(ball())
    mesh = mesh_of(old)
    inner = np.setdiff1d(np.arange(len(old.positions)), mesh.rim)
    node = inner[np.argmin(np.linalg.norm(old.positions[inner], axis=1))]
    positions = old.positions.copy()
    positions[node] += (0.6, 0.3, 0.1)
    crumpled = mesh.moved(positions)
    turned = crumpled.volumes < 0.0
    assert turned.sum() > 3
    new = transferred(replace(old, positions=positions), mesh_change(crumpled, crumpled), STEP)
    assert (new.volumes > 0.0).all() and (new.masses > 0.0).all() and np.isfinite(new.rest_shape_inverse).all()
    assert new.volumes[turned].sum() > 0.1 * old.volumes[turned].sum()
    assert new.masses.sum() == pytest.approx(old.masses.sum(), rel=1e-12)
    assert new.volumes.sum() == pytest.approx(old.volumes.sum(), rel=1e-12)


def test_rest_volume_stays_where_what_is_seen_says_little():
    old = state_of(ball())
    mesh = mesh_of(old)
    smaller = restuffed(mesh, 0.17, np.eye(3))
    change = mesh_change(mesh, smaller.moved(0.9 * smaller.positions))
    kept, bounded = (transferred(old, change, STEP, shown=np.array([one]), bounds=(0.8, 1.0)) for one in (np.nan, 1.0))
    assert kept.volumes.sum() == pytest.approx(old.volumes.sum(), rel=1e-12)
    assert bounded.volumes.sum() == pytest.approx(0.8 * old.volumes.sum(), rel=1e-12)

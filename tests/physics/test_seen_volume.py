"""What is kept is the volume that is seen; and where tets reach out of what is seen, nothing presses."""

from collections import Counter

import numpy as np
import pytest

from solver.embedding import bind
from solver.fem.seen_volume import SeenVolume, _open_sides, show
from solver.fem.volume_control import MOST
from solver.filling import Covering, filled_shares
from solver.geometry.measures import signed_volumes
from solver.remesh.record import mesh_change
from solver.remesh.transfer import transferred
from solver.simulate import Simulation
from solver.state import Ranges
from solver.surface import Surface
from solver.tetmesh.mesh import joined_meshes
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import box_mesh, make_scene
from tests.physics.test_volume_exchange import LIQUID, dilations
from tests.remesh.shapes import ball, mesh_of, moved, restuffed, state_of
from tests.surfaces import joined, sphere


def seen_of(mesh, surface) -> SeenVolume:
    ranges = Ranges(np.array([0, len(mesh.positions)]), np.array([0, len(mesh.tets)]))
    return SeenVolume(ranges, mesh.tets, [bind(mesh, surface.positions)], [surface.triangles], [mesh.piece])


def test_it_is_that_of_the_surface_on_each_piece():
    """Of two balls, moved apart and stretched."""
    one, shell = ball(0.4), sphere(12, 0.8)
    mesh = joined_meshes([one, one.moved(one.positions + (3.0, 0.0, 0.0))])
    count = len(shell.positions)
    both = Surface(
        np.concatenate([shell.positions, shell.positions * 0.5 + (3.0, 0.0, 0.0)]),
        np.concatenate([shell.triangles, shell.triangles + count]).astype(np.int32),
    )
    volumes = seen_of(mesh, both).of(mesh.positions * (1.0, 2.0, 1.0) + (5.0, 0.0, 0.0))
    alone = float(signed_volumes(shell.positions, shell.triangles).sum())
    assert volumes == pytest.approx([2.0 * alone, 0.25 * alone], rel=1e-9)


def test_of_an_open_surface_it_is_that_of_the_tets():
    mesh, shell = ball(0.4), sphere(12, 0.8)
    seen = seen_of(mesh, Surface(shell.positions, shell.triangles[3:]))
    assert seen.of(1.1 * mesh.positions) == pytest.approx(1.1**3 * mesh.volumes.sum(), rel=1e-12)


def test_pieces_that_share_a_shell_are_seen_together():
    """Two blocks in one box, and a third in its own: of the first two, neither of which it encloses, it is that of both."""
    block, box = box_mesh((2, 2, 2), (0.4, 1.0, 1.0)), box_mesh((1, 1, 1), (1.0, 1.0, 1.0))
    mesh = joined_meshes([block.moved(block.positions + (at, 0.0, 0.0)) for at in (0.0, 3.0, 0.6)])
    third = block.positions + (3.0, 0.0, 0.0)
    faces = np.concatenate([box.faces.boundary, block.faces.boundary + len(box.positions)]).astype(np.int32)
    seen = seen_of(mesh, Surface(np.concatenate([box.positions, third]), faces))
    assert seen.count == 2 and seen.closed.all() and len(np.unique(mesh.piece)) == 3
    assert np.array_equal(seen.piece == seen.piece[0], mesh.piece != 1)
    assert seen.of(1.1 * mesh.positions) == pytest.approx([1.1**3, 1.1**3 * 0.4], rel=1e-12)


def test_what_has_torn_is_given_back_as_one():
    """Two balls that were one, half of all on each: what one shows too little the other shows too much."""
    mesh = joined_meshes([ball(0.4), ball(0.4, radius=0.5, centre=(3.0, 0.0, 0.0))])
    state, shells = state_of(mesh), joined(sphere(12, 0.8), sphere(12, 0.4, centre=(3.0, 0.0, 0.0)))
    seen, torn = seen_of(mesh, shells), np.zeros(len(mesh.tets), dtype=np.int32)
    has = seen.of(mesh.positions)
    state.shown = 1.05 * has.sum() * np.array([0.5, 0.5])[mesh.piece] / np.bincount(mesh.piece)[mesh.piece]
    had = state.shown.copy()
    show(state, seen, state.volumes, 0.1, family=torn)
    assert np.bincount(mesh.piece, state.shown) == pytest.approx(1.05 * has, rel=1e-9)
    state.shown = had
    show(state, seen, state.volumes, 0.1)
    assert np.bincount(mesh.piece, state.shown) == pytest.approx([has[0], 1.1 * has[1]], rel=1e-9)


def test_sides_that_have_no_partner_are_told_as_by_counting():
    """Of triangles of few vertices at random, folded and degenerate ones included, some of them on another piece."""
    rng, closed = np.random.default_rng(5), 0
    for trial in range(400):
        triangles, owners = rng.integers(0, rng.integers(3, 6), (rng.integers(1, 9), 3)), rng.integers(0, 2, 9)
        if trial % 2:  # both ways round, and so closed
            triangles = rng.permutation(np.concatenate([triangles, triangles[:, ::-1]]))
        owners = np.resize(owners if trial % 4 == 3 else owners[:1], len(triangles)).astype(np.int64)
        sides = np.stack([np.repeat(owners, 3), triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()], axis=1)
        ways = Counter(map(tuple, sides.tolist()))
        alone = np.zeros(2, int)
        for own, a, b in tuple(ways):
            alone[own] += max(ways[own, a, b] - ways[own, b, a], 0)
        found = _open_sides(triangles.astype(np.int32), owners, np.bincount(triangles.ravel()), 2)
        assert found.tolist() == alone.tolist()
        closed += not alone.any()
    assert 100 < closed < 300


def test_tets_are_filled_as_far_as_something_is_seen_in_them():
    """A ball of tets round a smaller one that is seen: in sum its volume. Round a larger one all are full."""
    mesh, shell = ball(0.4), sphere(24, 0.8)
    shares = filled_shares(Covering(mesh, shell))
    assert shares.min() < 0.3 and shares.max() == 1.0
    assert (shares * mesh.volumes).sum() == pytest.approx(signed_volumes(shell.positions, shell.triangles).sum(), rel=0.05)
    assert (filled_shares(Covering(mesh, sphere(24, 1.1))) == 1.0).all()


def test_a_flat_side_through_places_that_are_asked_fills_the_same_whatever_the_last_digits_say():
    mesh, low = box_mesh((2, 2, 2), (1.0, 1.0, 1.0)), box_mesh((1, 1, 1), (1.0, 1.0, 0.625))
    sides = (low.positions * (1.0, 1.0, 1.0 + aside) for aside in (0.0, -1e-12, 1e-12))
    at, below, above = (filled_shares(Covering(mesh, Surface(side, low.faces.boundary))) for side in sides)
    assert (at == below).all() and (at == above).all() and np.isin(at, (0.0, 1.0)).sum() < len(at)
    wet = (at * mesh.volumes).sum() / (mesh.volumes.sum() * 0.625)
    assert wet == pytest.approx(1.0, abs=0.1)


def liquid(plane) -> Simulation:
    mesh = box_mesh((3, 3, 3), (0.5, 0.5, 0.5), (0.0, 0.0, 0.01))
    simulation = Simulation(*make_scene([mesh], [LIQUID]), fields=[plane])
    for _ in range(6):
        simulation.advance()
    return simulation


def test_what_has_gone_astray_comes_back(plane):
    """A liquid of which 2 % more are to be seen swells by so much, in a few steps, and its mass stays."""
    simulation = liquid(plane)
    state, rest, masses = simulation.state, simulation.state.volumes.sum(), simulation.state.masses.tobytes()
    state.shown = 1.02 * state.shown
    for _ in range(12):
        simulation.advance()
    assert state.volumes.sum() / rest == pytest.approx(1.02, abs=1e-3)
    assert tet_volumes(state.positions, state.tets).sum() / rest == pytest.approx(1.02, abs=5e-3)
    assert state.masses.tobytes() == masses


def test_nothing_presses_where_nothing_is_seen(plane):
    """Of tets that are said not to be filled by anything the pressure goes, in a few steps."""
    simulation = liquid(plane)
    assert np.abs(dilations(simulation)).max() > 0.01
    simulation.volume_control.filled[:] = 0.0
    for _ in range(4):
        simulation.advance()
    assert np.abs(dilations(simulation)).max() < 0.01


@pytest.mark.parametrize(("full", "grown"), [(1.0, 1.25 / 1.2), (0.7, 1.1)])
def test_rest_volumes_have_the_more_room_the_less_of_the_tets_is_seen(plane, full, grown):
    """Goo that is at 1.2 times what its tets would have, and of which a tenth more is to be seen; MOST is for what is seen."""
    simulation = liquid(plane)
    state, rest = simulation.state, simulation.state.volumes.sum()
    state.wanted, state.shown = state.wanted / 1.2, 1.1 * state.shown
    simulation.volume_control.filled[:] = full
    for _ in range(24):
        simulation.advance()
    assert state.volumes.sum() / rest == pytest.approx(grown, abs=2e-3)


def test_a_piece_that_is_inside_out_spoils_nothing(plane):
    """Seed 903 of the soak: a piece of few tets, whose volume had no logarithm, beside one that flows."""
    block = box_mesh((2, 2, 2), (0.5, 0.5, 0.5), (0.0, 0.0, 0.01))
    mesh = joined_meshes([block, block.moved(block.positions + (2.0, 0.0, 0.0))])
    simulation = Simulation(*make_scene([mesh], [LIQUID]), fields=[plane])
    for _ in range(6):
        simulation.advance()
    state, aside = simulation.state, np.where(mesh.positions[:, :1] > 1.0, (1.0, 1.0, -1.0), 1.0)
    simulation.volume_control.act(state, simulation.space, state.positions * aside, 0.01, np.zeros(1))
    assert np.isfinite(state.volumes).all() and (state.volumes > 0.0).all()
    assert state.volumes.sum() <= MOST * state.wanted.sum() * (1.0 + 1e-9)


def test_what_is_to_be_seen_goes_over_to_new_tets():
    old = moved(state_of(ball()), np.diag([1.2, 1.0, 0.9]))
    old.shown = old.shown * np.linspace(0.8, 1.0, len(old.tets))
    new = transferred(old, mesh_change(mesh_of(old), restuffed(mesh_of(old), 0.2, np.eye(3))), 0.01)
    assert new.shown.sum() == pytest.approx(old.shown.sum(), rel=1e-12)

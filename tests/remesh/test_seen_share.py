"""How much is to be seen of new tets: what is seen keeps its pressure, and is neither lost nor gained where surfaces change."""

import numpy as np
import pytest

from solver.embedding import bind_surface
from solver.fem.seen_volume import shown_at_rest, whole
from solver.filling import Covering
from solver.geometry.measures import signed_volumes
from solver.lookup import Lookup
from solver.remesh.drawing_in import outside
from solver.remesh.record import mesh_change
from solver.remesh.restuffing import NEAR, restuffed_sheets
from solver.remesh.seen_share import (
    LITTLE,
    MORE,
    Lineage,
    drawn_back,
    gone_astray,
    hold_back,
    measured_otherwise,
    pressed_alike,
)
from solver.remesh.transfer import transferred
from solver.surface import Surface
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh, joined_meshes
from tests.surfaces import box, joined, sphere

from .shapes import ball, is_manifold, mesh_of, moved, restuffed, state_of

SIZE = 0.2
STEP = 1.0 / 96.0
DISC = sphere(24, 1.0)
DISC = Surface(DISC.positions * [1.0, 1.0, 0.11], DISC.triangles)  # as thick as a tet in its middle, thinner at its rim


def seen_at_rest(mesh: TetMesh, seen: Surface, rest: np.ndarray) -> float:
    """The rest volume of what is seen for each cubic metre that this takes now."""
    filled = Covering(mesh, seen).filled
    return float((filled * rest).sum() / (filled * np.abs(mesh.volumes)).sum())


def test_what_is_seen_of_a_thin_body_stays_as_pressed_as_it_was():
    """A disc whose tets reach out of it, of which only what is seen is pressed to 0.8: means over tets let some of that go."""
    mesh = cage(DISC, SIZE)
    old = state_of(mesh)
    filled = Covering(mesh, DISC).filled
    old.volumes = old.volumes * np.where(filled > 0.5, 1.25, 1.0)
    change = mesh_change(mesh, restuffed(mesh, SIZE, np.eye(3), DISC))
    new = transferred(old, change, STEP)
    had, mean = seen_at_rest(mesh, DISC, old.volumes), seen_at_rest(change.new, DISC, new.volumes)
    assert mean < 0.99 * had
    covers = Covering(mesh, DISC), Covering(change.new, DISC)
    new.volumes = new.volumes * np.exp(pressed_alike(Lineage(change), old, covers[0], new, covers[1]))
    assert seen_at_rest(change.new, DISC, new.volumes) == pytest.approx(had, rel=1e-12)


def test_what_was_won_or_lost_comes_back_by_a_hundredth():
    """Of a disc as much is to be seen as there is, or a little more or less; of a disc with a hole nothing is told."""
    mesh = cage(DISC, SIZE)
    state, lineage = state_of(mesh), Lineage(mesh_change(mesh, mesh))
    volume = float(signed_volumes(DISC.positions, DISC.triangles).sum())
    for more, grows in ((1.0, 0.0), (1.004, np.log(1.004)), (1.1, 0.01), (0.996, np.log(0.996)), (0.5, -0.01)):
        state.shown = state.volumes * (more * volume / state.volumes.sum())
        assert drawn_back(lineage, state, Covering(mesh, DISC)) == pytest.approx(grows, abs=1e-12)
    assert drawn_back(lineage, state, Covering(mesh, Surface(DISC.positions, DISC.triangles[1:]))) == 0.0


def test_tets_that_are_filled_keep_their_rest_volume_to_the_last_bit():
    solid = sphere(16)
    mesh = ball(SIZE)
    old = state_of(mesh)
    change = mesh_change(mesh, restuffed(mesh, SIZE, np.eye(3), solid))
    new, covers = transferred(old, change, STEP), (Covering(mesh, solid), Covering(change.new, solid))
    assert not pressed_alike(Lineage(change), old, covers[0], new, covers[1]).any()
    new.shown = 1.5 * new.shown
    assert drawn_back(Lineage(change), new, covers[1]) == 0.0


def test_pieces_become_one_though_one_is_thinner_than_its_tets():
    """A disc half in a ball, pressed to a fifth of its thickness: but for what is in the ball it would vanish; padded it is one
    with the ball, and nothing seen is left far outside; it is pressed as it was."""
    thin = Surface(DISC.positions + [1.5, 0.0, 0.0], DISC.triangles)
    parts = [cage(thin, SIZE), ball(SIZE, 1.0)]
    flat = np.array([1.0, 1.0, 0.2])
    parts[0] = parts[0].moved(parts[0].positions * flat)
    both, seen = joined_meshes(parts), joined(Surface(thin.positions * flat, thin.triangles), sphere(16))
    apart = restuffed_sheets(both, SIZE, fuse=True, seen=seen)[0]
    new = restuffed_sheets(both, SIZE, fuse=True, seen=seen, joins=True)[0]
    far = [outside(Lookup.about(mesh, seen.positions)).max() / SIZE for mesh in (apart, new)]
    assert far[0] > 1.0 and far[1] < NEAR + 0.05, far
    assert not new.piece.any() and is_manifold(new) and new.volumes.min() > 0.0
    old = state_of(both)
    change = mesh_change(both, new)
    made = transferred(old, change, STEP)
    made.volumes = made.volumes * np.exp(pressed_alike(Lineage(change), old, Covering(both, seen), made, Covering(new, seen)))
    assert seen_at_rest(new, seen, made.volumes) == pytest.approx(seen_at_rest(both, seen, old.volumes), rel=0.02)


def test_what_would_swell_at_a_seam_shrinks_to_what_was_seen():
    state = state_of(ball(SIZE))
    change = mesh_change(mesh_of(state), mesh_of(state))
    had, mass = state.shown / 1.2, state.density * state.volumes
    rest = state.volumes.copy()
    hold_back(state, Lineage(change), had, 0.5, np.zeros(len(rest), dtype=bool))
    assert state.shown == pytest.approx(had, rel=1e-12) and state.volumes == pytest.approx(rest / 1.2, rel=1e-12)
    assert state.density * state.volumes == pytest.approx(mass, rel=1e-12)
    for had, least, otherwise in (
        (state.shown / (1.0 + 0.9 * MORE), 0.5, False), (1.2 * state.shown, 0.5, False), (state.shown / 1.2, 0.5, True),
    ):  # fmt: skip
        before = state.volumes.copy()
        hold_back(state, Lineage(change), had, least, np.full(len(rest), otherwise))
        assert np.array_equal(state.volumes, before)
    before = state.volumes.copy()
    hold_back(state, Lineage(change), 0.1 * state.shown, 0.5, np.zeros(len(rest), dtype=bool))
    assert state.volumes == pytest.approx(0.5 * before, rel=1e-12)


def test_what_has_strayed_is_still_to_be_seen():
    """Of a ball pressed to 0.9 as much is seen as at rest, less what has gone astray; that counts up to a half."""
    state = moved(state_of(ball(SIZE)), 0.9 ** (1.0 / 3.0) * np.eye(3))
    solid = sphere(16)
    seen = Surface(solid.positions * 0.9 ** (1.0 / 3.0), solid.triangles)
    mesh = mesh_of(state)
    change, volume = Lineage(mesh_change(mesh, mesh)), float(signed_volumes(solid.positions, solid.triangles).sum())
    surface = whole(state, bind_surface(seen, mesh, SIZE)[0], seen.triangles)
    assert shown_at_rest(state, surface, state.volumes).sum() == pytest.approx(volume, rel=1e-9)
    for share, expected in ((1.0, 1.0), (1.2, 1.2), (0.9, 0.9), (3.0, 1.5), (0.1, 2.0 / 3.0)):
        state.shown = state.volumes / state.volumes.sum() * share * volume
        assert gone_astray(change, state, surface, state.volumes) == pytest.approx(expected, rel=1e-9)


def test_what_was_closed_and_is_open_is_measured_otherwise():
    """Of two balls one loses a face of what is seen of it, and gets it back."""
    two = joined_meshes([ball(0.3), ball(0.3, centre=(3.0, 0.0, 0.0))])
    state, lineage = state_of(two), Lineage(mesh_change(two, two))
    assert lineage.several and np.count_nonzero(lineage.shared) == 2 and not lineage.of_several.any()
    shells = joined(sphere(16), sphere(16, centre=(3.0, 0.0, 0.0)))
    bound = bind_surface(shells, two, 0.3)[0]
    closed, opened = (whole(state, bound, faces) for faces in (shells.triangles, shells.triangles[:-1]))
    for before, after in ((closed, opened), (opened, closed)):
        assert np.array_equal(measured_otherwise(lineage, before, after), two.piece == 1)
    assert not measured_otherwise(lineage, closed, closed).any()


def test_how_little_of_a_piece_was_measured_does_not_matter():
    """Of two balls that become one piece, one a thousandth of it, the small one was open."""
    large, small = ball(0.3), ball(0.03, radius=0.1, centre=(1.2, 0.0, 0.0))
    two, one = joined_meshes([large, small]), ball(0.3, radius=1.35)
    lineage = Lineage(mesh_change(two, one))
    assert lineage.shared.shape == (2, 1) and 0.0 < lineage.shared[1, 0] < LITTLE * lineage.shared[0, 0]
    shells = joined(sphere(16), sphere(16, 0.1, centre=(1.2, 0.0, 0.0)))
    bound = bind_surface(shells, two, 0.3)[0]
    opened = whole(state_of(two), bound, shells.triangles[:-1])
    large_opened = whole(state_of(two), bound, shells.triangles[1:])
    shell = sphere(16, 1.35)
    after = whole(state_of(one), bind_surface(shell, one, 0.3)[0], shell.triangles)
    assert not measured_otherwise(lineage, opened, after).any()
    assert measured_otherwise(lineage, large_opened, after).all()


def test_a_family_of_several_pieces_is_one_of_which_little_is_known():
    one, halves = ball(0.3), joined_meshes([ball(0.3, 0.7, (0.35, 0.0, 0.0)), ball(0.3, 0.7, (3.0, 0.0, 0.0))])
    both = joined_meshes([one, ball(0.3, 0.8, (3.0, 0.0, 0.0))])
    assert not Lineage(mesh_change(both, halves)).of_several.any()
    box_of_all = cage(box((6.0, 3.0, 3.0), (1.5, 0.0, 0.0)), 0.5)
    assert Lineage(mesh_change(both, box_of_all)).of_several.tolist() == [True]
    assert not Lineage(mesh_change(one, one)).several

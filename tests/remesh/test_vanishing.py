"""A body that has become thinner than new tets keeps those that it has: with its weight in less room it would burst."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from solver.remesh.condition import worst_conditions
from solver.remesh.discretization import Discretization
from solver.remesh.drawing_in import FAR
from solver.remesh.exchange import renew
from solver.remesh.remeshing import MOST_REFUSED, SOON, _has_vanished
from solver.scene import REMESHERS, Surface, validated
from solver.tetmesh.manifold import components
from tests.surfaces import joined
from tests.tearing.shapes import pulled, scene

from .test_bakes import drop


@pytest.mark.parametrize("height, renewed", [(0.5, True), (0.08, False)])
def test_new_tets_come_only_where_they_hold_the_volume(height, renewed):
    simulation = drop("cornstarch", resolution=8)
    state, (before, wide) = simulation.state, (simulation.volume(), 1.0 / np.sqrt(height))
    state.positions = state.positions * (wide, wide, height)
    made = simulation.remeshing.renewed(Discretization(state, simulation.ranges, *simulation.bound), [0], 0.01)
    assert list(made.changes) == ([0] if renewed else [])
    assert made.mesh.state.volumes.sum() == pytest.approx(before, rel=0.02)
    if not renewed:
        assert made.mesh.state.positions.tobytes() == state.positions.tobytes()
        assert made.mesh.surfaces[0] is simulation.bound[0][0]


def test_a_sheet_beside_a_lump_is_not_left_away():
    """A large part of the goo lies in a sheet a twentieth as thick as the lump: new tets would fill the lump alone."""
    simulation = drop("cornstarch", resolution=8)
    state = simulation.state
    middle, reach = state.positions.mean(axis=0), np.ptp(state.positions[:, 0])
    out = np.clip((state.positions[:, :1] - middle[0]) / (0.1 * reach), 0.0, 1.0)
    wide = 1.0 + (1.0 / np.sqrt(0.05) - 1.0) * out
    state.positions = middle + (state.positions - middle) * np.concatenate([wide, wide, 1.0 / wide**2], axis=1)
    made = simulation.remeshing.renewed(Discretization(state, simulation.ranges, *simulation.bound), [0], 0.01)
    assert made.thin == (0,) and not made.changes
    assert made.mesh.state.positions.tobytes() == state.positions.tobytes()
    assert made.mesh.surfaces[0] is simulation.bound[0][0]


@pytest.mark.parametrize(
    "left, torn_off, gone", [(0.98, 0.0, False), (0.96, 0.0, True), (0.93, 0.05, False), (0.91, 0.05, True)]
)
def test_three_per_cent_may_vanish_beside_what_is_torn_off(left, torn_off, gone):
    volumes = [SimpleNamespace(volumes=np.full(4, 0.25 * share)) for share in (1.0, left)]
    assert _has_vanished(SimpleNamespace(old=volumes[0], new=volumes[1]), torn_off) == gone


def with_a_neck(shot, renewed=True):
    """A simulation of dumbbells, each of them with a neck a tenth of an element thick, and their next remesh if wanted."""
    simulation = pulled(shot)
    state = simulation.state
    thin = 1.0 - 0.95 * np.exp(-((state.positions[:, :1] / 0.1) ** 4))
    about = np.round(state.positions * (0.0, 1.0, 0.0))  # the axis of each
    state.positions = about + (state.positions - about) * np.concatenate([np.ones_like(thin), thin, thin], axis=1)
    present = Discretization(state, simulation.ranges, *simulation.bound)
    return simulation, simulation.remeshing.renewed(present, [0], 0.01) if renewed else None


@pytest.mark.parametrize("remesher", REMESHERS)
@pytest.mark.parametrize("tear, parted", [(0.0, False), (0.01, True)])
def test_what_new_tets_would_part_keeps_its_own_unless_it_may_tear(tear, parted, remesher):
    """A neck a tenth of an element thick: without a tear thickness the body stays whole, and says that it is too thin."""
    made = with_a_neck(scene(tear=tear, remesher=remesher))[1]
    assert made.thin == (() if parted else (0,)) and len(made.change.surfaces) == (1 if parted else 0)
    assert components(made.mesh.state.tets).max() == (1 if parted else 0)


@pytest.mark.parametrize("remesher", REMESHERS)
@pytest.mark.parametrize("tear, pieces", [(0.0, 2), (0.01, 4)])
def test_so_does_each_piece_of_a_body_in_pieces(tear, pieces, remesher):
    """Two dumbbells of one body, a metre apart: what is seen of neither is cut unless it may tear."""
    shot = scene(tear=tear, remesher=remesher)
    (gum,) = shot.bodies
    beside = Surface(gum.surface.positions + (0.0, 1.0, 0.0), gum.surface.triangles)
    simulation, made = with_a_neck(validated(replace(shot, bodies=(replace(gum, surface=joined(gum.surface, beside)),))))
    assert components(simulation.state.tets).max() == 1
    assert components(made.mesh.state.tets).max() + 1 == pieces and bool(made.change.surfaces) == (pieces == 4)


def spiked(monkeypatch, length=0.5):
    """A ball one vertex of which is drawn out to a spike, so long [m] and hardly an element thick, and due for new tets."""
    simulation = drop("cornstarch", resolution=8)
    state = simulation.state
    from_middle = state.positions - state.positions.mean(axis=0)
    height = np.maximum(from_middle[:, 2] / 0.25, 0.0)
    out = np.exp(-(from_middle[:, 0] ** 2 + from_middle[:, 1] ** 2) / 0.03**2)
    state.positions[:, 2] += length * height * out
    monkeypatch.setattr(type(simulation.remeshing), "due", lambda *_: [0])
    return simulation


def test_new_tets_that_leave_something_seen_outside_are_refused_but_not_for_ever(monkeypatch):
    """The body keeps all that it has and asks again soon; after three times it takes what there is, and says so."""
    simulation = spiked(monkeypatch)
    remeshing, places = simulation.remeshing, simulation.state.positions.copy()
    for refused in range(1, MOST_REFUSED + 1):
        assert renew(simulation) == 0 and remeshing.refused.tolist() == [refused] and remeshing.outside.tolist() == [0.0]
        assert simulation.state.positions.tobytes() == places.tobytes() and simulation.news == ()
        assert remeshing.fresh == pytest.approx(SOON / 1.5 * worst_conditions(simulation.state, simulation.ranges))
    assert remeshing.counts.tolist() == [MOST_REFUSED]  # each on another lattice
    assert simulation.checkpoint()["refused"].tolist() == [MOST_REFUSED]
    assert renew(simulation) == 1 and remeshing.refused.tolist() == [0]
    size = simulation.scene.bodies[0].element_size  # drawn in by a hundredth of it at once
    assert remeshing.outside[0] * size == pytest.approx(simulation.outside().max(), abs=0.011 * size)
    assert remeshing.outside[0] > FAR and simulation.checkpoint()["outside"].tolist() == remeshing.outside.tolist()
    assert len(simulation.news) == 1 and "elements lie outside" in simulation.news[0]


def test_another_lattice_holds_what_was_refused(monkeypatch):
    """A spike of five elements slips between the points of two lattices; the third one catches it."""
    simulation = spiked(monkeypatch, length=0.3)
    assert [renew(simulation) for _ in range(3)] == [0, 0, 1]
    assert simulation.remeshing.outside[0] < FAR and simulation.news == ()

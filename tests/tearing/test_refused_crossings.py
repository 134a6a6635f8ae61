"""What is seen that would pass through itself where it is cut or sewn: no tear at all, and no merge until it has been tried
thrice."""

from dataclasses import replace

import numpy as np
import pytest

from solver.geometry.edge_crossings import piercing_pairs
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.remesh.exchange import renew
from solver.remesh.remeshing import MOST_REFUSED
from solver.surface import Surface
from solver.tearing.seams import new_crossings, parted, sew
from solver.tearing.surface_cut import SurfaceCut, cut_surface
from solver.tetmesh.manifold import components
from tests.merging.shapes import started, two_pieces
from tests.remesh.test_vanishing import with_a_neck
from tests.surfaces import box, joined, sphere

from .shapes import scene


def spoilt(cut: SurfaceCut, element_size: float) -> SurfaceCut:
    """The cut with a new vertex drawn right through what lies on the other side of the middle."""
    result = parted(cut, element_size)
    places, new = result.positions.copy(), len(result.kept)
    places[new, 0] = -3.0 * np.sign(places[new, 0])
    return replace(result, positions=places)


@pytest.fixture
def crossing(monkeypatch):
    for asked in ("renewal", "seams"):
        monkeypatch.setattr(f"solver.tearing.{asked}.parted", spoilt)


def test_a_tear_is_put_off_for_as_long_as_it_would_and_that_is_said_once(crossing, monkeypatch):
    simulation, _ = with_a_neck(scene(tear=0.01), renewed=False)
    monkeypatch.setattr(type(simulation.remeshing), "due", lambda *_: [0])
    places, said = simulation.state.positions.copy(), []
    for refused in range(1, 2 * MOST_REFUSED):
        assert renew(simulation) == 0 and simulation.remeshing.refused.tolist() == [refused]
        assert simulation.state.positions.tobytes() == places.tobytes() and simulation.cuts == ()
        said.append(len(simulation.news))
    assert said == [0] * MOST_REFUSED + [1] * (MOST_REFUSED - 1)
    assert "pass through itself where it tears" in simulation.news[0] and "frame" in simulation.news[0]
    monkeypatch.setattr("solver.tearing.renewal.parted", parted)
    assert renew(simulation) == 1 and simulation.remeshing.refused.tolist() == [0]
    assert components(simulation.state.tets).max() == 1 and len(simulation.cuts) == 1
    assert not any("pass through others" in sentence for sentence in simulation.news)


def test_a_merge_is_put_off_and_then_said(crossing):
    simulation = started(two_pieces())
    state = simulation.state
    state.positions[:, 0] -= 0.08 * np.sign(state.positions[:, 0])
    for waits in range(1, MOST_REFUSED + 1):
        renew(simulation)
        assert simulation.remeshing.waits.tolist() == [waits] and components(simulation.state.tets).max() == 1
        assert simulation.news == simulation.cuts == ()
    renew(simulation)
    assert simulation.remeshing.waits.tolist() == [0] and not components(simulation.state.tets).any()
    check_told(simulation)


@pytest.mark.parametrize("spoils", [0, 1, 2])
def test_a_merge_that_would_cross_is_sewn_another_way(spoils, monkeypatch):
    """Without drawing short edges together at the seam, and then without growing by the volume that overlapped."""
    one, other = sphere(12, 0.5), sphere(12, 0.5, (0.9, 0.03, 0.02))
    balls = joined(one, other)
    asked = []

    def spoilt_at_first(cut: SurfaceCut, element_size: float) -> SurfaceCut:
        asked.append(cut)
        return (spoilt if len(asked) <= spoils else parted)(cut, element_size)

    monkeypatch.setattr("solver.tearing.seams.parted", spoilt_at_first)
    part = np.repeat(np.arange(2, dtype=np.int32), [len(one.triangles), len(other.triangles)])
    made = sew(Surface(balls.positions, balls.triangles), part, 0.1)
    assert made is not None and len(asked) == spoils + 1 and not len(made[1])
    cut, volumes = made[0], [signed_volumes(s.positions, s.triangles).sum() for s in (one, other)]
    assert not len(piercing_pairs(cut.positions, cut.triangles)) and not unpaired_edges(cut.triangles)
    held = signed_volumes(cut.positions, cut.triangles).sum() / sum(volumes)
    assert held == pytest.approx(1.0, abs=1e-4) if spoils < 2 else 0.98 < held < 0.999


def check_told(simulation) -> None:
    """One sentence, with the place and the frame."""
    (sentence,) = (sentence for sentence in simulation.news if "pass through others" in sentence)
    assert "near (" in sentence and "frame" in sentence


def test_only_crossings_that_come_of_a_cut_count():
    """Two balls in each other are cut apart from a third: that they pass through each other is nothing new."""
    balls = joined(joined(sphere(12, 0.5), sphere(12, 0.5, (0.4, 0.03, 0.02))), sphere(12, 0.5, (2.01, 0.0, 0.0)))
    assert len(piercing_pairs(balls.positions, balls.triangles))
    cut = cut_surface(Surface(balls.positions, balls.triangles), box((0.1, 3.0, 3.0), (2.0, 0.01, 0.02)), 0.1)
    assert cut is not None and len(piercing_pairs(cut.positions, cut.triangles)) and not len(new_crossings(cut, balls))
    through = new_crossings(spoilt(cut, 0.1), balls)
    assert len(through) and through.shape[1] == 3

"""Creases of a body that keeps its tets, as new ones would be thicker than it is somewhere."""

import numpy as np
import pytest

from solver.embedding import bind_surface, evaluate
from solver.geometry.edges import unpaired_edges
from solver.remesh import remeshing
from solver.remesh.creases_alone import creases_alone
from solver.remesh.drawing_in import Refused
from solver.remesh.restuffing import Vanished
from solver.scene import Scene, Settings, validated
from solver.surface import Surface
from solver.tetmesh.cage import cage

from .shapes import body, started
from .test_closing import SIZE, bent, crossings


def test_they_close_on_the_tets_that_there_are():
    seen = bent(0.92)
    mesh = cage(seen, SIZE)
    bound, contacts = bind_surface(seen, mesh, 0.5 * SIZE)
    change = creases_alone(body("b", seen, 10), SIZE, mesh, seen, seen.positions, bound, contacts)
    assert change.tets is None and len(change.cuts) == 1
    shown = Surface(evaluate(change.surface, mesh.tets, mesh.positions), change.seen.triangles)
    assert crossings(seen) > 20 and not crossings(shown) and not unpaired_edges(shown.triangles)
    cut = change.cuts[0]
    away = np.linalg.norm(shown.positions - cut.positions, axis=1)
    assert away.max() < 0.01 * SIZE and np.median(away) < 1e-9
    fresh = len(cut.positions) - len(cut.kept)
    assert len(change.contacts.tets) == len(contacts.tets) + fresh and change.contacts.standby[-fresh:].all()


def test_what_does_not_merge_or_cross_stays():
    seen = bent(0.5)
    mesh = cage(seen, SIZE)
    both = bind_surface(seen, mesh, 0.5 * SIZE)
    assert creases_alone(body("b", seen, 10), SIZE, mesh, seen, seen.positions, *both) is None
    assert creases_alone(body("b", bent(0.92), 10), SIZE, mesh, seen, None, *both) is None


@pytest.mark.parametrize("error", [Refused, Vanished])
def test_they_close_where_new_tets_are_refused_too(monkeypatch, error):
    """As those of a body that would tear where it must not: it would be seen in itself until it is not refused any more."""
    run = started(validated(Scene((body("b", bent(0.92), 10),), (), Settings(threads=1))), spread=False)

    def refused(*_):
        raise error("It would pass through itself where it tears.")

    monkeypatch.setattr(remeshing, "renewed_body", refused)
    assert run.remeshing.crossing(run.present, 0.0, 0.0).min() > 20
    made = run.remeshing.renewed(run.present, [0], 0.01)
    assert not made.changes and len(made.change.surfaces) == 1
    assert (made.refused, made.thin) == (((0,), ()) if error is Refused else ((), (0,)))
    assert run.remeshing.crossing(made.mesh, 0.0, 0.0).tolist() == [0]

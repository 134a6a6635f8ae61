"""The record of several changes: bodies that become one, and then get other tets; what is seen of them, in its order."""

import numpy as np
import pytest

from solver.embedding import bind
from solver.frame import SurfaceChange
from solver.merging.joining import joined
from solver.remesh import remeshing
from solver.remesh.discretization import at_rest
from solver.remesh.drawing_in import Refused
from solver.remesh.patching import patched
from solver.remesh.remeshing import Remeshing
from solver.scene import Body, Scene, validated
from solver.tearing.surface_cut import SurfaceCut
from solver.topology.change import TopologyChange
from tests.merging.shapes import pair, started
from tests.remesh.shapes import GOO, ball
from tests.surfaces import sphere

from .shapes import made_up


@pytest.fixture(scope="module")
def parts() -> tuple[TopologyChange, TopologyChange]:
    """The second of three balls takes the first in, and gets some other tets then, and so does the third."""
    places = ((0.0, 0.0, 0.0), (1.2, 0.0, 0.0), (5.0, 0.0, 0.0))
    bodies = tuple(
        Body(str(k), str(k), sphere(8, 0.6 + 0.2 * (k == 1), place), GOO, resolution=8, remeshing="wholesale")
        for k, place in enumerate(places)
    )
    scene = validated(Scene(bodies))
    meshes = [ball(0.2, 0.6 + 0.2 * (k == 1), place) for k, place in enumerate(places)]
    bound = [bind(mesh, body.surface.positions) for mesh, body in zip(meshes, bodies, strict=True)]
    made = joined(at_rest(bodies, meshes, bound, bound), [(0, 1)], scene)
    patches = {k: made_up(made.mesh.mesh(k), np.array(place)) for k, place in enumerate(places[1:])}
    _, change = patched(Remeshing(scene, made.mesh.hosts), made.mesh, patches, 0.01)
    return made.change, change


def test_a_merge_and_new_tets_as_one(parts):
    first, last = parts
    both = first.then(last)
    assert both.into.tolist() == [0, 0, 1] and both.order.tolist() == [1, 0, 2] and both.firsts.tolist() == [1, 2]
    assert both.old is first.old and both.new is last.new
    rng = np.random.default_rng(1)
    for name in ("nodes", "tets"):
        one, other, whole = (getattr(each, name) for each in (first, last, both))
        values = rng.normal(size=(one.count, 3))
        assert np.abs(whole.carried(values) - other.carried(one.carried(values))).max() < 1e-14
        stays = whole.same >= 0
        assert (stays == (other.same >= 0)).all() and (whole.same[stays] == one.same[other.same[stays]]).all()
    # the nodes of the body that has taken the other in come first, with its number
    bodies = both.old.bodies()[both.nodes.same[both.nodes.same >= 0]]
    assert bodies.tolist() == sorted(bodies.tolist(), key=(1, 0, 2).index)


def test_nothing_before_or_after_changes_nothing(parts):
    for change in parts:
        for whole in (TopologyChange.nothing(change.old).then(change), change.then(TopologyChange.nothing(change.new))):
            assert whole.into.tolist() == change.into.tolist() and whole.order.tolist() == change.order.tolist()
            assert (whole.nodes.same == change.nodes.same).all() and (whole.tets.sources == change.tets.sources).all()
            assert whole.nodes.weights.tobytes() == change.nodes.weights.tobytes() and whole.surfaces == change.surfaces


def test_what_takes_others_in_is_one_with_its_next_cut(parts):
    """And of those nothing is left, after all else: their records are still asked for."""
    taking, gone = parts[0].surfaces
    assert taking.waits and not gone.waits and gone.cut is None
    cut = object.__new__(SurfaceCut)
    later = (SurfaceChange("2", 1, cut), SurfaceChange("1", 1, cut), SurfaceChange("1", 2, cut))
    both = parts[0].then(TopologyChange.nothing(parts[0].new, later)).surfaces
    assert both == (later[0], SurfaceChange("1", 1, cut, taking.taken), later[2], gone)


def test_a_merge_that_nothing_sews_is_put_off(monkeypatch):
    """New tets are refused as long as they leave something outside; meanwhile bodies that touch stay what they are."""
    run, made, asked = started(pair(frames=8)), remeshing.renewed_body, []

    def refused(*arguments, **options):
        asked.append(len(run.scene.bodies))
        if len(asked) < 3:
            raise Refused("Something seen would be left outside.")
        return made(*arguments, **options)

    monkeypatch.setattr(remeshing, "renewed_body", refused)
    frames = [run.advance() for _ in range(8)]
    assert asked[:3] == [2, 2, 2] and len(run.scene.bodies) == 1
    assert next(change.topology for frame in frames for change in frame.changes if change.uid == "left") == 1

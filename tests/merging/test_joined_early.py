"""What a frame shows in each other becomes one, but for what would be all creases a step later."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from figure_scenes.bargteil_6 import FIGURE
from solver.bake import prepare
from solver.embedding import bind_surface
from solver.geometry.edge_crossings import pairs_of_shells, piercing_pairs
from solver.merging.touching import DEEP, clumps
from solver.remesh.exchange import CREASED, _all_creases
from solver.scene import Body, validated
from solver.simulate import Simulation
from solver.tearing.renewal import renewed_body
from solver.tetmesh.mesh import joined_meshes
from tests.remesh.shapes import GOO, ball
from tests.surfaces import joined as side_by_side
from tests.surfaces import sphere


def band(positions, height, width):
    """The faces of a ball about a height."""
    return np.flatnonzero(np.abs(positions[:, 2] - height) < width)


@pytest.mark.parametrize(
    ("heights", "width", "refused"), [((0.0, 0.7), 0.06, True), ((0.0,), 0.15, False), ((0.0, 0.7), 0.012, False)]
)
def test_what_would_pass_through_itself_in_many_places_at_once_is_not_joined_yet(heights, width, refused):
    """Fourteen balls that were joined as soon as they touched passed through themselves at hundreds of faces for good, and got
    new tets in every step: nine minutes where two are enough."""
    ball = sphere(48, 1.0)
    middles = ball.positions[ball.triangles].mean(axis=1)
    passing = np.concatenate([band(middles, height, width) for height in heights])
    share = len(passing) / len(ball.triangles)
    assert (share > CREASED) == (refused or len(heights) == 1)
    asked = []

    def given(mesh, ahead, place):
        asked.append((ahead, place))
        return [np.zeros(0, dtype=np.int64), np.sort(passing)]

    remeshing, mesh = SimpleNamespace(passing=given), SimpleNamespace(triangles=(ball.triangles, ball.triangles))
    assert _all_creases(remeshing, mesh, 1.0 / 48.0, 3.0) == refused
    assert asked == [(1.0 / 48.0, 3.0)], "as things will be after another step"


@pytest.mark.parametrize("overlap", [0.05, 0.15])
def test_what_is_seen_in_each_other_becomes_one_however_little_that_is(overlap):
    """By up to a quarter of an element it did not, and was seen in each other for a frame: 50 pairs of faces of caramel."""
    size = 0.1
    mesh, one = ball(size), sphere(24, 1.0)
    other = replace(one, positions=one.positions + (2.0 - overlap * size, 0.01, 0.02))
    seen = side_by_side(one, other)
    old = joined_meshes([mesh, replace(mesh, positions=mesh.positions + (2.0 - overlap * size, 0.01, 0.02))])
    assert len(piercing_pairs(seen.positions, seen.triangles)) and len(clumps(old.positions, old.tets, DEEP * size)) == 2
    body = Body("goo", "Goo", seen, GOO, remeshing="wholesale", merging=True)
    bound = bind_surface(seen, old, size)[0].tets
    made = [renewed_body(body, size, old, seen, bound, np.eye(3), grazing=grazing) for grazing in (False, True)]
    assert [len(np.unique(each.change.new.piece)) for each in made] == [2, 1]
    assert [len(piercing_pairs(each.seen.positions, each.seen.triangles)) > 0 for each in made] == [True, False]
    assert not made[1].apart and made[1].sewn


def test_what_another_body_joins_early_leaves_creases_to_be_closed():
    """What passed through itself where another body was joined counted as known, and 50 faces were seen to do so in a frame."""
    scene = FIGURE.scene(FIGURE.coarse)
    scene = validated(replace(scene, settings=replace(scene.settings, frame_end=10)))
    made = prepare(scene)
    run = Simulation(scene, *([getattr(each, name) for each in made] for name in ("mesh", "surface", "contacts")))
    crossing = []
    for _ in range(10):
        run.advance()
        present = run.present
        seen = [present.seen(body) for body in range(len(present.triangles))]
        crossing.append(sum(len(pairs_of_shells(each.positions, each.triangles)) for each in seen))
    assert len(run.scene.bodies) < len(scene.bodies) and not any(crossing)

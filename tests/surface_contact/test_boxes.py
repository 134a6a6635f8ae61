"""Of many bodies only those near each other are asked for pairs: what is passed over has none, and cost grows with bodies."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from solver.bake import prepare
from solver.contact.surfaces.boxes import Boxes
from solver.contact.surfaces.candidates import Neighbourhood
from solver.contact.surfaces.clusters import Clusters
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surface_contact.bodies import block, surfaces_of
from tests.surfaces import sphere

DOUGH = Material("viscoplastic", {"young_modulus": 2e4, "yield_stress": 300.0, "flow_rate": 5.0})


def neighbourhoods(corners) -> tuple[list[Neighbourhood], np.ndarray]:
    """Those of cubes of 1 m with their lower corners at (b, 3), each with itself too, and where all their points are."""
    places, surfaces = surfaces_of(*(block((2, 2, 2), 0.5, corner) for corner in corners))
    boxed = [Clusters(surface, places) for surface in surfaces]
    pairs = combinations_with_replacement(range(len(boxed)), 2)
    return [Neighbourhood(boxed[i], boxed[j], places, 0.05, 1e4, 0.5) for i, j in pairs], places


@pytest.mark.parametrize("seed", range(5))
def test_only_what_is_apart_on_the_whole_way_is_passed_over(seed):
    rng = np.random.default_rng(seed)
    found, places = neighbourhoods(rng.uniform(0.0, 6.0, (14, 3)))
    boxes, ways = Boxes(found, [(0, 0)] * len(found)), rng.normal(0.0, 0.4, (14, 3))
    after = places + np.repeat(ways, len(places) // 14, axis=0)
    boxes.searched[[3, 20]] = True
    asked = boxes.asked(places, after)
    assert asked == [k for k, each in enumerate(found) if boxes.searched[k] or not each._apart(places, after)]
    boxes.cover(places, after)
    assert [k for k, each in enumerate(found) if each.searched] == np.flatnonzero(boxes.searched).tolist()
    assert 14 < len(asked) < len(found)


def test_what_is_asked_grows_with_the_bodies_not_with_their_pairs():
    counts = []
    for bodies in (20, 40):
        found, places = neighbourhoods([(1.02 * k, 0.0, 0.0) for k in range(bodies)])
        counts.append(len(Boxes(found, []).asked(places, places)))
    assert counts == [20 + 19, 40 + 39]


def heap() -> Simulation:
    """Nine balls that fall onto each other."""
    bodies = [
        Body(f"b{k}", f"Ball {k}", sphere(8, 0.1, (0.21 * (k % 3), 0.02 * k, 0.12 + 0.23 * (k // 3))), DOUGH, resolution=5)
        for k in range(9)
    ]
    ground = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.4)
    scene = validated(Scene(tuple(bodies), (ground,), Settings(1, 8, 24.0, threads=1, body_contact="all")))
    made = prepare(scene)
    return Simulation(scene, *([getattr(each, name) for each in made] for name in ("mesh", "surface", "contacts")))


def test_a_heap_falls_as_it_does_where_all_are_asked(monkeypatch):
    ends = []
    for everybody in (False, True):
        if everybody:
            monkeypatch.setattr(Boxes, "asked", lambda self, *_: list(range(len(self.searched))))
        run = heap()
        for _ in range(7):
            run.advance()
        ends.append(run.state.positions.tobytes())
    assert len(run.surfaces.pairs.nodes) and ends[0] == ends[1]

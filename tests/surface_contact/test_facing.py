"""Bodies that start in each other go on to be kept apart where their sides face each other from outside."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import prepare
from solver.contact.surfaces.facing import Facing
from solver.contact.surfaces.fresh_pairs import FreshPairs, Sides
from solver.contact.surfaces.pairs import no_pairs
from solver.contact.surfaces.parting import SWING
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from tests.physics.scenes import box_mesh
from tests.remesh.test_touching import DOUGH
from tests.surface_contact.test_bodies import FAR, RUBBER, simulation
from tests.surface_contact.test_parting import centers, overlap
from tests.surfaces import sphere


def test_goo_that_is_thrown_into_what_it_begins_in_sinks_no_deeper_than_the_throw():
    """Slime at 2 m/s: beside where both pass through each other it is kept out, or it would follow ring by ring and go on for
    15 frames, to three times the depth."""
    goo = load_preset(DOUGH.with_name("slime.toml"))
    bodies = tuple(
        Body(
            f"b{k}", f"Ball {k}", sphere(12, 0.2, (0.03 * k, 0.02 * k, 0.21 + 0.36 * k)), goo.material, goo.real_size,
            resolution=6, velocity=(0.0, 0.0, -2.0 * k),
        )
        for k in range(2)
    )  # fmt: skip
    ground = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5)
    scene = validated(Scene(bodies, (ground,), Settings(frame_end=12, body_contact="bodies", threads=1)))
    made = prepare(scene)
    run = Simulation(scene, *([getattr(one, name) for one in made] for name in ("mesh", "surface", "contacts")))
    depths = []
    for _ in range(10):
        run.advance()
        depths.append(max((region.depth for each in run.surfaces.parting for region in each.regions), default=0.0))
        assert np.sqrt((run.state.velocities**2).sum(axis=1)).max() < 2.0 + 9.81 * len(depths) / 24
    assert depths[0] < max(depths) < 2.0 * depths[0] and not any(depths[6:])


def test_pairs_push_where_their_sides_face_each_other_from_outside():
    """Two cubes that lie in each other by a tenth: a pair of a vertex and a triangle, and one of two edges."""
    boxes = [box_mesh((4, 4, 4)), box_mesh((4, 4, 4), (1.0, 1.0, 1.0), (0.9, 0.03, 0.02))]
    found, places = overlap(*boxes)
    found.regions(places)
    surfaces = [side.surface for side in found.sides]
    mixed = np.ones(len(places), np.bool_)
    sides = Facing(places, surfaces, found.inside, mixed)
    nodes = np.array([(v, *t) for v in surfaces[0].vertices for t in surfaces[1].triangles], np.int32)
    pairs = no_pairs()._replace(nodes=nodes, points=len(nodes), reach=np.full(len(nodes), 0.3))
    facing = sides.pushing(pairs)
    separations = places[nodes[:, 0]] - places[nodes[:, 1:]].mean(axis=1)
    normals = np.cross(places[nodes[:, 2]] - places[nodes[:, 1]], places[nodes[:, 3]] - places[nodes[:, 1]])
    assert facing.any() and ((separations * normals).sum(axis=1)[facing] > 0.0).all()
    assert not np.isin(nodes[facing, 0], found.inside).any()
    assert not sides.pushing(pairs._replace(reach=np.full(len(nodes), 1e7))).any()  # all touch, for such a reach
    edges = np.array([(*a, *b) for a in surfaces[0].edges for b in surfaces[1].edges], np.int32)
    pairs = no_pairs()._replace(nodes=edges, reach=np.full(len(edges), 0.3))
    facing = sides.pushing(pairs)
    swapped = sides.pushing(pairs._replace(nodes=np.ascontiguousarray(edges[:, [2, 3, 0, 1]])))
    assert facing.any() and np.array_equal(facing, swapped) and not np.isin(edges[facing], found.inside).any()
    back = [replace(each, triangles=np.ascontiguousarray(each.triangles[:, ::-1])) for each in surfaces]
    assert not (Facing(places, back, found.inside, mixed).pushing(pairs) & facing).any()
    mixed[:] = False
    assert Facing(places, surfaces, found.inside, mixed).pushing(pairs).all()


def test_what_lies_within_reach_at_first_pushes_with_nothing():
    """Stiff cubes, one tilted on the other, go as the swing does; what is not mixed lies in reach and would push at once."""
    cubes = box_mesh((5, 5, 5)), box_mesh((5, 5, 5), (1.0, 1.0, 1.0), (0.03, 0.02, 0.995))
    cubes[1].positions[:, 2] += 0.03 * (cubes[1].positions[:, 0] - 0.5)
    run = simulation(list(cubes), "bodies", {**RUBBER, "young_modulus": 1e8}, **FAR)
    depth, speeds = run.surfaces.parting[0].regions[0].depth, []
    for _ in range(10):
        run.advance()
        speeds.append(float(np.linalg.norm(np.diff(centers(run)[1], axis=0))))
    time = 1.0 / 24.0
    assert speeds[1] == pytest.approx(SWING**2 * depth * time * np.exp(-SWING * time), rel=0.15)
    assert not run.surfaces.left_out and max(speeds) < 1.5 * SWING / np.e * depth


def test_fresh_pairs_besides_others_stay_as_they_are():
    """Three of vertices, of which one is known anew, and one of edges."""
    corners = np.array([[0, 1, 2, 3], [4, 1, 2, 3], [5, 6, 7, 8]], np.int32)
    edges = np.array([[0, 1, 2, 3]], np.int32)
    known = FreshPairs(Sides.of(np.concatenate([corners[:2], edges]), 2), np.array([0.1, 0.2, 0.3]))
    fresh = FreshPairs(Sides.of(corners[1:], 2), np.array([0.05, 0.4])).besides(known)
    assert fresh.sides.points == 3
    np.testing.assert_array_equal(fresh.sides.nodes, np.concatenate([corners[1:], corners[:1], edges]))
    np.testing.assert_array_equal(fresh.reach, [0.05, 0.4, 0.1, 0.3])


def test_what_reaches_all_the_way_does_so_after_a_checkpoint_too():
    """Restored amid parting, contact begins anew where bodies are: pairs that are not fresh by then must not become so."""
    cubes = [box_mesh((3, 3, 3)), box_mesh((3, 3, 3), origin=(0.03, 0.02, 0.9))]
    run, resumed = simulation(cubes, "bodies", RUBBER, **FAR), simulation(cubes, "bodies", RUBBER, **FAR)
    run.advance()
    run.advance()
    assert run.surfaces.left_out
    for each in run.surfaces.neighbourhoods:
        each.begin(None)
    resumed.restore(run.checkpoint())
    assert all(each.fresh is None for each in resumed.surfaces.neighbourhoods)

"""Bodies that start in each other go apart, at a bounded speed, and collide from then on."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from solver.bake import prepare
from solver.contact.surfaces import overlapping, parting
from solver.contact.surfaces.carried import Carried
from solver.contact.surfaces.clusters import Clusters
from solver.contact.surfaces.grips import Grips, apart
from solver.contact.surfaces.overlapping import Overlap
from solver.contact.surfaces.parting import FALLING, MOST_SWING, SWING
from solver.contact.surfaces.surface import contact_surface
from solver.jit import use_threads
from solver.pins.pin import Pin
from solver.presets import load_preset
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from tests.physics.scenes import PlaneField, ball_mesh, boundary, box_mesh, make_scene, momentum
from tests.remesh.test_touching import DOUGH, Restless
from tests.surface_contact.test_bodies import FAR, RUBBER, fork, simulation
from tests.surface_contact.watch import Watch
from tests.surfaces import flipped, sphere


def balls(young=1e5, cells=4, away=0.25, **settings):
    """Two balls of radius 0.5, half in each other."""
    meshes = [ball_mesh(cells, 0.5, (-away, 0.0, 0.0)), ball_mesh(cells, 0.5, (away, 0.03, 0.02))]
    return simulation(meshes, "bodies", {**RUBBER, "young_modulus": young}, **FAR, **settings)


def centers(run):
    """Centres of mass (b, 3) and their velocities."""
    ends, state = run.ranges.nodes, run.state
    own = [slice(a, b) for a, b in zip(ends, ends[1:], strict=False)]
    weights = [state.masses[each, None] / state.masses[each].sum() for each in own]
    return tuple(
        np.array([(weight * field[each]).sum(axis=0) for weight, each in zip(weights, own, strict=True)])
        for field in (state.positions, state.velocities)
    )


def parted(run, frames):
    """Advance and see that nothing crosses once they collide; from which frame on they do, and the fastest that they went."""
    watch, since, fastest = Watch(run, own=False), None, 0.0
    for frame in range(frames):
        inverted = run.advance().statistics["inverted"]
        if not run.surfaces.left_out:
            since = frame if since is None else since
            assert not watch.crosses(run), frame
        velocity = centers(run)[1]
        fastest = max(fastest, float(np.linalg.norm(velocity[1] - velocity[0])))
    assert inverted == 0
    return since, fastest


@pytest.mark.parametrize(
    ("young", "cells", "substep"), [(1e3, 4, 1 / 96), (1e5, 4, 1 / 24), (1e5, 4, 1 / 192), (1e5, 7, 1 / 96), (1e7, 4, 1 / 96)]
)
def test_overlapping_balls_part_at_a_bounded_speed(young, cells, substep):
    """Half in each other: never faster than the swing, twice where they spring; momentum stays; and nothing crosses after."""
    run = balls(young, cells, maximum_substep=substep)
    assert run.surfaces.left_out == [(0, 1)]
    since, fastest = parted(run, 30)
    assert since is not None and 8 < since < 26
    assert fastest < 2.0 * SWING / np.e * 0.6
    linear, _ = momentum(run)
    assert np.abs(linear).max() < 1e-10 * run.state.masses.sum() * fastest


@pytest.mark.parametrize(("speed", "latest"), [(1.0, 26), (4.0, 8), (40.0, 5)])
def test_what_falls_parts_before_it_lands(speed, latest):
    """At four times the rate at which it falls by its own size of a metre, at most 30 a second; its motion stays."""
    run = balls(1e5, 4, maximum_substep=1 / 96)
    run.state.velocities[:] = run.state.previous_velocities[:] = (0.0, 0.0, -speed)
    since, fastest = parted(run, 26)
    assert since is not None and latest / 2 < since < latest
    rate = min(max(FALLING * speed, SWING), MOST_SWING)
    assert fastest < 2.0 * rate / np.e * 0.6
    linear, _ = momentum(run)
    assert linear == pytest.approx([0.0, 0.0, -speed * run.state.masses.sum()], abs=1e-9 * run.state.masses.sum() * speed)


@pytest.mark.parametrize("substep", [1 / 24, 1 / 192])
def test_stiff_balls_part_as_a_critically_damped_swing(substep):
    """x = (D + m) (1 + w t) exp(-w t) - m is what is left of a depth D."""
    run = balls(1e8, 4, maximum_substep=substep)
    begun, depth = np.diff(centers(run)[0], axis=0)[0], run.surfaces.parting[0].regions[0].depth
    for frame in range(1, 9):
        run.advance()
        time = (frame - 1) / 24.0
        gone = np.linalg.norm(np.diff(centers(run)[0], axis=0)[0] - begun)
        left = (1.0 + SWING * time) * np.exp(-SWING * time)
        assert gone == pytest.approx((1.0 - left) * depth, abs=0.03 * depth)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ball_mesh(4, 0.5), ball_mesh(4, 0.25)),
        (box_mesh((3, 3, 3)), box_mesh((3, 3, 3))),
        (ball_mesh(5, 0.5), box_mesh((3, 3, 1), (0.2, 0.2, 0.06), (0.05, 0.1, 0.2))),
        (box_mesh((6, 6, 2), (1.0, 1.0, 0.2)), box_mesh((2, 2, 12), (0.12, 0.12, 1.2), (0.55, 0.53, -0.5))),
    ],
    ids=["concentric", "the same", "a coin in jelly", "a rod through a plate"],
)
def test_what_lies_wholly_in_the_other_leaves_too(first, second):
    since, fastest = parted(simulation([first, second], "bodies", RUBBER, **FAR), 30)
    assert since is not None and fastest < 3.0


def test_bodies_that_only_touch_collide_after_a_moment():
    run = simulation([box_mesh((3, 3, 3)), box_mesh((3, 3, 3), origin=(0.3, 0.2, 1.0))], **FAR)
    assert not run.advance().warnings
    assert parted(run, 6)[0] < 4


def test_a_stack_that_overlaps_rises_and_stays():
    meshes = [box_mesh((3, 3, 3), (0.5, 0.5, 0.5), (0.05 * k, 0.03 * k, 0.35 * k)) for k in range(3)]
    run = simulation(meshes, "bodies", {**RUBBER, "young_modulus": 3e6, "damping": 20.0}, [PlaneField()])
    since, fastest = parted(run, 40)
    assert since < 24 and fastest < 1.0
    assert np.abs(centers(run)[0][:, 2] - (0.25, 0.75, 1.25)).max() < 0.02 and np.abs(run.state.velocities).max() < 0.3


def pinned(meshes, where, frames=40, gravity=(0.0, 0.0, 0.0), goo=RUBBER):
    """Bodies at 12 frames a second whose nodes at some places, as where(k, positions) says, are held."""
    settings = {"body_contact": "bodies", "threads": 1, "frames_per_second": 12.0, "gravity": gravity}
    scene, *rest = make_scene(meshes, [goo] * len(meshes), frames=frames, **settings)
    bodies = []
    for k, (body, mesh) in enumerate(zip(scene.bodies, meshes, strict=True)):
        held = np.flatnonzero(where(k, mesh.positions))
        pin = Pin("pin", held.astype(np.int32), np.ones(len(held)), mesh.positions[held][None])
        bodies.append(replace(body, pins=(pin,)))
    return Simulation(replace(scene, bodies=tuple(bodies)), *rest, fields=[])


def test_pinned_bodies_give_way_to_each_other():
    """Two boxes that overlap by a fifth, held by their far sides."""
    meshes = [box_mesh((4, 4, 4)), box_mesh((4, 4, 4), origin=(0.8, 0.1, 0.05))]
    run = pinned(meshes, lambda k, x: np.abs(x[:, 0] - 1.8 * k) < 1e-6)
    assert parted(run, 24)[0] is not None


def test_what_cannot_part_is_named_and_bounded():
    """Two boxes half in each other whose nodes are all held."""
    run = pinned([box_mesh((2, 2, 2)), box_mesh((2, 2, 2), origin=(0.5, 0.1, 0.05))], lambda k, x: x[:, 0] < 9.0)
    told = [message for _ in range(40) for message in run.advance().warnings]
    assert len(told) == 3 and "led apart" in told[0]
    assert all("'Body 0' and 'Body 1', near (0.75, 0.5" in each and "still overlap" in each for each in told[1:])
    assert all(each.body == "Body 0" and each.place.startswith("near (0.75, 0.5") for each in told[1:])
    assert np.abs(run.state.velocities).max() < 1e-6


def test_what_is_not_mixed_collides_meanwhile():
    """A bar whose pinned end sticks in one prong of a pinned fork for ever falls on the other prong and lies there."""
    bar = box_mesh((12, 2, 2), (0.6, 0.1, 0.1), (0.05, 0.15, 1.55))
    bar.positions[:, 2] += 0.4 * np.maximum(bar.positions[:, 0] - 0.15, 0.0)
    run = pinned([fork(), bar], lambda k, x: x[:, 0] < (9.0 if k == 0 else 0.17), gravity=(0.0, 0.0, -9.81))
    least = np.inf
    for _ in range(16):
        run.advance()
        assert run.surfaces.left_out == [(0, 1)]
        placed = run.state.positions[run.ranges.nodes[1] :]
        least = min(least, placed[np.abs(placed[:, 0] - 0.5) < 0.09, 2].min())
    assert 1.6 < least < 1.61


def test_bodies_that_get_new_tets_on_the_way_part_too():
    """New tets at every second step (tests/remesh/test_touching.py)."""
    goo = load_preset(DOUGH)
    bodies = tuple(
        Body(
            f"b{k}", f"Ball {k}", sphere(14, 0.15, (0.05 * k, 0.02 * k, 0.152 + 0.18 * k)), goo.material, goo.real_size,
            resolution=5, remeshing="wholesale",
        )
        for k in range(2)
    )  # fmt: skip
    scene = validated(Scene(bodies, (), Settings(frame_end=24, body_contact="all", threads=1)))
    made = prepare(scene)
    run = Restless(
        scene, *([getattr(one, name) for one in made] for name in ("mesh", "surface", "contacts")), fields=[PlaneField()]
    )
    remeshes, crossed = 0, []
    for _ in range(18):
        remeshes += run.advance().statistics["remeshes"]
        crossed.append(Watch(run, own=False).crosses(run))
        assert crossed[-1] or not run.surfaces.left_out or np.abs(run.state.velocities).max() < 3.0
    assert remeshes > 40 and crossed[0] and not run.surfaces.left_out and not any(crossed[-3:])


def overlap(first, second):
    """What the boundaries of two meshes share, and where their points are."""
    one, other = boundary(first), boundary(second)
    count = len(one.positions)
    places = np.concatenate([one.positions, other.positions])
    surfaces = [
        contact_surface(one.triangles, one.positions, 0.1),
        contact_surface(other.triangles, other.positions, 0.1, count),
    ]
    return Overlap(*(Clusters(surface, places) for surface in surfaces)), places


def test_a_slab_that_two_boxes_share_is_left_across_its_thickness():
    found, places = overlap(box_mesh((4, 4, 4)), box_mesh((4, 4, 4), origin=(0.13, 0.21, 0.85)))
    (region,) = found.regions(places)
    assert np.allclose(region.normal, (0.0, 0.0, -1.0), atol=1e-9) and not region.whole
    assert region.depth == pytest.approx(0.15 + overlapping.MARGIN * 0.1)


@pytest.mark.parametrize("cells", [4, 9])
def test_balls_leave_along_the_line_of_their_centres_whatever_the_mesh(cells):
    away = np.array((0.6, 0.3, -0.2))
    found, places = overlap(ball_mesh(cells), ball_mesh(cells, 0.5, away))
    (region,) = found.regions(places)
    length = float(np.linalg.norm(away))
    assert region.normal @ -away / length > 0.97
    assert region.depth == pytest.approx(1.0 - length + overlapping.MARGIN * 0.1, abs=0.06)


def test_a_bar_between_two_prongs_is_left_by_each_its_own_way():
    """Of a fork whose prongs both stick in a bar, the one leaves to the left and the other to the right."""
    found, places = overlap(fork(), box_mesh((4, 4, 4), (0.3, 1.0, 0.3), (0.15, -0.3, 0.9)))
    ways = sorted((region.normal.round(6).tolist() for region in found.regions(places)), key=lambda way: way[0])
    assert ways == [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]


def test_what_is_only_near_shares_nothing():
    found, places = overlap(box_mesh((3, 3, 3)), box_mesh((3, 3, 3), origin=(0.0, 0.0, 1.001)))
    assert not found.regions(places)
    ring, places = overlap(fork(), box_mesh((2, 2, 2), (0.1, 0.1, 0.1), (0.25, 0.1, 1.0)))
    assert not ring.regions(places), "between the prongs is not inside"


def test_what_presses_within_the_box_of_the_other_collides_at_once():
    """A cube between two prongs, far nearer to one of them than pairs push from: so contact finds it that is built anew for
    a remesh. Led apart as if it lay in the fork, it would lose its contact there and go through the prong."""
    gap = 2e-4
    run = simulation([fork(), box_mesh((2, 2, 2), (0.1, 0.1, 0.1), (0.2 + gap, 0.1, 1.0))], "bodies", RUBBER, **FAR)
    (pair,) = (each for each in run.surfaces.neighbourhoods if not each.own)
    assert gap < 0.25 * pair.reach and not run.surfaces.left_out
    inside = simulation([fork(), box_mesh((1, 1, 1), (0.05, 0.05, 0.05), (0.05, 0.1, 1.0))], "bodies", RUBBER, **FAR)
    assert inside.surfaces.left_out == [(0, 1)]


def test_shares_keep_the_place_and_the_moment():
    rng = np.random.default_rng(4)
    points, masses = rng.normal(size=(60, 3)), rng.uniform(0.5, 2.0, 60)
    centers, around = np.array([(0.3, -0.2, 0.1), (0.2, -0.1, 0.3)]), np.array([9.0, 2.5])
    shares = parting._shares(centers, around, points, masses)
    assert np.allclose(shares.sum(axis=1), 1.0, atol=1e-12) and np.allclose(shares @ points, centers, atol=1e-12)
    assert not shares[1, np.linalg.norm(points - centers[1], axis=1) > 2.5].any() and shares[0].all()
    (flat,) = parting._shares(np.array([(0.0, 0.0, 1.0)]), around[:1], points * (1.0, 1.0, 0.0), masses)
    assert np.allclose(flat @ points[:, :2], 0.0, atol=1e-12) and flat.sum() == pytest.approx(1.0)


def grips(push, pull, yields=False):
    """Two grips on nine nodes, and where these are."""
    rng = np.random.default_rng(7)
    x, shares = rng.normal(size=(9, 3)), np.concatenate([rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(4))])
    nodes = np.concatenate([np.arange(5), np.arange(5, 9), np.arange(4, 9), np.arange(4)]).astype(np.int32)
    carried = Carried(np.array([0, 5, 9, 14, 18, 18]), nodes, np.concatenate([shares, shares]))
    normal, of_both = np.array([(0.6, 0.0, 0.8), (0.0, 1.0, 0.0)]), np.ones(2)
    goal = apart(carried, x) + np.array([(0.3, -0.2, 0.4), (0.2, -0.7, 0.1)])  # the one has to go on, the other is too far
    return Grips(carried, normal, goal, 7.0 * of_both, push * of_both, pull * of_both, 2.0 * of_both, np.full(2, yields)), x


@pytest.mark.parametrize(("push", "pull"), [(1e9, 1e9), (0.5, 0.1), (1e9, 0.0)])
def test_grips_act_as_their_energy_says_and_on_both_alike(push, pull):
    led, x = grips(push, pull)
    gradient, step = np.zeros((9, 3)), 1e-6
    led.add_gradient(x, gradient)
    for node, axis in ((0, 0), (3, 2), (7, 1)):
        moved = [x.copy() for _ in range(2)]
        moved[0][node, axis] -= step
        moved[1][node, axis] += step
        low, high = (led.add_gradient(each, np.zeros((9, 3))) for each in moved)
        assert gradient[node, axis] == pytest.approx((high - low) / (2.0 * step), rel=1e-6, abs=1e-8)
    assert np.allclose(gradient.sum(axis=0), 0.0, atol=1e-12)
    along = (led.force(x) * led.normal).sum(axis=1)
    assert along == pytest.approx([min(7.0 * 0.5, push), -min(7.0 * 0.7, pull)])
    diagonal, shares = np.zeros((9, 9)), np.zeros((2, 9))
    led.stiffness(x, np.arange(9, dtype=np.int32)).add_diagonal(diagonal)
    lengths, carried = (5, 4, 5, 4), led.carried
    np.add.at(shares, (np.repeat([0, 0, 1, 1], lengths), carried.nodes), carried.weights * np.repeat([1, -1, 1, -1], lengths))
    assert np.allclose(diagonal, np.einsum("gk,gc->kc", shares**2, led.blocks(x)), rtol=1e-12)
    if push == pull:
        way = np.random.default_rng(1).normal(size=(9, 3))
        ahead, behind = np.zeros((9, 3)), np.zeros((9, 3))
        led.add_gradient(x + step * way, ahead)
        led.add_gradient(x - step * way, behind)
        moved = np.einsum("gij,gk,kj->gi", led.blocks(x).reshape(-1, 3, 3), shares, way)
        assert np.allclose((ahead - behind) / (2.0 * step), np.einsum("gk,gi->ki", shares, moved), atol=1e-6)


def test_a_bake_goes_on_from_a_checkpoint_amid_parting_to_the_same_bytes():
    run, resumed = balls(), balls()
    for frame in range(24):
        run.advance()
        if frame == 5:
            kept = run.checkpoint()
            assert len(kept["parting"]) == 1
    resumed.restore(kept)
    for _ in range(18):
        resumed.advance()
    assert not run.surfaces.left_out
    assert resumed.state.positions.tobytes() == run.state.positions.tobytes()
    apart = run.checkpoint()
    resumed.restore(kept)
    resumed.restore(apart)
    assert not resumed.surfaces.left_out


def test_one_and_two_threads_give_the_same_bytes():
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        run = balls()
        run.pace.hold(threads)
        for _ in range(20):
            run.advance()
        ends.append(run.checkpoint())
    use_threads(1)
    for name in ends[0]:
        assert ends[0][name].tobytes() == ends[1][name].tobytes(), name


@pytest.mark.parametrize("turned", [(True, False), (False, True), (True, True), (0.4, 0.4)])
def test_faces_that_look_inwards_part_alike(turned):
    """Whole balls turned inside out, or four faces of ten: the tets say what is inside."""
    run = turned_balls((False, False))
    assert parted(run, 12)[0] is not None
    other = turned_balls(turned)
    assert parted(other, 12)[0] is not None
    np.testing.assert_allclose(centers(other)[0], centers(run)[0], atol=0.02)
    for one, same in zip(other.surfaces.surfaces, run.surfaces.surfaces, strict=True):
        assert np.array_equal(np.sort(one.triangles, axis=1), np.sort(same.triangles, axis=1))


def turned_balls(turned):
    """Two balls of radius 0.5 a tenth of that in each other, with shares of their faces turned."""
    bodies = []
    for k, share in enumerate(turned):
        ball = sphere(10, 0.5, (0.9 * k, 0.0, 0.0))
        ball = flipped(ball, np.random.default_rng(k).random(len(ball.triangles)) < share)
        bodies.append(Body(f"{k}", f"Ball {k}", ball, load_preset(DOUGH).material, resolution=6))
    scene = validated(Scene(tuple(bodies), (), Settings(1, 12, gravity=(0.0, 0.0, 0.0), threads=1)))
    made = prepare(scene)
    return Simulation(scene, *([getattr(item, name) for item in made] for name in ("mesh", "surface", "contacts")))

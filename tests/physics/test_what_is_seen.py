"""What is seen of goo that is flung about stays out of colliders, vertex by vertex, not only where it carries contact."""

from pathlib import Path

import numpy as np

from solver.bake import prepare
from solver.contact.contacts import SUNK
from solver.dynamics import start
from solver.moment import Snapshot
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from tests.surfaces import box, stored

PRESETS = Path(__file__).parents[2] / "presets"
FRAMES = 18


BLOCK = Collider("b", "Block", "mesh", np.eye(4)[None], surface=box((6.0, 6.0, 2.0), (-3.0, 0.0, 0.0)), friction=0.5)
BALL = Collider("b", "Ball", "sphere", np.eye(4)[None], size=(2.0, 2.0, 2.0), friction=0.5)


def dropped(preset: str, collider: Collider = BLOCK):
    """Suzanne over the edge of a block, or over a ball as high, at 8 elements; her simulation."""
    goo, suzanne = load_preset(PRESETS / f"{preset}.toml"), stored("suzanne")
    turn = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6]])
    positions = suzanne.positions @ turn.T
    positions[:, 2] += 1.02 - positions[:, 2].min()
    body = Body("s", "Suzanne", Surface(positions, suzanne.triangles), goo.material, goo.real_size, resolution=8)
    scene = validated(Scene((body,), (collider,), Settings(1, FRAMES, threads=1)))
    (filled,) = prepare(scene)
    return start(scene, [filled.mesh], [filled.surface], [filled.contacts]), body


def depths(simulation, body, ended=False):
    """How deep what is seen of her goes into the collider in each frame, in elements; or where steps have ended, whatever is
    shown."""
    found = []
    for _ in range(FRAMES):
        (seen,) = simulation.advance().bodies
        if ended:
            (seen,) = simulation.output.frame(Snapshot.of(simulation.state))
        places = seen.positions + seen.origin
        in_block = np.minimum(1.0 - places[:, 2], -places[:, 0])
        in_ball = 1.0 - np.sqrt((places**2).sum(axis=1))
        depth = in_block if simulation.scene.colliders[0].kind == "mesh" else in_ball
        found.append(float(depth.max()) / body.element_size)
    return found


def test_no_vertex_of_flowing_goo_sinks_into_a_block():
    """Slime on a block's edge."""
    assert max(depths(*dropped("slime"))) < 0.02


def test_few_vertices_that_stand_by_keep_goo_out_of_a_ball_which_it_sinks_into_without_them():
    """Where no sharp edge of the collider touches: 0.002 elements with two of 254 vertices awake, 0.016 with none."""
    simulation, body = dropped("slime", BALL)
    assert max(depths(simulation, body)) < 0.01
    contacts = simulation.contacts
    assert 0 < (contacts.awake & contacts.points.standby).sum() < 0.05 * contacts.points.standby.sum()
    asleep, body = dropped("slime", BALL)
    asleep.contacts.wake = lambda positions, ended=False: False
    assert max(depths(asleep, body, ended=True)) > 0.013


def test_what_stands_by_touches_from_where_it_sinks_in_until_it_is_away():
    simulation, _ = dropped("slime")
    contacts, nodes = simulation.contacts, simulation.state.positions.copy()
    standby = contacts.points.standby
    here = contacts.points.positions(nodes)[standby]
    above = here[here[:, 0] < -0.1]
    element = float(contacts.points.size[0])
    for depth, some, redone in ((0.005, False, False), (0.015, True, False), (0.03, True, True)):
        down = nodes - (0.0, 0.0, above[:, 2].min() - 1.0 + depth * element)
        contacts.begin_step(nodes, nodes, 0.1, 0.01)
        assert not (contacts.awake & standby).any()
        contacts.begin_step(down, down, 0.1, 0.01)
        assert contacts.wake(down) == redone
        woken = contacts.awake & standby
        assert woken.any() == some
        touched = np.isin(np.flatnonzero(woken), contacts.linearize(down).places)
        assert touched.all()


def test_only_what_has_gone_as_far_as_the_collider_was_away_is_looked_at():
    """Of what stands by; and it is woken as if all were looked at."""
    simulation, _ = dropped("slime")
    contacts, nodes = simulation.contacts, simulation.state.positions.copy()
    here, element, asked, look = contacts.points.positions(nodes), float(contacts.points.size[0]), [], contacts.look
    down = nodes - (0.0, 0.0, here[here[:, 0] < -0.1][:, 2].min() - 1.0 + 0.03 * element)
    contacts.begin_step(nodes, down, 0.1, 0.01)
    watched, seen = contacts.watched[0].points, contacts.points.positions(down)
    contacts.look = lambda c, chosen, places: asked.append(chosen) or look(c, chosen, places)
    assert contacts.wake(down)
    sunk = np.minimum(1.0 - seen[:, 2], -seen[:, 0]) > SUNK * element
    assert (np.flatnonzero(contacts.awake & contacts.points.standby) == watched[sunk[watched]]).all()
    assert 0 < len(asked[0]) < 0.5 * len(watched)


def test_a_checkpoint_holds_what_is_awake():
    simulation, _ = dropped("slime")
    simulation.contacts.awake[:] = True
    arrays = simulation.checkpoint()
    simulation.contacts.awake[:] = False
    simulation.restore(arrays)
    assert simulation.contacts.awake.all()

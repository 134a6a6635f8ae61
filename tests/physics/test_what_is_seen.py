"""What is seen of goo that is flung about stays out of colliders, vertex by vertex, not only where it carries contact."""

from pathlib import Path

import numpy as np

from solver.bake import prepare
from solver.dynamics import start
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from tests.surfaces import box, stored

PRESETS = Path(__file__).parents[2] / "presets"
FRAMES = 18


def dropped(preset: str):
    """Suzanne over the edge of a block, at 8 elements; her simulation."""
    goo, suzanne = load_preset(PRESETS / f"{preset}.toml"), stored("suzanne")
    turn = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6]])
    positions = suzanne.positions @ turn.T
    positions[:, 2] += 1.02 - positions[:, 2].min()
    body = Body("s", "Suzanne", Surface(positions, suzanne.triangles), goo.material, goo.real_size, resolution=8)
    block = Collider("b", "Block", "mesh", np.eye(4)[None], surface=box((6.0, 6.0, 2.0), (-3.0, 0.0, 0.0)), friction=0.5)
    scene = validated(Scene((body,), (block,), Settings(1, FRAMES, threads=1)))
    (filled,) = prepare(scene)
    return start(scene, [filled.mesh], [filled.surface], [filled.contacts]), body


def depths(simulation, body):
    """How deep what is seen of her goes into the block in each frame, in elements."""
    found = []
    for _ in range(FRAMES):
        (seen,) = simulation.advance().bodies
        x, _, z = (seen.positions + seen.origin).T
        found.append(float(np.minimum(1.0 - z, -x).max()) / body.element_size)
    return found


def test_no_vertex_of_flowing_goo_sinks_into_a_block():
    """Slime on a block's edge: between the points that always touch it sinks 0.1 elements in."""
    simulation, body = dropped("slime")
    assert max(depths(simulation, body)) < 0.02
    contacts = simulation.contacts
    assert (contacts.awake & contacts.points.standby).sum() < 0.2 * contacts.points.standby.sum()


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


def test_a_checkpoint_holds_what_is_awake():
    simulation, _ = dropped("slime")
    simulation.contacts.awake[:] = True
    arrays = simulation.checkpoint()
    simulation.contacts.awake[:] = False
    simulation.restore(arrays)
    assert simulation.contacts.awake.all()

"""What points of new tets know of colliders: what the nearest old one of their own body knew, found one by one."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from solver.bake import prepare
from solver.contact.leading import Leading
from solver.embedding import Binding, evaluate
from solver.materials import Material
from solver.presets import load_preset
from solver.remesh.contact_memory import NEAR, handed_on
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.topology.replay import replay
from tests.surfaces import sphere

SIZE = 0.1

def contacts(rng, inside, knowing=None):
    """As much of Contacts as is asked: of two colliders, with some points (k,) that know something."""
    count = len(inside)
    some = np.zeros(count, dtype=bool) if knowing is None else knowing
    known = {
        "slack": rng.uniform(0.1, 1.0, (2, count)) * some, "behind": (rng.random((2, count)) < 0.5) & some,
        "stuck": (rng.random((2, count)) < 0.5) & some, "stretch": rng.normal(size=(2, count, 3)) * some[:, None],
        "led": rng.integers(1, 3, (2, count)) * some,
    }  # fmt: skip
    points = SimpleNamespace(inside=inside, size=np.full(count, SIZE))
    awake = rng.random(count) < 0.5
    leading = Leading(2, count)
    return SimpleNamespace(points=points, awake=awake, edges=None, leading=leading, of_points=lambda: {**known, "awake": awake})


def expected(known, old, new):
    """The same for each new point by itself; old and new: places, owners, inside."""
    result = {name: np.zeros((2, len(new[0]), *values.shape[2:]), values.dtype) for name, values in known.items()}
    for k, (place, owner, inside) in enumerate(zip(*new, strict=True)):
        own = np.flatnonzero((old[1] == owner) & (old[2] == inside))
        own = own if len(own) else np.flatnonzero(old[1] == owner)
        away = np.linalg.norm(old[0][own] - place, axis=1)
        if len(own) and away.min() < NEAR * SIZE:
            for name, values in known.items():
                result[name][:, k] = values[:, own[away.argmin()]]
    return result


@pytest.mark.parametrize("knowing", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("nodes", [False, True])
def test_each_takes_what_the_nearest_of_its_own_knew(knowing, nodes):
    """Two bodies in one place, one side of which is far from all old points; with no old point inside, those outside answer."""
    rng = np.random.default_rng(4)
    old = rng.random((400, 3)), rng.integers(0, 2, 400), (rng.random(400) < 0.5) & nodes
    new = rng.random((300, 3)) * (1.6, 1.0, 1.0), rng.integers(0, 2, 300), rng.random(300) < 0.5
    before, after = contacts(rng, old[2], rng.random(400) < knowing), contacts(rng, new[2])
    known = {name: values for name, values in before.of_points().items() if name != "awake"}
    taken = handed_on(before, *old[:2], after, *new[:2])
    for name, values in expected(known, old, new).items():
        np.testing.assert_array_equal(taken[name], values)
    assert (taken["awake"] == after.awake).all() and (taken["slack"] > 0.0).sum() > 3


def on_a_slope(planes: int) -> Simulation:
    """A ball of dough that lies on a slope, above other planes that it never meets, and gets new tets in one frame."""
    turn = np.radians(15.0)
    slope, below = np.eye(4), np.eye(4)
    slope[0, [0, 2]], slope[2, [0, 2]] = (np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))
    below[2, 3] = -3.0
    goo = load_preset(Path(__file__).parents[2] / "presets" / "dough.toml")
    body = Body(
        "b", "Ball", sphere(12, 0.07, 0.068 * slope[:3, 2]), goo.material, goo.real_size, resolution=6, remeshing="wholesale"
    )
    places = [slope] + [below] * (planes - 1)
    colliders = tuple(Collider(f"{k}", f"Plane {k}", "plane", where[None], friction=1.0) for k, where in enumerate(places))
    made = prepare(scene := validated(Scene((body,), colliders, Settings(frame_end=12, threads=1))))
    simulation = Simulation(scene, [one.mesh for one in made], [one.surface for one in made], [one.contacts for one in made])
    for number in range(1, 12):
        simulation.remeshing.due = lambda *_, now=number: [0] if now == 6 else []
        simulation.advance()
    return simulation


def test_friction_holds_on_to_new_tets_by_several_colliders_as_by_one():
    """A collider that nothing meets changes nothing: what each holds was forgotten at a remesh where there were two."""
    one, two = on_a_slope(1), on_a_slope(2)
    assert one.remeshing.counts.sum() == two.remeshing.counts.sum() > 0
    assert np.abs(two.contacts.stretch[0]).max() == np.abs(one.contacts.stretch[0]).max() > 1e-9
    assert two.state.positions.tobytes() == one.state.positions.tobytes()
    for arrays in (two.contacts.slack, two.contacts.behind, two.contacts.stuck, two.contacts.stretch):
        assert arrays.flags.c_contiguous, "as kernels know them"


def put_deeper(simulation: Simulation, depth: float) -> np.ndarray:
    """Give a ball that lies on the ground new tets on which its lowest contact points lie so deep in it [m]; those that do."""
    renewed = simulation.remeshing.renewed(simulation.present, [0], simulation.clock.previous_step)
    bound, state = renewed.mesh.contacts[0], renewed.mesh.state
    places = evaluate(bound, state.tets, state.positions)
    low = np.flatnonzero(places[:, 2] <= places[:, 2].min() + 1e-3)
    corners = np.concatenate([state.positions[state.tets[bound.tets[low]]], np.ones((len(low), 4, 1))], axis=2)
    wanted = np.concatenate([places[low, :2], np.full((len(low), 1), -depth), np.ones((len(low), 1))], axis=1)
    weights, chosen = bound.weights.copy(), np.isin(np.arange(len(places)), low)
    weights[low] = np.linalg.solve(np.swapaxes(corners, 1, 2), wanted[:, :, None])[:, :, 0]
    renewed.mesh.contacts[0] = Binding(bound.tets, weights, bound.spread and bound.spread.without(chosen), bound.standby)
    replay(simulation, renewed.mesh, renewed.change)
    return low


@pytest.mark.parametrize("were", [False, True])
def test_what_comes_to_lie_deep_in_a_collider_with_new_tets_is_not_shot_out(were):
    """As where a crease closes around a bar: vertices a tenth of an element deep flew off at 30 m/s. What had been there pushes
    on, or goo would sink in remesh by remesh (also in tests/surface_contact/test_flow_scenes.py)."""
    jelly = Material("viscoplastic", {"density": 1050.0, "young_modulus": 9e3, "yield_stress": 1e12, "damping": 0.0})
    body = Body("b", "Ball", sphere(12, 0.2, (0.0, 0.0, 0.2)), jelly, resolution=8, remeshing="wholesale")
    scene = validated(Scene((body,), (Collider("g", "Ground", "plane", np.eye(4)[None]),), Settings(frame_end=2, threads=1)))
    (made,) = prepare(scene)
    simulation = Simulation(scene, [made.mesh], [made.surface], [made.contacts])
    simulation.advance()
    depth = 0.1 * simulation.element_size
    low = put_deeper(simulation, depth)
    if were:
        simulation.contacts.slack[:] = 0.0
        low = put_deeper(simulation, depth)
    assert simulation.contacts.points.positions(simulation.state.positions)[low, 2] == pytest.approx(-depth)
    let = simulation.contacts.slack[0, low]
    assert (let == 0.0).all() if were else let == pytest.approx(depth)

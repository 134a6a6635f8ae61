"""Which bodies get new tets, and when; the others keep every bit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.bake import prepare
from solver.cache.archive import pack, unpack
from solver.errors import SceneError
from solver.materials import Material
from solver.pins.pin import Pin
from solver.presets import load_preset
from solver.remesh.condition import worst_conditions
from solver.remesh.transfer import body_state
from solver.scene import Body, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from tests.surfaces import sphere

from .test_bakes import BOUND, drop
from .worn import STARCH

PRESETS = Path(__file__).parents[2] / "presets"
CHANGE = 1.6
LIQUID = {"rate_stress": 0.0, "damping": 0.0, "flow_rate": 1000.0}


def changing(**options):
    return drop("cornstarch", resolution=6, frames=40, bound=1000.0, change=CHANGE, **STARCH, **options)


def test_tets_that_have_become_so_many_times_worse_are_renewed_however_good_they_are():
    """Claim B13's other half: the change of the condition since the last remesh, or since the start."""
    simulation = changing()
    for count in (1, 2):
        begun, worst = simulation.remeshing.begun[0], 0.0
        while len(simulation.jumps) < count:
            worst = worst_conditions(simulation.state, simulation.ranges)[0]
            assert simulation.advance().number < 40
        assert begun > 1.0 and worst < 1.3 * CHANGE * begun < 20.0
        assert simulation.remeshing.begun[0] == pytest.approx(simulation.remeshing.fresh[0]) != begun


def test_the_first_new_tets_come_at_the_same_time_whatever_the_step():
    """Claim B13: it is asked between steps, of the tets alone. So to within one of the longer steps, of 13."""
    found, longest = [], (1.0 / 48.0, 1.0 / 192.0)
    for step in longest:
        simulation = drop("cornstarch", resolution=6, longest=step, **STARCH)
        while not simulation.times:
            assert simulation.advance().number < 24
        found.append(simulation.times[0])
    assert found[0] > 12.0 * longest[0] and found[1] == pytest.approx(found[0], abs=longest[0])


def test_the_first_new_tets_come_nearer_to_one_moment_in_shorter_steps():
    """Claim B13 in the limit: they come with the end of the first step that leaves tets worn out, so up to a step late, and
    what wears them is true to the first order in the step: together within one step of when they come in steps of 1/768 s.

    Of goo whose rate does not fall with stress, for else one step's flow may have several solutions, and without damping.
    """
    found = []
    for longest in (1.0 / 48.0, 1.0 / 96.0, 1.0 / 192.0, 1.0 / 768.0):
        simulation = drop("cornstarch", resolution=6, longest=longest, **STARCH | LIQUID)
        worst = conditions_of_steps(simulation)
        while not simulation.times:
            assert simulation.advance().number < 24
        assert max(worst[:-1]) <= BOUND < worst[-1]
        found.append(simulation.times[0])
    assert np.abs(found[0] - found[3]) < 1.0 / 48.0
    assert np.abs(found[1] - found[3]) < 1.0 / 96.0
    assert np.abs(found[2] - found[3]) < 1.0 / 192.0


def conditions_of_steps(simulation):
    """The worst condition at the end of each step until the first new tets, a list that grows."""
    worst, accept = [], simulation._accept

    def noted(attempt):
        accept(attempt)
        if not simulation.times:
            worst.append(worst_conditions(simulation.state, simulation.ranges)[0])

    simulation._accept = noted
    return worst


def test_a_checkpoint_knows_what_tets_were_like_when_they_were_new():
    whole, second = changing(), changing()
    while not whole.jumps:
        saved, frame = unpack(pack(whole.checkpoint())), whole.advance()
        assert frame.number < 40
    second.remeshing.begun[:] = 1e9
    second.restore(saved)
    for expected in (frame, whole.advance()):
        assert second.advance().bodies[0].positions.tobytes() == expected.bodies[0].positions.tobytes()
    assert second.jumps


def test_a_change_too_small_to_be_worth_new_tets_is_refused():
    scene = changing().scene
    for change in (1.2, -1.0, np.nan):
        with pytest.raises(SceneError, match="Worsened By"):
            validated(replace(scene, settings=replace(scene.settings, condition_change=change)))


def test_a_body_beside_one_that_gets_new_tets_keeps_every_bit():
    """State, surface, contact points and boundary, whether it comes before or after the other one."""
    goo = Material("viscoplastic", {"young_modulus": 2e4, "poisson_ratio": 0.3, "yield_stress": 200.0, "flow_rate": 10.0})
    balls = [(f"b{k}", f"Ball {k}", sphere(8, 0.2, (k, 0.0, 0.5)), goo) for k in range(3)]
    bodies = tuple(Body(*ball, resolution=5, remeshing="wholesale", velocity=(k, 0.2, 1.0)) for k, ball in enumerate(balls))
    scene = validated(Scene(bodies, (), Settings(frame_end=6, threads=1)))
    made = prepare(scene)
    arguments = scene, [one.mesh for one in made], [one.surface for one in made], [one.contacts for one in made]
    simulation = Simulation(*arguments, fields=[])
    for _ in range(2):
        simulation.advance()
    kept = (0, 2)
    before = [body_state(simulation.state, simulation.ranges, k).arrays() for k in kept]
    bound = [[simulation.bound[item][k] for k in kept] for item in range(3)]
    simulation.remeshing.due = lambda *_: [1]
    worn = body_state(simulation.state, simulation.ranges, 1).positions
    assert simulation._remesh() == 1
    assert worn.tobytes() != body_state(simulation.state, simulation.ranges, 1).positions.tobytes()
    after = [body_state(simulation.state, simulation.ranges, k).arrays() for k in kept]
    for old, new in zip(before, after, strict=True):
        assert old.keys() == new.keys() and all(old[name].tobytes() == new[name].tobytes() for name in old)
    for item, old in enumerate(bound):
        assert all(one is other for one, other in zip(old, [simulation.bound[item][k] for k in kept], strict=True))


def test_seventy_five_remeshes_of_one_bake_keep_the_volume():
    """Of what is seen of a drop that runs out, with new tets in every step: to 0.5 % at each frame, but for its squeeze.

    Claims B31 and B34, whose volume is lost.
    """
    simulation, kept = drop("cornstarch", resolution=6, frames=80, **STARCH), []
    simulation.remeshing.due = lambda *_: [0]
    while len(simulation.jumps) < 75:
        assert simulation.advance().number < 80
        kept.append(simulation.kept())
    assert all(simulation.manifold) and np.ptp(simulation.seen()[:, 2]) < 0.4
    assert kept == pytest.approx(np.ones(len(kept)), abs=5e-3)


def strand(worst: float) -> Simulation:
    """A bar of chewing gum, 1 m long, that pins draw out to 2 m as it hangs between them."""
    ball, goo, frames = sphere(24), load_preset(PRESETS / "chewing_gum.toml"), 26
    places = np.sign(ball.positions) * np.sqrt(np.abs(ball.positions)) * [0.5, 0.15, 0.15]
    left, right = (np.flatnonzero(side * places[:, 0] > 0.35).astype(np.int32) for side in (-1.0, 1.0))
    way = np.arange(frames + 1)[:, None, None] / frames * [1.0, 0.0, 0.0]
    pins = tuple(Pin(n, v, np.ones(len(v)), targets=places[v] + w) for n, v, w in (("a", left, way[:1]), ("b", right, way)))
    part = Surface(places, ball.triangles)
    body = Body("b", "Gum", part, goo.material, goo.real_size, resolution=16, remeshing="wholesale", pins=pins)
    scene = validated(Scene((body,), (), Settings(frame_end=frames, worst_condition=worst, threads=1)))
    (made,) = prepare(scene)
    return Simulation(scene, [made.mesh], [made.surface], [made.contacts])


def test_a_strand_that_is_drawn_out_does_not_hang_on_stiff_tets():
    """Long tets hardly bend. By default they are new before that is seen: else a strand holds until they are, and falls."""
    sags = []
    for worst in (2.0, Settings().worst_condition):
        simulation = strand(worst)
        for _ in range(26):
            simulation.advance()
        state = simulation.state
        middle = np.abs(state.positions[:, 0] - 0.5) < 0.15
        sags.append(-np.average(state.positions[middle, 2], weights=state.masses[middle]))
        assert simulation.remeshing.counts[0] >= 1
    assert sags[0] > 0.06 and sags[1] > 0.9 * sags[0], sags

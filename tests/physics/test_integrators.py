"""The time integrators: order by refinement, life that is kept, flight, blows, goo that flows, checkpoints (claim I16)."""

from itertools import cycle

import numpy as np
import pytest

from solver.errors import SceneError, StepError
from solver.fem import convergence, newton
from solver.fem.clock import LEVELS, Clock
from solver.integrators import integrators
from solver.scene import Scene, Settings, validated
from solver.simulate import Simulation
from tests.physics.bars import amplitude, swinging_bar
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, center, make_scene, momentum, run
from tests.physics.test_contact import SIDE, slide

ALL = list(integrators())
DOUGH = {"density": 1000.0, "young_modulus": 3e4, "poisson_ratio": 0.4, "yield_stress": 300.0, "flow_rate": 20.0}
JELLY = {"density": 1000.0, "young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 1e9}


def after_a_quarter(integrator, steps, **settings):
    """Where the nodes of a swinging bar are after 1/4 s, more than a whole swing, in `steps` steps a second."""
    step = 1.0 / steps
    simulation = swinging_bar(
        integrator=integrator, maximum_substep=step, calm_substep=step, frames_per_second=4.0, **settings
    )
    simulation.advance()
    assert simulation.clock.time == 0.25 and simulation.clock.level == 0
    return simulation.state.positions


ORDERS = {
    "bdf2": (256, 1.8, 2.2),
    "generalized_alpha": (128, 1.8, 2.2),
    "newmark": (384, 1.8, 2.2),
    "backward_euler": (768, 0.8, 1.2),
}


@pytest.mark.parametrize("integrator", ORDERS)
def test_halving_the_step_divides_the_error_as_the_order_says(integrator, monkeypatch):
    """That of the scheme: what Newton's method may leave is as large as the finer steps' error, and is set lower here."""
    steps, least, most = ORDERS[integrator]
    monkeypatch.setattr(newton, "LINEAR_TOLERANCE", 0.05 * newton.LINEAR_TOLERANCE)
    monkeypatch.setattr(convergence, "TINY", 0.01 * convergence.TINY)
    monkeypatch.setattr(convergence, "SHARE", 0.01 * convergence.SHARE)
    truth = after_a_quarter("newmark", 6144)  # finer by eight than any of these, and of another kind than two of them
    errors = [np.sqrt(((after_a_quarter(integrator, k * steps) - truth) ** 2).mean()) for k in (1, 2)]
    assert least < np.log2(errors[0] / errors[1]) < most
    assert errors[1] < 0.03 * np.abs(truth - swinging_bar().state.positions).max()


def after_steps_that_vary(steps, monkeypatch, forgotten=False):
    """The same with BDF2 in steps of 1/steps s and of halves and quarters of it by turns; `forgotten`, as if they were even."""
    levels = cycle([1, 1, 2, 2, 2, 2, 1, 1, 0])

    def tick(clock, **_):
        clock.previous_step = clock.step
        clock.ticks += 1 << (LEVELS - clock.level)
        clock.level = next(levels)
        if forgotten:
            clock.previous_step = clock.step

    with monkeypatch.context() as patched:
        patched.setattr(Clock, "tick", tick)
        return after_a_quarter("bdf2", steps)


def test_bdf2_is_of_second_order_in_steps_that_shrink_and_grow(monkeypatch):
    """And would not be if it took its last step to have been as long as this one."""
    truth, orders = after_a_quarter("newmark", 6144), []
    for forgotten in (False, True):
        found = [after_steps_that_vary(k * 192, monkeypatch, forgotten) for k in (1, 2)]
        errors = [np.sqrt(((positions - truth) ** 2).mean()) for positions in found]
        orders.append(np.log2(errors[0] / errors[1]))
    assert 1.8 < orders[0] < 2.2 and orders[1] < 1.2


# Steps [s], and the least and the most that is left
LEFT = {
    "generalized_alpha": (1 / 48, 0.75, 0.85),
    "bdf2": (1 / 96, 0.75, 0.85),
    "newmark": (1 / 48, 0.97, 1.02),
    "backward_euler": (1 / 96, 0.0, 0.01),
}


@pytest.mark.parametrize("integrator", LEFT)
def test_of_a_five_hertz_mode_this_much_is_left_after_a_second(integrator):
    step, least, most = LEFT[integrator]
    simulation = swinging_bar(integrator=integrator, maximum_substep=step, calm_substep=step)
    before = amplitude(simulation)
    for _ in range(24):
        simulation.advance()
    assert least * before < amplitude(simulation) < most * before


@pytest.mark.parametrize("integrator", ALL)
def test_a_fall_is_as_exact_as_the_scheme(integrator):
    """Second order has no error in a parabola; backward Euler falls half a step too far in every second of speed."""
    simulation, _ = run(make_scene([box_mesh((2, 2, 2))], [JELLY], velocity=(1.0, 0.0, 2.0), integrator=integrator), 25)
    late = 0.5 * 9.81 / 48.0 if integrator == "backward_euler" else 0.0
    expected = np.array([1.5, 0.5, 2.5 - 0.5 * 9.81 - late])
    assert np.abs(center(simulation) - expected).max() < 1e-6
    assert np.abs(simulation.state.velocities - [1.0, 0.0, 2.0 - 9.81]).max() < 1e-4


@pytest.mark.parametrize("integrator", ALL)
def test_flight_keeps_linear_and_angular_momentum(integrator):
    arguments = make_scene(
        [box_mesh((3, 3, 6), (0.5, 0.5, 1.0))], [JELLY | {"young_modulus": 2e5}], velocity=(1.0, 2.0, 3.0),
        spin=(0.0, 3.0, 0.0), gravity=(0.0, 0.0, 0.0), integrator=integrator,
    )  # fmt: skip
    simulation, _ = run(arguments, 1)
    linear, angular = momentum(simulation)
    for _ in range(12):
        simulation.advance()
    after_linear, after_angular = momentum(simulation)
    assert np.abs(after_linear - linear).max() < 1e-6 * np.abs(linear).max()
    lost = 1e-3 if integrator == "newmark" else 1e-9  # explicit steps are small
    assert np.abs(after_angular - angular).max() < lost * np.abs(angular).max()


def energy(simulation):
    """Kinetic energy and that of height [J]; what is stored elastically is left out, so it is a lower bound."""
    state = simulation.state
    return float((state.masses * (0.5 * (state.velocities**2).sum(axis=1) + 9.81 * state.positions[:, 2])).sum())


@pytest.mark.parametrize("integrator", ALL)
def test_dough_drops_without_gaining_energy_and_flows(integrator, plane):
    arguments = make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.6))], [DOUGH], integrator=integrator)
    simulation, _ = run(arguments, 1, [plane])
    before = energy(simulation)
    for _ in range(16):
        simulation.advance()
        assert np.isfinite(simulation.state.positions).all() and energy(simulation) < 1.001 * before
    assert simulation.state.plastic_strain.mean() > 0.1
    assert simulation.state.positions[:, 2].min() > -0.01
    assert np.abs(np.linalg.det(simulation.state.plastic_deformation) - 1.0).max() < 1e-10


def test_all_drop_the_dough_alike(plane):
    """Four schemes, one motion: heights and flow agree within what backward Euler takes out."""
    tall, strain = [], []
    for integrator in ALL:
        arguments = make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.6))], [DOUGH], integrator=integrator, maximum_substep=1 / 192)
        simulation, _ = run(arguments, 12, [plane])
        tall.append(np.ptp(simulation.state.positions[:, 2]))
        strain.append(simulation.state.plastic_strain.mean())
    assert np.ptp(tall) < 0.05 * max(tall) and np.ptp(strain) < 0.1 * max(strain)


@pytest.fixture(scope="module")
def rebound():
    """How far a dropped ball of jelly comes up again [m] in steps of 1/768 s."""
    heights = drop_jelly("bdf2", PlaneField(), lambda simulation: None, maximum_substep=1 / 768, calm_substep=1 / 768)
    return max(heights) - min(heights)


def drop_jelly(integrator, ground, look, **settings):
    """Heights of a ball of jelly from its lowest point on; `look` sees every frame."""
    arguments = make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.8))], [JELLY], integrator=integrator, **settings)
    simulation, _ = run(arguments, 1, [ground])
    heights = []
    for _ in range(24):
        simulation.advance()
        heights.append(center(simulation)[2])
        look(simulation)
    return heights[int(np.argmin(heights)) :]


@pytest.mark.parametrize("integrator", ALL)
def test_a_jelly_rebounds_as_far_as_in_short_steps_and_no_higher_than_it_fell(integrator, rebound, plane):
    """At default steps: those of second order as far, backward Euler two thirds of the way."""
    energies = []
    heights = drop_jelly(integrator, plane, lambda simulation: energies.append(energy(simulation)))
    start, _ = run(make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.8))], [JELLY], integrator=integrator), 1, [plane])
    assert max(energies) < 1.001 * energy(start) and max(heights) < 0.8
    share = (max(heights) - min(heights)) / rebound
    assert 0.55 < share < 0.75 if integrator == "backward_euler" else share == pytest.approx(1.0, abs=0.06)


@pytest.mark.parametrize("integrator", ALL)
def test_friction_is_coulombs(integrator):
    """Sliding down a slope, held on a gentler one, and stopped on the flat."""
    acceleration = 9.81 * (np.sin(np.radians(30.0)) - 0.2 * np.cos(np.radians(30.0)))
    way = slide(0.2, 30.0, 16, integrator=integrator)
    assert (way[16] - 2.0 * way[10] + way[4]) / 0.25**2 == pytest.approx(acceleration, rel=0.02)
    held = slide(0.6, 25.0, 24, integrator=integrator, damping=20.0)
    assert abs(held[24] - held[12]) < 0.003 * SIDE
    way, order = slide(0.4, 0.0, 20, 1.5, integrator=integrator)[20], 1 if integrator == "backward_euler" else 2
    assert way == pytest.approx(1.5**2 / (2 * 0.4 * 9.81), rel=0.06 / order)


def test_what_rests_rests_alike(plane):
    """A soft box that strong damping lets down: where it comes to rest is no matter of the integrator, nor of the damping."""
    heights = []
    for integrator, damping in [(one, 20.0) for one in ALL] + [("newmark", 10.0)]:
        box = box_mesh((2, 2, 2), origin=(0.0, 0.0, 0.001))
        simulation, _ = run(make_scene([box], [JELLY | {"damping": damping}], integrator=integrator), 49, [plane])
        heights.append(center(simulation)[2])
    assert 0.38 < heights[0] < 0.43 and np.ptp(heights) < 3e-3


@pytest.mark.parametrize("integrator", ALL)
def test_a_rising_floor_lifts_a_body_at_its_own_speed(integrator):
    lift = PlaneField(speed=(0.0, 0.0, 0.5))
    arguments = make_scene([box_mesh((2, 2, 2), origin=(0, 0, 0.01))], [JELLY | {"damping": 20.0}], integrator=integrator)
    simulation, _ = run(arguments, 25, [lift])
    before = center(simulation)[2]
    for _ in range(24):
        simulation.advance()
    assert simulation.state.positions[:, 2].min() == pytest.approx(1.0, abs=0.01)
    assert center(simulation)[2] - before == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("integrator", ALL)
def test_a_checkpoint_goes_on_with_the_same_bytes(integrator, plane):
    arguments = make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 0.52))], [DOUGH | {"damping": 1.0}], integrator=integrator)
    whole, first, second = (Simulation(*arguments, fields=[plane]) for _ in range(3))
    frames = [whole.advance() for _ in range(8)]
    for _ in range(5):
        first.advance()
    second.restore(first.checkpoint())
    for expected in frames[5:]:
        assert second.advance().bodies[0].positions.tobytes() == expected.bodies[0].positions.tobytes()


def test_an_unknown_integrator_is_named():
    bodies = make_scene([box_mesh((2, 2, 2))], [JELLY])[0].bodies
    with pytest.raises(SceneError, match="no integrator 'euler'") as caught:
        validated(Scene(bodies, (), Settings(integrator="euler")))
    assert "bdf2" in caught.value.remedy


def test_goo_too_stiff_for_explicit_steps_is_refused_with_a_remedy():
    arguments = make_scene([box_mesh((4, 4, 4), (0.01, 0.01, 0.01))], [JELLY | {"young_modulus": 1e11}], integrator="newmark")
    simulation, _ = run(arguments, 1)
    with pytest.raises(StepError, match="would need steps of") as caught:
        simulation.advance()
    assert "another integrator" in caught.value.remedy and caught.value.frame == 2

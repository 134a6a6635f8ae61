"""Fibres in bodies (Irving 2004, section 6.1): closed forms, activation in time, directions, repeatability, refusals."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from scipy.optimize import minimize

from solver.errors import SceneError
from solver.fem.fibre_field import along_gradient
from solver.fem.laws import principal_response
from solver.fem.newton import ImplicitStep
from solver.integrators.bdf2 import extrapolate
from solver.jit import use_threads
from solver.scene import validated
from solver.simulate import Simulation
from solver.slots import FIBRE, LAMBDA, MU
from tests.physics.scenes import box_mesh, make_scene, momentum, node_binding

LAW = "corotated"
FLESH = {"young_modulus": 2e4, "poisson_ratio": 0.3, "yield_stress": 1e9, "damping": 6.0}
WEIGHTLESS = {"gravity": (0.0, 0.0, 0.0)}
ALONG_X = np.array([1.0, 0.0, 0.0])


def with_fibres(arguments, fibres=ALONG_X, **values):
    """The scene of make_scene with fibres in its first body."""
    scene, *rest = arguments
    values = {"fibres": fibres, "activation": np.ones(1), **values}
    return replace(scene, bodies=(replace(scene.bodies[0], **values), *scene.bodies[1:])), *rest


def rest_stretch(state, stiffness, tension):
    """Stretches along and across the fibres at which a free bar stores least."""
    mu, lam = state.material[MU, 0], state.material[LAMBDA, 0]

    def energy(s):
        elastic = principal_response(LAW, np.array([[s[0], s[1], s[1]]]), mu, lam)[0][0]
        return (elastic + 0.5 * stiffness * max(s[0] - 1.0, 0.0) ** 2 + tension * s[0]) / mu

    return minimize(energy, np.ones(2), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-14}).x


@pytest.mark.parametrize("tension", [4e3, 1.2e4])
def test_an_activated_bar_shortens_to_its_balance(tension):
    mesh = box_mesh((8, 2, 2), (1.0, 0.25, 0.25))
    arguments = make_scene([mesh], [FLESH], frames=36, options={"elastic_law": LAW}, **WEIGHTLESS)
    simulation = Simulation(*with_fibres(arguments, fibre_tension=tension, fibre_stiffness=5e3), fields=[])
    for _ in range(36):
        simulation.advance()
    along, across = rest_stretch(simulation.state, 5e3, tension)
    edges = simulation.state.positions[mesh.tets[:, 1:]] - simulation.state.positions[mesh.tets[:, :1]]
    reached = np.linalg.svd(np.swapaxes(edges, 1, 2) @ simulation.state.rest_shape_inverse, compute_uv=False)
    assert along < 0.85 and across > 1.03
    assert np.abs(reached / [across, across, along] - 1.0).max() < 1e-3


@pytest.mark.parametrize("stretch", [1.25, 0.8])
def test_passive_fibres_bear_the_closed_forms_load(stretch):
    """A bar held at a stretch, free across: the ends carry area (dpsi/ds + k max(s - 1, 0)), the rest of it nothing."""
    stiffness = 3e4
    mesh = box_mesh((4, 2, 2), (1.0, 0.5, 0.5))
    arguments = make_scene([mesh], [FLESH | {"damping": 0.0}], options={"elastic_law": LAW})
    simulation = Simulation(*with_fibres(arguments, fibre_stiffness=stiffness), fields=[])
    mu, lam = simulation.state.material[MU, 0], simulation.state.material[LAMBDA, 0]

    def stress(across):
        return principal_response(LAW, np.array([[stretch, across, across]]), mu, lam)[1][0]

    low, high = 0.5, 1.5
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if stress(middle)[1] < 0.0 else (low, middle)
    past = extrapolate(simulation.state, np.zeros(3), 1.0, 1.0, np.zeros(len(mesh.positions), dtype=bool))
    past.effective[:] = past.inertial[:] = 1e12
    problem = ImplicitStep(simulation.state, simulation.space, simulation.contacts, simulation.damping, past, 1.0)
    _, gradient = problem.merit(mesh.positions * [stretch, low, low])
    end, start = mesh.positions[:, 0] > 0.999, mesh.positions[:, 0] < 0.001
    expected = 0.25 * (stress(low)[0] + stiffness * max(stretch - 1.0, 0.0))
    assert np.isclose(gradient[end, 0].sum(), expected, rtol=1e-5)
    assert np.abs(gradient[~(end | start)]).max() < 1e-5 * abs(expected)


def test_a_spinning_body_keeps_its_momentum_while_it_pulls_itself_together():
    arguments = make_scene([box_mesh((6, 2, 2), (1.0, 0.3, 0.3))], [FLESH], spin=(0.0, 2.0, 1.0), **WEIGHTLESS)
    keys = np.linspace(0.0, 1.0, 48)
    simulation = Simulation(*with_fibres(arguments, ALONG_X + 0.5, fibre_tension=8e3, activation=keys), fields=[])
    linear, angular = momentum(simulation)
    for _ in range(20):
        simulation.advance()
    after_linear, after_angular = momentum(simulation)
    assert np.abs(after_linear - linear).max() < 1e-6
    assert np.abs(after_angular - angular).max() < 0.01 * np.abs(angular).max()
    assert np.ptp(simulation.state.positions @ simulation.state.fibres[0]) < 0.9  # it has grown shorter meanwhile


def test_activation_acts_at_every_substep():
    """The same ramp keyed at 12 and at 48 frames a second is the same motion, not a staircase."""

    def ramp(rate):
        mesh = box_mesh((4, 2, 2), (1.0, 0.5, 0.5))
        arguments = make_scene([mesh], [FLESH], frames=rate + 1, frames_per_second=float(rate), **WEIGHTLESS)
        keys = np.linspace(0.0, 1.0, rate + 1)
        simulation = Simulation(*with_fibres(arguments, fibre_tension=8e3, activation=keys), fields=[])
        frames = [simulation.advance().bodies[0].positions for _ in range(rate // 2 + 1)]
        return np.array(frames)[:: rate // 12]

    slow, fast = ramp(12), ramp(48)
    assert np.abs(slow - fast).max() < 1e-6
    assert np.ptp(slow[-1][:, 0]) < 0.95 * np.ptp(slow[0][:, 0])


def test_fibres_that_do_nothing_leave_the_same_bytes():
    """Neither without stiffness and tension, nor with tension that is never activated."""
    ends = []
    for values in (None, {}, {"fibre_tension": 1e4, "activation": np.zeros(1)}):
        arguments = make_scene([box_mesh((3, 3, 3))], [FLESH], spin=(0.0, 5.0, 0.0))
        simulation = Simulation(*(arguments if values is None else with_fibres(arguments, **values)), fields=[])
        for _ in range(4):
            frame = simulation.advance()
        ends.append(frame.bodies[0].positions.tobytes())
    assert ends[0] == ends[1] == ends[2]


def test_directions_at_vertices_are_carried_inside_whichever_way_they_point():
    """Round an axis: every tet's fibre is tangential; a random half of the vertices names the opposite direction."""
    mesh = box_mesh((6, 6, 3), origin=(-0.5, -0.5, 0.0))
    x, y, _ = mesh.positions.T
    around = np.stack([-y, x, 0.0 * x], axis=1) * np.random.default_rng(1).choice([-3.0, 3.0], len(x))[:, None]
    simulation = Simulation(*with_fibres(make_scene([mesh], [FLESH]), around, fibre_tension=1e3), fields=[])
    middle = mesh.positions[mesh.tets].mean(axis=1)
    tangent = np.stack([-middle[:, 1], middle[:, 0], 0.0 * middle[:, 0]], axis=1)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    fibres = simulation.state.fibres
    assert np.allclose(np.linalg.norm(fibres, axis=1), 1.0)
    outer = np.linalg.norm(middle[:, :2], axis=1) > 0.2
    assert (np.abs((fibres * tangent).sum(axis=1))[outer] > 0.95).all()


def test_where_no_direction_is_painted_there_are_no_fibres():
    mesh = box_mesh((8, 2, 2), (1.0, 0.25, 0.25))
    painted = np.where(mesh.positions[:, :1] < 0.5, ALONG_X, 0.0)
    simulation = Simulation(*with_fibres(make_scene([mesh], [FLESH], **WEIGHTLESS), painted, fibre_tension=1e4), fields=[])
    for _ in range(24):
        simulation.advance()
    parts = mesh.positions[:, 0] < 0.4, mesh.positions[:, 0] > 0.6
    left, right = (np.ptp(simulation.state.positions[part, 0]) / 0.375 for part in parts)
    assert left < 0.85 and right > 0.97


def test_a_linear_weight_gives_its_axis():
    mesh = box_mesh((5, 4, 3), (1.0, 0.8, 0.5))
    axis = np.array([2.0, -1.0, 0.5])
    scene, _, (surface,), _ = make_scene([mesh], [FLESH])
    weights = 0.1 * mesh.positions @ axis[:, None] + 0.3
    found = along_gradient(mesh.positions, mesh.tets, surface, weights)
    assert np.abs(found - axis / np.linalg.norm(axis)).max() < 1e-3
    boundary = np.unique(scene.bodies[0].surface.triangles)  # as an artist paints: nothing is known of the inside
    found = along_gradient(mesh.positions, mesh.tets, node_binding(mesh, boundary), weights[boundary])
    assert np.abs(found - axis / np.linalg.norm(axis)).max() < 1e-2


def test_where_a_weight_is_even_fibres_run_as_nearest_to_there():
    """Weights that grow along x up to the middle, and no further."""
    mesh = box_mesh((8, 2, 2), (1.0, 0.25, 0.25))
    _, _, (surface,), _ = make_scene([mesh], [FLESH])
    found = along_gradient(mesh.positions, mesh.tets, surface, np.minimum(mesh.positions[:, :1], 0.5))
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0) and (found[:, 0] > 0.99).all()


def test_a_body_contracts_along_its_painted_weight():
    """The same bar, painted from end to end, as with the direction itself."""
    mesh = box_mesh((8, 2, 2), (1.0, 0.25, 0.25))

    def ends(fibres):
        arguments = make_scene([mesh], [FLESH], frames=12, **WEIGHTLESS)
        scene, *rest = with_fibres(arguments, fibres, fibre_tension=1e4)
        simulation = Simulation(validated(scene), *rest, fields=[])
        for _ in range(12):
            simulation.advance()
        return np.ptp(simulation.state.positions, axis=0)

    painted, straight = ends(mesh.positions[:, :1] ** 2), ends(ALONG_X)
    assert painted[0] < 0.9 and (painted[1:] > 0.25).all()
    assert np.abs(painted - straight).max() < 0.02


GOO = {"young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 100.0, "flow_rate": 30.0}


def sheared(threads=1):
    """A slanted-fibre body that flows while it contracts, and a plain one beside it in the same tiles."""
    meshes = [box_mesh((5, 4, 4), (1.0, 0.8, 0.8)), box_mesh((2, 2, 2), origin=(3.0, 0.0, 0.0))]
    arguments = make_scene(meshes, [GOO, GOO], spin=(0.0, 4.0, 0.0), **WEIGHTLESS)
    simulation = Simulation(*with_fibres(arguments, ALONG_X + [0, 0, 1.0], fibre_tension=2e3, fibre_stiffness=1e3), fields=[])
    simulation.pace.hold(threads)
    return simulation


def test_threads_repeats_and_checkpoints_give_the_same_bytes():
    one, two = sheared(), sheared(min(2, numba.config.NUMBA_NUM_THREADS))
    for _ in range(3):
        one.advance()
        two.advance()
    use_threads(1)
    saved, other = one.checkpoint(), two.checkpoint()
    assert all(saved[name].tobytes() == other[name].tobytes() for name in saved)
    resumed = sheared()
    resumed.restore(saved)
    assert resumed.advance().bodies[0].positions.tobytes() == one.advance().bodies[0].positions.tobytes()


def test_fibres_follow_the_lines_of_the_goo_that_flows():
    simulation = sheared()
    for _ in range(8):
        simulation.advance()
    state, own = simulation.state, slice(0, 480)
    lines = (state.plastic_deformation @ state.fibres[:, :, None])[own, :, 0]
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    assert np.abs(simulation.space.tiles.unpack(FIBRE, 3, len(state.tets))[own] - lines).max() < 1e-6
    assert np.abs(lines - state.fibres[own]).max() > 0.02


BAD = {
    "5, 3": {"fibres": np.ones((5, 3))},
    "no direction": {"fibres": np.zeros(3)},
    "same all over": {"fibres": np.ones((27, 1))},
    "negative or not finite": {"fibre_tension": -1.0},
    r"activation.*\(3,\)": {"activation": np.ones(3)},
    "leaves 0 to 1": {"activation": np.array([1.5])},
}


@pytest.mark.parametrize("words", BAD)
def test_fibres_that_make_no_sense_are_refused(words):
    arguments = make_scene([box_mesh((2, 2, 2))], [FLESH])
    with pytest.raises(SceneError, match=words) as caught:
        validated(with_fibres(arguments, **BAD[words])[0])
    assert caught.value.body == "Body 0" and caught.value.remedy

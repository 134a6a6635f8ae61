"""Values painted on a body: what a factor does, where it acts, through keys, remeshes, merging, and into the job."""

from dataclasses import replace

import numpy as np
import pytest

from solver.errors import SceneError
from solver.job import read_job, scene_hash, write_job
from solver.materials import Material
from solver.painted import PAINTABLE, painted_rows, repainted
from solver.remesh.record import mesh_change
from solver.remesh.restuffing import lattice_turn
from solver.remesh.transfer import joined_states, transferred
from solver.scene import validated
from solver.simulate import Simulation
from solver.slots import FLOW_RATE, HARDENING, LAMBDA, MATERIAL_ROWS, MINIMUM_YIELD, MU, NODAL_BULK, RATE_STRESS, YIELD_STRESS
from solver.state import State
from solver.tetmesh.cage import cage
from tests.physics.scenes import box_mesh, make_scene, run, with_keys
from tests.remesh.shapes import mesh_of, restuffed, state_of
from tests.surfaces import box

GOO = {"density": 1000.0, "young_modulus": 3e4, "poisson_ratio": 0.4, "yield_stress": 1e4, "flow_rate": 20.0, "damping": 5.0}
ROWS = {MU: 0, LAMBDA: 0, NODAL_BULK: 0, YIELD_STRESS: 1, MINIMUM_YIELD: 1, FLOW_RATE: 2, HARDENING: 3}


def painted(arguments, **factors):
    """The scene of make_scene with its first body painted: a factor a parameter, or one a vertex of these (n, 3)."""
    scene, *rest = arguments
    places = scene.bodies[0].surface.positions
    paint = {name: factor(places) if callable(factor) else np.full(len(places), factor) for name, factor in factors.items()}
    return validated(replace(scene, bodies=(replace(scene.bodies[0], painted=paint), *scene.bodies[1:]))), *rest


def bar(**values):
    return make_scene([box_mesh((8, 2, 2), (2.0, 0.5, 0.5), (0.0, 0.0, 0.01))], [GOO | values], frames=25)


def test_each_factor_multiplies_what_is_proportional_to_its_parameter():
    """The rows of a material that is so many times as stiff, firm, runny and hardening, and no other row."""
    values = {"hardening_modulus": 500.0, "minimum_yield_stress": 300.0, "poisson_ratio": 0.48}
    goo = GOO | values
    times = {"young_modulus": 3.0, "yield_stress": 0.25, "flow_rate": 7.0, "hardening_modulus": -2.0}
    least = goo["minimum_yield_stress"] * times["yield_stress"]
    other = goo | {name: goo[name] * factor for name, factor in times.items()} | {"minimum_yield_stress": least}
    options = {"volume": "at_nodes"}
    first, second = (make_scene([box_mesh((2, 2, 2))], [one], options=options) for one in (goo, other))
    one, two = Simulation(*painted(first, **times), fields=[]).state, Simulation(*second, fields=[]).state
    assert np.abs(one.material - two.material).max() < 1e-9 * np.abs(two.material).max()
    np.testing.assert_allclose(one.material, two.material, rtol=1e-9)
    np.testing.assert_allclose(one.yield_stress, two.yield_stress, rtol=1e-9)


def test_rows_and_columns():
    rows, factors = np.full((MATERIAL_ROWS, 1), 2.0), np.array([[2.0, 3.0, 5.0, -7.0], [1.0, 1.0, 1.0, 0.0]])
    made = painted_rows(rows, factors)
    assert list(PAINTABLE) == ["young_modulus", "yield_stress", "flow_rate", "hardening_modulus"]
    for row in range(MATERIAL_ROWS):
        wanted = 2.0 * (factors[:, ROWS[row]] if row in ROWS else np.ones(2))
        assert made[row].tolist() == wanted.tolist()
    again = repainted(made[:, :1], factors[:1], factors[:1] * 0.5)
    assert again[MU, 0] == 2.0 and again[HARDENING, 0] == -7.0 and again[RATE_STRESS, 0] == 2.0


def test_a_bar_with_a_soft_half_slumps_there_only(plane):
    """A twentieth of the yield stress: that half gives way as a bar of such goo does, the other as one without."""
    soft = {"yield_stress": lambda places: np.where(places[:, 0] > 1.0, 0.01, 1.0)}
    half, firm, whole = (
        run(painted(bar(), **paint), 25, [plane])[0].state for paint in (soft, {}, {"yield_stress": 0.01})
    )
    middles = half.positions[half.tets].mean(axis=1)[:, 0]
    firm_end, soft_end = middles < 0.7, middles > 1.3
    assert (half.plastic_strain[firm_end] < 1e-3).all() and half.plastic_strain[soft_end].mean() > 0.1
    at = bar()[1][0].positions[:, 0]
    top = at, half.positions[:, 2]
    for end, other in ((at < 0.7, firm), (at > 1.6, whole)):
        high = np.array([state.positions[end][:, 2].max() for state in (half, other)])
        assert high[0] == pytest.approx(high[1], rel=0.08)
    assert top[1][at > 1.6].max() < 0.9 * top[1][at < 0.7].max()


def test_nothing_changes_where_nothing_is_painted(plane):
    """A factor of 1 everywhere is the same motion, to the last bit."""
    plain, ones = (run(painted(bar(yield_stress=100.0), **paint), 8, [plane])[1] for paint in ({}, {"yield_stress": 1.0}))
    assert [a.bodies[0].positions.tobytes() for a in plain] == [b.bodies[0].positions.tobytes() for b in ones]


def test_keys_act_on_what_is_painted():
    ramp = {"young_modulus": np.linspace(3e4, 9e4, 5), "yield_stress": np.linspace(1e4, 2e4, 5)}
    paint = {"young_modulus": lambda places: np.where(places[:, 0] > 1.0, 0.2, 1.0), "yield_stress": 0.5}
    arguments = with_keys(painted(bar(), **paint), **ramp)
    simulation, _ = run(arguments, 1)
    before = simulation.state.material.copy()
    simulation.keyed.apply(4.0 / 24.0, simulation.damping)
    after = simulation.state.material
    np.testing.assert_allclose(after[[MU, LAMBDA]], 3.0 * before[[MU, LAMBDA]], rtol=1e-12)
    np.testing.assert_allclose(after[YIELD_STRESS], np.full(len(after[0]), 1e4), rtol=1e-12)
    assert before[MU].max() == pytest.approx(5.0 * before[MU].min()) and np.allclose(simulation.state.yield_stress, 1e4)


def striped(element_size: float) -> State:
    """A bar of 2 m, its half beyond 1 m a tenth as stiff, and a twentieth of hardening that turns its sign there."""
    mesh = cage(box((2.0, 0.6, 0.6), (1.0, 0.0, 0.0)), element_size)
    state = state_of(mesh, Material("viscoplastic", {"young_modulus": 2e4, "hardening_modulus": 50.0, "yield_stress": 100.0}))
    beyond = mesh.positions[mesh.tets].mean(axis=1)[:, 0] > 1.0
    state.painted[:, 0], state.painted[:, 3] = np.where(beyond, 0.1, 1.0), np.where(beyond, -0.05, 1.0)
    state.material = painted_rows(state.material, state.painted)
    return state


def test_what_is_painted_survives_twenty_remeshes():
    """Three elements from the border to 1e-3 on the mean; the mean stays; less than an element's worth is off in all."""
    size = 0.1
    state = striped(size)
    mean = np.average(state.painted, axis=0, weights=state.volumes)
    for count in range(1, 21):
        change = mesh_change(mesh_of(state), restuffed(mesh_of(state), size, lattice_turn(count)))
        state = transferred(state, change, 1.0 / 96.0)
    along = state.positions[state.tets].mean(axis=1)[:, 0]
    wanted = np.where(along > 1.0, 0.1, 1.0)
    far = np.abs(along - 1.0) > 3.0 * size
    off = np.abs(state.painted[:, 0] - wanted)
    assert far.sum() > 0.4 * len(far) and off[far].max() < 1e-2 and off[far].mean() < 1e-3
    assert np.average(off, weights=state.volumes) < 0.9 * size / 2.0
    np.testing.assert_allclose(np.average(state.painted, axis=0, weights=state.volumes), mean, rtol=5e-3)
    mu, stiff = state.material[MU], state.material[MU].max()
    np.testing.assert_allclose(mu / stiff, state.painted[:, 0] / state.painted[:, 0].max(), rtol=1e-9)
    np.testing.assert_allclose(state.material[HARDENING], 50.0 * state.painted[:, 3], rtol=1e-9, atol=1e-9)
    assert state.painted.min() >= -0.05 - 1e-12 and state.painted.max() <= 1.0 + 1e-12


def test_unpainted_bodies_keep_their_material_to_the_last_bit():
    state = state_of(cage(box((1.0, 0.6, 0.6)), 0.15))
    change = mesh_change(mesh_of(state), restuffed(mesh_of(state), 0.15, lattice_turn(1)))
    new = transferred(state, change, 1.0 / 96.0)
    assert (new.painted == 1.0).all() and (new.material == state.material[:, :1]).all()


def test_pieces_of_other_goo_keep_their_own_paint():
    """Where a stiff body merges with a painted soft one, each new tet is of one of the two, times what is painted there."""
    first = striped(0.15)
    second = state_of(cage(box((0.6, 0.6, 0.6), (2.1, 0.0, 0.0)), 0.15), Material("viscoplastic", {"young_modulus": 2e6}))
    joined, _ = joined_states([first, second])
    change = mesh_change(mesh_of(joined), restuffed(mesh_of(joined), 0.15, lattice_turn(1)))
    new = transferred(joined, change, 1.0 / 96.0)
    base = new.material[MU] / new.painted[:, 0]
    plain = {float(first.material[MU].max()), float(second.material[MU].max())}
    assert {float(f"{value:.6g}") for value in base} == {float(f"{value:.6g}") for value in plain}


def test_a_job_carries_it_and_the_hash_sees_it(tmp_path):
    scene = painted(bar(), young_modulus=lambda places: 1.0 + places[:, 0])[0]
    write_job(scene, tmp_path)
    again = read_job(tmp_path)
    assert again.bodies[0].painted["young_modulus"].tobytes() == scene.bodies[0].painted["young_modulus"].tobytes()
    other = painted(bar(), young_modulus=lambda places: 1.5 + places[:, 0])[0]
    assert scene_hash(again, 5) == scene_hash(scene, 5) != scene_hash(other, 5)


@pytest.mark.parametrize(
    "paint, word",
    [
        ({"density": 2.0}, "cannot be painted"),
        ({"yield_stress": 0.0}, "leaves 0.001"),
        ({"young_modulus": np.nan}, "leaves"),
        ({"flow_rate": lambda places: np.ones(3)}, "shape"),
    ],
)
def test_wrong_paint_is_refused(paint, word):
    with pytest.raises(SceneError, match=word):
        painted(bar(), **paint)


def test_the_draft_model_is_not_painted():
    scene = bar()[0]
    paint = {"yield_stress": np.ones(len(scene.bodies[0].surface.positions))}
    body = replace(scene.bodies[0], material=Material("draft"), painted=paint)
    with pytest.raises(SceneError, match="same all over"):
        validated(replace(scene, bodies=(body,)))

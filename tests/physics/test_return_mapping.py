"""Return mapping with a yield and a limit surface (Irving 2004, section 6.3; I13), by single tets and by a whole body."""

import numpy as np
import pytest

from solver.formulas import flow_step
from solver.materials import Material
from solver.simulate import Simulation
from tests.physics.scenes import ball_mesh, make_scene

RNG = np.random.default_rng(8)
YIELD = 800.0
VALUES = {"young_modulus": 1e4, "poisson_ratio": 0.3, "yield_stress": YIELD}
AT_ONCE = {"plasticity": "return_mapping"}


def goo(**values):
    return Material("viscoplastic", VALUES | values, AT_ONCE)


def log_stretch(plastic):
    """|log V_p| of F_p (m, 3, 3)."""
    return np.linalg.norm(np.log(np.linalg.svd(plastic, compute_uv=False)), axis=1)


def gradients(scale, count=100):
    f = np.eye(3) + scale * RNG.normal(size=(count, 3, 3))
    return f[np.linalg.det(f) > 0.3]


def test_stress_comes_back_to_the_yield_surface_whatever_the_step():
    f = np.concatenate([gradients(0.3), gradients(0.003)])
    steps = [flow_step(f, goo(), step) for step in (1e-4, 1.0)]
    yielded = steps[0].plastic_strain > 0.0
    assert 0.3 < yielded.mean() < 0.7
    assert np.allclose(steps[0].mises_stress[yielded], YIELD, rtol=0.2)  # of tau itself, of which a part is off n
    assert np.array_equal(steps[0].plastic_deformation, steps[1].plastic_deformation)
    again = flow_step(f, goo(), 1e-4, steps[0].plastic_deformation)
    assert np.abs(again.plastic_strain).max() < 2e-2
    assert np.abs(np.linalg.det(steps[0].plastic_deformation) - 1.0).max() < 1e-13


def test_small_strains_end_on_the_yield_surface_exactly():
    f = np.eye(3) + 1e-4 * RNG.normal(size=(50, 3, 3))
    step = flow_step(f, goo(yield_stress=0.5), 1e-3)
    assert (step.plastic_strain > 0.0).mean() > 0.9
    assert np.allclose(step.mises_stress[step.plastic_strain > 0.0], 0.5, rtol=1e-3)


def test_plastic_deformation_is_the_papers():
    """F_p = F_proj^-1 U^T F (V^T in print), up to a rotation, with flow behind it or not."""
    f, before = gradients(0.25), None
    for _ in range(2):
        step = flow_step(f, goo(), 1.0, before)
        trial = f if before is None else f @ np.linalg.inv(before)
        left, _, _ = np.linalg.svd(trial)
        elastic = f @ np.linalg.inv(step.plastic_deformation)
        projected = np.linalg.svd(elastic, compute_uv=False)
        paper = np.swapaxes(left, 1, 2) @ f / projected[:, :, None]
        found = step.plastic_deformation
        squares = [np.swapaxes(m, 1, 2) @ m for m in (paper, found)]
        assert np.abs(squares[0] - squares[1]).max() < 1e-9
        assert np.abs(found - np.eye(3)).max() > 0.2
        before, f = found, gradients(0.25)[: len(f)]
        f = np.concatenate([f, np.tile(np.eye(3), (len(found) - len(f), 1, 1))])


def test_flow_ends_at_the_limit_surface_and_goes_back_freely():
    limit, plastic, stresses = 0.4, None, []
    material = goo(plastic_limit=limit)
    for stretch in (1.2, 1.5, 2.0, 2.5):
        f = np.diag([stretch, 1.0, 1.0 / stretch])[None]
        step = flow_step(f, material, 1.0, plastic)
        plastic = step.plastic_deformation
        stresses.append(step.mises_stress[0])
    assert log_stretch(plastic)[0] == pytest.approx(limit, rel=1e-6)
    assert stresses[0] == pytest.approx(YIELD, rel=1e-3) and stresses[3] > 1.5 * stresses[2] > 3.0 * YIELD
    back = flow_step(np.eye(3)[None], material, 1.0, plastic)
    assert log_stretch(back.plastic_deformation)[0] < 0.6 * limit and back.mises_stress[0] == pytest.approx(YIELD, rel=1e-3)


@pytest.mark.parametrize("options", [AT_ONCE, {}])
def test_no_path_leaves_the_limit_surface(options):
    """A hundred tets dragged about at random, their axes never those of the flow behind them."""
    limit, plastic = 0.3, None
    material = Material("viscoplastic", VALUES | {"plastic_limit": limit, "yield_stress": 100.0, "flow_rate": 50.0}, options)
    for _ in range(12):
        f = gradients(0.4, 400)[:100]
        plastic = flow_step(f, material, 0.1, plastic).plastic_deformation
        assert log_stretch(plastic).max() < limit * (1.0 + 1e-8)
        assert np.abs(np.linalg.det(plastic) - 1.0).max() < 1e-12
    assert np.quantile(log_stretch(plastic), 0.5) > 0.99 * limit


def thrown(plane, options, **values):
    goo = {"young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 300.0, "flow_rate": 20.0} | values
    return Simulation(*make_scene([ball_mesh(5, 0.5, (0.0, 0.0, 0.52))], [goo], options=options), fields=[plane])


def test_a_ball_flows_at_once_and_no_further_than_its_limit(plane):
    free, limited = thrown(plane, AT_ONCE), thrown(plane, AT_ONCE, plastic_limit=0.15)
    for simulation in (free, limited):
        start, volumes = simulation.state.rest_shape_inverse.copy(), simulation.state.volumes.copy()
        for _ in range(16):
            simulation.advance()
        assert np.isfinite(simulation.state.positions).all()
        grown = np.cbrt(simulation.state.volumes / volumes)[:, None, None]  # what tets have exchanged (volume_exchange.py)
        shapes = grown * simulation.state.rest_shape_inverse @ simulation.state.plastic_deformation
        assert np.abs(shapes - start).max() < 1e-9 * np.abs(start).max()
    gone = [log_stretch(simulation.state.plastic_deformation) for simulation in (free, limited)]
    assert gone[0].max() > 0.5 and gone[1].max() < 0.15 * (1.0 + 1e-8) and (gone[1] > 0.149).mean() > 0.05
    assert np.ptp(limited.state.positions[:, 2]) > np.ptp(free.state.positions[:, 2]) + 0.02


def test_a_checkpoint_knows_how_far_each_tet_has_gone(plane):
    whole = thrown(plane, {}, plastic_limit=0.1)
    for _ in range(8):
        whole.advance()
    second = thrown(plane, {}, plastic_limit=0.1)
    second.restore({name: value.copy() for name, value in whole.checkpoint().items()})
    for _ in range(2):
        assert whole.advance().bodies[0].positions.tobytes() == second.advance().bodies[0].positions.tobytes()

"""Each piece of a body gets back the volume that it should have, at the rate that is asked, and goes nowhere by it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.bake import prepare
from solver.errors import SceneError
from solver.fem.rise import grow
from solver.fem.volume_control import MOST
from solver.materials import Material
from solver.remesh.record import mesh_change
from solver.remesh.transfer import transferred
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tetmesh.mesh import joined_meshes
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import PlaneField, box_mesh, center, make_scene, momentum
from tests.remesh.shapes import ball, mesh_of, moved, restuffed, state_of
from tests.surface_contact.ledger import Ledger
from tests.surfaces import box, surface

JELLY = {"young_modulus": 3e5, "poisson_ratio": 0.3, "yield_stress": 1e9}
RATE = 2.0
SHORT = 1.0 / 480.0  # of a step: what is found missing at its end comes back from the next one on [s]


def run_of(mesh, rate=RATE, damping=10.0, **options) -> Simulation:
    scene, *rest = make_scene([mesh], [JELLY | {"damping": damping}], **options)
    return Simulation(validated(replace(scene, bodies=(replace(scene.bodies[0], volume_rate=rate),))), *rest, fields=[])


def lose(run: Simulation, share: float, tets=slice(None)) -> None:
    """Let tets have lost so much of their volume, without stress."""
    lost = np.zeros(len(run.state.tets))
    lost[tets] = np.log(1.0 - share)
    nodes = np.unique(run.state.tets[tets])
    grow(run.state, run.space.tiles, lost)
    middle = run.state.positions[nodes].mean(axis=0)
    run.state.positions[nodes] = middle + (1.0 - share) ** (1.0 / 3.0) * (run.state.positions[nodes] - middle)
    run.state.previous_positions = run.state.positions.copy()


def volume(run: Simulation, tets=slice(None)) -> float:
    return float(tet_volumes(run.state.positions, run.state.tets[tets]).sum())


@pytest.mark.parametrize("rate, damping", [(1.0, 10.0), (4.0, 10.0), (4.0, 60.0)])
def test_what_is_lost_comes_back_at_the_rate(rate, damping):
    """log(V / V0) = log(0.95) exp(-rate t), to 2 %, also where damping takes long; mass, momentum and spin stay."""
    run = run_of(box_mesh((3, 2, 2)), rate, damping, gravity=(0.0, 0.0, 0.0), maximum_substep=SHORT, calm_substep=SHORT)
    first, mass, middle = volume(run), run.state.masses.copy(), center(run)
    lose(run, 0.05)
    for frame in range(24):
        run.advance()
        if frame and frame % 6 == 0:
            expected = np.log(0.95) * np.exp(-rate * frame / 24.0)
            assert np.log(volume(run) / first) == pytest.approx(expected, abs=0.02 * abs(np.log(0.95)))
    assert run.state.masses.tobytes() == mass.tobytes()
    linear, angular = momentum(run)
    assert max(np.abs(linear).max(), np.abs(angular).max()) < 1e-8 * mass.sum()
    assert np.abs(center(run) - middle).max() < 1e-10


def test_each_piece_gets_its_own_back():
    """Of two pieces only the one that has lost some grows; without a rate none does."""
    one = box_mesh((2, 2, 2))
    both = joined_meshes([one, one.moved(one.positions + (3.0, 0.0, 0.0))])
    for rate in (RATE, 0.0):
        run = run_of(both, rate, gravity=(0.0, 0.0, 0.0), maximum_substep=SHORT, calm_substep=SHORT)
        own = slice(0, len(one.tets))
        begun = volume(run, own), volume(run, slice(len(one.tets), None))
        lose(run, 0.1, own)
        for _ in range(13):
            run.advance()
        wanted = np.log(0.9) * np.exp(-rate * 0.5)
        assert np.log(volume(run, own) / begun[0]) == pytest.approx(wanted, abs=0.02 * abs(np.log(0.9)))
        assert volume(run, slice(len(one.tets), None)) == pytest.approx(begun[1], rel=1e-6)


def test_what_its_weight_presses_together_gets_its_volume_back():
    """A soft block that stands on the ground: without control it is smaller by what its weight presses out of it."""
    volumes = []
    for rate in (0.0, 4.0):
        scene, *rest = make_scene([box_mesh((3, 3, 3))], [JELLY | {"young_modulus": 4e4, "damping": 20.0}], frames=48)
        shot = validated(replace(scene, bodies=(replace(scene.bodies[0], volume_rate=rate),)))
        run = Simulation(shot, *rest, fields=[PlaneField()])
        first = volume(run)
        for _ in range(48):
            run.advance()
        volumes.append(volume(run) / first)
    assert volumes[0] < 0.99
    assert volumes[1] == pytest.approx(1.0, abs=0.05 * (1.0 - volumes[0]))


def test_what_has_no_room_does_not_grow_for_ever():
    run = run_of(box_mesh((2, 2, 2)), 20.0, 0.0)
    flat = run.state.positions * (1.0, 1.0, 0.4)
    for _ in range(60):
        run.volume_control.act(run.state, run.space, flat, 0.1, np.zeros(1))
    assert run.state.volumes.sum() == pytest.approx(MOST * run.state.wanted.sum(), rel=1e-9)


def test_what_is_wanted_goes_over_to_new_tets():
    """By piece, to rounding, though the old tets have lost a tenth of it, unevenly."""
    old = moved(state_of(ball()), np.diag([1.2, 1.0, 0.9]))
    old.volumes = old.volumes * np.linspace(0.8, 1.0, len(old.tets))
    new = transferred(old, mesh_change(mesh_of(old), restuffed(mesh_of(old), 0.2, np.eye(3))), 0.01)
    assert new.wanted.sum() == pytest.approx(old.wanted.sum(), rel=1e-12)
    assert new.volumes.sum() == pytest.approx(old.volumes.sum(), rel=1e-12)


def test_what_cannot_be_is_refused():
    scene = make_scene([box_mesh((2, 2, 2))], [JELLY])[0]
    body = scene.bodies[0]
    for more in ({"volume_rate": -1.0}, {"volume_rate": np.nan}, {"volume_rate": 1.0, "goal": body.surface.positions}):
        with pytest.raises(SceneError):
            validated(replace(scene, bodies=(replace(body, **more),)))


@pytest.mark.parametrize("seed, resolution", [(0, 4), (1, 5), (2, 5)])
def test_what_flows_as_it_spins_gains_no_energy(seed, resolution):
    """What is seen of a cube in a coarse cage is drawn out more than its tets: to press it together again gave it energy."""
    turn = Rotation.random(random_state=seed).as_matrix()
    cube = surface(box().positions @ turn.T, box().triangles)
    values = {"young_modulus": 25e3, "poisson_ratio": 0.24, "yield_stress": 250.0, "flow_rate": 20.0}
    body = Body("b", "Cube", cube, Material("viscoplastic", values), resolution=resolution, angular_velocity=(-4.0, 0.3, 0.5))
    scene = validated(Scene((body,), (), Settings(1, 24, gravity=(0.0, 0.0, 0.0), threads=1)))
    (made,) = prepare(scene)
    ledger = Ledger(scene, [made.mesh], [made.surface], [made.contacts])
    ledger.account(None, 1.0)
    for _ in range(12):
        ledger.advance()
    assert ledger.state.plastic_strain.max() > 0.1
    assert ledger.excess < 1e-4 * ledger.owned

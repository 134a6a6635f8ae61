"""Colliders whose thickness is keyed lift what lies on them, at any speed, by work that is theirs."""

import numpy as np
import pytest

from solver.colliders import build
from solver.contact.contacts import query
from solver.contact.sheets import on_own_side
from solver.scene import Collider, Settings
from tests.physics.collider_ledger import meeting
from tests.physics.scenes import box_mesh, center, make_scene, run
from tests.physics.test_fast_colliders import GOO, grid
from tests.surfaces import box, moved, sphere

FRAMES = 12
TOP = 0.1
SLAB = (1.5, 1.5, 2.0 * TOP)
KINDS = {
    "plane": {"kind": "plane"},
    "box": {"kind": "box", "size": SLAB},
    "mesh": {"kind": "mesh", "surface": box(SLAB)},
    "sheet": {"kind": "mesh", "surface": grid(1.5, 4), "two_sided": True},
    "painted": {"kind": "mesh", "surface": box(SLAB), "painted": {"thickness": np.full(8, 0.5)}},
}


def growing(kind, thickness):
    return build(Collider("c", "Thing", transforms=np.eye(4)[None], keys={"thickness": thickness}, **KINDS[kind]), Settings())


def lying(side=0.3):
    """A block of goo a hair above the slab's top, or where that would be."""
    return box_mesh((5, 5, 5), (side,) * 3, (-0.5 * side, -0.5 * side, TOP + 0.002))


def sunk(simulation, field):
    """How deep the deepest node is [element sizes]."""
    distance, _, _ = query(field, simulation.state.positions, simulation.clock.time, np.inf)
    return -float(distance.min()) / simulation.element_size


def test_who_is_behind_a_sheet_sees_its_own_side_grow():
    """Two points beneath a sheet whose thickness grows by 1 m/s: one belongs there, the other has sunk in from above."""
    sheet = growing("sheet", np.arange(3) / 24.0)
    here = np.array([[0.1, 0.2, -0.01], [0.3, 0.1, -0.01]])
    begun = here * [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0]]
    _, normal, velocity, behind = on_own_side(sheet, 1.5 / 24.0, 1.4 / 24.0, 0.5, begun, here, np.zeros(2, dtype=bool))
    assert behind.tolist() == [False, True]
    np.testing.assert_allclose(normal[:, 2], (-1.0, 1.0))
    np.testing.assert_allclose(velocity, normal, atol=1e-9)


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_lifts_what_lies_on_it(kind, integrator):
    """By 0.4 m in ten frames, eased in and out: the block stays on top, is never sunk in, and ends that much higher."""
    eased = 0.5 - 0.5 * np.cos(np.pi * np.clip(np.arange(FRAMES + 6) / 10.0, 0.0, 1.0))
    under, share = TOP if kind in ("plane", "sheet") else 0.0, 0.5 if kind == "painted" else 1.0
    field = growing(kind, under + 0.4 / share * eased)
    scene = make_scene([lying()], [GOO | {"damping": 20.0}], frames=FRAMES + 6, integrator=integrator)
    simulation, _ = run(scene, 1, [field])
    before = center(simulation)[2]
    for _ in range(FRAMES + 5):
        simulation.advance()
        assert sunk(simulation, field) < 0.1
    assert center(simulation)[2] - before == pytest.approx(0.4, abs=0.02)


def test_the_explicit_scheme_stops_nodes_at_the_speed_of_growth():
    """Newmark's steps end with a constraint on velocities along normals (claim I18): what lies on a thickness that grows by
    1 m/s goes at 1 m/s, down to its lowest nodes."""
    field = growing("mesh", np.arange(14) / 24.0)
    stiff = GOO | {"damping": 20.0, "young_modulus": 2e5}
    simulation, _ = run(make_scene([lying()], [stiff], frames=13, integrator="newmark"), 13, [field])
    state = simulation.state
    low = state.positions[:, 2] < state.positions[:, 2].min() + 1e-3
    assert low.sum() >= 36 and state.velocities[low, 2] == pytest.approx(1.0, abs=0.02)
    assert state.masses @ state.velocities[:, 2] / state.masses.sum() == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize("kind", ["box", "mesh", "sheet", "painted"])
def test_however_fast_it_grows_nothing_is_left_inside(kind):
    """At 30 m/s for a frame, 20 elements: the block is thrown off whole, no faster than without loss."""
    thickness = np.array([0.0, 1.25]) + (TOP if kind == "sheet" else 0.0)
    field = growing(kind, thickness / (0.5 if kind == "painted" else 1.0))
    arguments = make_scene([lying()], [GOO], frames=3, gravity=(0.0, 0.0, 0.0))
    simulation, _ = run(arguments, 1, [field])
    for _ in range(2):
        simulation.advance()
        assert sunk(simulation, field) < 0.15
    state = simulation.state
    assert 24.0 < state.masses @ state.velocities[:, 2] / state.masses.sum() < 60.0
    edges = state.positions[state.tets[:, 1:]] - state.positions[state.tets[:, :1]]
    assert (np.linalg.det(edges) > 0.0).all()


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_what_it_lifts_gains_no_more_than_its_work(friction):
    """A slab's thickness goes up and down by 0.3 m twice a second under a ball: the ledger that holds moving colliders."""
    frames = 24
    keys = {"thickness": 0.15 - 0.15 * np.cos(4.0 * np.pi * np.arange(frames) / 24.0)}
    ball = moved(sphere(8, 0.25), (0.05, 0.0, 0.36))
    run = meeting(ball, box(SLAB), np.eye(4)[None], friction, velocity=(0.4, 0.0, 0.0), gravity=9.81, keys=keys)
    for _ in range(frames):
        run.advance()
    assert max(run.excess) < 1e-3 * run.moving
    assert run.moving > 10.0 and run.worked > 0.5 * run.moving

"""A few tets of a body are replaced: all that lies on meshes takes it up, and what it does not touch keeps every bit."""

from itertools import pairwise

import numpy as np
import pytest

from solver.cache.archive import pack, unpack
from solver.contact.points import gather_points
from solver.moment import Snapshot
from solver.remesh.patch import patch
from solver.remesh.patching import patched
from solver.remesh.transfer import AT_NODES, body_state
from solver.simulate import Simulation
from solver.tetmesh.quality import tet_volumes
from solver.topology.change import TopologyChange
from solver.topology.replay import replay
from tests.remesh.shapes import ball, mesh_of, moved, state_of

from .shapes import landing, made_up, started

STEP = 1.0 / 96.0
HELD = ("slack", "behind", "stuck", "stretch")


def sums(state) -> list[np.ndarray]:
    """Mass, rest volume, momentum and spin."""
    spin = (state.masses[:, None] * np.cross(state.positions, state.velocities)).sum(axis=0)
    return [state.masses.sum(), state.volumes.sum(), state.masses @ state.velocities, spin]


def test_fields_beside_a_patch_keep_every_bit_and_sums_stay():
    old = moved(state_of(ball()), np.diag([1.3, 1.0, 0.8]), (5.0, 0.0, 0.0))
    old.hardening, old.plastic_strain = (np.random.default_rng(k).random(len(old.tets)) for k in range(2))
    part = made_up(mesh_of(old), np.array([5.3, 0.2, 0.1]))
    new = part.state(old, STEP)
    k, far = len(part.kept_tets), np.setdiff1d(np.arange(len(part.kept_nodes)), part.new_nodes)
    assert len(part.gone) < 40 and len(far) > 0.8 * len(part.kept_nodes)
    for name, values in vars(old).items():
        now = getattr(new, name)
        if name == "material":
            assert now[:, :k].tobytes() == values[:, part.kept_tets].tobytes()
        elif name in AT_NODES:
            assert now[far].tobytes() == values[part.kept_nodes[far]].tobytes(), name
        elif name != "tets":
            assert now[:k].tobytes() == values[part.kept_tets].tobytes(), name
    assert new.positions[: len(part.kept_nodes)].tobytes() == old.positions[part.kept_nodes].tobytes()
    sizes = [old.masses.sum(), old.volumes.sum(), old.masses @ np.abs(old.velocities), 6.0 * old.masses.sum()]
    for had, has, size in zip(sums(old), sums(new), sizes, strict=True):
        assert np.abs(np.subtract(has, had)).max() < 1e-12 * np.max(size)
    # what is new is near what was there
    assert np.abs(new.velocities[part.new_nodes] - part.nodes.carried(old.velocities)[part.new_nodes]).max() < 0.05
    assert tet_volumes(new.positions, new.tets).min() > 0.0


def test_only_what_is_new_takes_room_in_the_record():
    mesh = ball()
    part = made_up(mesh, np.zeros(3))
    assert len(part.nodes.sources) == 8 and len(part.nodes.fresh) == 2
    assert len(part.shares.fresh) == len(part.gone) + 3 and len(part.shares.sources) < 20 * len(part.gone)
    assert np.abs(np.add.reduceat(part.shares.weights, part.shares.start[:-1]) - 1.0).max() < 1e-12
    inside = part.shares.carried(np.ones((len(mesh.tets), 1)))
    assert np.abs(inside - 1.0).max() < 1e-12


def test_a_patch_with_a_hole_a_flat_tet_or_a_loose_node_is_refused():
    mesh, part = ball(), made_up(ball(), np.zeros(3))
    count, none = len(mesh.positions), np.zeros((0, 3))
    with pytest.raises(ValueError, match="hole"):
        patch(mesh, part.gone, none, mesh.tets[part.gone[:1]])
    with pytest.raises(ValueError, match="flat"):
        patch(mesh, part.gone[:1], none, mesh.tets[part.gone[:1]][:, [1, 0, 2, 3]])
    with pytest.raises(ValueError, match="of no tet"):
        patch(mesh, part.gone[:1], np.zeros((1, 3)), mesh.tets[part.gone[:1]])
    assert patch(mesh, part.gone[:1], none, mesh.tets[part.gone[:1]]).nodes.nothing and count == len(mesh.positions)


@pytest.fixture(scope="module")
def landed() -> dict[str, np.ndarray]:
    """A checkpoint when both balls lie on the ground and rub at each other."""
    run = started(landing())
    for _ in range(4):
        run.advance()
    assert run.ledger.credit.any() and (run.company[-1] == 0).all()
    assert len(run.surfaces.held.points) and run.touching.any() and run.contacts.stuck.any()
    return unpack(pack(run.checkpoint()))


def at(landed) -> Simulation:
    run = started(landing())
    run.restore(landed)
    return run


def change_of(run: Simulation, places: dict[int, tuple[float, ...]]) -> tuple:
    parts = {k: made_up(run.present.mesh(k), np.array(place)) for k, place in places.items()}
    return parts, *patched(run.remeshing, run.present, parts, run.clock.previous_step)


def test_all_consumers_replay_it(landed):
    run = at(landed)
    middle = run.present.mesh(0).middle
    parts, mesh, change = change_of(run, {0: tuple(middle + (0.05, 0.0, 0.02))})
    part, old, state, before = parts[0], run.present, run.state.arrays(), run.output.frame(Snapshot.of(run.state))
    held, touching, company = run.surfaces.held.stretch.copy(), run.touching, run.company.copy()
    credit, anchors, known = run.ledger.credit.copy(), run.pins, run.contacts.of_points()
    worn = run.worn.last.copy()
    replay(run, mesh, change)

    # state: the other body whole, and of this one all but the patch
    a, b = run.ranges.nodes[1:]
    c, d = old.ranges.nodes[1:]
    assert all(getattr(run.state, name)[a:b].tobytes() == state[name][c:d].tobytes() for name in AT_NODES)
    here = body_state(run.state, run.ranges, 0)
    far = np.setdiff1d(np.arange(len(part.kept_nodes)), part.new_nodes)
    for name in AT_NODES:
        assert getattr(here, name)[far].tobytes() == state[name][part.kept_nodes[far]].tobytes()
    # surface: what is bound to tets that stay, and all of the other body
    after = run.output.frame(Snapshot.of(run.state))
    stays, spread = np.isin(old.surfaces[0].tets, part.kept_tets), old.surfaces[0].spread
    whole = np.logical_and.reduceat(np.isin(spread.nodes, part.kept_nodes), spread.start[:-1])
    stays[spread.points] &= whole
    assert 0.5 * len(stays) < stays.sum() < len(stays)
    assert after[0].positions[stays].tobytes() == before[0].positions[stays].tobytes()
    assert np.abs(after[0].positions - before[0].positions).max() < 1e-6 and after[0].topology == before[0].topology
    assert after[1].positions.tobytes() == before[1].positions.tobytes()
    assert run.present.surfaces[1] is old.surfaces[1] and run.present.triangles[0] is old.triangles[0]
    # contact: how long nodes have touched, what points know, what sticks
    assert (run.touching[change.nodes.same >= 0] == touching[change.nodes.same[change.nodes.same >= 0]]).all()
    now = run.contacts.of_points()
    kept = np.isin(run.contacts.points.bodies, [1])
    was = np.isin(np.searchsorted(old.ranges.tets, known_tets(old), side="right") - 1, [1])
    assert all(now[name][:, kept].tobytes() == known[name][:, was].tobytes() for name in HELD)
    assert run.surfaces.held.stretch.tobytes() == held.tobytes() and len(held)
    # pins: anchors of nodes that stay
    for grip in run.pins.grips:
        theirs = next(other for other in anchors.grips if other.pin is grip.pin)
        were = change.nodes.same[grip.nodes]
        place = {int(node): row for row, node in enumerate(theirs.nodes)}
        rows = [(k, place[int(node)]) for k, node in enumerate(were) if int(node) in place]
        assert len(rows) > 0.9 * len(theirs.nodes)
        mine, other = np.array(rows).T
        assert grip.anchors[mine].tobytes() == theirs.anchors[other].tobytes()
    # bodies: who owes energy, who has met whom, what was told
    assert run.ledger.credit.tobytes() == credit.tobytes() and run.company.tobytes() == company.tobytes()
    assert run.worn.last.tobytes() == worn.tobytes()
    # preconditioner: of the new tets
    assert len(run.space.pattern.corners) == 4 * len(run.state.tets) and not run.cuts
    assert run.advance().statistics["inverted"] == 0.0


def known_tets(mesh) -> np.ndarray:
    """The tet of each contact point of a discretization, numbered through."""
    ones = [1.0] * len(mesh.surfaces)
    return gather_points(mesh.state, mesh.ranges, mesh.contacts, mesh.tables, ones, ones, 9.81, mesh.coverings()).tets


def test_it_goes_on_from_a_checkpoint_after_it_with_the_same_bytes(landed):
    run = at(landed)
    _, mesh, change = change_of(run, {1: tuple(run.present.mesh(1).middle)})
    replay(run, mesh, change)
    again = started(landing())
    again.restore(unpack(pack(run.checkpoint())))
    for _ in range(2):
        one, other = run.advance().bodies, again.advance().bodies
        assert [body.positions.tobytes() for body in one] == [body.positions.tobytes() for body in other]


def test_two_changes_replayed_as_one(landed):
    """One after another, or as one record: the same is known after it, and the same comes of it."""
    apart, at_once = at(landed), at(landed)
    middles = [apart.present.mesh(k).middle for k in range(2)]
    changes, meshes = [], []
    for places in ({0: middles[0] + 0.03, 1: middles[1]}, {0: middles[0] + 0.05}):
        _, mesh, change = change_of(apart, {k: tuple(place) for k, place in places.items()})
        replay(apart, mesh, change)
        changes, meshes = [*changes, change], [*meshes, mesh]
    both: TopologyChange = changes[0].then(changes[1])
    replay(at_once, meshes[1], both)
    one, other = apart.checkpoint(), at_once.checkpoint()
    assert one.keys() == other.keys()
    for name, values in one.items():
        if name.startswith("anchors"):
            assert np.abs(values - other[name]).max() < 1e-12
        elif name != "mesh.reaches":
            assert np.asarray(values).tobytes() == np.asarray(other[name]).tobytes(), name
    values = np.random.default_rng(2).normal(size=(both.nodes.count, 3))
    stepwise = changes[1].nodes.carried(changes[0].nodes.carried(values))
    assert np.abs(both.nodes.carried(values) - stepwise).max() < 1e-14
    shared = np.random.default_rng(3).normal(size=(both.tets.count, 1))
    stepwise = changes[1].tets.carried(changes[0].tets.carried(shared))
    assert np.abs(both.tets.carried(shared) - stepwise).max() < 1e-12
    assert all(b - a for a, b in pairwise(both.new.nodes.tolist())) and both.new is changes[1].new

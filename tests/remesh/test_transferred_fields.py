"""A scalar that tets have, such as heat, goes over to new ones by exact overlap in remeshes, merges and tears (claim B20)."""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pytest

from solver.bake import prepare
from solver.remesh.record import MeshChange, mesh_change
from solver.remesh.transfer import transferred
from solver.simulate import Simulation
from solver.state import State
from solver.tetmesh.cage import cage
from solver.tetmesh.compaction import compacted
from solver.tetmesh.mesh import joined_meshes
from solver.transferred_fields import HELD, MEAN, Transferred, at_start
from tests.merging.shapes import pair, started
from tests.surfaces import sphere, surface
from tests.tearing.shapes import pulled, scene

from .shapes import ball, mesh_of, moved, restuffed, rotation, state_of

COLD, HOT = 20.0, 80.0
SHEAR = [[1.2, 0.5, 0.0], [0.0, 0.9, 0.1], [0.0, 0.2, 0.8]]


@dataclass
class Warm(State):
    """A state with two more scalars: heat by the mass, as temperature is, and one that is averaged."""

    heat: Annotated[np.ndarray, Transferred(HELD, start=COLD)]
    dye: Annotated[np.ndarray, Transferred(MEAN, start=0.0)]


def warm(state: State, heat: np.ndarray) -> Warm:
    return Warm(**vars(state), heat=heat, dye=heat - COLD)


def middles(state: State) -> np.ndarray:
    return state.positions[state.tets].mean(axis=1)


def content(state: Warm) -> float:
    """The integral of heat over the mass."""
    return float((state.density * state.volumes * state.heat).sum())


def remeshed(old: Warm, size: float, turn: np.ndarray) -> Warm:
    return transferred(old, mesh_change(mesh_of(old), restuffed(mesh_of(old), size, turn)), 1.0 / 96.0)


@pytest.mark.parametrize("front", ["sharp", "rough"])
@pytest.mark.parametrize("size", [0.13, 0.3])
def test_new_tets_have_the_heat_of_the_old_ones(front, size):
    """All of it, none hotter or colder than any was, where density varies too, and through five remeshes."""
    state = moved(state_of(ball()), SHEAR)
    chance = np.random.default_rng(5).random(len(state.tets))
    hot = middles(state)[:, 0] > 0.3 if front == "sharp" else chance > 0.5
    now = warm(replace(state, density=state.density * (1.0 + middles(state)[:, 2] ** 2)), np.where(hot, HOT, COLD))
    begun = content(now)
    for turn in range(5):
        now = remeshed(now, size, rotation([1, 2, 3], 0.4 * turn))
        assert content(now) == pytest.approx(begun, rel=1e-12)
        assert now.heat.min() >= COLD and now.heat.max() <= HOT
        assert now.dye.min() >= 0.0 and now.dye.max() <= (HOT - COLD) * (1.0 + 1e-12)


def test_heat_stays_where_it_is():
    """What varies evenly is off by less than it varies over an old tet, 0.2 m; what is the same everywhere stays so."""
    old = moved(state_of(ball()), SHEAR)
    new = remeshed(warm(old, 50.0 + 20.0 * middles(old)[:, 0]), 0.13, np.eye(3))
    assert np.abs(new.heat - 50.0 - 20.0 * middles(new)[:, 0]).max() < 3.0
    assert np.abs(new.dye - 30.0 - 20.0 * middles(new)[:, 0]).max() < 3.0
    same = remeshed(warm(old, np.full(len(old.tets), 36.6)), 0.2, np.eye(3))
    assert (same.heat == 36.6).all()


def test_bodies_start_with_what_their_field_says():
    begun = at_start(Warm, 3)
    assert (begun["heat"] == COLD).all() and (begun["hardening"] == 0.0).all() and "wanted" not in begun


class Heated(Simulation):
    """Has a Warm state, hot where x is positive; notes its heat before and after each new mesh."""

    def heat(self) -> None:
        self.had = self.has = 0.0
        self.state = warm(self.state, np.where(middles(self.state)[:, 0] > 0.0, HOT, COLD))
        self.damping.state = self.state
        self.keyed.restart(self.state)

    def settle(self, mesh, remeshed=False, **more):
        self.had = content(self.state) if remeshed else 0.0
        super().settle(mesh, remeshed, **more)
        self.has = content(self.state) if remeshed else 0.0

    def sides(self) -> tuple[float, float]:
        """The mean heat well on either side of x = 0."""
        x = middles(self.state)[:, 0]
        return float(self.state.heat[x < -0.1].mean()), float(self.state.heat[x > 0.1].mean())


def until_changed(simulation: Heated) -> None:
    """Until surfaces are cut or sewn; every new mesh has all the heat that there was."""
    for _ in range(12):
        frame = simulation.advance()
        assert simulation.has == pytest.approx(simulation.had, rel=1e-12)
        assert simulation.state.heat.min() >= COLD and simulation.state.heat.max() <= HOT
        if frame.changes:
            assert simulation.has > 0.0
            return
    raise AssertionError("nothing has torn or merged")


def test_a_hot_body_merges_with_a_cold_one():
    two = pair()
    simulation = started(two, prepare(two), Heated)
    simulation.heat()
    until_changed(simulation)
    assert len(simulation.scene.bodies) == 1
    assert simulation.sides() == pytest.approx((COLD, HOT), abs=1.0)


def test_a_body_hot_on_one_side_tears():
    """Each side keeps its own heat: neck that vanishes at the tear goes to the side that it was on, which may tear it off a
    little beyond where it is hot."""
    simulation = pulled(scene(), kind=Heated)
    simulation.heat()
    until_changed(simulation)
    assert simulation.sides() == pytest.approx((COLD, HOT), abs=5e-3 * (HOT - COLD))


def parted(old: State, kept: np.ndarray) -> tuple[MeshChange, Warm]:
    """The change to those tets that are kept (m,), each where it is, and heat for the old ones: hot where x is over 0.2 m."""
    mesh = mesh_of(old)
    heat = np.where(middles(old)[:, 0] > 0.2, HOT, COLD)
    return mesh_change(mesh, compacted(mesh.positions, mesh.tets[kept])), warm(old, heat)


def along_a_rod() -> tuple[State, np.ndarray]:
    """Of an ellipsoid 6 m long, and where the middles (m,) of its tets lie along it."""
    globe = sphere(16)
    state = state_of(cage(surface(globe.positions * [3.0, 1.0, 1.0], globe.triangles), 0.2))
    return state, middles(state)[:, 0]


def test_what_vanishes_between_two_pieces_goes_to_the_nearer_one():
    """More of the hot one's, whose heat finds no room there but with its mass."""
    state, x = along_a_rod()
    change, old = parted(state, (x < -0.05) | (x > 0.35))
    new, had = transferred(old, change, 1.0 / 96.0), state.density * state.volumes
    cold, mass = middles(new)[:, 0] < 0.0, new.density * new.volumes
    assert change.new.piece.max() == 1 and (new.heat[cold] == COLD).all()
    assert new.heat[~cold].min() > HOT - 1.0 and new.heat.max() <= HOT
    assert content(new) == pytest.approx(content(old), rel=1e-12) and mass.sum() == pytest.approx(had.sum(), rel=1e-12)
    assert mass[cold].sum() == pytest.approx(had[x < 0.15].sum(), rel=0.03)


def test_a_fragment_takes_over_little_more_than_its_share():
    """What has vanished around it is many times its own; the pieces further away take it, each that of its side."""
    state, x = along_a_rod()
    change, old = parted(state, (x < -0.6) | (np.abs(x + 0.3) < 0.1) | (x > 0.6))
    new = transferred(old, change, 1.0 / 96.0)
    side = np.sign(np.round(middles(new)[:, 0] / 0.5))
    dense = np.array([new.volumes[side == k].sum() / change.new.volumes[side == k].sum() for k in (-1, 0, 1)])
    assert change.new.piece.max() == 2 and dense[1] < 1.06 * state.volumes.sum() / change.new.volumes.sum()
    assert (new.heat[side <= 0] == COLD).all() and new.heat[side > 0].min() > 0.9 * HOT
    assert content(new) == pytest.approx(content(old), rel=1e-12)


def test_what_a_piece_had_that_vanishes_goes_to_the_nearest():
    left, middle, right = (ball(0.2, 0.5, (at, 0.0, 0.0)) for at in (-2.0, 0.5, 2.0))
    mesh = joined_meshes([left, middle, right])
    old = warm(state_of(mesh), np.repeat([COLD, HOT, COLD], [len(part.tets) for part in (left, middle, right)]))
    new = transferred(old, mesh_change(mesh, joined_meshes([left, right])), 1.0 / 96.0)
    first = np.arange(len(new.tets)) < len(left.tets)
    assert new.heat[first].max() == COLD and new.heat[~first].min() > COLD + 1.0
    assert content(new) == pytest.approx(content(old), rel=1e-12)

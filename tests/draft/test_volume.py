"""How far the draft model keeps volume: strain is linear in the stretches, so elastic goo does, and what flows far does not.

The numbers are what is to be expected of it, not what would be right: docs/solver/materials.md passes them on.
"""

import numpy as np
import pytest

from solver.draft.plasticity import absorb_strain
from solver.tetmesh.quality import tet_volumes
from tests.draft.scenes import draft_scene, run
from tests.physics.scenes import PlaneField, ball_mesh

GOO = {"young_modulus": 1e5, "poisson_ratio": 0.45, "damping": 2.0}
RUNNY = {"yield_strain": 0.01, "flow_rate": 100.0}
YIELD, RATE, MOST = "yield_strain", "flow_rate", "maximum_plastic_strain"


def kept(goo, seconds=1.5):
    """What is left, least and in the end, of the volume of a ball of 1 m that drops on the ground from 5 mm."""
    simulation, _ = run(draft_scene([ball_mesh(5, 0.5, (0.0, 0.0, 0.505))], [GOO | goo]), 1, [PlaneField()])
    state, volumes = simulation.state, []
    for _ in range(round(24 * seconds)):
        simulation.advance()
        volumes.append(tet_volumes(simulation.state.positions, state.tets).sum() / state.volumes.sum())
    return min(volumes), volumes[-1]


@pytest.mark.parametrize(
    ("goo", "least", "end"),
    [
        ({RATE: 0.0}, (0.97, 0.985), (0.985, 1.0)),  # elastic: squashed by the drop, then by its weight alone
        ({YIELD: 0.1, RATE: 100.0, MOST: 10.0}, (0.94, 0.965), (0.945, 0.97)),  # yields where it is bent far, and no further
        ({YIELD: 0.01, RATE: 1.0, MOST: 10.0}, (0.96, 0.98), (0.96, 0.98)),  # creeps slowly: less and less is left
        (RUNNY | {MOST: 0.3}, (0.87, 0.9), (0.9, 0.925)),  # flows at once, as far as its maximum lets it
        (RUNNY | {MOST: 10.0}, (0.2, 0.4), (0.2, 0.4)),  # flows away: two thirds of it vanish
    ],
    ids=["elastic", "yielding", "creeping", "as far as its maximum", "without end"],
)
def test_so_much_of_a_dropped_balls_volume_is_left(goo, least, end):
    lowest, last = kept(goo)
    assert least[0] < lowest < least[1]
    assert end[0] < last < end[1]


def test_the_longer_it_creeps_the_less_is_left_and_the_maximum_stops_that():
    creeping = {YIELD: 0.01, RATE: 4.0}
    early, late = kept(creeping | {MOST: 10.0}, 0.75)[1], kept(creeping | {MOST: 10.0}, 1.5)[1]
    assert late < early - 0.03
    held_early, held = kept(creeping | {MOST: 0.15}, 1.5)[1], kept(creeping | {MOST: 0.15}, 3.0)[1]
    assert abs(held - held_early) < 0.01 and held > late + 0.02


@pytest.mark.parametrize("poisson", [0.0, 0.33, 0.45, 0.5])
@pytest.mark.parametrize("most", [0.1, 0.3, 0.6])
def test_what_is_squashed_between_plates_to_its_maximum_keeps_what_linear_strain_says(poisson, most):
    """Under pressure along one axis e is s (-1, nu, nu) and so is p: at |p| = p_max, with a = p_max / sqrt(1 + 2 nu^2), the
    unloaded volume is (1 - a) (1 + nu a)^2."""
    elastic = 0.02 * np.array([[-1.0, poisson, poisson, 0.0, 0.0, 0.0]])
    plastic = np.zeros((1, 6))
    for _ in range(200):  # the plates follow, so that the pressure stays
        plastic = absorb_strain(plastic + elastic, plastic, 0.01, 50.0, most, 0.01)
    (a, b, c), rest = 1.0 + plastic[0, :3], plastic[0, 3:]
    share = most / np.sqrt(1.0 + 2.0 * poisson**2)
    assert np.abs(rest).max() == 0.0
    assert a * b * c == pytest.approx((1.0 - share) * (1.0 + poisson * share) ** 2, abs=1e-9)

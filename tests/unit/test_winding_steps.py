"""Winding numbers from place to place by crossings, beside those that are asked of the whole surface."""

import numpy as np
import pytest

from solver.geometry.triangle_tree import triangle_tree
from solver.geometry.winding import winding_numbers, winding_tree
from solver.geometry.winding_steps import DOUBTFUL, winding_steps
from solver.surface import Surface
from tests.surfaces import box, joined, sphere

NEAR = 1e-7


def groups(surface: Surface, size: float, seed: int) -> np.ndarray:
    """Groups of eleven places (k, 11, 3) of one size about the surface."""
    rng = np.random.default_rng(seed)
    corners = np.resize(surface.positions[surface.triangles], (max(300, len(surface.triangles)), 3, 3))
    middles = np.einsum("kc,kci->ki", rng.dirichlet(np.ones(3), len(corners)), corners)
    return middles[:, None] + size * rng.uniform(-1.0, 1.0, (len(corners), 11, 3))


@pytest.mark.parametrize(
    "surface",
    [
        sphere(16, 1.0),
        joined(sphere(12, 1.0), sphere(12, 0.8, (0.7, 0.0, 0.1))),  # overlaps: 2 there
        Surface(sphere(8, 1.0).positions, sphere(8, 1.0).triangles[:, ::-1].copy()),  # inside out: -1
        box((1.0, 2.0, 0.05)),
    ],
    ids=["ball", "overlap", "inside out", "plate"],
)
@pytest.mark.parametrize("size", [0.02, 0.3, 2.0])
def test_steps_are_differences_of_winding_numbers(surface, size):
    tree, places = triangle_tree(surface.positions, surface.triangles), groups(surface, size, 7)
    steps = winding_steps(tree, places, NEAR)
    wound = winding_numbers(winding_tree(tree), places.reshape(-1, 3)).reshape(steps.shape)
    sure = steps != DOUBTFUL
    assert sure.mean() > 0.999 and not steps[sure[:, 0], 0].any()
    expected = np.rint(wound) - np.rint(wound[:, :1])
    assert (steps == expected)[sure].all() and len(np.unique(expected)) > 1


def test_what_is_on_the_surface_or_meets_an_edge_is_doubtful():
    """Which of places that lie so is inside hangs on the last digit."""
    cube = box((2.0, 2.0, 2.0))
    tree = triangle_tree(cube.positions, cube.triangles)
    outside, inside, on = (1.5, 0.3, 0.2), (0.5, 0.3, 0.2), (1.0, 0.3, 0.2)
    corner, edge = (1.0, 1.0, 1.0), (1.0, 1.0, 0.2)
    beyond = [tuple(2.0 * np.array(place) - inside) for place in (corner, edge)]
    steps = winding_steps(tree, np.array([[inside, outside, on, *beyond], [on, outside, inside, *beyond]]), NEAR)
    assert steps.tolist() == [[0, -1, DOUBTFUL, DOUBTFUL, DOUBTFUL], [DOUBTFUL] * 5]


def test_a_way_through_both_sides_changes_nothing_and_an_open_sheet_is_crossed_by_its_side():
    plate = box((2.0, 2.0, 0.1))
    tree = triangle_tree(plate.positions, plate.triangles)
    above, below = (0.31, 0.2, 1.0), (0.3, 0.22, -1.0)
    assert winding_steps(tree, np.array([[above, below]]), NEAR).tolist() == [[0, 0]]
    upper = plate.triangles[(plate.positions[plate.triangles][:, :, 2] > 0.0).all(axis=1)]
    sheet = triangle_tree(plate.positions, upper)
    assert winding_steps(sheet, np.array([[above, below], [below, above]]), NEAR).tolist() == [[0, 1], [0, -1]]

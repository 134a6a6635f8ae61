"""Slivers, caps, splinters, wedges: what makes a tet one, and which may go from the surface (claim B17)."""

import numpy as np
import pytest

from solver.remesh.variational.shapes import (
    CAP,
    EDGES,
    GOOD,
    NAMES,
    SLIVER,
    SPLINTER,
    WEDGE,
    classified,
    dents,
    normal_products,
    without_bad_shapes,
)
from solver.remesh.variational.triangulation import triangulation
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import tet_volumes

TET = np.array([[0, 1, 2, 3]], dtype=np.int32)
CLASSES = {
    GOOD: [(1, 1, 1), (-1, -1, 1), (-1, 1, -1), (1, -1, -1)],
    SLIVER: [(1, 0, 0.1), (-1, 0, 0.1), (0, 1, -0.1), (0, -1, -0.1)],
    CAP: [(1, 0, 0), (-0.5, 0.87, 0), (-0.5, -0.87, 0), (0, 0, 0.1)],
    SPLINTER: [(0, 0.1, 0), (0, -0.1, 0), (1, 0, 0.1), (1, 0, -0.1)],
    WEDGE: [(0, 0, 0), (0, 0, 1), (1, 0.1, 0.5), (1, -0.1, 0.5)],
}


def mesh_of(points, tets=TET) -> TetMesh:
    """A mesh with its tets turned outwards."""
    positions, tets = np.asarray(points, dtype=np.float64), np.array(tets, dtype=np.int32)
    inverted = tet_volumes(positions, tets) < 0.0
    tets[inverted] = tets[inverted][:, [0, 1, 3, 2]]
    return TetMesh(positions, tets)


@pytest.mark.parametrize("kind", CLASSES, ids=[NAMES[kind] for kind in CLASSES])
def test_a_tet_of_each_class(kind):
    assert classified(normal_products(mesh_of(CLASSES[kind]))).kinds.tolist() == [kind]


def test_products_are_those_of_dihedral_angles():
    """Against the angle between the parts of two ways off an edge that are across it."""
    mesh = mesh_of(np.random.default_rng(4).normal(size=(4, 3)))
    x = mesh.positions[mesh.tets[0]]
    for (i, j), product in zip(EDGES, normal_products(mesh)[0], strict=True):
        a, b = (x[k] for k in range(4) if k not in (i, j))
        axis = (b - a) / np.linalg.norm(b - a)
        one, other = (x[k] - a - ((x[k] - a) @ axis) * axis for k in (i, j))
        assert product == pytest.approx(-one @ other / np.linalg.norm(one) / np.linalg.norm(other), abs=1e-12)


@pytest.mark.parametrize(
    "small, third, kind",
    [
        (((0, 1), (0, 2)), -0.2, CAP),  # two around face 0, the third angle there acute
        (((0, 1), (0, 2)), 0.2, SLIVER),  # or not
        (((0, 1), (0, 2), (0, 3)), 0.0, CAP),
        (((0, 1), (0, 2), (1, 2)), 0.0, SLIVER),  # three around a corner
        (((0, 1), (1, 2), (2, 3)), 0.0, SLIVER),  # three in a row
        (((0, 1), (2, 3)), 0.0, SPLINTER),
        (((1, 3),), 0.0, WEDGE),
    ],
)
def test_where_small_angles_lie_says_the_class(small, third, kind):
    products = np.full((1, 6), third)
    for pair in small:
        products[0, [tuple(edge) == pair for edge in EDGES.tolist()]] = -0.9
    shapes = classified(products)
    assert shapes.kinds.tolist() == [kind]
    if kind == CAP:
        assert shapes.bases.tolist() == [[True, False, False, False]]
    if kind == WEDGE:
        assert shapes.bases.tolist() == [[False, True, False, True]]


def test_how_deep_a_dent_is():
    heights, gaps = dents(mesh_of([(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 0.5)]))
    assert np.sort(heights[0]) == pytest.approx(np.sort([0.5, 2.0, 3.0, 1.0 / np.sqrt(1 / 4 + 1 / 9 + 4)]))
    lines = [((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))]
    x = np.array([(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 0.5)])
    expected = []
    for (a, b), (c, d) in lines:
        across = np.cross(x[b] - x[a], x[d] - x[c])
        expected += 2 * [abs((x[c] - x[a]) @ across) / np.linalg.norm(across)]
    assert np.sort(gaps[0]) == pytest.approx(np.sort(expected))


def roof(height: float) -> TetMesh:
    """A sliver on top of two tets: its upper edge 0-1 lies over its lower edge 2-3 by twice a height."""
    points = [(1, 0, height), (-1, 0, height), (0, 1, -height), (0, -1, -height), (0, 0, -1.5)]
    return mesh_of(points, [[0, 1, 2, 3], [0, 2, 3, 4], [1, 2, 3, 4]])


def test_a_sliver_goes_where_both_faces_beside_its_ridge_are_bare():
    whole = triangulation(roof(0.02), np.ones(3, dtype=bool))
    assert without_bad_shapes(roof(0.02), whole, 1.0).tolist() == [0, 1, 0, 0, 0]
    assert whole.held[:3].tolist() == [False, True, True]


def test_but_not_where_that_leaves_a_deep_dent():
    whole = triangulation(roof(0.1), np.ones(3, dtype=bool))
    assert classified(normal_products(roof(0.1))).kinds[0] == SLIVER
    assert not without_bad_shapes(roof(0.1), whole, 1.0).any() and whole.held[:3].all()
    assert without_bad_shapes(roof(0.1), whole, 4.0).tolist() == [0, 1, 0, 0, 0]


def test_a_cap_goes_where_its_base_is_bare_and_its_tip_inside():
    """A cap over a tip that three further tets hold from below, or two."""
    base = [(1, 0, 0), (-0.5, 0.87, 0), (-0.5, -0.87, 0)]
    points = [*base, (0, 0, -0.05), (0, 0, -2)]
    mesh = mesh_of(points, [[0, 1, 2, 3], [0, 1, 3, 4], [1, 2, 3, 4], [2, 0, 3, 4]])
    whole = triangulation(mesh, np.ones(4, dtype=bool))
    assert without_bad_shapes(mesh, whole, 1.0)[CAP] == 1 and whole.held[:4].tolist() == [False, True, True, True]


def test_no_tip_comes_to_lie_bare_twice():
    """The tip of one cap is that of another below it: if both went, two bodies would meet there."""
    top, tip = [(1, 0, 0), (-0.5, 0.87, 0), (-0.5, -0.87, 0)], (0, 0, -0.15)
    low = [(x, y, -0.3) for x, y, _ in top]
    sides = [[3, a, b, 4 + a] for a, b in ((0, 1), (1, 2), (2, 0))] + [
        [3, b, 4 + a, 4 + b] for a, b in ((0, 1), (1, 2), (2, 0))
    ]
    mesh = mesh_of([*top, tip, *low], [[0, 1, 2, 3], [4, 5, 6, 3], *sides])
    whole = triangulation(mesh, np.ones(8, dtype=bool))
    assert (classified(normal_products(mesh)).kinds[:2] == CAP).all()
    assert without_bad_shapes(mesh, whole, 2.0)[CAP] == 1 and whole.held[:2].sum() == 1

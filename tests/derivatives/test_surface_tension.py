"""Surface tension: force and stiffness are those of the boundary's area, and the one that stands for it is above it."""

from types import SimpleNamespace

import numpy as np
import pytest

from solver.fem.assembly import build_pattern
from solver.fem.linear_solve import LinearSolve
from solver.fem.surface_tension import SurfaceTension
from solver.jit import use_threads
from solver.slots import MATERIAL_ROWS, SURFACE_TENSION
from solver.tetmesh.boundary import face_table
from tests.element_blocks import blocks_of
from tests.physics.scenes import ball_mesh, box_mesh

GAMMA = 3.0


def built(mesh, gamma=GAMMA):
    """A linear solve and the tension of a mesh at rest."""
    material = np.zeros((MATERIAL_ROWS, len(mesh.tets)))
    material[SURFACE_TENSION] = gamma
    linear = LinearSolve.of(build_pattern(mesh.tets, len(mesh.positions)), mesh.positions)
    return linear, SurfaceTension.of(SimpleNamespace(tets=mesh.tets, material=material), linear.layout)


def shapes(mesh):
    """Sheared, squashed, turned inside out, and anything."""
    rng = np.random.default_rng(2)
    noise = 0.02 * rng.normal(size=mesh.positions.shape)
    yield mesh.positions @ np.array([[1.1, 0.3, 0.0], [0.0, 0.9, 0.1], [0.2, 0.0, 1.05]]) + noise
    yield mesh.positions * [1.0, 1.0, 0.2] + 0.1 * noise
    yield mesh.positions * [1.0, 1.0, -0.5] + noise
    yield rng.normal(size=mesh.positions.shape)


def gradient_at(tension, x):
    gradient = np.zeros_like(x)
    tension.add_gradient(x, gradient)
    return gradient


def stiffness(linear, tension, x, true):
    """What is added to the matrix, (3n, 3n); diagonal blocks are minus the sums of their rows."""
    layout, nodes = linear.layout, linear.layout.order
    values = layout.slabs.values()
    tension.add_curvature(x, values, true)
    full = np.zeros((len(x), 3, len(x), 3))
    for row, column, block in zip(*blocks_of(layout, values), strict=True):
        full[nodes[row], :, nodes[column]] = block
    for a in range(len(x)):
        full[a, :, a] = -full[a].sum(axis=1)
    return full.reshape(x.size, x.size)


@pytest.mark.parametrize("shape", range(4))
def test_force_and_stiffness_are_the_slopes_of_the_energy(shape):
    mesh = box_mesh((2, 1, 1))
    linear, tension = built(mesh)
    x, h = list(shapes(mesh))[shape], 1e-6
    gradient, matrix = gradient_at(tension, x), stiffness(linear, tension, x, true=True)
    slopes, curves = np.zeros(x.size), np.zeros((x.size, x.size))
    for k in range(x.size):
        ends = [x.copy(), x.copy()]
        ends[0].flat[k] += h
        ends[1].flat[k] -= h
        up, down = (tension.add_gradient(end, np.zeros_like(x)) for end in ends)
        slopes[k] = (up - down) / (2.0 * h)
        curves[k] = (gradient_at(tension, ends[0]) - gradient_at(tension, ends[1])).ravel() / (2.0 * h)
    assert np.abs(slopes).max() > 0.1
    assert np.abs(gradient.ravel() - slopes).max() < 1e-7 * np.abs(slopes).max()
    assert np.abs(matrix - curves).max() < 2e-6 * np.abs(curves).max()  # float32


@pytest.mark.parametrize("shape", range(4))
def test_what_stands_for_the_stiffness_is_above_it_and_never_negative(shape):
    mesh = box_mesh((2, 1, 1))
    linear, tension = built(mesh)
    x = list(shapes(mesh))[shape]
    true, above = (stiffness(linear, tension, x, true=each) for each in (True, False))
    least = np.linalg.eigvalsh
    assert least(above).min() > -1e-5 * np.abs(above).max()
    assert least(above - true).min() > -1e-5 * np.abs(above).max()


def test_the_energy_is_the_boundarys_area_and_each_bodys_is_told_apart():
    mesh = ball_mesh(4)
    linear, tension = built(mesh)
    a, b, c = mesh.positions[face_table(mesh.tets).boundary.T]
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    x = mesh.positions
    assert tension.add_gradient(x, np.zeros_like(x)) == pytest.approx(GAMMA * area, rel=1e-12)
    assert tension.energies(x).sum() == pytest.approx(GAMMA * area, rel=1e-12)


def test_it_pushes_and_turns_nothing_as_a_whole():
    mesh = ball_mesh(4)
    linear, tension = built(mesh)
    for x in shapes(mesh):
        force = gradient_at(tension, x)
        assert np.abs(force.sum(axis=0)).max() < 1e-12 * np.abs(force).sum()
        assert np.abs(np.cross(x, force).sum(axis=0)).max() < 1e-12 * np.abs(force).sum()


def test_faces_without_area_leave_all_finite():
    mesh = box_mesh((2, 1, 1))
    linear, tension = built(mesh)
    for x in (np.zeros_like(mesh.positions), mesh.positions * [1.0, 0.0, 0.0]):
        assert np.isfinite(gradient_at(tension, x)).all()
        for true in (True, False):
            assert np.isfinite(stiffness(linear, tension, x, true)).all()


def test_any_number_of_threads_gives_the_same_bytes():
    mesh = ball_mesh(8)
    linear, tension = built(mesh)
    x, found = next(shapes(mesh)), []
    for threads in (1, 2):
        use_threads(threads)
        gradient, values = np.zeros_like(x), linear.layout.slabs.values()
        energy = tension.add_gradient(x, gradient)
        tension.add_curvature(x, values, True)
        found.append((energy, gradient.tobytes(), values.tobytes()))
    assert found[0] == found[1]


def test_bodies_without_it_have_no_tables():
    mesh = box_mesh((2, 1, 1))
    assert built(mesh, gamma=0.0)[1] is None

"""Elastic bodies against closed forms: uniform stretch and shear of every law, rods and beams with their orders, waves."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp, trapezoid
from scipy.optimize import fsolve
from scipy.sparse import bsr_array, diags_array
from scipy.sparse.linalg import eigsh

from solver.formulas import first_piola_kirchhoff
from solver.materials import Material
from solver.materials.elasticity import laws
from solver.simulate import Simulation
from solver.tetmesh.mesh import TetMesh
from tests.element_blocks import blocks_of
from tests.physics.scenes import boundary, box_mesh, make_scene
from tests.physics.statics import balance

YOUNG, POISSON = 1e5, 0.3
MU, LAM = YOUNG / (2.0 * (1.0 + POISSON)), YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON))


def principal_stresses(law, s):
    """First Piola-Kirchhoff stresses at moderate principal stretches s (3,), written anew from the papers."""
    j, trace = s.prod(), s.sum() - 3.0
    if law == "stable_neo_hookean":  # Smith 2018, eq 14, with its parameters for Lame's at rest
        m, k = 4.0 / 3.0 * MU, LAM + 5.0 / 6.0 * MU
        return m * (1.0 - 1.0 / (s @ s + 1.0)) * s + (k * (j - 1.0) - 0.75 * m) * j / s
    if law == "st_venant_kirchhoff":
        green = 0.5 * (s**2 - 1.0)
        return s * (2.0 * MU * green + LAM * green.sum())
    if law.startswith("neo_hookean"):
        return MU * (s - 1.0 / s) + LAM * np.log(j) / s
    if law == "corotated":
        return 2.0 * MU * (s - 1.0) + LAM * (j - 1.0) * j / s
    if law == "rotated_linear":
        return 2.0 * MU * (s - 1.0) + LAM * trace
    if law == "squared_stretches":
        return MU * (s**2 - 1.0) + LAM * 0.5 * (s**2 - 1.0).sum() * s
    # a spline whose slope rises from 1 to `ratio` at the strain `limit`
    limit, ratio = (parameter.default for parameter in laws()["spline"].parameters)
    u = np.minimum(np.abs(s - 1.0) / limit, 1.0)
    own = limit * (u + (ratio - 1.0) * (u**2 - u**3 / 3.0)) + ratio * np.maximum(np.abs(s - 1.0) - limit, 0.0)
    return 2.0 * MU * np.sign(s - 1.0) * own + LAM * trace


def shares(mesh, place):
    """The area that each node (n,) stands for on the side x = place [m^2]."""
    faces = boundary(mesh).triangles
    faces = faces[(mesh.positions[faces][:, :, 0] == place).all(axis=1)]
    corners = mesh.positions[faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2.0
    return np.bincount(faces.ravel(), np.repeat(areas / 3.0, 3), minlength=len(mesh.positions))


@pytest.mark.parametrize("stretch", [0.8, 1.3])
@pytest.mark.parametrize("law", laws())
def test_uniaxial_stretch_is_the_closed_form(law, stretch):
    """A block between two ends that are pulled apart: its free middle narrows, and its energy rises, as they should."""
    mesh, energies, step = box_mesh((2, 2, 2)), [], 0.01
    ends = np.isin(mesh.positions[:, 0], (0.0, 1.0))
    for s in (stretch - step, stretch + step):
        t = fsolve(lambda t, s=s: principal_stresses(law, np.array([s, t[0], t[0]]))[1], 1.0, xtol=1e-12)[0]
        affine = mesh.positions * [s, t, t]
        start = np.where(ends[:, None], affine, 0.9 * affine + 0.05)
        material = {"young_modulus": YOUNG, "poisson_ratio": POISSON}
        found, energy = balance(mesh, material, ends, places=start, options={"elastic_law": law})
        assert np.abs(found - affine).max() < 1e-5
        energies.append(energy)
    t = fsolve(lambda t: principal_stresses(law, np.array([stretch, t[0], t[0]]))[1], 1.0, xtol=1e-12)[0]
    pull = principal_stresses(law, np.array([stretch, t, t]))[0]
    assert (energies[1] - energies[0]) / (2.0 * step) == pytest.approx(pull, rel=2e-3)


@pytest.mark.parametrize("law", laws())
def test_simple_shear_is_the_closed_form(law):
    """All nine of P = U P(s) V^T, U and V by numpy's decomposition, turned in space and material too; and P_12 = dW/dshear by
    the principal stretches of a simple shear, h +- sqrt(1 + h^2) with h half of it."""
    shears = np.array([0.1, 0.3, 0.6])
    gradients = np.tile(np.eye(3), (3, 1, 1))
    gradients[:, 0, 1] = shears
    goo = Material("viscoplastic", {"young_modulus": YOUNG, "poisson_ratio": POISSON}, {"elastic_law": law})
    stress = first_piola_kirchhoff(gradients, goo)
    for shear, found in zip(shears, stress, strict=True):
        half = 0.5 * shear
        root = np.sqrt(1.0 + half**2)
        p = principal_stresses(law, np.array([root + half, 1.0, root - half]))
        assert found[0, 1] == pytest.approx(0.5 * (p[0] * (1.0 + half / root) + p[2] * (half / root - 1.0)), rel=1e-9)
    turns = np.linalg.qr(np.random.default_rng(2).normal(size=(2, 3, 3)))[0]
    turns *= np.linalg.det(turns)[:, None, None]
    for given in (gradients, turns[0] @ gradients @ turns[1]):
        left, stretches, right = np.linalg.svd(given)
        expected = left @ (np.array([principal_stresses(law, s) for s in stretches])[:, :, None] * right)
        assert np.abs(first_piola_kirchhoff(given, goo) - expected).max() < 1e-9 * np.abs(expected).max()


def rod_mesh(cells, across, length, radius):
    """A round rod along x."""
    mesh = box_mesh((cells, across, across), (length, 2.0, 2.0), (0.0, -1.0, -1.0))
    flat = mesh.positions[:, 1:]
    size = np.linalg.norm(flat, axis=1, keepdims=True)
    round_ = flat * np.abs(flat).max(axis=1, keepdims=True) / np.where(size > 0.0, size, 1.0)
    return TetMesh(np.concatenate([mesh.positions[:, :1], radius * round_], axis=1), mesh.tets)


def orders(values, exact):
    """Observed orders of convergence of values on meshes each twice as fine as the one before."""
    errors = np.abs(np.array(values) - exact)
    return np.log2(errors[:-1] / errors[1:])


def test_a_twisted_rod_is_as_stiff_as_saint_venants():
    """Torsional stiffness G pi r^4 / 2L of a round rod, which does not warp; second order."""
    length, radius, angle, found = 2.0, 0.5, 0.05, []
    for across in (2, 4, 8):
        mesh = rod_mesh(2 * across, across, length, radius)
        x = mesh.positions
        turn = angle * x[:, 0] / length
        c, s = np.cos(turn), np.sin(turn)
        turned = np.stack([x[:, 0], c * x[:, 1] - s * x[:, 2], s * x[:, 1] + c * x[:, 2]], axis=1)
        ends = np.isin(x[:, 0], (0.0, length))
        material = {"young_modulus": YOUNG, "poisson_ratio": POISSON}
        _, energy = balance(mesh, material, ends, places=turned, options={"elastic_law": "corotated"})
        found.append(2.0 * energy / angle**2)
    exact = MU * np.pi * radius**4 / 2.0 / length
    assert (orders(found, exact) > 1.6).all()
    assert found[2] + (found[2] - found[1]) / 3.0 == pytest.approx(exact, rel=0.03)


def bend(cells, length, force, rounds=60):
    """Where the end of a beam of unit section, clamped at x = 0, goes under a dead force (3,) on the other end [N]."""
    mesh = box_mesh(cells, (length, 1.0, 1.0))
    x = mesh.positions
    weights = shares(mesh, length)
    material = {"young_modulus": YOUNG, "poisson_ratio": 0.0}
    found, _ = balance(mesh, material, x[:, 0] == 0.0, load=weights[:, None] * np.asarray(force), rounds=rounds)
    return weights @ (found - x)


def test_a_cantilever_bends_as_timoshenkos_beam():
    """F L^3 / 3 E I + 6/5 F L / G A at the tip; the error falls at nearly second order, and its limit is the beam's."""
    length, force = 4.0, 20.0
    exact = force * length**3 * 12.0 / (3.0 * YOUNG) + 1.2 * force * length / (0.5 * YOUNG)
    tips = [bend((4 * n, n, n), length, (0.0, 0.0, force))[2] for n in (2, 4, 8)]
    order = orders(tips, exact)
    assert order[1] > 1.5 and order[1] > order[0]
    limit = tips[2] + (tips[2] - tips[1]) / (2.0**1.85 - 1.0)
    assert limit == pytest.approx(exact, rel=0.03)


def elastica(load):
    """Deflection and shortening of the tip over length of an elastica under a dead end load, P L^2 / E I = load."""
    s = np.linspace(0.0, 1.0, 41)
    solution = solve_bvp(
        lambda _, y: np.stack([y[1], -load * np.cos(y[0])]), lambda a, b: np.array([a[0], b[1]]), s,
        np.stack([0.5 * s, 0.5 * np.ones_like(s)]), tol=1e-9,
    )  # fmt: skip
    angle = solution.sol(np.linspace(0.0, 1.0, 2001))[0]
    return trapezoid(np.sin(angle), dx=1.0 / 2000), 1.0 - trapezoid(np.cos(angle), dx=1.0 / 2000)


def test_large_bending_is_the_elasticas():
    """With the stiffness that the mesh has in small bending: half its length down, and the shortening that goes with it."""
    length, cells = 10.0, (20, 2, 2)
    small = bend(cells, length, (0.0, 0.0, 0.1))[2]
    for load in (1.0, 3.0):
        force = 0.1 * load * length / (3.0 * small)
        tip = bend(cells, length, (0.0, 0.0, force)) / length
        down, shorter = elastica(load)
        assert tip[2] == pytest.approx(down, rel=0.02)
        assert -tip[0] == pytest.approx(shorter, rel=0.04)


def frequencies(mesh, count):
    """The lowest frequencies [Hz] of a free body by the solver's stiffness at rest and lumped masses."""
    material = {"young_modulus": YOUNG, "poisson_ratio": 0.0, "yield_stress": 1e12}
    simulation = Simulation(*make_scene([mesh], [material]), fields=[])
    space, state = simulation.space, simulation.state
    tiles = space.tiles
    space.forces.evaluate(state.positions, tiles, 1e-3, np.empty_like(state.positions), space.energies)
    frozen = space.linear.summed(lambda *given: space.stiffness.fill(state.positions, tiles, given[0], -1.0, *given[1:]))
    layout, n = space.linear.layout, len(state.positions)
    rows, columns, blocks = blocks_of(layout, frozen.values)
    order = np.lexsort((columns, rows))
    matrix = bsr_array((blocks[order], columns[order], layout.row_offsets), shape=(3 * n, 3 * n)).tocsr()
    sums = np.zeros((n, 3, 3))
    np.add.at(sums, rows, blocks)
    matrix = matrix - bsr_array((sums, np.arange(n), np.arange(n + 1)), shape=(3 * n, 3 * n)).tocsr()
    masses = diags_array(np.repeat(state.masses[layout.order], 3))
    values = eigsh((0.5 * (matrix + matrix.T)).tocsc(), count, masses.tocsc(), sigma=-1.0, return_eigenvectors=False)
    return np.sqrt(np.maximum(np.sort(values), 0.0)) / (2.0 * np.pi)


def test_the_first_bending_frequency_of_a_free_bar_is_the_beams():
    """(4.730)^2 / 2 pi L^2 sqrt(E I / rho A), corrected for shear and turning after Timoshenko; six rigid modes before it."""
    length, found = 8.0, []
    for n in (3, 6):
        values = frequencies(box_mesh((4 * n, n, n), (length, 1.0, 1.0)), 8)
        assert values[5] < 0.02 * values[6] and values[7] < 1.1 * values[6]  # the cubes' diagonals run one way
        found.append(0.5 * (values[6] + values[7]))
    ratio = 1.0 / (12.0 * length**2)  # I / A L^2
    euler = 4.730041**2 / (2.0 * np.pi * length**2) * np.sqrt(YOUNG / 12.0 / 1000.0)
    beam = euler / np.sqrt(1.0 + ratio * (12.3 * 2.4 + 49.5))
    limit = found[1] + (found[1] - found[0]) / 3.0
    assert found[0] > found[1] > beam
    assert limit == pytest.approx(beam, rel=0.05)


def test_a_wave_runs_through_a_bar_at_the_speed_of_sound():
    """A smooth pulse in a thin bar without lateral strain travels at sqrt(E / rho)."""
    speed, length = 4.0, 6.0
    material = {"young_modulus": 1000.0 * speed**2, "poisson_ratio": 0.0, "yield_stress": 1e12}
    mesh = box_mesh((60, 1, 1), (length, 0.1, 0.1))
    arguments = make_scene([mesh], [material], gravity=(0.0, 0.0, 0.0), maximum_substep=1.0 / 384.0, calm_substep=1.0 / 384.0)
    simulation = Simulation(*arguments, fields=[])
    state = simulation.state
    pulse = 0.05 * np.exp(-((state.positions[:, 0] / 0.6) ** 2))
    state.velocities[:, 0] = pulse
    state.previous_velocities[:, 0] = pulse
    state.previous_positions[:, 0] -= pulse / 384.0
    places, simulation_frames = [], (12, 30)
    for frame in range(simulation_frames[1] + 1):
        simulation.advance()
        if frame in simulation_frames:
            x, v = mesh.positions[:, 0], simulation.state.velocities[:, 0]
            near = v > 0.6 * v.max()
            places.append(np.polyfit(x[near], v[near], 2))
    tops = [-b / (2.0 * a) for a, b, _ in places]
    assert (tops[1] - tops[0]) / (18.0 / 24.0) == pytest.approx(speed, rel=0.02)

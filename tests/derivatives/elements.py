"""Single tets with given deformation gradients, for comparing energy, force and stiffness by finite differences."""

from types import SimpleNamespace

import numpy as np

from solver.fem import elements, stiffness
from solver.fem.runs import BLOCKS
from solver.fem.tile import Tiles
from solver.materials.elasticity import laws
from solver.slots import (
    ELASTIC_FIRST,
    ELASTIC_LAW,
    ENERGY,
    FIBRE_STIFFNESS,
    FIBRE_TENSION,
    FLOW_RATE,
    FULL_NORM,
    HARDENING,
    LAMBDA,
    MATERIAL_ROWS,
    MU,
    PLASTIC_LIMIT,
    RATE_EXPONENT,
    RATE_STRESS,
    YIELD_STRESS,
)


class Elements:
    """One tet for each of F (n, 3, 3), unit rest shape, unit volume; `dt` [s] is the step over which it may flow.

    `fibres` (n, 3) are fully activated.
    """

    def __init__(
        self, f, *, mu=3.0, lam=5.0, law="corotated", own=(), y=1e9, rate=0.0, hard=0.0, thick=0.0, full=0.0, limit=0.0, dt=0.5,
        precision=np.float64, decompose=True, fibres=None, fibre_stiffness=0.0, fibre_tension=0.0,
    ):  # fmt: skip
        n = len(f)
        self.f, self.dt, self.decompose = f, dt, decompose
        rows = np.zeros((MATERIAL_ROWS, n))
        rows[[MU, LAMBDA, YIELD_STRESS, FLOW_RATE, HARDENING, FULL_NORM]] = np.array([[mu], [lam], [y], [rate], [hard], [full]])
        rows[ELASTIC_LAW] = list(laws()).index(law)
        for k, value in enumerate(own):
            rows[ELASTIC_FIRST + k] = value
        rows[RATE_STRESS], rows[RATE_EXPONENT], rows[PLASTIC_LIMIT] = thick, 1.5, limit
        rows[FIBRE_STIFFNESS], rows[FIBRE_TENSION] = fibre_stiffness, fibre_tension
        self.state = SimpleNamespace(
            tets=np.arange(4 * n, dtype=np.int32).reshape(n, 4), volumes=np.ones(n), density=np.ones(n), material=rows,
            rest_shape_inverse=np.tile(np.eye(3), (n, 1, 1)), yield_stress=rows[YIELD_STRESS].copy(), flow_stress=np.zeros(n),
            plastic_deformation=np.tile(np.eye(3), (n, 1, 1)), fibres=np.zeros((n, 3)) if fibres is None else fibres,
            goal=np.zeros((n, 6)), goal_rate=np.full(n, -1.0), flattened=np.zeros(n), origin=np.zeros(n),
        )  # fmt: skip
        self.tiles = Tiles.of(self.state, precision)
        if fibres is not None:
            self.tiles.activate(np.ones(n))
        self.positions = np.zeros((n, 4, 3))
        self.positions[:, 1:] = np.swapaxes(f, 1, 2)

    def evaluate(self, positions):
        """Forces on nodes 1 to 3 (n, 3, 3) and energies (n,); their sum is kept as `energy`."""
        n = len(self.f)
        forces, energies = np.empty((self.tiles.lanes, 12), self.tiles.data.dtype), np.empty(len(self.tiles.data))
        elements.evaluate(
            positions.reshape(-1, 3), self.state.tets, *self.tiles.arrays, self.dt, self.decompose, forces, energies,
        )  # fmt: skip
        self.energy = float(energies.sum())
        assert np.abs(forces[:n].reshape(n, 4, 3).sum(axis=1)).max() <= 1e-5 * np.abs(forces[:n]).max()
        return forces[:n].reshape(n, 4, 3)[:, 1:], self.tiles.unpack(ENERGY, 1, n)[:, 0]

    def slot(self, slot, width):
        """A tile slot after `evaluate`."""
        return self.tiles.unpack(slot, width, len(self.f))

    def stiffness(self, inertia=-1.0):
        """All 12x12 stiffness matrices (n, 4, 3, 4, 3) at the given F."""
        n = len(self.f)
        self.evaluate(self.positions)
        blocks = np.empty((self.tiles.lanes, BLOCKS.width), self.tiles.data.dtype)
        stiffness.stiffness(self.positions.reshape(-1, 3), self.state.tets, *self.tiles.arrays, inertia, self.decompose, blocks)
        full = np.zeros((n, 4, 3, 4, 3))
        for pair, (a, b) in enumerate(stiffness.PAIRS):
            block = blocks[:n, 9 * pair : 9 * pair + 9].reshape(n, 3, 3)
            full[:, a, :, b, :], full[:, b, :, a, :] = block, np.swapaxes(block, 1, 2)
        for a in range(4):
            full[:, a, :, a, :] = -full[:, a].sum(axis=2)
        return full

    def differences(self, h=1e-6):
        """Forces (n, 3, 3) and stiffness of nodes 1-3 (n, 3, 3, 3, 3) by central differences of energy and force."""
        forces, stiff = np.zeros((len(self.f), 3, 3)), np.zeros((len(self.f), 3, 3, 3, 3))
        for node in range(3):
            for axis in range(3):
                ends = []
                for sign in (1.0, -1.0):
                    moved = self.positions.copy()
                    moved[:, node + 1, axis] += sign * h
                    ends.append(self.evaluate(moved))
                forces[:, node, axis] = -(ends[0][1] - ends[1][1]) / (2 * h)
                stiff[:, :, :, node, axis] = -(ends[0][0] - ends[1][0]) / (2 * h)
        return forces, stiff

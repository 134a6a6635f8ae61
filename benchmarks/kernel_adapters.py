"""The solver's kernels, each behind one call: the only place of the benchmarks that knows their signatures.

`kernels(run)` returns them for a simulation in the middle of its blow. Bytes and operations a tet are counted by hand from
the sources named; bytes are what must cross the memory bus when nothing stays in cache, every array once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np

from solver.fem.assembly import inertial_gradient
from solver.fem.elements import evaluate
from solver.fem.linear_solve import NO_VALUES, FrozenStiffness
from solver.fem.slab_product import multiply_slab
from solver.fem.tile import Tiles
from solver.fem.workspace import Workspace
from solver.simulate import Simulation
from solver.slots import F
from solver.svd import decompose_tile

STEP = 1.0 / 96.0
SMALL = 1e-4  # a tolerance that takes some tens of iterations


@dataclass(frozen=True)
class Kernel:
    """A call to time that does something `times` times, with the bytes and floating point operations a tet of one of them."""

    name: str
    call: Callable[[], object]
    bytes_per_tet: float
    flops_per_tet: float
    times: int = 1


def kernels(run: Simulation) -> list[Kernel]:
    """Every kernel that a Newton iteration is made of, at the run's present state."""
    state, space = run.state, run.space
    tets, nodes = len(state.tets), len(state.positions)
    edges = len(space.pattern.edges)
    inertia = state.masses / STEP**2
    rng = np.random.default_rng(1)
    rhs = rng.standard_normal((nodes, 3))
    diagonal = np.zeros((nodes, 9))
    diagonal[:, 0] = diagonal[:, 4] = diagonal[:, 8] = inertia
    wide, narrow = Tiles.of(state, np.float64), Tiles.of(state)
    edges_now = np.swapaxes(state.positions[state.tets[:, 1:]] - state.positions[state.tets[:, :1]], 1, 2)
    for tiles in (wide, narrow):
        tiles.pack(F, (edges_now @ state.rest_shape_inverse).reshape(-1, 9))
    wide_forces, narrow_forces = (np.zeros((tiles.lanes, 12), tiles.data.dtype) for tiles in (wide, narrow))
    _evaluate(run, wide, wide_forces)
    forces = np.empty((nodes, 3))
    _sum_forces(run, forces)

    def fill(values: np.ndarray, more: np.ndarray, rate: float, inertia: float = -1.0) -> None:
        space.stiffness.fill(state.positions, space.tiles, values, inertia, more, rate)

    space.linear.assemble(fill, diagonal)
    frozen = space.linear.summed(fill)
    per_node, per_edge = nodes / tets, edges / tets
    vertices = 16 + 24 * per_node  # indices, and positions once a node
    half = space.linear.layout.slabs.arrays
    blocks = (len(half.slot_columns) + len(half.outer_columns)) / tets
    matrix = blocks * (9 * 4 + 4)  # blocks (9 float32) with their column (int32), of most edges one
    return [
        # 9 in, 24 out. 11 rotations of 50 (float64: 14), F^T F 30, V 32, F V 45, norms 15, three Givens 50 (float64: 86), a
        # turn 46, U 22.
        Kernel("SVD in tiles, float32", lambda: _decompose_all(narrow.data), 4 * 33, 790),
        Kernel("SVD in tiles, float64", lambda: _decompose_all(wide.data), 8 * 33, 976),
        # In: rest shape, volume, density, yield (13), corners; materials stay in cache. Out: measures (5), forces (12).
        # Deform 54, SVD, law 90, yield measure 22, forces 125.
        Kernel("evaluate tets, float32", lambda: _evaluate(run, narrow, narrow_forces), 4 * 30 + vertices, 1081),
        Kernel("evaluate tets, float64", lambda: _evaluate(run, wide, wide_forces), 8 * 30 + vertices, 1267),
        # As a step has it (force_sum.py, direct.py): the forces of tets stay in the ring; where they lie there is read (4), and
        # those of nodes are written.
        Kernel(
            "forces by invariants, summed", lambda: _sum_forces(run, forces),
            4 * (13 + 5 + 4) + vertices + 32 * per_node, 278,
        ),
        Kernel(
            "gradient of inertia", lambda: _gradient(space, state.positions, inertia, forces), 104 * per_node, 18 * per_node
        ),
        # stiffness_sum.py. In: rest shape, volume (10), corners, places of blocks (6) and edges; out the matrix. Gradients,
        # cofactors, u and c 153, what the law says 50, blocks 6 x 90, sums 54.
        Kernel(
            "stiffness by invariants, summed", lambda: space.linear.summed(fill, frozen),
            4 * (10 + 6) + vertices + per_edge * 16 + blocks * 36, 797,
        ),
        # The same decomposed and made positive: deform 54, SVD, law 90, moduli 39 and 70, gradients 54, blocks 6 x 147,
        # sums 54.
        Kernel(
            "projected stiffness, summed", lambda: fill(frozen.values, NO_VALUES, 0.0, STEP**-2),
            4 * (11 + 6) + vertices + per_edge * 16 + blocks * 36, 2033,
        ),
        # Stiffness and its sum; the matrix in again for its diagonal.
        Kernel(
            "matrix assembly", lambda: space.linear.assemble(fill, diagonal),
            4 * (10 + 6) + vertices + per_edge * 16 + blocks * 36 + matrix, 797 + 18 * per_edge,
        ),
        *_of_conjugate_gradients(space, frozen, rhs, rng, matrix),
    ]  # fmt: skip


def _of_conjugate_gradients(
    space: Workspace, frozen: FrozenStiffness, rhs: np.ndarray, rng: np.random.Generator, matrix: float
) -> list[Kernel]:
    """Products and an iteration with the matrix that has been assembled, of so many bytes a tet; 21 operations a block."""
    tets, nodes = len(space.pattern.corners) // 4, len(rhs)
    linear, half = space.linear, space.linear.layout.slabs.arrays
    per_node, product = nodes / tets, 42 * len(space.pattern.edges) / tets
    p, q = rng.standard_normal((2, 4 * nodes)).astype(np.float32)
    vectors = (half, linear._values, linear._inertia, linear._own, linear._touched, p, q)
    return [
        # Conjugate gradients' own product, in float32: of an edge within a slab one block only.
        Kernel("operator product of CG, float32", lambda: _multiply_all(*vectors), matrix + 32 * per_node, product),
        Kernel("operator product, float64", lambda: frozen.times(rhs), matrix + 48 * per_node, product),
        # The product; x, r, p, q read and written once more and z read (4 float32 each), modes (4) twice, the inverse diagonal
        # block (8) once.
        _one_iteration(space, rhs, matrix + 32 * per_node + 4 * (11 * 4 + 8) * per_node, product + 50 * per_node),
    ]  # fmt: skip


def _sum_forces(run: Simulation, forces: np.ndarray) -> None:
    space = run.space
    space.forces.evaluate(run.state.positions, space.tiles, STEP, forces, space.energies)


def _gradient(space: Workspace, positions: np.ndarray, inertia: np.ndarray, forces: np.ndarray) -> None:
    inertial_gradient(forces, positions, positions, inertia, np.empty_like(positions), space.inertial)


@numba.njit(nogil=True)
def _decompose_all(tiles):  # type: ignore[no-untyped-def]
    for k in range(len(tiles)):
        decompose_tile(tiles[k])


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
def _multiply_all(half, values, inertia, own, touched, p, q):  # type: ignore[no-untyped-def]
    bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns = half
    total = 0.0
    for slab in range(len(bounds) - 1):
        total += multiply_slab(
            slab, bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns, values,
            inertia, own, touched, p, q,
        )
    return total


def _evaluate(run: Simulation, tiles: Tiles, forces: np.ndarray) -> None:
    evaluate(run.state.positions, run.state.tets, *tiles.arrays, STEP, True, forces, run.space.energies)


def _one_iteration(space: Workspace, rhs: np.ndarray, size: float, flops: float) -> Kernel:
    """One of conjugate gradients' iterations: the time of a solve over their number."""
    spent = abs(space.linear.solve(rhs, SMALL))
    level = "two levels" if space.linear.coarse else "one level"
    return Kernel(f"CG iteration ({level})", lambda: space.linear.solve(rhs, SMALL), size, flops, spent)

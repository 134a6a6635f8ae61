"""Tets of one material, set up as a bake sets them up, to be asked about one moment."""

import numpy as np
from numpy.typing import NDArray

from ..fem.elements import evaluate
from ..fem.tile import Tiles
from ..materials import Material
from ..scene import Body, Surface
from ..slots import FLOW_RATE, LAMBDA, NODAL_BULK
from ..state import State, build_state
from ..tetmesh.mesh import TetMesh

Array = NDArray[np.float64]

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
CORNER_VOLUME = 1.0 / 6.0


class Sample:
    """A mesh at rest with its material and the flow it has behind it.

    rest_positions (n, 3) [m], tets (m, 4), plastic_deformation (m, 3, 3) F_p or None for none; without `flows` it is elastic.

    Raises ValueError where an array has another shape or a tet has no volume.
    """

    def __init__(
        self, rest_positions: Array, tets: NDArray[np.integer], material: Material, plastic_deformation: Array | None,
        flows: bool,
    ) -> None:  # fmt: skip
        rest = checked("rest_positions", rest_positions, (-1, 3))
        corners = checked("tets", tets, (-1, 4)).astype(np.int32)
        volumes = np.linalg.det(rest[corners[:, 1:]] - rest[corners[:, :1]]) / 6.0
        if not (volumes > 0.0).all():
            raise ValueError(f"tet {int(np.argmin(volumes))} has no positive volume at rest")
        surface = Surface(rest, np.array([[0, 1, 2]], dtype=np.int32))
        self.state: State = build_state((Body("sample", "Sample", surface, material),), [TetMesh(rest, corners)])[0]
        rows = self.state.material
        rows[LAMBDA] += rows[NODAL_BULK]  # without nodes to share it, a tet keeps its volume by itself
        rows[NODAL_BULK] = 0.0
        if plastic_deformation is not None:
            flow = checked("plastic_deformation", plastic_deformation, (len(corners), 3, 3))
            self.state.plastic_deformation = flow.copy()
            self.state.rest_shape_inverse = self.state.rest_shape_inverse @ np.linalg.inv(flow)
        if not flows:
            self.state.material[FLOW_RATE] = 0.0
        self.tiles = Tiles.of(self.state, np.float64)

    def respond(self, positions: Array, step: float) -> tuple[Array, float]:
        """Forces (m, 4, 3) on each tet's corners [N] and energy [J] at positions (n, 3), flowing over `step` [s]."""
        placed = checked("positions", positions, self.state.positions.shape)
        tiles, count = self.tiles, len(self.state.tets)
        forces, energies = np.zeros((tiles.lanes, 12)), np.zeros(len(tiles.data))
        evaluate(placed, self.state.tets, *tiles.arrays, step, True, forces, energies)
        return forces[:count].reshape(count, 4, 3), float(energies.sum())


def checked(name: str, values: NDArray[np.generic], shape: tuple[int, ...]) -> Array:
    """Return the values as float64 of a shape, -1 standing for any length; raise ValueError otherwise."""
    given = np.ascontiguousarray(values, dtype=np.float64)
    if given.ndim != len(shape) or any(wanted not in (-1, own) for wanted, own in zip(shape, given.shape, strict=True)):
        raise ValueError(f"{name} has shape {given.shape}, not {shape}")
    return given


def corner_sample(
    deformation: Array, material: Material, plastic_deformation: Array | None, flows: bool
) -> tuple[Sample, Array]:
    """One tet, a unit corner at rest, for each deformation gradient (m, 3, 3); the sample and its positions (4m, 3)."""
    gradients = checked("deformation", deformation, (-1, 3, 3))
    count = len(gradients)
    rest = np.tile(CORNERS, (count, 1))
    placed = np.einsum("mij,kj->mki", gradients, CORNERS).reshape(-1, 3)
    return Sample(rest, np.arange(4 * count).reshape(count, 4), material, plastic_deformation, flows), placed

"""Tets of one material, set up as a bake sets them up, to be asked about one moment."""

import numpy as np
from numpy.typing import NDArray

from ..fem.elements import evaluate
from ..fem.tile import Tiles
from ..materials import Material
from ..scene import Body, Surface
from ..slots import FLOW_RATE
from ..state import State, build_state
from ..tetmesh.boundary import face_table
from ..tetmesh.mesh import TetMesh
from ..tetmesh.quality import tet_volumes

Array = NDArray[np.float64]

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
CORNER_VOLUME = 1.0 / 6.0


def sample_body(
    rest_positions: Array, tets: NDArray[np.integer], material: Material, model: str = "viscoplastic"
) -> tuple[Body, TetMesh]:
    """A body of one material and its mesh, at rest at rest_positions (n, 3) [m] with tets (m, 4).

    Raises ValueError where an array has another shape, a tet has no volume or a node that there is not, where the material
    is not of the model that is asked, or where its volume is kept at nodes, which no tet by itself knows.
    """
    if material.model != model:
        raise ValueError(f"the material is of the model {material.model}, not {model}")
    if material.options.get("volume") == "at_nodes":
        raise ValueError("volume kept at_nodes is shared by all tets of a bake; these formulas are for per_tet")
    rest = checked("rest_positions", rest_positions, (-1, 3))
    corners = checked("tets", tets, (-1, 4)).astype(np.int32)
    if not ((corners >= 0) & (corners < len(rest))).all():
        raise ValueError(f"tets name nodes that are not among the {len(rest)} of rest_positions")
    volumes = tet_volumes(rest, corners)
    if not (volumes > 0.0).all():
        raise ValueError(f"tet {int(np.argmin(volumes))} has no positive volume at rest")
    surface = Surface(rest, face_table(corners).boundary)
    return Body("sample", "Sample", surface, material), TetMesh(rest, corners)


class Sample:
    """A mesh at rest with its material and the flow it has behind it.

    rest_positions (n, 3) [m], tets (m, 4), plastic_deformation (m, 3, 3) F_p or None for none; without `flows` it is elastic.

    Raises ValueError as `sample_body` does, and where F_p has another shape.
    """

    def __init__(
        self, rest_positions: Array, tets: NDArray[np.integer], material: Material, plastic_deformation: Array | None,
        flows: bool,
    ) -> None:  # fmt: skip
        body, mesh = sample_body(rest_positions, tets, material)
        self.state: State = build_state((body,), [mesh])[0]
        if plastic_deformation is not None:
            flow = checked("plastic_deformation", plastic_deformation, (len(mesh.tets), 3, 3))
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

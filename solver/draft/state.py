"""The state of bodies of the draft model: plain arrays, one body after another."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..fem.damping import slowest_vibration
from ..scene import Body
from ..state import Ranges, Solids, build_solids, lame_parameters
from ..tetmesh.mesh import TetMesh
from ..transferred_fields import at_start
from .slots import FLOW_RATE, LAMBDA, LINEAR, MATERIAL_ROWS, MOST_STRAIN, MU, VISCOUS, YIELD_STRAIN

Array = NDArray[np.float64]


@dataclass
class DraftState(Solids):
    """What changes from step to step, and what it is made of.

    plastic        : (m, 6) plastic strain in the frame of the rest shape: 00 11 22 01 02 12; between checkpoints in the tiles
    plastic_strain : (m,) its norm
    stress         : (m,) von Mises measure of the rotated linear stress
    """

    plastic: Array


def build_draft_state(bodies: tuple[Body, ...], meshes: list[TetMesh]) -> tuple[DraftState, Ranges]:
    """Concatenate the bodies' meshes, at rest in shape, moving with their initial velocities."""
    solids, ranges = build_solids(bodies, meshes, draft_rows)
    count = len(solids["tets"])
    return DraftState(**solids, **at_start(DraftState, count), plastic=np.zeros((count, 6))), ranges


def draft_rows(body: Body, count: int) -> Array:
    """The body's material as (MATERIAL_ROWS, count)."""
    material = body.scaled_material()
    value = material.values
    rows = np.empty((MATERIAL_ROWS, count))
    rows[MU], rows[LAMBDA] = lame_parameters(value["young_modulus"], value["poisson_ratio"])
    rows[YIELD_STRAIN] = value["yield_strain"]
    rows[FLOW_RATE] = value["flow_rate"]
    rows[MOST_STRAIN] = value["maximum_plastic_strain"]
    rows[VISCOUS] = value["damping"] / slowest_vibration(value["young_modulus"], value["density"], body.extent) ** 2
    rows[LINEAR] = material.options["rotation"] == "linear"
    return rows

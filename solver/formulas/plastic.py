"""Flow over one step at given deformation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..fem.commit import MOST_SLENDER, commit_flow
from ..fem.steering import log_stretch, steered
from ..materials import Material
from ..slots import HARDENING, MINIMUM_YIELD, YIELD_STRESS
from .sample import CORNER_VOLUME, checked, corner_sample

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FlowStep:
    """What a step of flow leaves.

    plastic_deformation     : (m, 3, 3) F_p
    plastic_strain          : (m,) accumulated equivalent plastic strain
    yield_stress            : (m,) with hardening [Pa]
    mises_stress            : (m,) von Mises measure of the Kirchhoff stress after flow [Pa]
    first_piola_kirchhoff   : (m, 3, 3) stress after flow, by F [Pa]
    """

    plastic_deformation: Array
    plastic_strain: Array
    yield_stress: Array
    mises_stress: Array
    first_piola_kirchhoff: Array


def flow_step(
    deformation: Array, material: Material, step: float, plastic_deformation: Array | None = None,
    plastic_strain: Array | None = None, stress_before: Array | None = None,
) -> FlowStep:  # fmt: skip
    """Let material held at F (m, 3, 3) = `deformation` flow for `step` seconds, as one backward Euler step of a bake does.

    plastic_deformation (m, 3, 3) F_p and plastic_strain (m,) are what it has behind it, none by default; stress_before
    (m,) its yield measure at the last step's end [Pa], which tells a cornstarch that has stiffened from one that has not.
    (Bargteil 2007, eqs 7 to 12; hardening by plastic strain Wicke 2010, section 4, or as the material chooses; B5 to B10, W5.)
    """
    sample, positions = corner_sample(deformation, material, plastic_deformation, flows=True)
    state = sample.state
    if plastic_strain is not None:
        state.plastic_strain = checked("plastic_strain", plastic_strain, (len(state.tets),)).copy()
        state.hardening = state.plastic_strain.copy()
        hard = state.material[YIELD_STRESS] + state.material[HARDENING] * state.hardening
        state.yield_stress = np.maximum(hard, state.material[MINIMUM_YIELD])
    if stress_before is not None:
        state.flow_stress = checked("stress_before", stress_before, (len(state.tets),)).copy()
    sample.tiles.refresh(state)
    forces, _ = sample.respond(positions, step)
    commit_flow(state, sample.tiles, step, positions)
    stress = -np.swapaxes(forces[:, 1:], 1, 2) / CORNER_VOLUME
    return FlowStep(state.plastic_deformation, state.plastic_strain, state.yield_stress, state.stress, stress)


def flow_to_goal(before: Array, trial: Array, goal: Array, rate: float = 0.0, step: float = 0.0) -> Array:
    """Return F_p (m, 3, 3), without rotation, of material with a goal shape whose flow leads from F_p = `before` to `trial`.

    goal (m, 3, 3) is F_p,goal. Of the flow that part is kept that leads nearest to it, and with a rate [1/s] the material moves
    there by itself for `step` seconds (Irving 2004, section 7, I14; the distance is that of logarithms, rotations left out).
    What would become more slender than a mesh can bear stays as it was.
    """
    count = len(before)
    given = [checked(name, values, (count, 3, 3)) for name, values in (("before", before), ("trial", trial), ("goal", goal))]
    kept, wanted = np.empty((count, 9)), np.empty(6)
    for row, old, new, shape in zip(kept, *(values.reshape(-1, 9) for values in given), strict=True):
        log_stretch(shape, wanted)
        if steered(old, new, wanted, 1.0 - np.exp(-rate * step), MOST_SLENDER, row) < 0.0:
            row[:] = old
    return kept.reshape(-1, 3, 3)

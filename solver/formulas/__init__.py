"""The solver's formulas on plain arrays, in float64, so that anyone can hold a row of a paper against them.

Each runs the code that a bake runs, not a second version of it. Matrices are (m, 3, 3), tets (m, 4), points (n, 3), all
in SI units; materials are those of `solver.materials`.
"""

from ..draft.plasticity import absorb_strain
from ..draft.rotation import polar
from ..draft.stiffness import element_stiffness
from ..embedding import bind, evaluate
from ..fem.laws import principal_response
from ..svd import signed_svd
from .damping import damping_stress
from .draft import DraftStep, draft_step, warped_forces
from .elastic import elastic_energy, first_piola_kirchhoff, nodal_forces, stiffness_product
from .fibres import fibre_stress
from .motion import integrate
from .plastic import FlowStep, flow_step, flow_to_goal
from .transfer import shared_volume_average

__all__ = [
    "DraftStep",
    "FlowStep",
    "absorb_strain",
    "bind",
    "damping_stress",
    "draft_step",
    "elastic_energy",
    "element_stiffness",
    "evaluate",
    "fibre_stress",
    "first_piola_kirchhoff",
    "flow_step",
    "flow_to_goal",
    "integrate",
    "nodal_forces",
    "polar",
    "principal_response",
    "shared_volume_average",
    "signed_svd",
    "stiffness_product",
    "warped_forces",
]

"""The solver's formulas on plain arrays, in float64, so that anyone can hold a row of a paper against them.

Each runs the code that a bake runs, not a second version of it. Matrices are (m, 3, 3), tets (m, 4), points (n, 3), all
in SI units; materials are those of `solver.materials`.
"""

from ..draft.plasticity import absorb_strain
from ..draft.rotation import polar
from ..embedding import bind, evaluate
from ..fem.laws import principal_response
from ..svd import signed_svd
from .elastic import elastic_energy, first_piola_kirchhoff, nodal_forces, stiffness_product
from .motion import integrate
from .plastic import FlowStep, flow_step, flow_to_goal

__all__ = [
    "FlowStep",
    "absorb_strain",
    "bind",
    "elastic_energy",
    "evaluate",
    "first_piola_kirchhoff",
    "flow_step",
    "flow_to_goal",
    "integrate",
    "nodal_forces",
    "polar",
    "principal_response",
    "signed_svd",
    "stiffness_product",
]

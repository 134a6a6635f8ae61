"""The state of a simulation: plain arrays over all bodies, one after another."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from .materials import stress_scale
from .materials.elasticity import laws
from .painted import PAINTABLE
from .scene import Body
from .slots import (
    ELASTIC_FIRST,
    ELASTIC_LAW,
    FIBRE_STIFFNESS,
    FIBRE_TENSION,
    FLOW_RATE,
    FULL_NORM,
    HARDENING,
    LAMBDA,
    MATERIAL_ROWS,
    MINIMUM_YIELD,
    MU,
    NODAL_BULK,
    PLASTIC_LIMIT,
    RATE_EXPONENT,
    RATE_STRESS,
    STRESS_TIME,
    SURFACE_TENSION,
    YIELD_STRESS,
)
from .tetmesh.mesh import TetMesh
from .transferred_fields import AMOUNT, MEAN, Transferred, at_start

Array = NDArray[np.float64]
Mean = Annotated[Array, Transferred(MEAN, start=0.0)]
Amount = Annotated[Array, Transferred(AMOUNT)]

VOLUME_KEPT = 1.0  # lambda / mu that each tet keeps for itself where volume is kept at the nodes
LEAST_BULK = 1e-6  # over mu, of what the nodes take over: never nothing, as keys may raise it later


@dataclass
class Solids:
    """Bodies, however they are moved; n nodes, m tets, all bodies concatenated.

    positions, velocities : (n, 3) [m], [m/s]
    masses                : (n,) lumped [kg]
    tets                  : (m, 4) int32
    volumes               : (m,) rest volumes [m^3]; flow keeps them, a goal shape does not
    density               : (m,) [kg/m^3]
    rest_shape_inverse    : (m, 3, 3) Bargteil's beta: F_e = [x1-x0, x2-x0, x3-x0] beta [1/m]
    plastic_strain        : (m,) how far a tet has been deformed for good
    stress                : (m,) von Mises measure of stress at the end of the last step [Pa]
    material              : (rows, m) per-tet parameters, MU and LAMBDA first
    """

    positions: Array
    velocities: Array
    masses: Array
    tets: NDArray[np.int32]
    volumes: Array
    density: Array
    rest_shape_inverse: Array
    plastic_strain: Mean
    stress: Mean
    material: Array

    def arrays(self) -> dict[str, Any]:
        """Copies of all arrays by name."""
        return {field.name: getattr(self, field.name).copy() for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The state back from `arrays`."""
        return cls(**{field.name: np.array(arrays[field.name], order="C") for field in fields(cls)})


@dataclass
class State(Solids):
    """What changes from step to step in the viscoplastic model, and what it is made of.

    previous_positions, previous_velocities : (n, 3) one step earlier, for BDF2
    accelerations, loads                    : (n, 3) the scheme's acceleration and force per mass, for generalized alpha [m/s^2]
    elastic_forces                          : (n, 3) at `positions`, for explicit steps [N]; implicit ones leave it
    plastic_strain                          : (m,) accumulated equivalent plastic strain
    stress                                  : (m,) that of Kirchhoff stress
    plastic_deformation                     : (m, 3, 3) F_p, det 1 without a goal
    hardening                               : (m,) what the hardening modulus multiplies (plastic strain, or Pa s in eq 11)
    yield_stress                            : (m,) with hardening [Pa]
    flow_stress                             : (m,) yield measure at the end of the last step [Pa]
    worn                                    : (m,) why the last flow was not made permanent (fem/commit.py), 0.0 where it was
    flattened                               : (m,) for how long it has been inside out (fem/righting.py) [s]
    goal                                    : (m, 6) log F_p that plasticity control leads to: 00 11 22 01 02 12
    goal_rate                               : (m,) how fast F_p goes there by itself [1/s]; negative: no control
    wanted                                  : (m,) rest volumes at the first frame, times what has risen since [m^3]
    shown                                   : (m,) volumes that are to be seen of pieces, in sum (fem/seen_volume.py) [m^3]
    restoring                               : (m,) share of log of volumes that overcomes damping (fem/volume_control.py)
    fibres                                  : (m, 3) unit direction of the fibres before all flow, zero where there are none
    origin                                  : (m,) place in the scene of the body whose goo it is, which may be part of another
    painted                                 : (m, 4) by what the material is multiplied there (solver/painted.py)
    material                                : (MATERIAL_ROWS, m) per-tet parameters
    """

    previous_positions: Array
    previous_velocities: Array
    accelerations: Array
    loads: Array
    elastic_forces: Array
    plastic_deformation: Array
    hardening: Mean
    yield_stress: Array
    flow_stress: Mean
    worn: Array
    flattened: Array
    goal: Array
    goal_rate: Array
    fibres: Array
    wanted: Amount
    shown: Amount
    restoring: Mean
    origin: Array
    painted: Array


@dataclass(frozen=True)
class Ranges:
    """Where each body's nodes and tets lie: body b owns nodes[b] .. nodes[b + 1]."""

    nodes: NDArray[np.int64]
    tets: NDArray[np.int64]

    def bodies(self) -> NDArray[np.int64]:
        """The body of each node (n,)."""
        return np.repeat(np.arange(len(self.nodes) - 1), np.diff(self.nodes))


def build_state(bodies: tuple[Body, ...], meshes: list[TetMesh]) -> tuple[State, Ranges]:
    """Concatenate the bodies' meshes, at rest in shape, moving with their initial velocities."""
    solids, ranges = build_solids(bodies, meshes, material_rows)
    material, count = solids["material"], len(solids["tets"])
    state = State(
        **solids,
        **at_start(State, count),
        previous_positions=solids["positions"].copy(),
        previous_velocities=solids["velocities"].copy(),
        accelerations=np.zeros_like(solids["positions"]),
        loads=np.zeros_like(solids["positions"]),
        elastic_forces=np.zeros_like(solids["positions"]),
        plastic_deformation=np.tile(np.eye(3), (count, 1, 1)),
        yield_stress=np.maximum(material[YIELD_STRESS], material[MINIMUM_YIELD]),
        worn=np.zeros(count),
        flattened=np.zeros(count),
        goal=np.zeros((count, 6)),
        goal_rate=np.full(count, -1.0),
        fibres=np.zeros((count, 3)),
        wanted=solids["volumes"].copy(),
        shown=solids["volumes"].copy(),
        origin=np.repeat(np.arange(float(len(bodies))), np.diff(ranges.tets)),
        painted=np.ones((count, len(PAINTABLE))),
    )
    return state, ranges


def build_solids(
    bodies: tuple[Body, ...], meshes: list[TetMesh], rows: Callable[[Body, int], Array]
) -> tuple[dict[str, Any], Ranges]:
    """The fields of `Solids` by name, but for those that `at_start` gives, from the bodies' meshes at rest; rows(body, tets)
    gives a body's material."""
    node_offsets = np.concatenate([[0], np.cumsum([len(mesh.positions) for mesh in meshes])]).astype(np.int64)
    tet_offsets = np.concatenate([[0], np.cumsum([len(mesh.tets) for mesh in meshes])]).astype(np.int64)
    positions = np.concatenate([mesh.positions for mesh in meshes]).astype(np.float64)
    tets = np.concatenate([mesh.tets + offset for mesh, offset in zip(meshes, node_offsets, strict=False)]).astype(np.int32)
    edges = positions[tets[:, 1:]] - positions[tets[:, :1]]
    volumes = np.linalg.det(edges) / 6.0
    columns = np.concatenate([rows(body, 1) for body in bodies], axis=1)
    material = np.zeros((len(columns), len(tets)))  # rows of nothing but zeros are never written: they take no memory
    for row in np.flatnonzero(columns.any(axis=1)):
        material[row] = np.repeat(columns[row], np.diff(tet_offsets))
    density = np.concatenate(
        [np.full(len(mesh.tets), body.scaled_material().values["density"]) for body, mesh in zip(bodies, meshes, strict=True)]
    )
    masses = lumped_masses(tets, density, volumes, len(positions))
    velocities = np.concatenate(
        [
            initial_velocities(body, positions[a:b], masses[a:b])
            for body, a, b in zip(bodies, node_offsets[:-1], node_offsets[1:], strict=True)
        ]
    )
    solids = {
        "positions": positions,
        "velocities": velocities,
        "masses": masses,
        "tets": tets,
        "volumes": volumes,
        "density": density,
        "rest_shape_inverse": np.linalg.inv(np.swapaxes(edges, 1, 2)),
        "material": material,
    }
    return solids, Ranges(node_offsets, tet_offsets)


def lumped_masses(tets: NDArray[np.int32], density: Array, volumes: Array, nodes: int) -> Array:
    """Masses (nodes,) [kg]: a quarter of each tet's (m, 4) at its corners; density [kg/m^3], rest volumes (m,) [m^3]."""
    masses: Array = np.bincount(tets.ravel(), np.repeat(density * volumes / 4.0, 4), minlength=nodes).astype(np.float64)
    masses[masses == 0.0] = masses.mean()  # a node of no tet falls on its own and disturbs nothing
    return masses


def element_size(volumes: Array) -> float:
    """The edge [m] of a regular tet with the mean of volumes (m,) [m^3]."""
    return float((volumes.mean() * 6.0 * np.sqrt(2.0)) ** (1.0 / 3.0))


def material_rows(body: Body, count: int) -> Array:
    """The body's material as (MATERIAL_ROWS, count); Lame's parameters from Young's modulus and Poisson's ratio."""
    material = body.scaled_material()
    value = material.values
    rows = np.empty((MATERIAL_ROWS, count))
    rows[MU], rows[LAMBDA] = lame_parameters(value["young_modulus"], value["poisson_ratio"])
    rows[YIELD_STRESS] = value["yield_stress"]
    rows[FLOW_RATE] = value["flow_rate"]
    rows[HARDENING] = value["hardening_modulus"]
    rows[MINIMUM_YIELD] = value["minimum_yield_stress"]
    rows[RATE_STRESS] = value["rate_stress"]
    rows[RATE_EXPONENT] = value["rate_exponent"]
    law = laws()[material.options["elastic_law"]]
    rows[ELASTIC_LAW] = list(laws()).index(law.identifier)
    rows[ELASTIC_FIRST:] = 0.0
    rows[PLASTIC_LIMIT] = value["plastic_limit"]
    rows[SURFACE_TENSION] = value["surface_tension"]
    if material.options["plasticity"] == "return_mapping":
        rows[FLOW_RATE], rows[RATE_STRESS] = np.inf, 0.0
    if material.options["volume"] == "at_nodes":
        kept = np.minimum(rows[LAMBDA], VOLUME_KEPT * rows[MU])
        taken = np.maximum(rows[LAMBDA] - kept, LEAST_BULK * rows[MU])
        rows[NODAL_BULK], rows[LAMBDA] = taken, kept
    for k, parameter in enumerate(law.parameters):
        rows[ELASTIC_FIRST + k] = value[parameter.name]
    if body.fibres is not None:
        rows[FIBRE_STIFFNESS] = stress_scale(body.size_ratio) * body.fibre_stiffness
        rows[FIBRE_TENSION] = stress_scale(body.size_ratio) * body.fibre_tension
    rows[FULL_NORM] = material.options["yield_measure"] == "full_norm"
    rows[STRESS_TIME] = material.options["hardening_law"] == "stress_time"
    return rows


def lame_parameters(young: float, poisson: float) -> tuple[float, float]:
    """mu and lambda [Pa] of Young's modulus [Pa] and Poisson's ratio."""
    return young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))


def initial_velocities(body: Body, positions: Array, masses: Array) -> Array:
    """Translation plus rotation about the centre of mass."""
    center = (masses[:, None] * positions).sum(axis=0) / masses.sum()
    return np.asarray(body.velocity) + np.cross(np.asarray(body.angular_velocity), positions - center)

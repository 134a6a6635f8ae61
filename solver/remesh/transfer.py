"""The state of a body on its new mesh: mass, momentum, strain and history, each by the one record of the change.

Conserved to rounding: mass and rest volume (but for bodies seen by the surface of their tets), piece by piece (heirs.py),
momentum and angular momentum, family of pieces by family. Strain is averaged as log V over the volume that tets share, its
trace set by what the rest volume asks (elastic_strain.py); history, fibres and what is painted are averaged alike, and where
flow has a goal or a limit, how far it has come. Velocities and what integrators remember are read off the old field, which
keeps more life than projections, and then set right by a rigid motion.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..fem.node_sums import second_moments, take_rigid, torque, weighted_mean
from ..geometry.chunks import side_by_side
from ..painted import repainted
from ..slots import FIBRE_STIFFNESS, FIBRE_TENSION, HARDENING, MINIMUM_YIELD, YIELD_STRESS
from ..state import Ranges, State, lumped_masses
from ..transferred_fields import marks
from .elastic_strain import (
    COLUMNS,
    ROWS,
    basis_matrices,
    exponentials,
    log_left_stretch,
    log_plastic_stretch,
    turned,
)
from .field_transfer import columns_of_fields, conserved, fields_gone_over
from .heirs import Families, Heirs, heirs, kinship_of_pieces
from .record import MeshChange

Array = NDArray[np.float64]

OF_FIBRES = [FIBRE_STIFFNESS, FIBRE_TENSION]
LEAST_VOLUME = 1e-9  # of a mean tet's, which a flat one counts for
SQUEEZED = (0.2, 5.0)  # times its rest volume: what a new tet is at most thought to have been pressed and blown to
AT_NODES = {
    "positions", "velocities", "masses", "previous_positions", "previous_velocities", "accelerations", "loads",
    "elastic_forces",
}  # fmt: skip


def body_state(state: State, ranges: Ranges, body: int) -> State:
    """One body's part of a state, its tets numbered from 0; other arrays are shared."""
    nodes, tets = slice(*ranges.nodes[body : body + 2]), slice(*ranges.tets[body : body + 2])
    parts = {name: values[nodes if name in AT_NODES else tets] for name, values in vars(state).items() if name != "material"}
    parts["tets"] = (parts["tets"] - ranges.nodes[body]).astype(np.int32)
    return type(state)(**parts, material=state.material[:, tets])


def joined_states(states: list[State]) -> tuple[State, Ranges]:
    """The state of all bodies from that of each, and where each lies; of one body its own arrays."""
    nodes = np.cumsum([0, *(len(state.positions) for state in states)]).astype(np.int64)
    tets = np.cumsum([0, *(len(state.tets) for state in states)]).astype(np.int64)
    if len(states) == 1:
        return states[0], Ranges(nodes, tets)
    shifted = [(state.tets + first).astype(np.int32) for state, first in zip(states, nodes.tolist(), strict=False)]
    parts: dict[str, Any] = {
        name: np.concatenate([getattr(state, name) for state in states], axis=1 if name == "material" else 0)
        for name in vars(states[0])
    }
    return type(states[0])(**{**parts, "tets": np.concatenate(shifted)}), Ranges(nodes, tets)


def transferred(
    old: State, change: MeshChange, step: float, counted: bool = False, beyond: Array | float = 0.0,
    families: Families | None = None, shown: Array | None = None, bounds: tuple[float, float] = (0.0, np.inf),
) -> State:  # fmt: skip
    """The state of one body on the new mesh; step [s] is the last one taken.

    A new tet is of the material, and the body, of the old one that it shares most volume with, but for fibres, which are
    averaged, and has a goal if that one has.
    Flow that is `counted`, because it has a goal or a limit, goes over; any other counts from the new mesh on. Where the meshes
    are part of a body, its nodes bear tets `beyond` as well, of masses (n',) [kg]: momentum is that of all that nodes bear, of
    each of the `families` (heirs.py), which may share no node. `shown` (p',) says which share of what is to be seen of each new
    piece is seen at once: rest volume follows that instead, within `bounds` of what it was, and of one that is nan it is kept.
    """
    families = kinship_of_pieces(change) if families is None else families
    tets = _tet_fields(old, change, families, counted, shown, bounds)
    masses = lumped_masses(change.new.tets, tets["density"], tets["volumes"], len(change.new.positions)) + beyond
    nodes = _node_fields(old, change, masses, families, step)
    return type(old)(tets=change.new.tets, masses=masses, **tets, **nodes)


def _tet_fields(
    old: State, change: MeshChange, families: Families, counted: bool, shown: Array | None, bounds: tuple[float, float]
) -> dict[str, Any]:
    """Everything that is of tets, by the names of State."""
    # A piece that keeps its tets may have some inside out: these have their rest, and weigh, by how large they are
    volumes = np.abs(change.new.volumes)
    volumes = np.maximum(volumes, LEAST_VOLUME * volumes.mean())
    present = np.maximum(np.abs(change.old.volumes), old.volumes * SQUEEZED[0])
    strain, rotation = log_left_stretch(old.positions, old.tets, old.rest_shape_inverse, counted)
    flow = _counted_flow(old, rotation) if counted else ()
    fibred = bool(old.fibres.any())
    columns = {
        "rest": [old.volumes / present], "mass": [old.density * old.volumes / present], "strain": [*strain.T],
        "of fibres": [*old.material[OF_FIBRES]], "counted": [row for part in flow for row in part.T],
        "fibres": [*_fibre_tensors(old).T] if fibred else [], **columns_of_fields(old, present),
    }  # fmt: skip
    fields, (main, rows) = side_by_side(lambda: _by_name(change, columns), lambda: _main_material(old, change))
    rest = np.clip(fields["rest"][0], 1.0 / SQUEEZED[1], 1.0 / SQUEEZED[0]) * volumes
    mass = fields["mass"][0] * volumes
    to = heirs(change, families, old.volumes, rest)
    room = np.ones(len(volumes)) if shown is None else np.nan_to_num(np.clip(_room(change, to, shown), *bounds), nan=1.0)
    rest = conserved(rest, old.volumes, to) * room
    mass = conserved(mass, old.density * old.volumes, to)
    strain = fields["strain"].T.copy()
    strain[:, :3] += (np.log(volumes / rest) - (strain[:, 0] + strain[:, 1] + strain[:, 2]))[:, None] / 3.0
    painted = np.ones((len(volumes), old.painted.shape[1]))
    if (old.painted != 1.0).any():
        painted = np.ascontiguousarray(change.averaged(list(old.painted.T)).T)
        rows = repainted(rows, old.painted[main], painted)
    rows[OF_FIBRES] = fields["of fibres"]
    directions = _main_direction(fields["fibres"].T) if fibred else np.zeros((len(volumes), 3))
    averages = {name: fields[name][0] for name in marks(type(old))}
    by_themselves = fields_gone_over(old, averages, fields["mass"][0], volumes, mass, to)
    by_themselves["wanted"] *= room
    yields = rows[YIELD_STRESS] + rows[HARDENING] * by_themselves["hardening"]
    return {
        "volumes": rest, "density": mass / rest, "material": rows, "yield_stress": np.maximum(yields, rows[MINIMUM_YIELD]),
        "worn": np.zeros(len(volumes)), "flattened": np.zeros(len(volumes)),
        **_shapes(change, strain, directions, np.ascontiguousarray(fields["counted"].T)),
        "goal_rate": old.goal_rate[main], "origin": old.origin[main], "painted": painted, **by_themselves,
    }  # fmt: skip


def _counted_flow(old: State, rotation: Array) -> tuple[Array, Array]:
    """The logarithms (m, 6) of flow and its goal, turned by R (m, 3, 3) of F_e; what has no goal is where it is to be."""
    flow = log_plastic_stretch(old.plastic_deformation, rotation)
    return flow, np.where((old.goal_rate >= 0.0)[:, None], turned(old.goal, rotation), flow)


def _room(change: MeshChange, to: Heirs, shown: Array) -> Array:
    """By what the rest volume of new tets (m',) is to be multiplied, for as much pressure as there was; shown (p',).

    Tets that reach out of what is seen of them, as of a fin or a leg, are laid about it and have less room, and where bodies
    merge the room that they shared is there once. Would they keep their rest volume, they would blow up what is seen. Only what
    is not seen at once is pressed out.
    """
    had = to.had(change.old.volumes)
    share: Array = change.new.piece_volumes / (np.where(had > 0.0, had, change.new.piece_volumes) * shown)
    return share[to.after]


def _by_name(change: MeshChange, columns: dict[str, list[Array]]) -> dict[str, Array]:
    """Averages (k, m') of fields of the old tets, k by each name, over the volume that they share with new ones."""
    rows = change.averaged([row for several in columns.values() for row in several])
    ends = np.cumsum([len(several) for several in columns.values()]).tolist()
    return {name: rows[end - len(columns[name]) : end] for name, end in zip(columns, ends, strict=True)}


def _main_material(old: State, change: MeshChange) -> tuple[NDArray[np.int32], Array]:
    """The old tet (m',) that each new one is most of, and its material (rows, m')."""
    main = change.main()
    rows = np.zeros((len(old.material), len(main)))
    for row, values in enumerate(old.material):
        if (values != values[0]).any():
            np.take(values, main, out=rows[row])
        elif values[0] != 0.0:
            rows[row] = values[0]
    return main, rows


def _shapes(change: MeshChange, strain: Array, fibres: Array, flow: Array) -> dict[str, Array]:
    """Rest shapes, F_p, goals and fibres of the new tets: from elastic strains (m', 6), directions (m', 3) of fibres in the
    world, and logarithms (m', 12) of flow and its goal, or (m', 0) where F_p is not counted on."""
    beta, plastic = basis_matrices(change.new.positions, change.new.tets, strain)
    goal = np.zeros((len(strain), 6))
    if flow.shape[1]:
        plastic, goal = exponentials(flow[:, :6]), flow[:, 6:].copy()
        if fibres.any():
            back = exponentials(flow[:, :6], -1.0) @ exponentials(strain, -1.0) @ fibres[:, :, None]
            length = np.sqrt((back**2).sum(axis=1))
            fibres = back[:, :, 0] / np.where(length > 0.0, length, 1.0)
    return {"rest_shape_inverse": beta, "plastic_deformation": plastic, "goal": goal, "fibres": fibres}


def _fibre_tensors(old: State) -> Array:
    """c c^T (m, 6) of where fibres point now, c = F_e F_p a of unit length; zero where there are none."""
    edges = np.swapaxes(old.positions[old.tets[:, 1:]] - old.positions[old.tets[:, :1]], 1, 2)
    now = (edges @ old.rest_shape_inverse @ old.plastic_deformation @ old.fibres[:, :, None])[:, :, 0]
    length = np.sqrt((now**2).sum(axis=1, keepdims=True))
    now /= np.where(length > 0.0, length, 1.0)
    return now[:, ROWS] * now[:, COLUMNS]


def _main_direction(tensors: Array) -> Array:
    """The unit direction (m, 3) that tensors c c^T (m, 6) have most of; zero where there is none."""
    directions = np.zeros((len(tensors), 3))
    some = np.flatnonzero(tensors[:, :3].sum(axis=1) > 0.0)
    if len(some):
        matrices = np.zeros((len(some), 3, 3))
        matrices[:, ROWS, COLUMNS] = matrices[:, COLUMNS, ROWS] = tensors[some]
        directions[some] = np.linalg.eigh(matrices)[1][:, :, 2]
    return directions


def _node_fields(old: State, change: MeshChange, masses: Array, families: Families, step: float) -> dict[str, Any]:
    """Everything that is of nodes but the masses, by the names of State.

    What is before the present follows from it and from how velocities have changed in the step: BDF2 asks for nothing else.
    """
    positions = change.new.positions
    fields = change.carried(
        np.concatenate([old.velocities, old.previous_velocities, old.accelerations, old.loads], axis=1)
    )
    velocities, before, accelerations, loads = (np.ascontiguousarray(fields[:, k : k + 3]) for k in (0, 3, 6, 9))
    # Accelerations and loads too: by what they add up to, generalized alpha would push the body on
    pairs = [
        (velocities, old.velocities), (before, old.previous_velocities), (accelerations, old.accelerations), (loads, old.loads),
    ]  # fmt: skip
    _keep_momentum(pairs, old, change, masses, families)
    return {
        "positions": positions, "velocities": velocities, "previous_velocities": before,
        "previous_positions": positions - 0.5 * step * (velocities + before), "accelerations": accelerations, "loads": loads,
        "elastic_forces": np.zeros_like(positions),
    }  # fmt: skip


def _keep_momentum(
    pairs: list[tuple[Array, Array]], old: State, change: MeshChange, masses: Array, families: Families
) -> None:
    """Add to new velocities (n', 3) the rigid motion that gives each family the momentum and spin it had with (n, 3)."""
    before, after = np.zeros(len(old.masses), dtype=np.int32), np.zeros(len(masses), dtype=np.int32)
    if families[1].any():
        before[change.old.tets], after[change.new.tets] = families[0][:, None], families[1][:, None]
    for family in np.unique(after):
        alone = not (after != family).any()
        own: Any = slice(None) if alone else np.flatnonzero(after == family)
        theirs: Any = slice(None) if alone else np.flatnonzero(before == family)
        points, weights, old_weights = change.new.positions[own], masses[own], old.masses[theirs]
        about, total = weighted_mean(weights, points)
        products, old_points = second_moments(weights, points, about), old.positions[theirs]
        inertia = np.trace(products) * np.eye(3) - products
        for new, had in pairs:
            spin, momentum = torque(old_weights, old_points, about, had[theirs])
            moving = new[own]
            for _ in range(2):  # the second time for what the first has rounded
                has, going = torque(weights, points, about, moving)
                back = (going - momentum) / total, np.linalg.solve(inertia, has - spin)
                take_rigid(np.ones(len(moving)), points, about, back[0], back[1], moving)
            new[own] = moving

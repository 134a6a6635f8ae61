"""The door: a simulation takes over other meshes, and all that lies on them takes up what it knew by one record."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..contact.points import gather_points
from ..contact.surfaces.bodies import rest_after
from ..contact.surfaces.known_reach import Staying
from ..fem.volume_control import VolumeControl
from ..fem.workspace import Workspace
from ..frame import SurfaceChange
from ..geometry.chunks import side_by_side
from ..materials import stress_scale
from ..merging.joining import living
from ..output import SurfaceOutput
from .change import TopologyChange
from .consumer import Ground, Ready
from .consumers import CONSUMERS

if TYPE_CHECKING:
    from ..remesh.discretization import Discretization
    from ..simulate import Simulation


NOTHING, NO_BENDS = Ready(), MappingProxyType[int, NDArray[np.int32]]({})


def settle(now: "Simulation", mesh: "Discretization", remeshed: bool = False, ready: Ready = NOTHING) -> None:
    """Let a simulation take over meshes, and build all that lies on them, but for what is ready.

    With `remeshed` they are not those of the start, and kept for checkpoints. From then on its scene has only those bodies that
    have not become part of another.
    """
    now.scene = scene = living(now.whole, mesh.hosts)
    now.state, now.ranges, now.bound = mesh.state, mesh.ranges, mesh.bound
    seen, heaviest = mesh.coverings(), scene.settings.strongest_gravity
    extents, scales = [body.extent for body in scene.bodies], [stress_scale(body.size_ratio) for body in scene.bodies]
    (now.space, now.output), now.remeshed, (now.volume_control, points) = side_by_side(
        lambda: _with_output(now, mesh, Workspace.of(now.state, ready.unknowns)),
        lambda: mesh.kept() if remeshed else None,
        lambda: (
            VolumeControl(scene, mesh, seen),
            gather_points(now.state, now.ranges, mesh.contacts, mesh.tables, extents, scales, heaviest, seen),
        ),
    )
    now.space.linear.pace = now.pace
    ground = Ground(mesh, points, remeshed, ready.surfaces)
    for consumer in CONSUMERS:
        setattr(now, consumer.name, consumer.build(now, ground))


def replay(now: "Simulation", mesh: "Discretization", change: TopologyChange, ready: Ready = NOTHING) -> None:
    """Let a simulation go on with meshes that a change has led to, and hand on what was known on the old ones.

    What is seen leaves with the next frame, for the cache.
    """
    told = [consumer.told(now) for consumer in CONSUMERS]
    now.settle(mesh if mesh.rest else with_rest(now, mesh, change.surfaces), remeshed=True, ready=ready)
    now.cuts += change.surfaces
    for consumer, known in zip(CONSUMERS, told, strict=True):
        consumer.replay(now, known, change)


def with_rest(
    now: "Simulation", mesh: "Discretization", surfaces: Sequence[SurfaceChange] = (),
    bent: Mapping[int, NDArray[np.int32]] = NO_BENDS,
) -> "Discretization":  # fmt: skip
    """The meshes that a simulation is to go on with, and where on them surfaces that collide lie free of contact.

    Where nothing is refined the whole scene lies so whenever one body gets new tets. surfaces are the changes of what is seen;
    bent are vertices (v,) of bodies whose surface has not changed that have bent off what carries their contact.
    """
    refines, shown = any(body.refines for body in now.scene.bodies), []
    if refines and now.surfaces is not None:
        shown = [mesh.seen(body).positions for body in range(len(mesh.surfaces))]
    staying = _staying(now, mesh, surfaces, bent) if refines else {}
    rest = rest_after(now.surfaces, now.state.positions, mesh.state.positions, mesh.surfaces, staying, shown)
    return replace(mesh, rest=rest)


def _staying(
    now: "Simulation", mesh: "Discretization", surfaces: Sequence[SurfaceChange], bent: Mapping[int, NDArray[np.int32]]
) -> dict[int, Staying]:
    """The bodies that keep their tets; none where bodies merge."""
    old, new, found = now.ranges, mesh.ranges, dict[int, Staying]()
    if len(old.nodes) != len(new.nodes):
        return found
    for body in range(len(new.nodes) - 1):
        (a, b), (c, d) = (where.nodes[body : body + 2].tolist() for where in (old, new))
        before, after = (
            state.tets[slice(*where.tets[body : body + 2])] - where.nodes[body]
            for state, where in ((now.state, old), (mesh.state, new))
        )
        if np.array_equal(before, after):
            uid, none = now.scene.bodies[body].uid, np.zeros(0, dtype=np.int32)
            kept = tuple(change.cut.kept for change in surfaces if change.uid == uid and change.cut is not None)
            found[body] = Staying(slice(a, b), slice(c, d), bent.get(body, none), kept)
    return found


def _with_output(now: "Simulation", mesh: "Discretization", space: Workspace) -> tuple[Workspace, SurfaceOutput]:
    """The workspace, and what gives frames of the bodies that are still their own."""
    topologies = mesh.topologies[np.unique(mesh.hosts)]
    return space, SurfaceOutput(now.scene.bodies, mesh.surfaces, now.state, now.ranges, space.pattern, topologies)

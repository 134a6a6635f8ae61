"""Wholesale remeshing during a bake: which bodies are due, and the meshes that they get (Bargteil 2007, section 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..contact.surfaces.surface_contact import SurfaceContact
from ..embedding import Binding, evaluate
from ..errors import MeshingError
from ..fem.workspace import Unknowns
from ..filling import Covering
from ..geometry.chunks import side_by_side
from ..geometry.edge_crossings import pairs_within
from ..geometry.triangle_tree import TriangleTree, refit, triangle_tree
from ..merging.joining import Joined, element_sizes, living
from ..output import as_shown
from ..refining.refinement import coarseness, refined
from ..scene import Body, Scene, Surface
from ..state import Ranges, State
from ..tearing.renewal import renewed_body
from ..tearing.renewed_body import RenewedBody
from ..tetmesh.mesh import TetMesh, joined_meshes
from ..topology.body_change import BodyChange, replaced
from ..topology.change import TopologyChange
from ..topology_checks import LEAST_CONDITION_CHANGE
from .carrying_over import carried_over, counts_flow, with_first_material
from .condition import worst_conditions
from .creases_alone import creases_alone
from .discretization import Discretization
from .drawing_in import Refused
from .record import MeshChange
from .renewed import Renewed
from .restuffing import Vanished, lattice_turn
from .transfer import body_state, joined_states

Array = NDArray[np.float64]

MOST_VANISHED = 0.03  # of a body's volume at a remesh: then it keeps the tets that it has
LOOKS = 32  # at what is seen of a body until its tree is made anew: where goo flows faces leave those that they lay beside
OVERDRAWN = 2.0  # times the length from which on a seen edge is halved: from then on no remesh is waited for,
AGAIN = 1.5  # and times what was left the last time
SOON = 1.15  # times what an old mesh had that was kept as something seen would have been left outside: then it asks again,
MOST_REFUSED = 3  # but no more than so many times in a row: then new tets are taken whatever is left outside


class Remeshing:
    """Remembers for each body (b,) how worn out its mesh was when it was new, and how many it has had.

    A body is due when its worst basis matrix exceeds the scene's `worst_condition`, and 1.5 times what that was after
    the last remesh: where goo is strongly stretched while it is remeshed, no new mesh is better at once. It is also due, with
    `condition_change`, when that is so many times what it was when its tets were new (`begun`), however good it still is.
    `waits` counts in how many remeshes it failed to merge with what it touches (solver/merging), `thin` how often since one
    failed, as it is thinner than its tets, it has closed creases or would have, and `creases` how many of its
    faces passed through it after creases of it were closed the last time, or those of shells in each other when it began,
    `drawn` how many times too long its longest seen edge was after what is seen was refined the last time, `off` how far what
    is seen was off what carries its contact the last time
    that it got no points of its own there, in shares of the most. `refused` counts how many new meshes in a row it was refused
    as they would leave something seen outside, or passing through itself at a tear, and `outside` how far outside its tets the
    farthest lay that is seen when they were new, in element sizes.
    """

    def __init__(self, scene: Scene, hosts: NDArray[np.int64]) -> None:
        """hosts (b,) says as part of which body each of the scene's goes on; those that do so as their own are looked at."""
        self.scene, self.alive, self.sizes = living(scene, hosts), np.unique(hosts), element_sizes(scene, hosts)
        self.bodies = scene.bodies
        count = len(self.scene.bodies)
        self.wholesale = np.array([body.remeshing == "wholesale" for body in self.scene.bodies])
        self.fresh: Array = np.zeros(count)
        self.begun: Array = np.full(count, np.inf)
        self.counts: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self.waits: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self.thin: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self.creases: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self.drawn: Array = np.zeros(count)
        self.off: Array = np.zeros(count)
        self.refused: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self.outside: Array = np.zeros(count)
        self._trees: dict[int, tuple[int, TriangleTree]] = {}  # of what is seen: how often it was looked at, and the tree

    def after(self, scene: Scene, made: Joined) -> "Remeshing":
        """The same for bodies of the scene some of which have been joined."""
        result, firsts = Remeshing(scene, made.mesh.hosts), made.change.firsts
        for name in ("fresh", "begun", "counts", "waits", "thin", "creases", "drawn", "off", "refused", "outside"):
            setattr(result, name, getattr(self, name)[firsts])
        return result

    def heed(self, before: float, place: float) -> None:
        """Forget how worn out bodies were when their mesh was new which may tear sooner at a place than before, in frames: else
        one that was kept whole by a remesh would wait until it is half as worn again."""
        for index, body in enumerate(self.scene.bodies):
            if "tear_thickness" in body.switches and body.at(place).tear_thickness > body.at(before).tear_thickness:
                self.fresh[index] = 0.0

    def due(self, state: State, ranges: Ranges) -> list[int]:
        """The bodies that want a new mesh."""
        if not self.wholesale.any():
            return []
        worst = worst_conditions(state, ranges)
        settings = self.scene.settings
        bound = np.maximum(settings.worst_condition, LEAST_CONDITION_CHANGE * self.fresh)
        if settings.condition_change > 0.0:
            bound = np.minimum(bound, settings.condition_change * self.begun)
        return [int(body) for body in np.flatnonzero(self.wholesale & (worst > bound))]

    def report(self, worst: float) -> dict[str, float]:
        """What each frame says: the worst condition now, and how far outside its tets something seen lay when they were new."""
        return {"worst_condition": worst, "outside": float(self.outside.max())}

    def coarse(self, present: Discretization) -> Array:
        """How many times too long the longest seen edge of each body (b,) is; 0 where it is not to be refined."""
        result = np.zeros(len(self.scene.bodies))
        for index, body in enumerate(self.scene.bodies):
            if body.refines:
                result[index] = coarseness(present.seen(index), present.grains[index], body.refine_length, self.sizes[index])
        return result

    def overdrawn(self, present: Discretization) -> list[int]:
        """The bodies whose longest seen edge is much too long, and longer than the last refinement could help."""
        now = self.coarse(present)
        wanted = now > np.maximum(OVERDRAWN, AGAIN * self.drawn)
        self.drawn = np.where(wanted, now, np.minimum(now, self.drawn))
        return [int(body) for body in np.flatnonzero(wanted)]

    def bent(self, present: Discretization, contact: SurfaceContact | None, positions: Array) -> dict[int, NDArray[np.int32]]:
        """The vertices (v,) of bodies that have bent off what carries their contact with nodes at positions (n, 3), if some are
        new, and farther than the last time that they got no points of their own."""
        found = dict[int, NDArray[np.int32]]()
        if contact is None or contact.rest is None:
            return found
        moved = replace(present, state=replace(present.state, positions=positions))
        for body, merged in enumerate(contact.merged):
            if merged is None:
                continue
            known = contact.rest.bent[body] if contact.rest.bent else np.zeros(0, dtype=np.int32)
            vertices, worst = merged.bent(moved.seen(body).positions, contact.going.places(positions), len(known))
            wanted = worst > max(1.0, AGAIN * self.off[body])
            self.off[body] = worst if wanted else min(worst, self.off[body])
            fresh = np.setdiff1d(vertices, known)
            if wanted and len(fresh):
                found[body] = fresh
        return found

    def refined(self, present: Discretization, bodies: list[int], due: list[int]) -> tuple[Discretization, TopologyChange]:
        """The discretization with what is seen of some bodies refined where they want it, and the change.

        Some of them are due to get new tets after it.
        """
        made = dict[int, BodyChange]()
        for index in bodies:
            body = self.scene.bodies[index]
            if body.refines:
                bound = present.surfaces[index], present.contacts[index]
                parts = present.seen(index), *bound, present.grains[index], present.mesh(index)
                at_start = len(body.surface.triangles)
                new = refined(*parts, body.refine_length, self.sizes[index], at_start, index not in due)
                if new is not None:
                    made[index] = new.record
        finer, surfaces = replaced(present, made, self.alive.tolist(), self.uids)
        return finer, TopologyChange.nothing(present.ranges, surfaces)

    @property
    def uids(self) -> list[str]:
        """The names (b,) of the bodies."""
        return [body.uid for body in self.scene.bodies]

    def crossing(self, present: Discretization, ahead: float, place: float) -> NDArray[np.int64]:
        """How many faces (b,) of each body that merges pass through it so long after now [s], if nothing stops what moves."""
        return np.array([len(faces) for faces in self.passing(present, ahead, place)], dtype=np.int64)

    def passing(self, present: Discretization, ahead: float, place: float, shells: bool = True) -> list[NDArray[np.int64]]:
        """These faces (k,) of each body, by their numbers, rising; none of one that does not merge.

        shells: also those that pass through another shell which hangs on the same piece of tets.
        """
        result = [np.zeros(0, dtype=np.int64) for _ in self.scene.bodies]
        for index, body in enumerate(self.scene.bodies):
            if self.wholesale[index] and body.at(place).merging:
                state = body_state(present.state, present.ranges, index)
                seen = _seen_at(body, state, present.surfaces[index], ahead)
                pieces = partial(_pieces, present, index) if shells else None
                tree = self._tree(index, seen, present.triangles[index])
                result[index] = np.unique(pairs_within(tree, pieces)).astype(np.int64)
        return result

    def _tree(self, index: int, seen: Array, triangles: NDArray[np.int32]) -> TriangleTree:
        """The tree of what is seen of a body: the last one with its boxes where faces are now, as they are soon again.

        What is found by it does not depend on its order, so a resumed bake may begin with another one.
        """
        looks, known = self._trees.get(index, (LOOKS, None))
        if known is not None and looks < LOOKS and known.triangles is triangles:
            self._trees[index] = looks + 1, refit(known, seen)
        else:
            self._trees[index] = 1, triangle_tree(seen, triangles)
        return self._trees[index][1]

    def renewed(
        self, present: Discretization, bodies: list[int], step: float, place: float = 0.0, ahead: float = 0.0,
        alone: Sequence[int] = (), grazing: bool = False,
    ) -> Renewed:
        """The discretization with new meshes for some bodies, at a place in frames after the first; step [s] is the last one.

        Creases of bodies that merge are closed where they pass through themselves, now or so long `ahead` [s]. Of some,
        `alone`, that is all. With `grazing` pieces become one that are seen in each other, however little. The other bodies
        keep every array, and so does one that new tets cannot fill, being thinner than they are, or that would lie outside of
        them or pass through itself at a tear, but for its creases.
        """
        everybody = range(len(self.scene.bodies))
        states = [with_first_material(body_state(present.state, present.ranges, k), self.bodies) for k in everybody]
        apart, fragments, thin, refused = set(), dict[int, tuple[int, float]](), [], []
        made, records = dict[int, RenewedBody](), dict[int, BodyChange]()
        soon = {index: self._soon(index, present, states[index], place, ahead) for index in bodies}
        for index in (each for each in bodies if each not in alone):
            body, old = self.scene.bodies[index].at(place), present.mesh(index)
            seen, bound = present.seen(index), present.surfaces[index]
            try:
                self.counts[index] += 1
                turn = lattice_turn(int(self.counts[index]))
                insist = bool(max(self.refused[index], self.waits[index]) >= MOST_REFUSED)
                new = renewed_body(body, self.sizes[index], old, seen, bound.tets, turn, soon[index], insist, grazing)
            except Refused:
                refused.append(index)
                continue
            except Vanished:
                thin.append(index)
                continue
            except MeshingError as error:
                raise MeshingError(error.message, body=body.name, remedy=error.remedy) from None
            apart |= {index} if new.apart else set()
            if not new.sewn and _has_vanished(new.change, new.fragments[1]):
                thin.append(index)
                continue
            made[index] = new
            fragments |= {index: new.fragments} if new.fragments[0] else {}
        for index in (each for each in bodies if each not in made):
            records |= self._closed_alone(index, present, soon[index])
        changes = {index: new.change for index, new in made.items()}
        records |= {index: new.record for index, new in made.items()}
        mesh, surfaces = replaced(present, records, self.alive.tolist(), self.uids)
        meshes = [changes[k].new if k in changes else present.mesh(k) for k in range(len(states))]
        (state, ranges), unknowns, covered = side_by_side(
            lambda: joined_states([self._carried(k, present, states[k], made.get(k), step, place) for k in range(len(states))]),
            lambda: _unknowns(meshes) if changes else None,
            lambda: _covered(mesh, meshes, made) if changes else (),
        )
        mesh = replace(mesh, state=state, ranges=ranges, covered=covered)
        change = TopologyChange.of_new_tets(present.ranges, ranges, changes, surfaces)
        outside = {index: new.outside for index, new in made.items()}
        crossing = {index: new.crossing for index, new in made.items() if len(new.crossing)}
        folded = tuple(index for index, new in made.items() if new.folded and self.scene.bodies[index].remesher != "stuffing")
        told = frozenset(apart), fragments, tuple(thin), tuple(refused), outside, crossing, folded
        return Renewed(mesh, unknowns, change, changes, *told)

    def _soon(self, index: int, present: Discretization, state: State, place: float, ahead: float) -> Array | None:
        """Where what is seen of a body that merges will be (n, 3) so long after now [s]; None of one that does not."""
        body = self.scene.bodies[index].at(place)
        return _seen_at(body, state, present.surfaces[index], ahead) if body.merging else None

    def _closed_alone(self, index: int, present: Discretization, soon: Array | None) -> dict[int, BodyChange]:
        """By its number, the change of a body that keeps its tets and whose creases close; none where none does."""
        self.thin[index] += 1
        body, mesh, seen = self.scene.bodies[index], present.mesh(index), present.seen(index)
        bound = present.surfaces[index], present.contacts[index]
        closed = creases_alone(body, self.sizes[index], mesh, seen, soon, *bound)
        return {} if closed is None else {index: closed}

    def _carried(
        self, index: int, present: Discretization, state: State, new: RenewedBody | None, step: float, place: float
    ) -> State:
        """A body's state on its new tets, if it has some."""
        if new is None:
            return state
        body = self.scene.bodies[index].at(place)
        counted = counts_flow(self.bodies, state)
        return carried_over(body, state, present.seen(index), present.surfaces[index], new, step, counted)

    def note(self, bodies: list[int], state: State, ranges: Ranges, renewed: Renewed) -> None:
        """Take in how worn out bodies are that have just got a new mesh, or were refused one."""
        apart = renewed.apart.union(renewed.thin, renewed.refused)
        self.fresh[bodies] = self.begun[bodies] = worst_conditions(state, ranges)[bodies]
        for body in bodies:
            self.waits[body] = self.waits[body] + 1 if body in apart else 0
            self.refused[body] = self.refused[body] + 1 if body in renewed.refused else 0
            self.thin[body] = self.thin[body] if body in renewed.thin else 0
            self.fresh[body] *= SOON / LEAST_CONDITION_CHANGE if body in renewed.refused else 1.0
        for body, farthest in renewed.outside.items():
            self.outside[body] = farthest / self.sizes[body]


def _pieces(present: Discretization, index: int) -> NDArray[np.int32]:
    """The piece of a body's tets that each vertex (n,) seen of it hangs on."""
    pieces: NDArray[np.int32] = present.mesh(index).piece[present.surfaces[index].tets]
    return pieces


def _unknowns(meshes: list[TetMesh]) -> Unknowns:
    """Those of bodies' meshes together."""
    joined = joined_meshes(meshes)
    return Unknowns.of(joined.tets, joined.positions)


def _covered(present: Discretization, meshes: list[TetMesh], made: Mapping[int, RenewedBody]) -> tuple[Covering, ...]:
    """What is seen of bodies about their meshes, with what is asked of it at once (fem/volume_control.py) made."""
    seen = zip(meshes, present.surfaces, present.triangles, strict=True)
    covered = tuple(
        made[body].covering if body in made else Covering(mesh, Surface(evaluate(bound, mesh.tets, mesh.positions), triangles))
        for body, (mesh, bound, triangles) in enumerate(seen)
    )
    for covering in covered:
        covering.filled  # noqa: B018
    return covered


def begun(scene: Scene, first: Discretization) -> Remeshing:
    """The memory of a simulation that begins with the meshes that its bodies were filled with."""
    result = Remeshing(scene, first.hosts)
    result.begun = worst_conditions(first.state, first.ranges)
    alone = result.passing(first, 0.0, 0.0, shells=False)
    # Shells that begin in each other, as eyes in a head, get no new tets for that
    result.creases = result.crossing(first, 0.0, 0.0) - np.array([len(faces) for faces in alone], dtype=np.int64)
    return result


def _has_vanished(change: MeshChange, torn_off: float) -> bool:
    """Whether more of a body than is torn off [m^3] is gone with its new tets: what is left would burst with its weight."""
    had, has = (float(mesh.volumes.sum()) for mesh in (change.old, change.new))
    return has < (1.0 - MOST_VANISHED) * (had - torn_off)


def _seen_at(body: Body, state: State, surface: Binding, ahead: float) -> Array:
    """Where what is seen of a body will be (n, 3) so long after now [s], if nothing stops it; now, as a frame shows it."""
    if ahead > 0.0:
        return evaluate(surface, state.tets, state.positions + ahead * state.velocities)
    return as_shown(body, evaluate(surface, state.tets, state.positions))

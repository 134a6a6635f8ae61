"""A checkered map through twenty remeshes, one merge and one split, all of one run."""

from dataclasses import replace

import ipctk
import numpy as np
import pytest

from solver.geometry.edges import unpaired_edges
from solver.merging.joined_topology import joined_topology
from solver.moment import Snapshot
from solver.scene import validated
from solver.simulate import Simulation
from solver.tearing.cut_topology import cut_topology
from solver.tetmesh.manifold import components
from tests.tearing.shapes import record_of

from .shapes import pair, started

REMESHED = 20
LEAST_LEFT = {0.0: 0.7, 1.5: 0.5}  # of the faces of the start, which neither a seam nor refining has met in the end


class Restless(Simulation):
    """Gets new tets in every step; notes the largest jump of what is seen at each remesh, and the largest away from a seam."""

    def __init__(self, *arguments, **options):
        self.jumps, self.drifts = [], []
        super().__init__(*arguments, **options)

    def seen(self):
        """Where the vertices of each living body are."""
        shown = self.output.frame(Snapshot.of(self.state))
        return {body.uid: body.origin + body.positions.astype(np.float64) for body in shown}

    def _remesh(self):
        self.remeshing.due = lambda *_: list(range(len(self.scene.bodies)))
        before, count = self.seen(), len(self.cuts)
        done = super()._remesh()
        if done:
            self.note(before, self.seen(), self.cuts[count:])
        return done

    def note(self, before, now, changes):
        """Follow vertices through the changes of one remesh: those that stay, and those of them that no seam meets."""
        first = np.cumsum([0, *(len(places) for places in before.values())])
        names = {uid: a + np.arange(len(places)) for (uid, places), a in zip(before.items(), first, strict=False)}
        met = np.zeros(first[-1], dtype=bool)
        for change in changes:
            cut = followed(names, change)
            if cut is not None and (len(cut.kept) < cut.old_triangles.max() + 1 or (cut.origin < 0).any()):  # not refined alone
                at_seam = names[change.uid][np.unique(cut.triangles[~cut.whole])]
                met[at_seam[at_seam >= 0]] = True
        was, own = np.concatenate([*before.values()]), np.concatenate([names[uid] for uid in now])
        moved = np.abs(np.concatenate([*now.values()])[own >= 0] - was[own[own >= 0]]).max(axis=1)
        self.jumps.append(float(moved.max()))
        self.drifts.append(float(moved[~met[own[own >= 0]]].max()))


def followed(names, change):
    """Carry names, which vertex of before each body's (n,) are, -1 none, over a change; the cut of it, if there is one."""
    for uid, _ in change.taken:
        names[change.uid] = np.concatenate([names[change.uid], names.pop(uid)])
    if change.cut is not None:
        kept = names[change.uid][change.cut.kept]
        names[change.uid] = np.append(kept, np.full(len(change.cut.positions) - len(kept), -1))
    return change.cut


def replayed(records, names, away, changes):
    """Carry the records of bodies, which vertex of the start each of theirs is, and whether each of their faces is one of the
    start that nothing has met, over changes."""
    for change in changes:
        for uid, _ in change.taken:
            records[change.uid] = joined_topology(records[change.uid], records.pop(uid))
            away[change.uid] = np.concatenate([away[change.uid], away.pop(uid)])
        cut = followed(names, change) if change.uid in names else None
        if cut is not None:
            records[change.uid] = cut_topology(records[change.uid], cut)
            away[change.uid] = (cut.origin >= 0) & cut.whole & away[change.uid][cut.origin]


def check_sound(simulation):
    """What is seen is closed, and passes through nothing."""
    for shown, triangles in zip(simulation.seen().values(), simulation.bound[2], strict=True):
        assert unpaired_edges(triangles) == 0
        assert not ipctk.has_intersections(ipctk.CollisionMesh(shown, ipctk.edges(triangles), triangles), shown)


@pytest.mark.parametrize("refine_length", [0.0, 1.5])
def test_a_checker_through_twenty_remeshes_a_merge_and_a_split(refine_length):
    """Where no seam meets it the map drifts by a hundredth of an element in all at most, and nothing jumps by two.

    With Blender's refinement as well, where it leaves faces whole. At each frame what is seen is closed and crosses nothing.
    """
    shot = pair(60, tear_thickness=0.0, refine_length=refine_length)
    late = np.concatenate([np.zeros(12), np.full(48, 0.14)])
    left, right = (replace(body, switches={"tear_thickness": late}) for body in shot.bodies)
    larger = replace(left.surface, positions=1.05 * left.surface.positions)  # so that it takes the other one in
    shot = validated(replace(shot, bodies=(replace(left, surface=larger), right)))
    simulation = started(shot, kind=Restless)
    element = shot.bodies[0].element_size
    places = np.concatenate([body.surface.positions for body in shot.bodies])
    half = len(left.surface.positions)
    records = {body.uid: record_of(body.surface) for body in shot.bodies}
    names = {"left": np.arange(half), "right": np.arange(half, len(places))}
    away = {body.uid: np.ones(len(body.surface.triangles), dtype=bool) for body in shot.bodies}
    merged = split = 0
    for number in range(1, 60):
        changes = simulation.advance().changes
        replayed(records, names, away, changes)
        check_sound(simulation)
        merged = merged or number * any(change.taken for change in changes)
        if number == 12:
            pull_apart(simulation)
        pieces = components(simulation.state.tets).max() + 1
        split = split or number * bool(number > 12 and pieces > 1)
        if split and len(simulation.jumps) >= REMESHED:
            break
    assert 0 < merged < 12 < split
    assert max(simulation.jumps) < 0.02 * element and sum(simulation.drifts) < 0.01 * element
    record, (shown,), own = records["left"], simulation.seen().values(), names["left"]
    assert record.vertex_count == len(shown) == len(own) and (own >= 0).sum() > 0.8 * len(places)
    # the map of a corner is the place of its vertex at rest, seen from above
    corners = own[record.corner_vertices.reshape(-1, 3)[away["left"]]]
    assert away["left"].sum() > LEAST_LEFT[refine_length] * sum(len(body.surface.triangles) for body in shot.bodies)
    assert corners.min() >= 0
    assert np.abs(record.uv_layers["map"].reshape(-1, 3, 2)[away["left"]] - places[corners][..., :2]).max() < 1e-6
    assert (own < 0).sum() > (200 if refine_length else 0)  # some vertices have come


def pull_apart(simulation, speed=6.0):
    """Let both halves fly apart [m/s]."""
    state = simulation.state
    middle = state.masses @ state.positions / state.masses.sum()
    velocities = np.zeros_like(state.positions)
    velocities[:, 0] = speed * np.tanh((state.positions[:, 0] - middle[0]) / 0.08)
    state.velocities, state.previous_velocities = velocities, velocities.copy()

"""A checkered map through twenty remeshes, one merge and one split, all of one run."""

from dataclasses import replace

import ipctk
import numpy as np

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


class Restless(Simulation):
    """Gets new tets in every step; notes the largest jump of what is seen at each remesh, and the largest away from a seam."""

    def __init__(self, *arguments, **options):
        self.jumps, self.drifts = [], []
        super().__init__(*arguments, **options)

    def seen(self):
        shown = self.output.frame(Snapshot.of(self.state))
        return np.concatenate([body.origin + body.positions.astype(np.float64) for body in shown])

    def _remesh(self):
        self.remeshing.due = lambda *_: list(range(len(self.scene.bodies)))
        before, count = self.seen(), len(self.cuts)
        done = super()._remesh()
        if done:
            self.note(before, self.seen(), self.cuts[count:])
        return done

    def note(self, before, now, changes):
        """Follow vertices through the cuts of one remesh: those that stay, and those of them that no seam meets."""
        stay, away = np.arange(len(before)), np.ones(len(before), dtype=bool)
        for cut in (change.cut for change in changes if change.cut is not None):
            seam = np.unique(cut.triangles[~cut.whole])
            away = away[cut.kept[cut.kept < len(away)]]
            away[seam[seam < len(away)]] = False
            stay = stay[cut.kept[cut.kept < len(stay)]]
        moved = np.abs(now[: len(stay)] - before[stay]).max(axis=1)
        self.jumps.append(float(moved.max()))
        self.drifts.append(float(moved[away].max()))


def replayed(records, names, away, changes):
    """The record of what is left after changes; which vertex of the start each of its first vertices is; and whether each of
    its faces is one of the start that no seam has met."""
    for change in changes:
        for uid, _ in change.taken:
            records["left"] = joined_topology(records["left"], records[uid])
        if change.uid == "left" and change.cut is not None:
            records["left"] = cut_topology(records["left"], change.cut)
            names = names[change.cut.kept[change.cut.kept < len(names)]]
            away = (change.cut.origin >= 0) & change.cut.whole & away[change.cut.origin]
    return names, away


def test_a_checker_through_twenty_remeshes_a_merge_and_a_split():
    """Where no seam meets it the map drifts by a hundredth of an element in all at most, and nothing jumps by two."""
    shot = pair(60, tear_thickness=0.0)
    late = np.concatenate([np.zeros(12), np.full(48, 0.14)])
    left, right = (replace(body, switches={"tear_thickness": late}) for body in shot.bodies)
    larger = replace(left.surface, positions=1.05 * left.surface.positions)  # so that it takes the other one in
    shot = validated(replace(shot, bodies=(replace(left, surface=larger), right)))
    simulation = started(shot, kind=Restless)
    element = shot.bodies[0].element_size
    places = np.concatenate([body.surface.positions for body in shot.bodies])
    records, names = {body.uid: record_of(body.surface) for body in shot.bodies}, np.arange(len(places))
    away = np.ones(sum(len(body.surface.triangles) for body in shot.bodies), dtype=bool)
    merged = split = 0
    for number in range(1, 60):
        changes = simulation.advance().changes
        names, away = replayed(records, names, away, changes)
        merged = merged or number * any(change.taken for change in changes)
        if number == 12:
            pull_apart(simulation)
        pieces = components(simulation.state.tets).max() + 1
        split = split or number * bool(number > 12 and pieces > 1)
        if split and len(simulation.jumps) >= REMESHED:
            break
    assert 0 < merged < 12 < split
    assert max(simulation.jumps) < 0.02 * element and sum(simulation.drifts) < 0.01 * element
    record, shown, triangles = records["left"], simulation.seen(), simulation.bound[2][0]
    assert record.vertex_count == len(shown) and len(names) > 0.8 * len(places) and unpaired_edges(triangles) == 0
    assert not ipctk.has_intersections(ipctk.CollisionMesh(shown, ipctk.edges(triangles), triangles), shown)
    # the map of a corner is the place of its vertex at rest, seen from above
    corners = record.corner_vertices.reshape(-1, 3)[away]
    assert away.sum() > 0.7 * sum(len(body.surface.triangles) for body in shot.bodies) and corners.max() < len(names)
    assert np.abs(record.uv_layers["map"].reshape(-1, 3, 2)[away] - places[names[corners]][..., :2]).max() < 1e-6


def pull_apart(simulation, speed=6.0):
    """Let both halves fly apart [m/s]."""
    state = simulation.state
    middle = state.masses @ state.positions / state.masses.sum()
    velocities = np.zeros_like(state.positions)
    velocities[:, 0] = speed * np.tanh((state.positions[:, 0] - middle[0]) / 0.08)
    state.velocities, state.previous_velocities = velocities, velocities.copy()

"""What is seen bends where goo folds: it stays by what carries its contact, and so passes through nothing."""

from pathlib import Path

import numpy as np
import pytest

from figure_scenes.shapes import bar
from solver.bake import prepare
from solver.cache.archive import pack, unpack
from solver.contact.surfaces.bending import BENT, SOON, Merged, near_to
from solver.contact.surfaces.known_reach import Rest, Staying
from solver.contact.surfaces.seen import seen_surface
from solver.geometry.edge_crossings import piercing_pairs
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.presets import load_preset
from solver.remesh import exchange
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tetmesh.cage import cage
from tests.surfaces import moved, prism

PRESETS = Path(__file__).parents[2] / "presets"
ELEMENT = 0.2


@pytest.fixture(scope="module")
def slab():
    """A metre long and flat, of squares of a tenth of a tet."""
    return bar((1.0, 0.2, 0.4), (0.0, 0.0, 0.0), 0.02)


@pytest.fixture(scope="module")
def mesh(slab):
    return cage(slab, ELEMENT)


def merged(slab, fit):
    return Merged.of(fit.merged, slab.positions, fit.positions, fit.triangles, 0, ELEMENT)


def bent(positions, radius):
    """Places rolled up about the y axis to an arc of a radius [m]."""
    angle, out = positions[:, 0] / radius, radius + positions[:, 2]
    return np.stack([out * np.sin(angle), positions[:, 1], out * np.cos(angle) - radius], axis=1)


def test_what_is_merged_is_told(slab, mesh):
    """Each vertex that has gone, twice, and each edge between others that is no more."""
    fit = seen_surface(slab, mesh, ELEMENT)
    gone = np.setdiff1d(np.arange(len(slab.positions)), fit.vertices)
    assert len(gone) > 0.3 * len(slab.positions)
    alone = fit.merged[:, 0] == fit.merged[:, 1]
    np.testing.assert_array_equal(fit.merged[alone, 0], gone)
    corners = fit.vertices[fit.triangles]
    left = {tuple(sorted(edge)) for a, b, c in corners.tolist() for edge in ((a, b), (b, c), (c, a))}
    assert not left & {tuple(sorted(edge)) for edge in fit.merged[~alone].tolist()}
    none = seen_surface(slab, mesh, ELEMENT, error=0.0)
    assert not len(none.merged) and merged(slab, none) is None


def test_how_far_off_it_is_when_it_bends(slab, mesh):
    """By an independent way: no vertex that has gone is nearer to what is left than that, and the worst is about as far."""
    fit = seen_surface(slab, mesh, ELEMENT)
    flat, rolled = bent(slab.positions, 1e9), bent(slab.positions, 0.15)
    those = merged(slab, fit)
    assert those.bent(flat, flat[fit.vertices], 0)[1] < 0.5
    vertices, worst = those.bent(rolled, rolled[fit.vertices], 0)
    gone = np.setdiff1d(np.arange(len(slab.positions)), fit.vertices)
    off = closest_points(triangle_tree(rolled[fit.vertices], fit.triangles), rolled[gone]).distance / (BENT * ELEMENT)
    assert worst > 1.5 and worst == pytest.approx(off.max(), rel=0.35)
    assert np.isin(gone[off > 1.0], vertices).all() and SOON < 1.0


def test_with_points_of_its_own_it_follows(slab, mesh):
    rolled, kept, counts = bent(slab.positions, 0.15), np.zeros(0, dtype=np.int32), []
    for _ in range(8):
        fit = seen_surface(slab, mesh, ELEMENT, kept=kept)
        assert np.isin(kept, fit.vertices).all()
        those = merged(slab, fit)
        vertices, worst = (kept, 0.0) if those is None else those.bent(rolled, rolled[fit.vertices], len(kept))
        if worst <= 1.0:
            break
        counts.append(len(kept))
        kept = np.union1d(kept, vertices).astype(np.int32)
    assert worst <= 1.0 and len(fit.vertices) <= len(slab.positions)
    assert all(after >= 2 * before for before, after in zip(counts[1:], counts[2:], strict=False))  # few times at all


def test_edges_of_what_has_points_of_its_own_stay():
    """Of a prism the ends are fans of slivers, which are flipped."""
    part = prism(64, 12)
    kept = np.arange(0, len(part.positions), 7, dtype=np.int32)
    fit = seen_surface(part, cage(part, 0.4), 0.4, kept=kept)
    gone = fit.merged[:, 0] != fit.merged[:, 1]
    assert gone.sum() > 20 and not np.isin(fit.merged[gone], kept).any()


def test_what_is_pressed_is_not_merged():
    seen = np.array([[0.0, 0.0, 0.0], [0.05, 0.0, 0.0], [0.2, 0.0, 0.0]])
    assert near_to(np.array([[0.0, 0.01, 0.0]]), seen, 0.1).tolist() == [0, 1]
    assert not len(near_to(np.zeros((0, 3)), seen, 0.1))


def test_vertices_keep_their_names_as_what_is_seen_changes():
    """Vertex 1 of six is cleaned away, and others come after the five that are left."""
    rest = Rest(np.zeros((4, 3)), np.array([4]), bent=(np.array([1, 3], dtype=np.int32),))
    stays = Staying(slice(0, 4), slice(0, 4), np.array([5], dtype=np.int32), (np.array([0, 2, 3, 4, 5]),))
    count, vertices = stays.rest(rest, 0)
    assert count == 3 and vertices.tolist() == [2, 4]


@pytest.fixture(scope="module")
def crumpled():
    """A slab of caramel, finer than its tets, thrown at the ground: it folds, and gets new tets while it is pressed."""
    part = bar((0.45, 0.1, 0.3), (0.0, 0.0, 0.0), 0.012)
    c, s = np.cos(np.radians([40.0, 20.0])), np.sin(np.radians([40.0, 20.0]))
    turn = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]]) @ np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    part = moved(type(part)(np.ascontiguousarray(part.positions @ turn.T), part.triangles), (0.0, 0.0, 0.45))
    body = Body(
        "b", "Slab", part, load_preset(PRESETS / "caramel.toml").material, resolution=8, remeshing="wholesale",
        refine_length=1.5, velocity=(0.0, 0.0, -4.0),
    )  # fmt: skip
    ground = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5)
    scene = validated(Scene((body,), (ground,), Settings(1, 6, threads=1, body_contact="all")))
    (made,) = prepare(scene)
    return scene, ([made.mesh], [made.surface], [made.contacts])


def test_what_crosses_only_by_what_is_merged_is_not_merged(crumpled, monkeypatch):
    scene, made = crumpled
    run, asked = Simulation(scene, *made), []
    contact = exchange._contact

    def crossing_if_merged(now, new, into):
        asked.append(len(new.rest.bent[0]))
        return contact(now, new, into)[0], np.arange(len(asked) == 1)

    monkeypatch.setattr(exchange, "_contact", crossing_if_merged)
    new, surfaces, crosses = exchange._with_contact(run, run.present, np.arange(1))
    assert asked == [0, len(run.bound[0][0].tets)] and not crosses
    assert surfaces.merged == [None] and len(new.rest.bent[0]) == asked[1]


def test_a_fine_slab_crumples_and_passes_through_nothing(crumpled):
    """What is seen lay up to 0.2 elements off what carried its contact, and 30 pairs of its faces crossed."""
    scene, made = crumpled
    run, remeshes, most = Simulation(scene, *made), 0.0, 0.0
    for number in range(1, 7):
        remeshes += run.advance().statistics["remeshes"]
        seen, contact = run.present.seen(0), run.surfaces
        tree = triangle_tree(contact.carried.places(run.state.positions), contact.surfaces[0].triangles)
        most = max(most, float(closest_points(tree, seen.positions).distance.max()) / scene.bodies[0].element_size)
        assert not len(piercing_pairs(seen.positions, seen.triangles))
        if number == 3:
            assert len(run.surfaces.rest.bent[0]) and not remeshes
            kept = unpack(pack(run.checkpoint()))
    assert most < 1.1 * BENT and remeshes
    resumed = Simulation(scene, *made)
    resumed.restore(kept)
    for _ in range(3):
        resumed.advance()
    np.testing.assert_array_equal(resumed.state.positions, run.state.positions)

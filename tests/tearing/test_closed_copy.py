"""What cannot be cut gets a closed copy: the faces that were there, with all that lies on them, others only in holes."""

from dataclasses import replace

import ipctk
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.cache.topology import SurfaceTopology
from solver.embedding import bind, evaluate
from solver.errors import SceneError
from solver.geometry.edge_crossings import crossing_pairs
from solver.geometry.edges import connected, unpaired_edges
from solver.geometry.hole_filling import holes_filled
from solver.geometry.measures import area_vectors, signed_volumes
from solver.geometry.self_crossing import crossing_faces
from solver.geometry.triangle_tree import triangle_tree
from solver.pins.pin import Pin
from solver.remesh.restuffing import lattice_turn
from solver.scene import Surface
from solver.tearing.at_start import made_fit, on_copy
from solver.tearing.booleans import INNER
from solver.tearing.charts import charts
from solver.tearing.closed_copy import closed_copy, needs_closed_copy
from solver.tearing.cut_topology import cut_topology
from solver.tearing.renewal import renewed_body
from solver.tearing.surface_cut import SurfaceCut
from solver.tetmesh.cage import cage
from solver.tetmesh.manifold import components
from solver.tetmesh.mesh import TetMesh
from tests.remesh.test_carried import divided
from tests.surfaces import box, flipped, joined, loop_through_itself, prism, sphere, stored, surface, with_holes, wrecks

from .shapes import record_of, scene

WRECKS = {name: part for name, part in wrecks().items() if needs_closed_copy(part)}
ANEW = {"soup with gaps"}  # of these no face can stay
ROUNDED = {"self-intersecting"}  # what lies in itself by rounding alone does so where it narrows to a point


def copy_of(part: Surface) -> SurfaceCut:
    return closed_copy(part, part.extent / 40)


def volume(positions, triangles) -> float:
    return float(signed_volumes(positions, triangles).sum())


def crossings(cut: SurfaceCut) -> bool:
    mesh = ipctk.CollisionMesh(cut.positions, ipctk.edges(cut.triangles), cut.triangles)
    return bool(ipctk.has_intersections(mesh, cut.positions))


def open_cube() -> Surface:
    """A cube of 2 x 2 faces a side, without its top."""
    cube = box()
    return surface(cube.positions, [t for t in cube.triangles if not (cube.positions[t][:, 2] == 0.5).all()])


def test_a_dense_surface_that_crosses_itself_far_from_where_it_is_looked_at_first_gets_one():
    """Of a million pairs of boxes none cross; what crosses comes after them."""
    globe = sphere(160)
    places = globe.positions * (4.0, 1.0, 1.0)
    tip = places[:, 0] > 3.9
    places[tip, 0] = 7.7 - places[tip, 0]
    places[tip, 1:] *= 1.8
    dented = surface(places, globe.triangles)
    assert not unpaired_edges(dented.triangles) and volume(places, globe.triangles) > 0.0
    assert not len(crossing_faces(places, globe.triangles)) and needs_closed_copy(dented)
    assert not needs_closed_copy(surface(globe.positions * (4.0, 1.0, 1.0), globe.triangles))


def test_slivers_between_points_in_line_are_no_crossing():
    """A cylinder whose edges an artist has subdivided and turned, kept in single precision: it tears as it is."""
    seen = 0
    for turn in Rotation.random(8, random_state=2):
        bar = prism(24, 6)
        places = turn.apply(bar.positions).astype(np.float32).astype(np.float64)
        seen += len(crossing_pairs(triangle_tree(places, bar.triangles)))
        assert not needs_closed_copy(surface(places, bar.triangles)) and not len(crossing_faces(places, bar.triangles))
    assert seen > 0  # by rounding


@pytest.mark.parametrize("depth", [1e-5, 1e-3])
def test_what_crosses_by_more_than_rounding_is_seen(depth):
    """The corner of one box in the side of another, a metre wide, of one surface."""
    corner = Rotation.align_vectors([[0, 0, -1]], [[1, 1, 1]])[0].apply(box().positions)
    corner[:, 2] += 0.5 - depth - corner[:, 2].min()
    both = joined(box((2.0, 2.0, 1.0)), surface(corner, box().triangles))
    places = both.positions.astype(np.float32).astype(np.float64)
    assert needs_closed_copy(surface(places, both.triangles)) and len(crossing_faces(places, both.triangles))


@pytest.mark.parametrize("name", sorted(WRECKS))
def test_every_wreck_is_closed(name):
    part = WRECKS[name]
    cut = copy_of(part)
    assert unpaired_edges(cut.triangles) == 0 and volume(cut.positions, cut.triangles) > 0.0
    assert name in ROUNDED or not crossings(cut)
    assert cut.whole.any() == (name not in ANEW | {"inside out"})
    assert not needs_closed_copy(Surface(cut.positions, cut.triangles))


@pytest.mark.parametrize("name", ["soup", "soup with gaps", "holes", "inside out", "some flipped", "self-intersecting"])
def test_a_ball_keeps_its_volume(name):
    cut = copy_of(WRECKS[name])
    ball = sphere(16)
    assert volume(cut.positions, cut.triangles) == pytest.approx(volume(ball.positions, ball.triangles), rel=0.03)


def test_a_box_without_a_lid_gets_one():
    """Two faces between its own vertices, and no other face changes."""
    part = open_cube()
    cut = copy_of(part)
    assert len(cut.triangles) == 12 and (cut.origin == INNER).sum() == 2 and cut.whole[cut.origin >= 0].all()
    assert (cut.positions[np.unique(cut.triangles[cut.origin == INNER])][:, 2] == 0.5).all()
    assert volume(cut.positions, cut.triangles) == pytest.approx(1.0, rel=1e-12)


def test_suzanne_keeps_what_is_seen_of_her():
    """Eyes and head become one; what is cut are faces where they cross, what is new closes her eyes from behind."""
    part = stored("suzanne")
    cut = copy_of(part)
    kept = cut.origin[cut.whole]
    area = np.sqrt((area_vectors(part.positions, part.triangles) ** 2).sum(axis=1))
    assert area[kept].sum() > 0.8 * area.sum()
    assert cut.positions[: len(cut.kept)].tobytes() == part.positions[cut.kept].tobytes()
    names = np.arange(len(part.positions)) if cut.weld is None else cut.weld
    assert (cut.kept[cut.triangles[cut.whole]] == names[part.triangles[kept]]).all()


def test_what_passes_through_itself_keeps_what_is_seen_of_it():
    """A sausage along a loop, two of five faces turned inwards: united where its ends cross, and whole everywhere else."""
    part = loop_through_itself()
    turned_right = np.arange(len(part.triangles)) % 5 <= 2
    cut = copy_of(flipped(part, ~turned_right))
    assert unpaired_edges(cut.triangles) == 0 and not needs_closed_copy(Surface(cut.positions, cut.triangles))
    away = (part.positions[part.triangles].mean(axis=1)[:, 1] < 0.5) & turned_right
    assert np.isin(np.flatnonzero(away), cut.origin[cut.whole]).all() and (cut.origin != INNER).all()
    assert cut.positions[: len(cut.kept)].tobytes() == part.positions[cut.kept].tobytes()
    ball = sphere(8, 0.1, (0.0, 0.01, 0.02))
    with_hollow = copy_of(joined(part, flipped(ball)))
    hollow = volume(cut.positions, cut.triangles) - volume(with_hollow.positions, with_hollow.triangles)
    assert hollow == pytest.approx(volume(ball.positions, ball.triangles), rel=1e-6)
    shared, had = 16.0 / 3.0 * 0.25**3, volume(part.positions, part.triangles)  # Steinmetz' solid
    assert volume(cut.positions, cut.triangles) == pytest.approx(had - shared, rel=0.01)


@pytest.mark.parametrize("name", ["suzanne", "holes", "soup", "some flipped", "overlap", "self-intersecting"])
def test_everything_goes_over_to_where_it_belongs(name):
    """UVs, attributes and weights say their place: no corner of an old face is off by more than rounding."""
    part = WRECKS[name]
    cut = copy_of(part)
    new = cut_topology(record_of(part), cut)
    layers = {layer.name: layer.values for layer in new.attributes}
    outer = np.repeat(cut.origin >= 0, 3)
    corners = cut.positions[cut.triangles].reshape(-1, 3)
    assert new.vertex_count == len(cut.positions) and (new.corner_vertices == cut.triangles.ravel()).all()
    for values, wanted in ((layers["corner"], corners), (new.uv_layers["map"], corners[:, :2])):
        assert np.abs(values - wanted)[outer].max() < 2e-6
    assert (new.material_index[cut.origin < 0] == 2).all() and (new.material_index[cut.origin >= 0] < 2).all()
    points = np.unique(cut.triangles[cut.origin >= 0])
    assert np.abs(layers["place"] - cut.positions)[points].max() < 2e-6
    assert np.abs(new.vertex_groups.weights - cut.positions[:, 0])[points].max() < 2e-6
    ends = np.sort(new.edges, axis=1)
    assert len(np.unique(ends, axis=0)) == len(ends) and (ends[:, 0] < ends[:, 1]).all()
    sides = np.stack([cut.triangles, np.roll(cut.triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    assert (np.sort(sides, axis=1) == ends[new.corner_edges]).all()


def test_welded_quads_stay_quads():
    """A cube of quads of their own, one of them missing: five quads on eight vertices, closed with two triangles."""
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4)])
    places = box().positions[quads].reshape(-1, 3)
    corners = np.arange(20).reshape(5, 4)
    part = surface(places, np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]], axis=1).reshape(-1, 3))
    cut = copy_of(part)
    new = cut_topology(SurfaceTopology(20, np.arange(6, dtype=np.int32) * np.int32(4), np.arange(20, dtype=np.int32)), cut)
    assert new.vertex_count == 8 and np.diff(new.face_offsets).tolist() == [4] * 5 + [3, 3]
    assert np.abs(cut.positions[new.corner_vertices[:20]] - places).max() == 0.0


def test_a_wrapped_map_spans_no_seam():
    """The speared ball's map is cut in halves that lie far apart: each new face lies in one of them, near its own place."""
    part = WRECKS["self-intersecting"]
    record = record_of(part)
    half = np.repeat(part.positions[part.triangles].mean(axis=1)[:, 0] > 0.0, 3)
    uv = record.uv_layers["map"] + np.where(half, 100.0, 0.0)[:, None].astype(np.float32)
    record = replace(record, uv_layers={"map": uv})
    known = charts(record, part.triangles)
    assert known is not None and len(np.unique(known)) == 2
    spacing = part.extent / 40
    cut = closed_copy(part, spacing, known)
    after = cut_topology(record, cut).uv_layers["map"].reshape(-1, 3, 2)[cut.origin >= 0]
    moved = after[:, :, 0] > 50.0
    assert (moved == moved[:, :1]).all() and 0.2 < moved.mean() < 0.8
    off = np.abs(after - np.where(moved, 100.0, 0.0)[:, :, None] - cut.positions[cut.triangles[cut.origin >= 0]][:, :, :2])
    assert off.max() < np.sqrt(3.0) * spacing and np.median(off) < 0.1 * spacing  # the longest edge of a new face


def test_borders_that_share_a_vertex_or_are_long():
    """Filled by least area: a flat border, a star's too, with its own, to 2 % where it is long; no edge is used twice."""
    for count in (5, 60, 500):
        angle = np.arange(count) * 2.0 * np.pi / count
        radius = 1.0 + 0.5 * np.cos(5.0 * angle) * (count > 5)
        rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(count)], axis=1)
        cone = np.array([(count, (k + 1) % count, k) for k in range(count)], dtype=np.int32)
        places = np.concatenate([rim, [[0.0, 0.0, -1.0]]])
        closing = holes_filled(places, cone)
        assert closing is not None and unpaired_edges(np.concatenate([cone, closing])) == 0
        area = np.sqrt((area_vectors(places, closing) ** 2).sum(axis=1)).sum()
        wanted = 0.5 * np.abs(np.cross(rim, np.roll(rim, -1, axis=0))[:, 2].sum())
        assert area == pytest.approx(wanted, rel=1e-9 if count < 100 else 0.02)
        assert volume(places, np.concatenate([cone, closing])) > 0.0
    ball = sphere(16)
    pair = np.flatnonzero((ball.triangles == ball.triangles[40, 0]).any(axis=1))[[0, 3]]
    bitten = np.delete(ball.triangles, pair, axis=0)
    closing = holes_filled(ball.positions, bitten)
    assert closing is not None and len(closing) == 2 and unpaired_edges(np.concatenate([bitten, closing])) == 0


def test_goal_fibres_and_pins_go_along():
    part = open_cube()
    places = part.positions
    pin = Pin("pin", np.array([0, 7], dtype=np.int32), np.array([0.6, 1.0]), places[None, [0, 7]])
    whole = joined(part, box((0.2, 0.2, 0.2)), sphere(6, 0.2, (1.0, 0.0, 0.0)))
    body = replace(scene().bodies[0], surface=whole, goal=2.0 * whole.positions, fibres=whole.positions.copy(), pins=(pin,))
    cut = copy_of(whole)
    new = on_copy(body, cut)
    assert np.abs(new.goal - 2.0 * cut.positions).max() < 1e-9 and np.abs(new.fibres - cut.positions).max() < 1e-9
    (held,) = new.pins
    assert (cut.positions[held.vertices] == places[[0, 7]]).all() and held.weights.tolist() == [0.6, 1.0]
    assert np.abs(held.targets[0] - places[[0, 7]]).max() == 0.0
    inner = replace(body, pins=(replace(pin, vertices=np.array([9, 10], dtype=np.int32)),))
    with pytest.raises(SceneError, match="inside it"):
        on_copy(inner, cut)


def test_only_bodies_that_may_be_cut_get_one():
    """And what encloses nothing is refused, with a remedy."""
    shot = scene()
    heard = []
    same, records = made_fit(shot, {}, heard.append)
    assert same.bodies[0] is shot.bodies[0] and not records and not heard
    body = replace(shot.bodies[0], surface=open_cube())
    plain = replace(shot, bodies=(replace(body, tear_thickness=0.0),))
    assert made_fit(plain, {}, heard.append)[0].bodies[0] is plain.bodies[0]
    closed, records = made_fit(replace(shot, bodies=(body,)), {"b": record_of(open_cube())}, heard.append)
    assert len(closed.bodies[0].surface.triangles) == records["b"].face_count == 12 and not heard
    sheet = surface(np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.0)]), [(0, 1, 2), (0, 2, 3)])
    with pytest.raises(SceneError, match="encloses no volume") as caught:
        made_fit(replace(shot, bodies=(replace(body, surface=sheet),)), {}, heard.append)
    assert caught.value.body == "Gum" and "Solidify" in caught.value.remedy
    crossing = replace(body, surface=WRECKS["soup with gaps"])
    made_fit(replace(shot, bodies=(crossing,)), {}, heard.append)
    assert len(heard) == 1 and heard[0]["event"] == "warning" and "Gum" in heard[0]["message"]


def test_suzanne_is_torn_in_two():
    """Pinched across her face: both parts are closed and cross nothing that they did not, UVs lie where they lay."""
    part = stored("suzanne")
    part = divided(Surface(part.positions / part.extent, part.triangles), 2)
    body = replace(scene(tear=0.15).bodies[0], surface=part, resolution=20)
    cut = closed_copy(part, body.element_size / 4.0)
    record = cut_topology(record_of(part), cut)
    body = on_copy(body, cut)
    mesh = cage(body.surface, body.element_size)
    binding = bind(mesh, body.surface.positions)

    def pinched(places):
        moved = places * [3.0, 1.0, 1.0]
        moved[:, 1:] *= 1.0 - 0.9 * np.exp(-((moved[:, :1] / 0.4) ** 2))
        return moved

    old = TetMesh(pinched(mesh.positions), mesh.tets)
    seen = Surface(evaluate(binding, old.tets, old.positions), body.surface.triangles)
    new = renewed_body(body, body.element_size, old, seen, binding.tets, lattice_turn(1))
    assert len(new.cuts) == 1 and unpaired_edges(new.seen.triangles) == 0
    ends = np.stack([new.seen.triangles, np.roll(new.seen.triangles, -1, axis=1)]).reshape(2, -1)
    shell = connected(ends, len(new.seen.positions))[new.seen.triangles[:, 0]]
    assert len(np.unique(shell)) == components(new.change.new.tets).max() + 1 == 2
    sizes = [volume(new.seen.positions, new.seen.triangles[shell == one]) for one in np.unique(shell)]
    whole = volume(seen.positions, seen.triangles)
    assert min(sizes) > 0.3 * whole and 0.9 * whole < sum(sizes) < whole
    after = cut_topology(record, new.cuts[0])
    outer = np.repeat(new.cuts[0].origin >= 0, 3) & np.repeat(after.material_index != 2, 3)
    names = np.full(len(seen.positions), -1)
    names[: len(body.surface.positions)] = np.arange(len(body.surface.positions))
    kept = np.full(after.vertex_count, -1)
    kept[: len(new.cuts[0].kept)] = names[new.cuts[0].kept]
    own = outer & (kept[after.corner_vertices] >= 0)
    drift = np.abs(after.uv_layers["map"][own] - body.surface.positions[kept[after.corner_vertices[own]], :2]).max(axis=1)
    assert own.sum() > 30_000 and drift.max() < 0.01  # at the rim of the cut; elsewhere nothing
    assert drift[np.repeat(new.cuts[0].whole, 3)[own]].max() < 1e-6
    assert (after.material_index[np.flatnonzero(new.cuts[0].origin == INNER)] == 2).all()
    assert not len(crossing_faces(new.seen.positions, new.seen.triangles))


def test_a_hollow_ball_with_a_hole_keeps_its_hollow():
    """And a ball beside it that faces inwards is a ball."""
    outer, inner = with_holes(sphere(16), 100), sphere(8, 0.5)
    part = joined(outer, flipped(inner), flipped(sphere(8, 0.3, (3.0, 0.0, 0.0))))
    cut = copy_of(part)
    each = [volume(one.positions, one.triangles) for one in (sphere(16), inner, sphere(8, 0.3))]
    assert unpaired_edges(cut.triangles) == 0
    assert volume(cut.positions, cut.triangles) == pytest.approx(each[0] - each[1] + each[2], rel=5e-3)

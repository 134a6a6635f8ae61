"""When pieces touch, who takes whom in, and what lies on both."""

from dataclasses import replace

import numpy as np
import pytest

from solver.cache.topology import NamedArray, SurfaceTopology, VertexGroups, from_arrays, to_arrays, topology_of_triangles
from solver.embedding import Binding
from solver.geometry.edge_crossings import piercing_pairs
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.merging.joined_topology import emptied, joined_topology
from solver.merging.joining import element_sizes, joined, living
from solver.merging.touching import clumps
from solver.merging.watch import lie_in_each_other
from solver.remesh.discretization import at_rest
from solver.remesh.record import mesh_change
from solver.remesh.transfer import transferred
from solver.scene import Body, Scene
from solver.slots import MU
from solver.surface import Surface
from solver.tearing.surface_cut import united_surface
from solver.tetmesh.manifold import components
from solver.tetmesh.mesh import TetMesh, joined_meshes
from tests.remesh.shapes import GOO, ball, state_of
from tests.surfaces import joined as side_by_side
from tests.surfaces import sphere, with_holes
from tests.tearing.shapes import record_of

SIZE = 0.25


def balls(*middles: float) -> TetMesh:
    """Balls of 1 m in a row along x."""
    return joined_meshes([ball(SIZE, centre=(x, 0.0, 0.0)) for x in middles])


def test_pieces_touch_once_they_lie_deep_enough_in_each_other():
    mesh = balls(0.0, 1.9, 5.0)
    assert clumps(mesh.positions, mesh.tets, 0.05) == [[0, 1], [2]]
    assert clumps(mesh.positions, mesh.tets, 0.15) == [[0], [1], [2]]
    aslant = joined_meshes([ball(SIZE), ball(SIZE, centre=np.full(3, 1.9 / np.sqrt(3.0)))])  # boxes that overlap widely
    assert len(clumps(aslant.positions, aslant.tets, 0.04)) == 1 and len(clumps(aslant.positions, aslant.tets, 0.15)) == 2
    chain = balls(0.0, 3.4, 1.7)
    assert clumps(chain.positions, chain.tets, 0.1) == [[0, 1, 2]]
    small = joined_meshes([ball(SIZE), ball(0.1, 0.3)])  # wholly inside
    assert clumps(small.positions, small.tets, 0.2) == [[0, 1]]
    assert clumps(mesh.positions, mesh.tets, 0.15, np.array([[2, 1], [1, 2], [0, 0]])) == [[0], [1, 2]], "or as said"


def test_what_is_seen_to_lie_in_each_other_is_two_bodies_or_two_pieces():
    """Not what passes through itself: a ball pulled through its own side."""
    one, far, near = sphere(12), sphere(12, centre=(3.0, 0.0, 0.0)), sphere(12, centre=(1.6, 0.1, 0.2))
    folded = Surface(np.where(one.positions[:, :1] > 0.9, one.positions - (2.5, 0.0, 0.0), one.positions), one.triangles)
    assert len(piercing_pairs(folded.positions, folded.triangles))
    for other, expected in ((far, False), (near, True)):
        seen = [folded, other, side_by_side(folded, other)]
        assert lie_in_each_other((0, 1), seen.__getitem__) == expected
        assert lie_in_each_other((2, 2), seen.__getitem__) == expected
    assert not lie_in_each_other((0, 0), [folded].__getitem__)


def test_the_larger_body_takes_the_others_in():
    """Whichever comes first; what is of nodes and tets is what it was, and the finest tets count."""
    middles, radii = (0.0, 1.5, 9.0), (0.6, 1.0, 0.5)
    surfaces = [sphere(8, radius, (x, 0.0, 0.0)) for x, radius in zip(middles, radii, strict=True)]
    bodies = tuple(Body(str(k), str(k), surface, GOO, resolution=8) for k, surface in enumerate(surfaces))
    meshes = [ball(SIZE, radius, (x, 0.0, 0.0)) for x, radius in zip(middles, radii, strict=True)]
    nothing = [some_binding(mesh) for mesh in meshes]
    before = at_rest(bodies, meshes, nothing, nothing)
    before.state.velocities = before.state.positions**2
    scene = Scene(bodies)
    made = joined(before, [(0, 1)], scene)
    assert made.mesh.hosts.tolist() == [1, 1, 2]
    assert made.change.into.tolist() == [0, 0, 1] and made.change.firsts.tolist() == [1, 2]
    assert [(each.uid, each.topology, each.taken) for each in made.change.surfaces] == [("1", 1, (("0", 0),)), ("0", 1, ())]
    assert made.taken == {0: [0]} and made.mesh.topologies.tolist() == [1, 0, 0]
    assert [body.uid for body in living(scene, made.mesh.hosts).bodies] == ["1", "2"]
    assert element_sizes(scene, made.mesh.hosts) == [bodies[0].element_size, bodies[2].element_size]
    assert (made.mesh.state.positions == before.state.positions[made.change.nodes.same]).all()
    assert (made.mesh.state.velocities == made.mesh.state.positions**2).all()
    corners = made.mesh.state.positions[made.mesh.state.tets]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6.0
    assert np.abs(volumes - made.mesh.state.volumes).max() < 1e-12 and components(made.mesh.mesh(0).tets).max() == 1
    last = made.mesh.surfaces[0].tets[len(surfaces[1].positions) :]
    assert (last >= len(meshes[1].tets)).all() and len(last) == len(surfaces[0].positions)


def some_binding(mesh: TetMesh) -> Binding:
    """A surface of as many points as the sphere has, each on some tet."""
    count = len(sphere(8).positions)
    return Binding(np.arange(count, dtype=np.int32) % len(mesh.tets), np.tile([0.25] * 4, (count, 1)))


def test_a_new_tet_is_of_the_material_that_it_has_most_of():
    """Two halves, one twice as stiff: no third modulus comes of it."""
    old = state_of(ball(SIZE))
    right = old.positions[old.tets].mean(axis=1)[:, 0] > 0.0
    old.material[MU, right] *= 2.0
    change = mesh_change(TetMesh(old.positions, old.tets), ball(0.19))
    new = transferred(old, change, 0.01)
    assert set(new.material[MU]) == set(old.material[MU])
    middles = new.positions[new.tets].mean(axis=1)[:, 0]
    stiff = new.material[MU] == old.material[MU].max()
    assert stiff[middles > SIZE].all() and not stiff[middles < -SIZE].any()


def test_surfaces_are_united_only_where_they_are_meant_to():
    three = side_by_side(sphere(10), sphere(10, 1.0, (1.6, 0.02, 0.01)), sphere(6, 0.4, (0.0, 0.0, 1.0)))
    faces = len(sphere(10).triangles)
    part = np.concatenate([np.zeros(faces), np.ones(faces), -np.ones(len(three.triangles) - 2 * faces)]).astype(np.int32)
    cut = united_surface(three, part)
    assert cut is not None and unpaired_edges(cut.triangles) == 0
    alone = cut.origin >= 2 * faces
    assert alone.sum() == len(three.triangles) - 2 * faces and cut.whole[alone].all()
    lens = 2.0 * np.pi * 0.2**2 * (3.0 - 0.2) / 3.0
    had = signed_volumes(three.positions, three.triangles).sum()
    assert signed_volumes(cut.positions, cut.triangles).sum() == pytest.approx(had - lens, rel=0.01)
    apart = side_by_side(sphere(6), sphere(6, 1.0, (3.0, 0.0, 0.0)))
    sides = np.repeat([0, 1], len(sphere(6).triangles)).astype(np.int32)
    assert united_surface(apart, sides) is None
    holed = with_holes(sphere(6))
    torn = side_by_side(holed, sphere(6, 1.0, (1.0, 0.0, 0.0)))
    assert united_surface(torn, (np.arange(len(torn.triangles)) >= len(holed.triangles)).astype(np.int32)) is None


def test_a_record_of_both_has_what_lies_on_either():
    first, second = record_of(sphere(6)), record_of(sphere(5))
    second = replace(
        second, uv_layers={"other": second.uv_layers["map"]}, active_uv="other", materials=("two", "new"), inner_slot=1,
        attributes=second.attributes[:2], vertex_groups=VertexGroups(("y",), *vars_of(second.vertex_groups)),
    )  # fmt: skip
    first = replace(first, active_uv="map")
    both = from_arrays(to_arrays(joined_topology(first, second)))
    assert both.vertex_count == first.vertex_count + second.vertex_count
    assert both.face_count == first.face_count + second.face_count
    assert list(both.uv_layers) == ["map", "other"]
    assert both.uv_layers["map"].tobytes() == first.uv_layers["map"].tobytes() + second.uv_layers["other"].tobytes()
    # a material that names its UVs finds them under that name still
    assert both.uv_layers["other"][first.corner_count :].tobytes() == second.uv_layers["other"].tobytes()
    assert both.materials == ("one", "two", "inside", "new") and both.inner_slot == 2
    assert set(both.material_index[first.face_count :]) == {1, 3}
    layers = {layer.name: layer.values for layer in both.attributes}
    assert not layers["number"][first.face_count :].any()
    assert (layers["place"][: first.vertex_count] == first.attributes[0].values).all()
    assert len(layers["end"]) == len(both.edges) == len(first.edges) + len(second.edges)
    ends = np.sort(both.edges[both.corner_edges], axis=1)
    turns = np.stack([both.corner_vertices, np.roll(both.corner_vertices.reshape(-1, 3), -1, axis=1).ravel()], axis=1)
    assert (ends == np.sort(turns, axis=1)).all()
    groups = both.vertex_groups
    assert groups is not None and groups.names == ("x", "y") and (groups.groups[first.vertex_count :] == 1).all()
    bare = joined_topology(first, topology_of_triangles(sphere(5).triangles, second.vertex_count))
    assert not len(bare.edges) and all(layer.domain != "EDGE" for layer in bare.attributes)
    assert not bare.uv_layers["map"][first.corner_count :].any()
    assert bare.materials[3] == "" and (bare.material_index[first.face_count :] == 3).all()


def painted(record: SurfaceTopology, name: str, domain: str, kind: str, rgba: tuple) -> SurfaceTopology:
    count = record.vertex_count if domain == "POINT" else record.corner_count
    values = np.tile(np.array(rgba, dtype=np.float32), (count, 1))
    return replace(record, attributes=(NamedArray(name, domain, kind, values),), active_color=name)


@pytest.mark.parametrize("name", ["Own", "Paint"])
@pytest.mark.parametrize(
    ("kinds", "seen"), [(("BYTE_COLOR", "FLOAT_COLOR"), 0.21404), (("FLOAT_COLOR", "BYTE_COLOR"), 0.73536)]
)
@pytest.mark.parametrize("domains", [("POINT", "CORNER"), ("CORNER", "POINT"), ("POINT", "POINT")])
def test_the_colour_that_renders_use_goes_on_under_the_name_and_kind_of_the_other(name, kinds, seen, domains):
    """Of two kinds too, and whichever it is called: half of the bytes' grey is 0.214 of the light, half of the light 0.735."""
    first = painted(record_of(sphere(6)), "Paint", domains[1], kinds[1], (0.1, 0.2, 0.3, 1.0))
    second = painted(record_of(sphere(5)), name, domains[0], kinds[0], (0.5, 0.5, 0.0, 0.5))
    both = joined_topology(first, second)
    layers = {layer.name: layer for layer in both.attributes}
    shown = layers["Paint"]
    assert both.active_color == "Paint" and (shown.domain, shown.type) == (domains[1], kinds[1])
    count = len(first.attributes[0].values)
    assert shown.values[:count].tobytes() == first.attributes[0].values.tobytes()
    assert shown.values[count:] == pytest.approx(np.tile([seen, seen, 0.0, 0.5], (len(shown.values) - count, 1)), abs=1e-4)
    if name == "Own":
        assert (layers["Own"].domain, layers["Own"].type) == (domains[0], kinds[0])
        assert layers["Own"].values[-1] == pytest.approx([0.5, 0.5, 0.0, 0.5])


def vars_of(groups: VertexGroups | None) -> tuple:
    assert groups is not None
    return groups.offsets, groups.groups, groups.weights


def test_a_record_of_nothing_keeps_its_names():
    gone: SurfaceTopology = from_arrays(to_arrays(emptied(record_of(sphere(5)))))
    assert (gone.vertex_count, gone.face_count, gone.corner_count) == (0, 0, 0) and gone.materials == ("one", "two", "inside")
    assert list(gone.uv_layers) == ["map"] and {layer.name for layer in gone.attributes} == {"place", "corner", "number", "end"}

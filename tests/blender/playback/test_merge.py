"""Two bodies that have merged, in Blender: one result shows both, the other is empty; Alembic gives back the same."""

from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from .conftest import FIRST, LAST, RATE

pytestmark = pytest.mark.blender

MERGED = 4  # first frame after the merge
UIDS = ("body-1", "body-2")


def shows(places: np.ndarray, expected: np.ndarray) -> None:
    assert places.shape == expected.shape and (np.abs(places - expected) < 1e-5).all()


def add_ball(number: int, material: str) -> "bpy.types.Object":
    """A ball with a skin, colours and a vertex group of its own, that merges; only the second has UVs."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, location=(0.8 * number, 0.03 * number, 0.02 * number))
    ball = bpy.context.object
    ball.data.materials.append(bpy.data.materials.new(material))
    place = ball.data.color_attributes.new(f"Place {number}", "FLOAT_COLOR", "POINT")
    place.data.foreach_set("color", [part for v in ball.data.vertices for part in (*(0.5 + 0.4 * x for x in v.co), 1.0)])
    paint = ball.data.color_attributes.new(f"Paint {number}", "BYTE_COLOR", "CORNER")
    paint.data.foreach_set("color_srgb", np.full(4 * len(paint.data), 0.4 + 0.4 * number, np.float32))
    if number == 0:
        ball.data.uv_layers.remove(ball.data.uv_layers["UVMap"])
    ball.vertex_groups.new(name=f"Group {number}").add(range(len(ball.data.vertices)), 0.5, "REPLACE")
    settings = ball.dollop
    settings.is_body, settings.uid, settings.remeshing = True, UIDS[number], "wholesale"
    settings.merging, settings.merge_group = True, 1
    return ball


@pytest.fixture
def merged(scene: "bpy.types.Scene", tmp_path: Path) -> SimpleNamespace:
    """Two balls that lie in each other; from frame MERGED on the first one has taken the second in."""
    from dollop.operators.bridge.playback import show_results
    from dollop.operators.bridge.read_scene import read_scene
    from dollop.solver.cache import FrameStore, versions
    from dollop.solver.frame import BodyFrame, Frame
    from dollop.solver.merging.joined_topology import emptied, joined_topology
    from dollop.solver.surface import Surface
    from dollop.solver.tearing.cut_topology import cut_topology
    from dollop.solver.tearing.surface_cut import united_surface

    for number, material in enumerate(("Skin", "Rind")):
        add_ball(number, material)
    scene.dollop.uid, scene.dollop.cache_path = "scene-1", str(tmp_path / "cache")
    seen = read_scene(scene)
    surfaces = [body.surface for body in seen.scene.bodies]
    count = len(surfaces[0].positions)
    both = Surface(
        np.concatenate([one.positions for one in surfaces]),
        np.concatenate([surfaces[0].triangles, surfaces[1].triangles + count]).astype(np.int32),
    )
    cut = united_surface(both, np.repeat([0, 1], len(surfaces[0].triangles)).astype(np.int32))
    records = [seen.topologies[uid] for uid in UIDS]
    after = [cut_topology(joined_topology(*records), cut), emptied(records[1])]

    def places(frame: int, number: int) -> np.ndarray:
        if frame < MERGED:
            return surfaces[number].positions.astype(np.float32)
        return cut.positions.astype(np.float32) if number == 0 else np.zeros((0, 3), np.float32)

    bodies = [{"uid": uid, "name": uid, "vertices": count} for uid in UIDS]
    content = {"frames_per_second": RATE, "frame_start": FIRST, "frame_end": LAST, "bodies": bodies, "versions": versions("0")}
    with FrameStore.create(tmp_path / "cache", content) as store:
        for number, uid in enumerate(UIDS):
            store.write_topology(uid, 0, records[number])
            store.write_topology(uid, 1, after[number])
        for frame in range(FIRST, LAST + 1):
            shown = []
            for number, uid in enumerate(UIDS):
                here = places(frame, number)
                zeros = np.zeros(len(here), np.float32)
                attributes = {"velocity": np.zeros_like(here), "plastic_strain": zeros, "stress": zeros}
                shown.append(BodyFrame(uid, np.zeros(3), here, attributes, int(frame >= MERGED)))
            store.write_frame(Frame(frame, tuple(shown)))
        store.update_manifest(status="done")
    scene.frame_set(FIRST)
    assert show_results(scene) is None
    results = {item["dollop_result_of"]: item for item in scene.objects if "dollop_result_of" in item}
    return SimpleNamespace(scene=scene, results=[results[uid] for uid in UIDS], cut=cut, records=records, places=places)


def test_one_result_shows_both_and_the_other_nothing(merged: SimpleNamespace) -> None:
    first_item, second_item = merged.results
    first, second = first_item.data, second_item.data
    for frame in (FIRST, MERGED, MERGED - 1, LAST):
        merged.scene.frame_set(frame)
        for number, mesh in enumerate((first, second)):
            places = np.array([vertex.co for vertex in mesh.vertices]).reshape(-1, 3)
            shows(places, merged.places(frame, number))
    assert [material.name for material in first.materials] == ["Skin", "Rind"] and not len(second.polygons)
    slots = np.array([polygon.material_index for polygon in first.polygons])
    assert set(slots) == {0, 1} and not first.validate() and not second.validate()
    assert {"Place 0", "Place 1"} <= {layer.name for layer in first.color_attributes}
    assert [layer.name for layer in first.uv_layers] == ["UVMap"]
    weights = [{first_item.vertex_groups[entry.group].name: entry.weight for entry in v.groups} for v in first.vertices]
    assert {tuple(entry.items()) for entry in weights} >= {(("Group 0", 0.5),), (("Group 1", 0.5),)}
    assert [group.name for group in second_item.vertex_groups] == ["Group 1"]
    middles = np.array([polygon.center for polygon in first.polygons])
    assert middles[slots == 0][:, 0].max() < middles[slots == 1][:, 0].max()


def lain_on_faces(mesh: "bpy.types.Mesh") -> dict[str, np.ndarray]:
    """What lies on corners and vertices, each face's mean: UVs, colours and the slots of materials, by name."""
    starts = np.array([polygon.loop_start for polygon in mesh.polygons])
    corners = np.array([loop.vertex_index for loop in mesh.loops])
    found = {}
    for layer in mesh.attributes:
        if layer.data_type in ("FLOAT2", "BYTE_COLOR", "FLOAT_COLOR"):
            member, width = ("vector", 2) if layer.data_type == "FLOAT2" else ("color", 4)
            values = np.empty(width * len(layer.data), np.float32)
            layer.data.foreach_get(member, values)
            there = values.reshape(-1, width)[corners] if layer.domain == "POINT" else values.reshape(-1, width)
            sizes = np.diff(np.append(starts, len(mesh.loops)))
            means = np.add.reduceat(there.astype(np.float64), starts) / sizes[:, None]
            # Both formats write blanks as underscores; USD calls the UVs that renders use "st"
            found["UVMap" if layer.name == "st" else layer.name.replace(" ", "_")] = means
    return found


LAYERS = ("UVMap", "Paint_0", "Paint_1", "Place_0", "Place_1", "dollop_slot")
EIGHT_BITS = 5e-3  # by which light is off at most, half a step of a byte


@pytest.mark.parametrize(("identifier", "file"), [("ALEMBIC", "goo.abc"), ("USD", "goo.usdc")])
def test_layers_that_come_with_the_merge_are_told_of_every_frame(
    merged: SimpleNamespace, tmp_path: Path, identifier: str, file: str
) -> None:
    from dollop.operators.bridge.exports import export

    first, expected = merged.results[0], {}
    path = export(merged.scene, identifier, tmp_path / file)  # before any other frame has been shown
    assert not {"UVMap", "Paint 1", "dollop_slot", "dollop_strain_stress"} & set(first.data.attributes.keys())
    assert first.data.color_attributes["Place 0"].data_type == "FLOAT_COLOR", "Alembic's bytes are only lent"
    for frame in range(FIRST, LAST + 1):
        merged.scene.frame_set(frame)
        expected[frame] = lain_on_faces(first.data)
        slots = np.array([polygon.material_index for polygon in first.data.polygons])
        expected[frame]["dollop_slot"] = np.stack([slots, 0 * slots], axis=1)
    assert "UVMap" not in expected[FIRST] and expected[LAST]["dollop_slot"].any() and expected[LAST]["UVMap"].any()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if identifier == "ALEMBIC":
        bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False, always_add_cache_reader=True)
    else:
        bpy.ops.wm.usd_import(filepath=str(path))
    item = next(item for item in bpy.data.objects if item.type == "MESH" and "001" not in item.name)
    for frame in (FIRST, MERGED - 1, MERGED, LAST):
        bpy.context.scene.frame_set(frame)
        bpy.context.view_layer.update()
        seen = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        told = lain_on_faces(seen.to_mesh())
        for name in LAYERS:
            wanted = expected[frame].get(name, 0 * told[name])
            most = EIGHT_BITS if identifier == "ALEMBIC" and name.startswith("Place") else 1e-5
            assert told[name].shape == wanted.shape and np.abs(told[name] - wanted).max() < most, (frame, name)
        seen.to_mesh_clear()


def test_alembic_gives_both_back(merged: SimpleNamespace, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export

    names = [item.name for item in merged.results]
    path = export(merged.scene, "ALEMBIC", tmp_path / "goo.abc")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False, always_add_cache_reader=True)
    items = {item.name: item for item in bpy.context.selected_objects if item.type == "MESH"}
    assert len(items) == len(names) == 2
    for frame in range(FIRST, LAST + 1):
        bpy.context.scene.frame_set(frame)
        bpy.context.view_layer.update()
        for number, name in enumerate(sorted(items, key=lambda name: "001" in name)):
            seen = items[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
            mesh = seen.to_mesh()
            places = np.array([seen.matrix_world @ vertex.co for vertex in mesh.vertices]).reshape(-1, 3)
            shows(places, merged.places(frame, number))
            seen.to_mesh_clear()

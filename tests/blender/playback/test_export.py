"""Every export is read back by Blender and compared with what the cache holds, to 1e-5."""

import struct
from pathlib import Path

import bpy
import numpy as np
import pytest

from .conftest import FIRST, LAST, ORIGIN, RATE, Bake, close, strain

pytestmark = pytest.mark.blender


def evaluated(item: "bpy.types.Object") -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """World positions and float or vector attributes of an object as Blender evaluates it now."""
    bpy.context.view_layer.update()
    seen = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = seen.to_mesh()
    local = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", local)
    matrix = np.array(seen.matrix_world)
    attributes = {}
    for layer in mesh.attributes:
        if layer.data_type in ("FLOAT", "FLOAT_VECTOR", "FLOAT2"):
            width = {"FLOAT": 1, "FLOAT2": 2, "FLOAT_VECTOR": 3}[layer.data_type]
            values = np.empty(width * len(layer.data), np.float32)
            layer.data.foreach_get("value" if width == 1 else "vector", values)
            attributes[layer.name] = values.reshape(-1, width)
    attributes["corners"] = np.array([loop.vertex_index for loop in mesh.loops])
    seen.to_mesh_clear()
    return local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], attributes


def imported_mesh() -> "bpy.types.Object":
    return next(item for item in bpy.context.selected_objects if item.type == "MESH")


@pytest.mark.parametrize("kind", ["changing", "constant"])
def test_alembic_reads_back(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export

    bake: Bake = request.getfixturevalue(kind)
    path = export(bake.scene, "ALEMBIC", tmp_path / "goo.abc")
    assert [file.name for file in tmp_path.glob("*.abc")] == ["goo.abc"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False, always_add_cache_reader=True)
    item = imported_mesh()
    for number in range(FIRST, LAST + 1):
        bpy.context.scene.frame_set(number)
        positions, velocity, triangles = bake.surface(number)
        seen, attributes = evaluated(item)
        close(seen, positions + ORIGIN)
        close(attributes["velocity"], velocity)
        extra = attributes["dollop_strain_stress"]
        expected = strain(len(positions), number)[attributes["corners"]]
        close(extra, np.stack([expected, 1000 * expected], axis=1), 1e-3)
        if len(triangles):
            assert len(attributes["corners"]) == triangles.size


@pytest.mark.parametrize("kind", ["changing", "constant"])
def test_usd_reads_back(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export

    bake: Bake = request.getfixturevalue(kind)
    path = export(bake.scene, "USD", tmp_path / "goo")
    assert path.name == "goo.usdc"
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=str(path))
    item = imported_mesh()
    for number in range(FIRST, LAST + 1):
        bpy.context.scene.frame_set(number)
        positions, velocity, _ = bake.surface(number)
        seen, attributes = evaluated(item)
        close(seen, positions + ORIGIN)
        close(attributes["velocity"], velocity)
        close(attributes["plastic_strain"][:, 0], strain(len(positions), number))


def test_exports_leave_the_scene_as_it_was(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export

    scene = constant.scene
    scene.frame_start, scene.frame_end = 3, 90
    scene.frame_set(4)
    before = [(item.name, item.select_get(), item.hide_render, len(item.modifiers)) for item in scene.objects]
    data = [len(kind) for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.shape_keys, bpy.data.actions)]
    for identifier in ("ALEMBIC", "USD", "SHAPE_KEYS", "MDD"):
        export(scene, identifier, tmp_path / "goo")
    assert (scene.frame_start, scene.frame_end, scene.frame_current) == (3, 90, 4)
    assert data == [len(kind) for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.shape_keys, bpy.data.actions)]
    assert before == [(item.name, item.select_get(), item.hide_render, len(item.modifiers)) for item in scene.objects]
    assert "dollop_strain_stress" not in constant.result.data.attributes
    close(constant.shown(), constant.surface(4)[0])


def test_a_name_gets_its_extension_and_the_open_file_is_never_replaced(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export
    from dollop.solver.errors import ResourceError

    for name, written in (("goo", "goo.mdd"), ("goo.v2", "goo.v2.mdd"), ("GOO.MDD", "GOO.MDD")):
        assert export(constant.scene, "MDD", tmp_path / name).name == written
    shot = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    before = shot.read_bytes()
    for name in ("shot.blend", "shot"):
        with pytest.raises(ResourceError, match=r"open \.blend"):
            export(constant.scene, "SHAPE_KEYS", tmp_path / name)
    assert shot.read_bytes() == before


def test_shape_keys_play_without_the_cache(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export

    path = export(constant.scene, "SHAPE_KEYS", tmp_path / "goo")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(path)) as (there, here):
        here.objects = list(there.objects)
    (item,) = here.objects
    bpy.context.scene.collection.objects.link(item)
    assert not [key for key in item.keys() if key.startswith("dollop_")]  # noqa: SIM118
    for number in range(FIRST, LAST + 1):
        bpy.context.scene.frame_set(number)
        close(evaluated(item)[0], constant.surface(number)[0] + ORIGIN)
    bpy.context.scene.frame_set(2, subframe=0.5)
    close(evaluated(item)[0], 0.5 * (constant.surface(2)[0] + constant.surface(3)[0]) + ORIGIN)


def test_mdd_reads_back(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export

    path = export(constant.scene, "MDD", tmp_path / "goo", modifier=True)
    data = path.read_bytes()
    frames, points = struct.unpack(">2i", data[:8])
    assert (frames, points) == (LAST - FIRST + 1, len(constant.surface(1)[0]))
    times = np.frombuffer(data, ">f4", frames, 8)
    close(times, np.arange(frames) / RATE)
    assert len(data) == 8 + 4 * frames + 12 * frames * points
    item = next(item for item in constant.scene.objects if "Mesh Cache" in item.modifiers)
    assert "dollop_result_of" not in item
    for number in range(FIRST, LAST + 1):
        constant.scene.frame_set(number)
        close(evaluated(item)[0], constant.surface(number)[0] + ORIGIN)


@pytest.mark.parametrize("identifier", ["SHAPE_KEYS", "MDD"])
def test_changing_vertices_are_refused_in_words(identifier: str, changing: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export
    from dollop.solver.errors import UnsupportedExportError

    objects = set(bpy.data.objects)
    with pytest.raises(UnsupportedExportError, match=r"frame 2.*Alembic or USD"):
        export(changing.scene, identifier, tmp_path / "goo")
    assert set(bpy.data.objects) == objects
    assert not list(tmp_path.glob("goo*"))


def test_a_missing_frame_stops_the_export_before_it_begins(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export
    from dollop.solver.errors import CacheError

    (tmp_path / "cache" / "frame_000004.dollop.npz").unlink()
    with pytest.raises(CacheError, match="frame 4"):
        export(constant.scene, "ALEMBIC", tmp_path / "goo.abc")
    assert not list(tmp_path.glob("*.abc"))


def test_a_folder_that_cannot_be_written_is_named(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export
    from dollop.solver.errors import ResourceError

    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ResourceError, match="goo"):
        export(constant.scene, "ALEMBIC", tmp_path / "file" / "goo.abc")


def test_a_blender_without_the_format_says_so(constant: Bake, tmp_path: Path) -> None:
    from dataclasses import replace

    from dollop.operators.bridge.exports import formats
    from dollop.solver.errors import UnsupportedExportError

    lacking = replace(formats()["USD"], built_with="no_such_option")
    with pytest.raises(UnsupportedExportError, match="without USD"):
        lacking.require()
    for item in formats().values():
        item.require()
    assert {"ALEMBIC", "USD", "SHAPE_KEYS", "MDD"} <= set(formats())


def test_exports_hold_real_time_in_a_stretched_scene(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export

    constant.scene.render.frame_map_new = 300
    path = export(constant.scene, "ALEMBIC", tmp_path / "goo.abc")
    assert constant.scene.render.frame_map_new == 300
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False, always_add_cache_reader=True)
    item = imported_mesh()
    bpy.context.scene.frame_set(LAST)
    close(evaluated(item)[0], constant.surface(LAST)[0] + ORIGIN)


def test_a_result_whose_collection_is_off_is_named(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export
    from dollop.solver.errors import UnsupportedExportError

    home = bpy.data.collections.new("Off")
    constant.scene.collection.children.link(home)
    home.objects.link(constant.result)
    constant.scene.collection.objects.unlink(constant.result)
    constant.scene.view_layers[0].layer_collection.children["Off"].exclude = True
    with pytest.raises(UnsupportedExportError, match=r"Goo.*collection"):
        export(constant.scene, "USD", tmp_path / "goo")


@pytest.mark.parametrize("identifier", ["ALEMBIC", "USD", "SHAPE_KEYS", "MDD"])
def test_two_bodies_share_one_export(identifier: str, scene: "bpy.types.Scene", tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export
    from dollop.operators.bridge.playback import show_results
    from dollop.operators.bridge.result_mesh import read_topology
    from dollop.solver.cache import FrameStore, versions
    from dollop.solver.frame import BodyFrame, Frame

    scene.dollop.uid, scene.dollop.cache_path = "scene-1", str(tmp_path / "cache")
    topologies, rest = {}, {}
    for uid, add in (("one", bpy.ops.mesh.primitive_cube_add), ("two", bpy.ops.mesh.primitive_ico_sphere_add)):
        add()
        item = bpy.context.object
        item.dollop.is_body, item.dollop.uid = True, uid
        topologies[uid] = read_topology(item, scene)
        rest[uid] = np.array([vertex.co for vertex in item.data.vertices], np.float32)
    bodies = [{"uid": uid, "name": uid, "vertices": len(points)} for uid, points in rest.items()]
    content = {"frames_per_second": 24.0, "frame_start": 1, "frame_end": 3, "bodies": bodies, "versions": versions("0")}
    with FrameStore.create(tmp_path / "cache", content) as store:
        for uid, topology in topologies.items():
            store.write_topology(uid, 0, topology)
        for number in (1, 2, 3):
            moved = [BodyFrame(uid, np.zeros(3), points * np.float32(number)) for uid, points in rest.items()]
            store.write_frame(Frame(number, tuple(moved)))
    assert show_results(scene) is None
    path = export(scene, identifier, tmp_path / "goo")
    assert path.is_file()
    if identifier == "MDD":
        assert (tmp_path / "goo_2.mdd").stat().st_size == 8 + 4 * 3 + 12 * 3 * len(rest["two"])
        return
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if identifier == "ALEMBIC":
        bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False, always_add_cache_reader=True)
    elif identifier == "USD":
        bpy.ops.wm.usd_import(filepath=str(path))
    else:
        with bpy.data.libraries.load(str(path)) as (there, here):
            here.objects = list(there.objects)
        for item in here.objects:
            bpy.context.scene.collection.objects.link(item)
    bpy.context.scene.frame_set(3)
    meshes = sorted((evaluated(item)[0] for item in bpy.context.scene.objects if item.type == "MESH"), key=len)
    assert len(meshes) == 2
    for actual, expected in zip(meshes, sorted(rest.values(), key=len), strict=True):
        close(actual, 3 * expected)
